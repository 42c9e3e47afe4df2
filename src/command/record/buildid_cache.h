/* buildid_cache.h - perf's cache of files by build id, ~/.debug. */
#ifndef PNAV_SRC_COMMAND_RECORD_BUILDID_CACHE_H
#define PNAV_SRC_COMMAND_RECORD_BUILDID_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/err.h"

/* Puts the file with this build id there, as `perf buildid-cache --add` does: a link to it, or a
 * copy where another file system is no place for a link.  One that is there stays.  False with *e
 * when it cannot be written. */
bool buildid_cache_add(const char *file, const uint8_t *id, size_t id_len, struct err *e);

#endif
