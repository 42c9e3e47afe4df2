/* Decompresses while reading: gzip, zstd, xz and lz4, detected by their first bytes; also converts
 * texts of UTF-16.
 *
 * Each format is a row of a table: a magic, and a `step` that moves bytes from the compressed
 * buffer to the caller's. In all of them, several streams may follow one another (`cat a.gz b.gz`,
 * pzstd, xz -T); they decompress to one run of bytes. zstd and lz4 share the magic of skippable
 * frames: the first frame that is none decides between the two.
 *
 * The bytes of a damaged or truncated stream before the damage are delivered. Then the source ends
 * with a fault whose offset counts decompressed bytes, as the offsets of all other messages do.
 *
 * ISA-L inflates gzip members of files (fastgz.h). At a fault in one, and at its truncated end, the
 * source reads the member again from its beginning and inflates it with zlib, dropping the bytes
 * that were delivered already. So messages, offsets and the bytes before the damage are zlib's. A
 * pipe cannot be read again, so zlib inflates it.
 *
 * A file that is not compressed costs nothing: read_at() peeks at its first bytes, and the file
 * itself is returned. A pipe does not allow that, so it gets a source that returns the peeked bytes
 * first.
 *
 * Invariants: buf[at .. at + have) holds the compressed bytes not yet used, which end at inner_at
 * or, while a member is read again, at again_at; after `ended` no more bytes follow. */
#include "src/input/inflate_inside.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "src/input/cursor.h"
#include "src/input/fastgz.h"
#include "src/input/input.h"

#ifdef HAVE_LIBZSTD
#include <zstd_errors.h>
#endif

#define COMPRESSED_BYTES (64u << 10)
#define MAGIC_BYTES 6

static void
inflate_refuse(struct inflate_source *s, const struct codec *c)
{
	if (c->begin)
		err_refuse(&s->base.fault, "cannot begin to decompress %s data", c->name);
	else
		err_refuse(&s->base.fault, "compressed with %s, which this pnav was built without",
			   c->name);
}

/* ---- gzip ---- */

static bool
gzip_begin(struct inflate_source *s)
{
	s->state.gzip = (struct gzip_state){0};
	s->between = true;
	return inflateInit2(&s->state.gzip.zlib, 15 + 16) == Z_OK;
}

/* Begins a member, if one begins here; otherwise the rest is padding, or a fault. */
static bool
gzip_next(struct inflate_source *s)
{
	struct gzip_state *g = &s->state.gzip;

	while (s->have && !s->buf[s->at])
		inflate_took(s, 1);
	if (!s->have)
		return false;
	if (s->buf[s->at] != 0x1F) {
		inflate_fault(s, "followed by other bytes");
		return false;
	}
	s->between = false;
	g->begin_at = s->again_at - s->have;
	g->begin_given = s->given;
	g->is_fast = s->inner->ops->read_at && s->inner->ops->size &&
		     fastgz_begin(&g->fast, s->buf + s->at, s->have);
	return inflateReset(&g->zlib) == Z_OK;
}

/* Inflates the current member again, with zlib. */
static void
gzip_again(struct inflate_source *s)
{
	struct gzip_state *g = &s->state.gzip;

	g->is_fast = false;
	g->drop = s->given - g->begin_given;
	s->given = g->begin_given;
	s->again_at = g->begin_at;
	s->at = s->have = 0;
}

/* Returns true if all of the file has been read, rather than that reading was stopped. */
static bool
gzip_at_end(struct inflate_source *s)
{
	return s->inner_ended && !s->have && s->inner->ops->size(s->inner) == s->inner_at;
}

static size_t
gzip_fast(struct inflate_source *s, void *out, size_t n)
{
	const uint8_t *in = s->buf + s->at;
	size_t len = s->have, made;
	enum fastgz_status status = fastgz_step(s->state.gzip.fast, &in, &len, out, n, &made);

	if (status == FASTGZ_FAULT || (status == FASTGZ_MORE && !made && gzip_at_end(s))) {
		gzip_again(s);
		return 0;
	}
	inflate_took(s, s->have - len);
	s->given += made;
	s->between = status == FASTGZ_END;
	return made;
}

