/* The decompressed size is not known in advance: the output is appended piece by piece, so that a
 * hostile file costs only what it really holds, up to the caller's limit. For data that may exceed
 * memory there is a source over the input that contains it. */
#include "src/input/unzlib.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "model/base/mem.h"
#include "src/input/fastgz.h"
#include "src/input/source.h"

#define PIECE 65536u
/* From this length on, ISA-L's larger state pays. */
#define FAST_BYTES 4096u

/* Inflates with ISA-L as unzlib() does. Returns false, and appends nothing, if zlib has to. */
static bool
unzlib_fast(const void *bytes, size_t len, size_t max, struct buf *out)
{
	struct fastgz *z = NULL;
	unsigned char piece[PIECE];
	const uint8_t *at = bytes;
	size_t begin = out->len, made = 1;
	enum fastgz_status status = FASTGZ_MORE;

	if (len < FAST_BYTES || !fastgz_begin(&z, at, len))
		return false;
	while (status == FASTGZ_MORE && made && out->len - begin <= max) {
		status = fastgz_step(z, &at, &len, piece, sizeof piece, &made);
		buf_add(out, piece, made);
	}
	fastgz_free(z);
	if (status == FASTGZ_END && out->len - begin <= max)
		return true;
	out->len = begin;
	return false;
}

bool
unzlib(const void *bytes, size_t len, size_t max, struct buf *out)
{
	z_stream z = {0};
	unsigned char piece[PIECE];
	size_t begin = out->len;
	int status = Z_OK;

	if (unzlib_fast(bytes, len, max, out))
		return true;
	if (len > UINT_MAX || inflateInit2(&z, 15 + 32) != Z_OK) /* + 32: also gzip */
		return false;
	z.next_in = (Bytef *)(uintptr_t)bytes;
	z.avail_in = (uInt)len;
	while (status == Z_OK && out->len - begin < max) {
		z.next_out = piece;
		z.avail_out = sizeof piece;
		status = inflate(&z, Z_NO_FLUSH);
		buf_add(out, piece, sizeof piece - z.avail_out);
		if (status == Z_OK && !z.avail_in && z.avail_out)
			status = Z_BUF_ERROR;
	}
	inflateEnd(&z);
	return status == Z_STREAM_END && out->len - begin <= max;
}

/* ---- as a source ---- */

struct rest_source {
	struct source base;
	struct input *in;
	z_stream z;
	uint64_t given;
	bool ended;
};

static size_t
rest_fault(struct rest_source *s, const char *what)
{
	s->ended = true;
	err_damage(&s->base.fault, s->given, "the compressed data is %s", what);
	return 0;
}

static size_t
rest_read(struct source *base, void *out, size_t n)
{
	struct rest_source *s = (struct rest_source *)base;
	uInt room = (uInt)(n < UINT_MAX ? n : UINT_MAX);

	s->z.next_out = out;
	s->z.avail_out = room;
	while (!s->ended && s->z.avail_out == room) {
		if (!input_need(s->in, 1))
			return input_stopped(s->in) ? 0 : rest_fault(s, "truncated");
		size_t have = input_have(s->in);
		s->z.next_in = (Bytef *)(uintptr_t)input_at(s->in);
		s->z.avail_in = (uInt)(have < UINT_MAX ? have : UINT_MAX);
		uInt before = s->z.avail_in;
		int status = inflate(&s->z, Z_NO_FLUSH);
		input_skip(s->in, before - s->z.avail_in);
		if (status == Z_STREAM_END)
			s->ended = true;
		else if (status != Z_OK && status != Z_BUF_ERROR)
			rest_fault(s, "corrupt");
	}
	s->given += room - s->z.avail_out;
	return room - s->z.avail_out;
}

static void
rest_close(struct source *base)
{
	struct rest_source *s = (struct rest_source *)base;

	inflateEnd(&s->z);
	free(s);
}

struct input *
unzlib_rest(struct input *in)
{
	static const struct source_ops ops = {.read = rest_read, .close = rest_close};
	struct rest_source *s = mem_zalloc(1, sizeof *s);

	s->base.ops = &ops;
	s->in = in;
	if (inflateInit(&s->z) != Z_OK)
		rest_fault(s, "unreadable: zlib cannot be initialized");
	return input_over(&s->base, input_name(in), input_options(in), input_watch(in));
}
