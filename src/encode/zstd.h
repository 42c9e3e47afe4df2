/* zstd.h - writes zstd: one stream in blocks that a reader can decompress as they arrive,
 * and bytes in memory. */
#ifndef PNAV_SRC_ENCODE_ZSTD_H
#define PNAV_SRC_ENCODE_ZSTD_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/buf.h"
#include "model/base/err.h"

#define ZSTD_STREAM_LEVEL 1 /* fast: recording must not wait */

struct zstd;

/* Returns true if this build can compress. */
bool zstd_there(void);
/* Returns NULL if it cannot. */
struct zstd *zstd_new(void);
/* Compresses bytes from *at on, advances *at by those consumed, and writes up to `room` bytes to
 * `out`. Returns the number written; *more: call again with the same bytes for the rest. After the
 * last call a reader can decompress everything put in. Returns 0 with *e on failure. */
size_t zstd_block(struct zstd *z, const void *bytes, size_t len, size_t *at, void *out,
		  size_t room, bool *more, struct err *e);
void zstd_free(struct zstd *z);
/* Appends len bytes as one zstd frame. Returns false, with *out unchanged, if this build cannot
 * compress or memory is exhausted. */
bool zstd_squeeze(const void *bytes, size_t len, int level, struct buf *out);

#endif
