/* unzstd.h - one zstd stream that comes in pieces, embedded in another format.
 *
 * source.h handles whole compressed files. Here a decoder owns the framing and feeds the pieces
 * that it finds between its records. */
#ifndef PNAV_SRC_INPUT_UNZSTD_H
#define PNAV_SRC_INPUT_UNZSTD_H

#include <stdbool.h>
#include <stddef.h>

struct unzstd;

/* Returns NULL if pnav was built without zstd. */
struct unzstd *unzstd_new(void);
void unzstd_free(struct unzstd *z);
/* Sets the next piece, which is borrowed until unzstd_read() has consumed it.
 */
void unzstd_feed(struct unzstd *z, const void *bytes, size_t len);
/* Returns up to n decompressed bytes; 0 with *bad false if the piece is consumed. */
size_t unzstd_read(struct unzstd *z, void *out, size_t n, bool *bad);
/* Returns false if the frame that begins here says that it has another size than n. */
bool unzstd_fits(const void *bytes, size_t len, unsigned long long n);
/* Decompresses `len` bytes, which are one frame of n bytes, in one step. Forgets a piece that
 * was set. Returns false if they are damaged or have another size. */
bool unzstd_whole(struct unzstd *z, const void *bytes, size_t len, void *out, size_t n);

#endif
