/* zstd.h - one stream of zstd, written in blocks that a reader can use as they come. */
#ifndef PNAV_SRC_ENCODE_ZSTD_H
#define PNAV_SRC_ENCODE_ZSTD_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/err.h"

#define ZSTD_STREAM_LEVEL 1 /* fast: what is recorded must not wait */

struct zstd;

/* Whether this build can compress. */
bool zstd_there(void);
/* NULL where it cannot. */
struct zstd *zstd_new(void);
/* Compresses the bytes from *at on and sets it to how many were read; up to `room` bytes go
 * to `out`.  How many; *more says whether there are others, which the next call with the
 * same bytes gives.  After the last one a reader has all that was put in.  0 with *e. */
size_t zstd_block(struct zstd *z, const void *bytes, size_t len, size_t *at, void *out,
		  size_t room, bool *more, struct err *e);
void zstd_free(struct zstd *z);

#endif
