/* unzlib.h - runs of zlib's bytes inside of another format.
 *
 * For whole files that are compressed see source.h; for zstd in pieces unzstd.h. */
#ifndef PNAV_SRC_INPUT_UNZLIB_H
#define PNAV_SRC_INPUT_UNZLIB_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/buf.h"
#include "src/input/input.h"

/* Appends what comes out of len bytes; false where they are malformed, or cut, or where it
 * would be more than max bytes.  What came out before that stands. */
bool unzlib(const void *bytes, size_t len, size_t max, struct buf *out);

/* An input of its own over what comes out of the rest of `in`, piece by piece; its offsets begin
 * with 0.  `in` is borrowed, and nobody else moves it until this one is closed.  Where the run is
 * cut or malformed the new input ends, with a fault (input_fault()). */
struct input *unzlib_rest(struct input *in);

#endif
