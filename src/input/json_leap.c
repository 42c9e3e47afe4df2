#include "src/input/json.h"

#include <inttypes.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "model/base/chars.h"
#include "src/input/json_inside.h"
#include "src/input/slabs.h"

/* Steps over a value without decoding it: only strings and brackets matter.
 *
 * It takes 64 bytes at once. One bit a byte marks the quotes; the exclusive or of all bits up to
 * each byte marks what lies in strings (Langdale and Lemire, "Parsing gigabytes of JSON per
 * second", 2019). It counts the brackets outside strings. Only a block in which the value may end,
 * or that has a backslash, is walked byte by byte. No part of a string is kept, so one may be
 * longer than the window. */

#define BLOCK 64

struct leap {
	uint64_t depth; /* open levels, including the one to leave */
	bool string;    /* within a string */
	bool escape;    /* after a backslash in it */
};

/* Walks byte by byte, to the end or after the bracket that closes the last level. */
static const uint8_t *
json_walk(struct leap *l, const uint8_t *at, const uint8_t *end)
{
	for (; at < end && l->depth; at++) {
		if (l->escape)
			l->escape = false;
		else if (*at == '"')
			l->string = !l->string;
		else if (l->string)
			l->escape = *at == '\\';
		else if ((*at | 32) == '{')
			l->depth++;
		else if ((*at | 32) == '}')
			l->depth--;
	}
	return at;
}

#ifdef __SSE2__
struct json_block {
	uint64_t quotes, slashes, opens, closes;
};

static inline struct json_block
block_at(const uint8_t *at)
{
	const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
	const __m128i open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}');
	const __m128i lower = _mm_set1_epi8(32);
	struct json_block b = {0};

	for (int i = 0; i < BLOCK; i += 16) {
		__m128i v = _mm_loadu_si128((const void *)(at + i)), low = _mm_or_si128(v, lower);
		b.quotes |= (uint64_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, quote)) << i;
		b.slashes |= (uint64_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, slash)) << i;
		b.opens |= (uint64_t)_mm_movemask_epi8(_mm_cmpeq_epi8(low, open)) << i;
		b.closes |= (uint64_t)_mm_movemask_epi8(_mm_cmpeq_epi8(low, close)) << i;
	}
	return b;
}

static inline unsigned
bits(uint64_t of)
{
	unsigned n = 0;

	for (; of; of &= of - 1)
		n++;
	return n;
}

/* A fast json_walk(); returns false if json_walk() has to do it. */
static inline bool
leap_block(struct leap *l, const uint8_t *at)
{
	struct json_block b = block_at(at);
	uint64_t inside = b.quotes;

	if (b.slashes || l->escape)
		return false;
	for (unsigned i = 1; i < BLOCK; i *= 2)
		inside ^= inside << i;
	inside ^= l->string ? UINT64_MAX : 0;
	unsigned closes = bits(b.closes & ~inside);
	if (closes >= l->depth)
		return false;
	l->depth += bits(b.opens & ~inside);
	l->depth -= closes;
	l->string = inside >> (BLOCK - 1);
	return true;
}
#else
static inline bool
leap_block(struct leap *l, const uint8_t *at)
{
	(void)l, (void)at;
	return false;
}
#endif

/* Moves past the end of the innermost level; appends the skipped bytes to *kept, if any. */
static bool
leap_out(struct json *j, struct buf *kept)
{
	struct leap l = {.depth = 1};

	if (j->failed || !j->depth)
		return false;
	if (j->wants == WANTS_COLUMN) {
		if (kept) {
			buf_reset(kept);
			buf_addf(kept, "{\"$s\": %" PRIu32 "}", j->slabs->column.slab);
		}
		json_close(j);
		return true;
	}
	for (;;) {
		const uint8_t *from = j->at;
		while (l.depth && j->end - j->at >= BLOCK)
			j->at = leap_block(&l, j->at) ? j->at + BLOCK
						      : json_walk(&l, j->at, j->at + BLOCK);
		if (l.depth)
			j->at = json_walk(&l, j->at, j->end);
		if (kept)
			buf_add(kept, from, (size_t)(j->at - from));
		if (!l.depth)
			break;
		if (!json_refill(j))
			return json_cut_off(j);
	}
	json_close(j);
	return true;
}

bool
json_leap(struct json *j)
{
	return leap_out(j, NULL);
}

/* ---- values that are read later ---- */

bool
json_keep(struct json *j, const struct json_token *t, struct json_kept *kept)
{
	buf_reset(&kept->text);
	buf_addc(&kept->text, t->kind == JSON_OBJECT ? '{' : '[');
	kept->offset = t->offset;
	return leap_out(j, &kept->text);
}

bool
json_keep_text(struct json *j, const struct json_token *t, struct json_kept *kept)
{
	size_t i = 0;

	buf_reset(&kept->text);
	if (t->kind != JSON_STRING)
		return false;
	json_text(j, t, &kept->text);
	kept->offset = t->offset;
	while (i < kept->text.len && is_blank(kept->text.at[i]))
		i++;
	if (i < kept->text.len && (kept->text.at[i] == '{' || kept->text.at[i] == '['))
		return true;
	buf_reset(&kept->text);
	return false;
}

struct json
json_enter(struct json *j, struct json_kept *kept)
{
	struct json outer = *j;

	kept->in = input_open_bytes_at(kept->text.at, kept->text.len, "kept", kept->offset);
	json_init(j, kept->in);
	j->slabs = outer.slabs;
	j->slab_levels = outer.slab_levels;
	return outer;
}

void
json_return(struct json *j, struct json *outer, struct json_kept *kept)
{
	outer->controls += j->controls;
	outer->no_numbers += j->no_numbers;
	outer->commas += j->commas;
	outer->halves += j->halves;
	if (j->failed && !outer->failed) {
		outer->failed = true;
		outer->cut = j->cut;
		outer->why = j->why;
		outer->where = j->where;
	}
	*j = *outer;
	input_close(kept->in);
	buf_release(&kept->text);
}