static size_t
gzip_step(struct inflate_source *s, void *out, size_t n)
{
	struct gzip_state *g = &s->state.gzip;
	z_stream *z = &g->zlib;

	if (s->between && !gzip_next(s))
		return 0;
	if (g->is_fast)
		return gzip_fast(s, out, n);
	if (g->drop && n > g->drop)
		n = (size_t)g->drop;
	z->next_in = s->buf + s->at;
	z->avail_in = (uInt)s->have;
	z->next_out = out;
	z->avail_out = (uInt)(n < UINT32_MAX ? n : UINT32_MAX);
	uInt room = z->avail_out;
	int r = inflate(z, Z_NO_FLUSH);
	inflate_took(s, s->have - z->avail_in);
	size_t made = room - z->avail_out;
	s->given += made;
	if (r == Z_STREAM_END)
		s->between = true;
	else if (r != Z_OK && r != Z_BUF_ERROR)
		inflate_fault(s, "corrupt");
	if (!g->drop)
		return made;
	g->drop -= made;
	return 0;
}

static void
gzip_finish(struct inflate_source *s)
{
	inflateEnd(&s->state.gzip.zlib);
	fastgz_free(s->state.gzip.fast);
}

/* ---- zstd ---- */

#ifdef HAVE_LIBZSTD
static bool
zstd_begin(struct inflate_source *s)
{
	s->between = true;
	s->state.zstd = ZSTD_createDStream();
	return s->state.zstd && !ZSTD_isError(ZSTD_initDStream(s->state.zstd));
}

static size_t
zstd_step(struct inflate_source *s, void *out, size_t n)
{
	ZSTD_inBuffer from = {s->buf + s->at, s->have, 0};
	ZSTD_outBuffer to = {out, n, 0};
	if (s->between && !s->have)
		return 0;
	size_t r = ZSTD_decompressStream(s->state.zstd, &to, &from);
	inflate_took(s, from.pos);
	s->given += to.pos;
	s->between = r == 0;
	if (ZSTD_getErrorCode(r) == ZSTD_error_frameParameter_windowTooLarge)
		inflate_fault(s, "packed with a window of more than 128 MB (zstd --long=28 and "
				 "more): zstd -d --long=31 unpacks it");
	else if (ZSTD_isError(r))
		inflate_fault(s, "corrupt");
	return to.pos;
}

static void
zstd_finish(struct inflate_source *s)
{
	ZSTD_freeDStream(s->state.zstd);
}
#else
#define zstd_begin NULL
#define zstd_step NULL
#define zstd_finish NULL
#endif

/* ---- xz ---- */

#ifdef HAVE_LIBLZMA
/* `xz -9` needs 65 MB; a dictionary of 128 MB is the largest of a power of two that fits. */
#define LZMA_MEMORY_MAX (256u << 20)

static bool
xz_begin(struct inflate_source *s)
{
	s->state.lzma = (lzma_stream)LZMA_STREAM_INIT;
	return lzma_stream_decoder(&s->state.lzma, LZMA_MEMORY_MAX, LZMA_CONCATENATED) == LZMA_OK;
}

static size_t
xz_step(struct inflate_source *s, void *out, size_t n)
{
	lzma_stream *z = &s->state.lzma;
	z->next_in = s->buf + s->at;
	z->avail_in = s->have;
	z->next_out = out;
	z->avail_out = n;
	/* only LZMA_FINISH checks that the last stream is complete */
	lzma_ret r = lzma_code(z, s->inner_ended ? LZMA_FINISH : LZMA_RUN);
	inflate_took(s, s->have - z->avail_in);
	s->given += n - z->avail_out;
	if (r == LZMA_STREAM_END)
		s->between = true;
	else if (r == LZMA_MEMLIMIT_ERROR)
		inflate_fault(s, "packed with a dictionary of more than 128 MB: xz -d unpacks it");
	else if (r != LZMA_OK && r != LZMA_BUF_ERROR)
		inflate_fault(s, "corrupt");
	return n - z->avail_out;
}

static void
xz_finish(struct inflate_source *s)
{
	lzma_end(&s->state.lzma);
}
#else
#define xz_begin NULL
#define xz_step NULL
#define xz_finish NULL
#endif

