/* unzstd.h - one zstd stream that comes in pieces, inside of another format.
 *
 * For whole files that are compressed see source.h; here a decoder owns the framing and
 * feeds what it finds between its records. */
#ifndef PNAV_SRC_INPUT_UNZSTD_H
#define PNAV_SRC_INPUT_UNZSTD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unzstd;

/* NULL when pnav was built without zstd. */
struct unzstd *unzstd_new(void);
void unzstd_free(struct unzstd *z);
/* Begins with the next piece, which is borrowed until unzstd_read() has given all of it.
 */
void unzstd_feed(struct unzstd *z, const void *bytes, size_t len);
/* What comes out of it, up to n bytes; 0 with *bad false when the piece is used up. */
size_t unzstd_read(struct unzstd *z, void *out, size_t n, bool *bad);

#endif
