/* unzlib.h - one run of zlib's bytes, all of it in memory, inside of another format.
 *
 * For whole files that are compressed see source.h; for zstd in pieces unzstd.h. */
#ifndef PNAV_SRC_INPUT_UNZLIB_H
#define PNAV_SRC_INPUT_UNZLIB_H

#include <stdbool.h>
#include <stddef.h>

#include "model/buf.h"

/* Appends what comes out of len bytes; false where they are malformed, or cut, or where it
 * would be more than max bytes.  What came out before that stands. */
bool unzlib(const void *bytes, size_t len, size_t max, struct buf *out);

#endif