/* ---- skippable frames, of zstd and lz4 ---- */

static bool skip_begin(struct inflate_source *s);
static size_t skip_step(struct inflate_source *s, void *out, size_t n);
static void skip_finish(struct inflate_source *s);

#define UTF16 2, 0xFF, utf16_begin, utf16_step, utf16_finish, utf16_fits
#define NOT_COMPRESSED 3u /* the last rows */
static const struct codec codecs[] = {
	{"gzip", "\x1f\x8b\x08", 3, 0xFF, gzip_begin, gzip_step, gzip_finish, NULL},
	{"zstd", "\x28\xb5\x2f\xfd", 4, 0xFF, zstd_begin, zstd_step, zstd_finish, NULL},
	{"xz", "\xfd\x37zXZ\0", 6, 0xFF, xz_begin, xz_step, xz_finish, NULL},
	{"lz4", "\x04\x22\x4d\x18", 4, 0xFF, inflate_lz4_begin, inflate_lz4_step,
	 inflate_lz4_finish, NULL},
	{"lz4", "\x02\x21\x4c\x18", 4, 0xFF, inflate_lz4_old_begin, inflate_lz4_old_step,
	 inflate_lz4_old_finish, NULL},
	/* The files of pzstd begin with such frames. */
	{"zstd or lz4", "\x50\x2a\x4d\x18", 4, 0xF0, skip_begin, skip_step, skip_finish, NULL},
	{"UTF-16", "\xFF\xFE", UTF16},
	{"UTF-16", "\xFE\xFF", UTF16},
};

static const struct codec *
codec_for(const uint8_t *at, size_t len)
{
	for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
		const struct codec *c = &codecs[i];
		if (len >= c->magic_len && (at[0] & c->first_mask) == (uint8_t)c->magic[0] &&
		    !memcmp(at + 1, c->magic + 1, c->magic_len - 1) &&
		    (!c->fits || c->fits(at, len)))
			return c;
	}
	return NULL;
}

const char *
input_compression(size_t i)
{
	const char *last = "";
	for (size_t k = 0; k < sizeof codecs / sizeof *codecs - NOT_COMPRESSED; k++) {
		if (!codecs[k].begin || !strcmp(codecs[k].name, last))
			continue; /* a second magic after the first is not another compression */
		last = codecs[k].name;
		if (!i--)
			return last;
	}
	return NULL;
}

/* ---- the source ---- */

/* Reads more compressed bytes once all have been used. */
static void
inflate_refill(struct inflate_source *s)
{
	if (s->have)
		return;
	s->at = 0;
	if (s->again_at < s->inner_at) {
		uint64_t left = s->inner_at - s->again_at;
		size_t n = left < COMPRESSED_BYTES ? (size_t)left : COMPRESSED_BYTES;
		if (s->inner->ops->read_at(s->inner, s->again_at, s->buf, n))
			s->have = n;
		else
			s->inner_ended = true; /* truncated in the meantime */
		s->again_at = s->have ? s->again_at + n : s->inner_at;
	} else if (!s->inner_ended) {
		s->have = s->inner->ops->read(s->inner, s->buf, COMPRESSED_BYTES);
		s->inner_at += s->have;
		s->again_at = s->inner_at;
		s->inner_ended = !s->have;
	}
}

/* Makes n bytes contiguous; false if the file ends before. */
static bool
inflate_need(struct inflate_source *s, size_t n)
{
	memmove(s->buf, s->buf + s->at, s->have);
	s->at = 0;
	while (s->have < n && !s->inner_ended) {
		size_t got = s->inner->ops->read(s->inner, s->buf + s->have,
						 COMPRESSED_BYTES - s->have);
		s->have += got;
		s->inner_at += got;
		s->again_at = s->inner_at;
		s->inner_ended = !got;
	}
	return s->have >= n;
}

static bool
skip_begin(struct inflate_source *s)
{
	s->state.skip = 0;
	s->between = true;
	return true;
}

