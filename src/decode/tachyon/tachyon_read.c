#include "src/decode/tachyon/tachyon.h"

#include <inttypes.h>
#include <stdlib.h>

#include "model/base/mem.h"

#define HEAD 64u
#define FOOT 32u
#define STATS_TAIL 16u /* "TACHSTAT", version u32, size u32 */
#define ROOM (256u << 10)
#define NUMBER_MAX 10u  /* bytes of a varint */
#define SAMPLE_HEAD 13u /* thread, interpreter, kind */

/* ---- the head ---- */

/* Reads the fields whose places depend on the width of the number of samples; strings_at is
 * UINT64_MAX if the tables cannot lie there. */
static struct tachyon_head
head_fields(struct tachyon_head h, const uint8_t *at, bool wide)
{
	const uint8_t *p = at + (wide ? 40 : 36);

	h.strings_at = bytes_u64(p, h.big_endian);
	h.frames_at = bytes_u64(p + 8, h.big_endian);
	h.compression = bytes_u32(p + 16, h.big_endian);
	h.options = wide ? bytes_u32(p + 20, h.big_endian) : 0;
	if (h.strings_at < HEAD || h.frames_at < h.strings_at || h.compression > 1)
		h.strings_at = UINT64_MAX;
	return h;
}

/* In the wrong form the offset has another number in its upper half, so it is the larger one. */
static bool
choose_form(struct tachyon_head *h, const uint8_t *at)
{
	struct tachyon_head narrow = head_fields(*h, at, false), wide = head_fields(*h, at, true);

	*h = narrow.strings_at < wide.strings_at ? narrow : wide;
	return h->strings_at != UINT64_MAX;
}

