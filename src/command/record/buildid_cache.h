/* buildid_cache.h - perf's cache of files by build id, ~/.debug. */
#ifndef PNAV_SRC_COMMAND_RECORD_BUILDID_CACHE_H
#define PNAV_SRC_COMMAND_RECORD_BUILDID_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/err.h"

/* Adds the file with this build id, as `perf buildid-cache --add` does: as a link, or as a copy if
 * it is on another file system. An existing entry stays. Returns false with *e if it cannot be
 * written. */
bool buildid_cache_add(const char *file, const uint8_t *id, size_t id_len, struct err *e);

#endif
