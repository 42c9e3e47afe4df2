/* shortname.h - short names of several addresses of stores: what distinguishes them. */
#ifndef PNAV_SRC_STORE_SHORTNAME_H
#define PNAV_SRC_STORE_SHORTNAME_H

#include <stddef.h>

#include "model/base/buf.h"

/* Appends the service that n addresses share; nothing if they share none. */
void shortname_common(const char *const *url, size_t n, struct buf *out);
/* Appends what the i-th of n addresses selects, without what all of them select: "version 2 web1
 * 2024-05-01T12:00..13:00"; the database if they all select the same. */
void shortname_own(const char *const *url, size_t n, size_t i, struct buf *out);

#endif
