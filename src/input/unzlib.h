/* unzlib.h - zlib streams embedded in another format.
 *
 * source.h handles whole compressed files; unzstd.h, zstd in pieces. */
#ifndef PNAV_SRC_INPUT_UNZLIB_H
#define PNAV_SRC_INPUT_UNZLIB_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/buf.h"
#include "src/input/input.h"

/* Appends the decompressed form of len bytes, of zlib or gzip. Returns false if they are malformed
 * or truncated, or if the result exceeds max bytes; the output before that stays. */
bool unzlib(const void *bytes, size_t len, size_t max, struct buf *out);

/* Returns an input over the decompressed rest of `in`, read piece by piece; its offsets begin with
 * 0. `in` is borrowed and must not move until the new input is closed. If the stream is truncated
 * or malformed, the new input ends with a fault (input_fault()). */
struct input *unzlib_rest(struct input *in);

#endif
