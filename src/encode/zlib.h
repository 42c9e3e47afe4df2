/* zlib.h - bytes that are compressed at once. */
#ifndef PNAV_SRC_ENCODE_ZLIB_H
#define PNAV_SRC_ENCODE_ZLIB_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/buf.h"

/* Appends len bytes as one zlib stream (RFC 1950); false when they are too many or memory is
 * short, and then *out is as before. */
bool zlib_squeeze(const void *bytes, size_t len, struct buf *out);

#endif
