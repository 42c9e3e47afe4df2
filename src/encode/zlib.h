/* zlib.h - compresses and decompresses bytes in memory. */
#ifndef PNAV_SRC_ENCODE_ZLIB_H
#define PNAV_SRC_ENCODE_ZLIB_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/buf.h"

/* Appends len bytes as one zlib stream (RFC 1950). Returns false, with *out unchanged, if they are
 * too many or memory is exhausted. */
bool zlib_squeeze(const void *bytes, size_t len, struct buf *out);
/* Appends the `size` bytes in a gzip file of len bytes. Returns false, with *out unchanged, if it
 * does not hold as many or memory is exhausted. */
bool zlib_expand(const void *gzip, size_t len, size_t size, struct buf *out);

#endif
