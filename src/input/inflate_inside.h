/* inflate_inside.h - shared by the files that decompress; no other file includes it.
 *
 * inflate.c      detection, gzip, zstd, xz, skippable frames, the source
 * inflate_lz4.c  lz4
 * utf16.c        texts of UTF-16 */
#ifndef PNAV_SRC_INPUT_INFLATE_INSIDE_H
#define PNAV_SRC_INPUT_INFLATE_INSIDE_H

#include "src/input/source.h"

#include <zlib.h>

#ifdef HAVE_LIBZSTD
#include <zstd.h>
#endif
#ifdef HAVE_LIBLZMA
#include <lzma.h>
#endif
#ifdef HAVE_LIBLZ4
#include <lz4frame.h>
#endif

struct inflate_source;
struct fastgz;
struct lz4_blocks;

struct codec {
	const char *name;
	const char *magic; /* of magic_len bytes */
	size_t magic_len;
	uint8_t first_mask; /* mask of the first byte, for magics that cover a range */
	/* NULL: recognised, but not supported by this build. */
	bool (*begin)(struct inflate_source *s);
	/* Converts some input to some output and returns its length; 0 is not yet the end. Sets
	 * `between` if a stream has ended and another may follow. Reports faults in s. */
	size_t (*step)(struct inflate_source *s, void *out, size_t n);
	void (*finish)(struct inflate_source *s);
	/* Returns true if what follows the magic fits, too; NULL: the magic suffices. */
	bool (*fits)(const uint8_t *at, size_t len);
};

/* The state of a gzip file. */
struct gzip_state {
	z_stream zlib;
	struct fastgz *fast; /* state of ISA-L, kept for the next member */
	bool is_fast;        /* ISA-L inflates the current member */
	uint64_t begin_at;   /* compressed bytes before the current member */
	uint64_t begin_given;
	uint64_t drop; /* bytes that zlib has yet to inflate again */
};

struct utf16_state {
	bool half; /* `first` is the first byte of a unit */
	uint8_t first;
	uint32_t high; /* the first unit of a pair; 0: none */
	char made[8];  /* n bytes of UTF-8; the reader has the first `given` of them */
	size_t given, n;
};

/* buf[at .. at + have) holds the compressed bytes not yet used. */
struct inflate_source {
	struct source base, *inner;
	const struct codec *codec; /* NULL: bytes pass through */
	uint8_t *buf;
	size_t at, have;
	bool inner_ended, ended, between;
	uint64_t given;
	uint64_t inner_at; /* bytes read from inner */
	uint64_t again_at; /* where those in buf end; < inner_at: later ones are read again */
	union {
		uint32_t skip; /* bytes of a skippable frame */
		struct gzip_state gzip;
		struct utf16_state utf16;
#ifdef HAVE_LIBZSTD
		ZSTD_DStream *zstd;
#endif
#ifdef HAVE_LIBLZMA
		lzma_stream lzma;
#endif
#ifdef HAVE_LIBLZ4
		struct {
			LZ4F_dctx *ctx;
			size_t next; /* bytes that complete the next part of a frame */
		} lz4;
		struct lz4_blocks *blocks;
#endif
	} state;
};

static inline void
inflate_took(struct inflate_source *s, size_t n)
{
	s->at += n;
	s->have -= n;
}

/* Ends the data with damage: "the NAME data is WHAT". Returns 0. */
static inline size_t
inflate_fault(struct inflate_source *s, const char *what)
{
	s->ended = true;
	err_damage(&s->base.fault, s->given, "the %s data is %s", s->codec->name, what);
	return 0;
}

bool utf16_fits(const uint8_t *at, size_t len);
bool utf16_begin(struct inflate_source *s);
size_t utf16_step(struct inflate_source *s, void *out, size_t n);
void utf16_finish(struct inflate_source *s);

#ifdef HAVE_LIBLZ4
bool inflate_lz4_begin(struct inflate_source *s);
size_t inflate_lz4_step(struct inflate_source *s, void *out, size_t n);
void inflate_lz4_finish(struct inflate_source *s);
bool inflate_lz4_old_begin(struct inflate_source *s);
size_t inflate_lz4_old_step(struct inflate_source *s, void *out, size_t n);
void inflate_lz4_old_finish(struct inflate_source *s);
#else
#define inflate_lz4_begin NULL
#define inflate_lz4_step NULL
#define inflate_lz4_finish NULL
#define inflate_lz4_old_begin NULL
#define inflate_lz4_old_step NULL
#define inflate_lz4_old_finish NULL
#endif

#endif