static double
tachyon_double(const uint8_t *at, bool big_endian)
{
	uint64_t bits = bytes_u64(at, big_endian);
	double x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

/* Reads the measured numbers before the foot, if they are there; returns their size. */
static size_t
read_stats(struct tachyon_head *h, const uint8_t *at, size_t len)
{
	const uint8_t *tail = at + len - STATS_TAIL;

	if (len < STATS_TAIL || memcmp(tail, "TACHSTAT", 8) != 0)
		return 0;
	uint32_t size = bytes_u32(tail + 12, h->big_endian);
	if (size < STATS_TAIL + 16 || size > len)
		return 0;
	const uint8_t *p = at + len - size;
	h->measured = true;
	h->duration_s = tachyon_double(p, h->big_endian);
	h->rate_hz = tachyon_double(p + 8, h->big_endian);
	if (size >= STATS_TAIL + 32) {
		h->failed = tachyon_double(p + 16, h->big_endian);
		h->missed = tachyon_double(p + 24, h->big_endian);
	}
	return size;
}

/* Copies the tables, without what follows them.  Without a foot that fits, the file is truncated:
 * the numbers of strings and frames are unknown. */
static bool
read_ends(struct tachyon_reader *r)
{
	struct tachyon_head *h = &r->head;

	if (!input_seek(r->in, h->strings_at))
		return err_damage(r->e, input_offset(r->in) + input_have(r->in),
				  "truncated: the tables are missing");
	while (input_more(r->in))
		;
	const uint8_t *at = input_at(r->in);
	size_t len = input_have(r->in);
	const uint8_t *foot = len >= FOOT ? at + len - FOOT : NULL;
	h->n_strings = h->n_frames = UINT32_MAX;
	if (foot && bytes_u64(foot + 8, h->big_endian) == h->strings_at + len) {
		h->n_strings = bytes_u32(foot, h->big_endian);
		h->n_frames = bytes_u32(foot + 4, h->big_endian);
		len -= FOOT;
		len -= read_stats(h, at, len);
	}
	r->tables = mem_alloc(len + 1, 1);
	memcpy(r->tables, at, len);
	r->tables_len = len;
	return true;
}

bool
tachyon_open(struct tachyon_reader *r, struct input *in, struct err *e)
{
	struct tachyon_head *h = &r->head;
	uint8_t head[HEAD];

	r->in = in;
	r->e = e;
	input_keep(in);
	if (!input_need(in, HEAD))
		return err_damage(e, input_have(in), "truncated: a head has 64 bytes");
	memcpy(head, input_at(in), HEAD);
	h->big_endian = !memcmp(head, "TACH", 4);
	if (!h->big_endian && memcmp(head, "HCAT", 4) != 0)
		return err_refuse(e, "not a profile of Python's sampling profiler");
	h->version = bytes_u32(head + 4, h->big_endian);
	memcpy(h->python, head + 8, sizeof h->python);
	uint64_t us = bytes_u64(head + 20, h->big_endian);
	h->interval_ns = us <= INT64_MAX / 1000 ? (int64_t)us * 1000 : 0;
	if (!choose_form(h, head))
		return err_damage(e, 36, "the tables lie nowhere");
	return read_ends(r);
}

void
tachyon_close(struct tachyon_reader *r)
{
	unzstd_free(r->z);
	free(r->tables);
	free(r->bytes);
}

/* ---- the bytes of samples ---- */

bool
tachyon_begin(struct tachyon_reader *r)
{
	if (!input_seek(r->in, HEAD))
		return err_damage(r->e, HEAD, "the input cannot be read twice");
	r->left = r->head.strings_at - HEAD;
	r->bytes = mem_alloc(ROOM, 1);
	if (r->head.compression && !(r->z = unzstd_new()))
		return err_refuse(r->e, "compressed with zstd, which this pnav does not read");
	return true;
}

/* Gives up to n more bytes of the file; NULL at the end of the samples. */
static const uint8_t *
piece(struct tachyon_reader *r, size_t *n)
{
	if (!r->left || (!input_have(r->in) && !input_more(r->in)))
		return NULL;
	*n = input_have(r->in) < *n ? input_have(r->in) : *n;
	*n = *n < r->left ? *n : (size_t)r->left;
	r->left -= *n;
	return input_at(r->in);
}

/* Adds decompressed samples; returns false if nothing more comes. The piece stays in the window
 * until it is used up. */
static bool
more_unpacked(struct tachyon_reader *r)
{
	size_t before = r->n;
	bool bad;

	for (;;) {
		r->n += unzstd_read(r->z, r->bytes + r->n, ROOM - r->n, &bad);
		if (bad)
			return err_damage(r->e, r->first, "damaged zstd data");
		if (r->n > before)
			return true;
		input_skip(r->in, r->piece);
		r->piece = 64u << 10;
		const uint8_t *at = piece(r, &r->piece);
		if (!at) {
			r->piece = 0;
			return false;
		}
		r->first = input_offset(r->in);
		unzstd_feed(r->z, at, r->piece);
	}
}

/* Fills the buffer from r->n on; returns false if nothing more comes. */
static bool
more(struct tachyon_reader *r)
{
	size_t n = ROOM - r->n;

	if (r->z)
		return more_unpacked(r);
	const uint8_t *at = piece(r, &n);
	if (!at)
		return false;
	memcpy(r->bytes + r->n, at, n);
	input_skip(r->in, n);
	r->n += n;
	return true;
}

/* Makes n bytes available, at most a number's or a head's; returns how many there are. */
static size_t
available(struct tachyon_reader *r, size_t n)
{
	if (r->n - r->at >= n || r->ended)
		return r->n - r->at;
	memmove(r->bytes, r->bytes + r->at, r->n - r->at);
	if (!r->z)
		r->first += r->at;
	r->n -= r->at;
	r->at = 0;
	while (r->n < n && !r->ended)
		r->ended = !more(r);
	return r->n;
}

uint64_t
tachyon_varint(struct tachyon_reader *r)
{
	size_t n = available(r, NUMBER_MAX);
	struct cursor c = cursor_over(r->bytes + r->at, n);
	uint64_t v = cursor_varint(&c);

	r->bad |= c.bad;
	r->at += (size_t)(c.at - c.start);
	return c.bad ? 0 : v;
}

uint8_t
tachyon_u8(struct tachyon_reader *r)
{
	r->bad |= !available(r, 1);
	return r->bad ? 0 : r->bytes[r->at++];
}

/* The offset of the next byte; in compressed data that of the piece. */
static uint64_t
offset_now(const struct tachyon_reader *r)
{
	return r->z ? r->first : HEAD + r->first + r->at;
}

bool
tachyon_good(struct tachyon_reader *r)
{
	if (r->bad && !input_stopped(r->in))
		err_damage(r->e, offset_now(r), "a truncated or malformed sample");
	return !r->bad;
}

bool
tachyon_next(struct tachyon_reader *r, struct tachyon_sample *out)
{
	*out = (struct tachyon_sample){0};
	if (!tachyon_good(r))
		return false;
	size_t have = available(r, SAMPLE_HEAD);
	out->offset = offset_now(r);
	r->bad |= have && have < SAMPLE_HEAD;
	if (have < SAMPLE_HEAD)
		return have && tachyon_good(r);
	out->thread = bytes_u64(r->bytes + r->at, r->head.big_endian);
	out->interpreter = bytes_u32(r->bytes + r->at + 8, r->head.big_endian);
	unsigned kind = r->bytes[r->at + 12];
	r->at += SAMPLE_HEAD;
	if (kind > TACHYON_POP)
		return err_damage(r->e, out->offset, "a sample of the unknown kind %u", kind);
	out->kind = kind;
	if (kind != TACHYON_REPEAT) {
		out->us = tachyon_varint(r);
		out->status = tachyon_u8(r);
	}
	if (kind == TACHYON_SUFFIX || kind == TACHYON_POP)
		out->shared = tachyon_varint(r);
	out->n = tachyon_varint(r);
	return tachyon_good(r);
}