/* Skips such a frame: a magic of four bytes, a length of four. The first other frame decides. */
static size_t
skip_step(struct inflate_source *s, void *out, size_t n)
{
	(void)out, (void)n;
	if (s->state.skip) {
		size_t some = s->have < s->state.skip ? s->have : s->state.skip;
		inflate_took(s, some);
		s->state.skip -= (uint32_t)some;
		s->between = !s->state.skip;
		return 0;
	}
	if (!s->have)
		return 0;
	if (!inflate_need(s, 8))
		return inflate_fault(s, "truncated");
	const struct codec *next = codec_for(s->buf, s->have);
	if (!next)
		return inflate_fault(s, "followed by other bytes");
	if (next == s->codec) {
		s->state.skip = bytes_u32(s->buf + 4, false);
		s->between = !s->state.skip;
		inflate_took(s, 8);
		return 0;
	}
	s->codec = next;
	s->between = false;
	if (!next->begin || !next->begin(s)) {
		s->codec = NULL; /* nothing to finish */
		s->ended = true;
		inflate_refuse(s, next);
	}
	return 0;
}

static void
skip_finish(struct inflate_source *s UNUSED)
{
}

static size_t
inflate_read(struct source *base, void *out, size_t n)
{
	struct inflate_source *s = (struct inflate_source *)base;
	while (!s->ended) {
		inflate_refill(s);
		size_t before = s->have;
		size_t made = s->codec->step(s, out, n);
		if (made)
			return made;
		if (s->ended || s->have || before || !s->inner_ended || s->again_at < s->inner_at)
			continue;
		/* neither input nor output is left */
		s->ended = true;
		if (err_is_set(&s->inner->fault))
			err_damage(&base->fault, s->given, "%s", s->inner->fault.text);
		else if (!s->between)
			inflate_fault(s, "truncated");
	}
	return 0;
}

static size_t
pass_read(struct source *base, void *out, size_t n)
{
	struct inflate_source *s = (struct inflate_source *)base;
	if (!s->have) {
		n = s->inner->ops->read(s->inner, out, n);
		base->fault = s->inner->fault;
		return n;
	}
	if (n > s->have)
		n = s->have;
	memcpy(out, s->buf + s->at, n);
	inflate_took(s, n);
	return n;
}

static bool
inflate_ready(struct source *base, int timeout_ms)
{
	struct inflate_source *s = (struct inflate_source *)base;
	return s->have || s->inner_ended || !s->inner->ops->ready ||
	       s->inner->ops->ready(s->inner, timeout_ms);
}

static void
inflate_close(struct source *base)
{
	struct inflate_source *s = (struct inflate_source *)base;
	if (s->codec)
		s->codec->finish(s);
	s->inner->ops->close(s->inner);
	free_all(s->buf, s);
}

static const struct source_ops inflate_ops = {
	.read = inflate_read,
	.ready = inflate_ready,
	.close = inflate_close,
};
static const struct source_ops pass_ops = {
	.read = pass_read,
	.ready = inflate_ready,
	.close = inflate_close,
};

/* Peeks at the first bytes: leaves them in place if inner supports that, else reads them into
 * s->buf. */
static const struct codec *
peek(struct inflate_source *s)
{
	uint8_t head[MAGIC_BYTES];
	if (s->inner->ops->read_at) {
		for (size_t n = MAGIC_BYTES; n > 1; n--)
			if (s->inner->ops->read_at(s->inner, 0, head, n))
				return codec_for(head, n);
		return NULL;
	}
	while (s->have < MAGIC_BYTES) {
		size_t n = s->inner->ops->read(s->inner, s->buf + s->have,
					       COMPRESSED_BYTES - s->have);
		if (!n)
			break;
		s->have += n;
		s->inner_at = s->again_at = s->have;
	}
	return codec_for(s->buf, s->have);
}

struct source *
source_inflate(struct source *inner)
{
	struct inflate_source *s = mem_zalloc(1, sizeof *s);
	s->inner = inner;
	s->buf = mem_alloc(COMPRESSED_BYTES, 1);
	err_init(&s->base.fault);
	const struct codec *c = peek(s);
	if (!c && inner->ops->read_at) {
		free_all(s->buf, s);
		return inner;
	}
	s->base.ops = &pass_ops;
	if (c && (!c->begin || !c->begin(s)))
		inflate_refuse(s, c);
	else if (c) {
		s->base.ops = &inflate_ops;
		s->codec = c;
	}
	return &s->base;
}
