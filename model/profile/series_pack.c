/* series_pack.c - columns of chunks that are full: see series_column.h.
 *
 * While a chunk fills, a column has whole bytes per value, so that an event costs a store. A
 * full column never changes and stays in memory, so it gets as few bits per value as possible.
 * Three observations reduce them:
 *
 *	groups	times rise: each COLUMN_GROUP of them counts from its own base, which has 16 bits
 *		and leaves out what is below them
 *	steps	a clock that ticks every 100 ns, numbers in thousands: their distances have a
 *		divisor in common.  It is found in the numbers themselves, so that none is lost
 *	zeros	what is shown beside a slice may be an address, and 0 where no slice is: 0 is a
 *		number of its own then, and the addresses count from the lowest
 *
 * Rejected: a dictionary of the values of a chunk (stacks have too many), the distance to the
 * value before (a search would have to add up). */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/profile/series_column.h"

#define PIECE 1024u /* values that fit the first-level cache; whole groups */

/* The properties of a column's values. */
struct survey {
	int64_t low, high;
	int64_t low_other; /* of all values but 0 */
	int64_t origin;    /* one of those */
	bool zeros, others;
	uint64_t span;     /* the largest of a group */
	uint64_t divisor;  /* common divisor of the distances of the others; 0: they are all
			    * equal */
};

static unsigned
bits_for(uint64_t most)
{
	return most ? 64 - (unsigned)__builtin_clzll(most) : 0;
}

/* Divides many numbers by a fixed one: a division costs as much as the rest of packing a value.
 * The odd part of the divisor has an inverse modulo 2^64. */
struct divider {
	uint64_t inverse, most; /* most: the largest possible quotient */
	unsigned twos;
};

static struct divider
divider_of(uint64_t d)
{
	unsigned twos = (unsigned)__builtin_ctzll(d);
	uint64_t odd = d >> twos, inverse = odd * 3 ^ 2; /* correct in five bits */

	for (unsigned bits = 5; bits < 64; bits *= 2)
		inverse *= 2 - odd * inverse;
	return (struct divider){inverse, UINT64_MAX / d, twos};
}

/* Returns n / d for a multiple of d; more than `most` for any other number. */
static inline uint64_t
divide(const struct divider *d, uint64_t n)
{
	uint64_t q = n * d->inverse;

	return q >> d->twos | (d->twos ? q << (64 - d->twos) : 0);
}

static uint64_t
common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* In nearly all columns, the first few values show that their distances have no common divisor. */
static void
survey_divisor(struct survey *x, const int64_t *v, uint32_t n, bool zeros)
{
	struct divider by = divider_of(x->divisor ? x->divisor : 1);

	for (uint32_t i = 0; i < n && x->divisor != 1; i++) {
		if (zeros && !v[i])
			continue;
		uint64_t distance = v[i] < x->origin ? (uint64_t)x->origin - (uint64_t)v[i]
						     : (uint64_t)v[i] - (uint64_t)x->origin;
		if (!distance || (x->divisor && divide(&by, distance) <= by.most))
			continue;
		x->divisor = common_divisor(distance, x->divisor);
		by = divider_of(x->divisor);
	}
}

static void
survey_range(struct survey *x, const int64_t *v, uint32_t n)
{
	int64_t low = x->low, high = x->high;

	for (uint32_t i = 0; i < n; i++) {
		low = v[i] < low ? v[i] : low;
		high = v[i] > high ? v[i] : high;
	}
	x->low = low;
	x->high = high;
}

static void
survey_zeros(struct survey *x, const int64_t *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		x->zeros |= !v[i];
		if (v[i] && !x->others)
			x->origin = v[i];
		x->others |= v[i] != 0;
		x->low_other = v[i] && v[i] < x->low_other ? v[i] : x->low_other;
	}
}

/* For rising values, the ends of a group give its span. */
static void
survey_groups(struct survey *x, const struct column *c, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += COLUMN_GROUP) {
		uint32_t last = (n - i < COLUMN_GROUP ? n : i + COLUMN_GROUP) - 1;
		uint64_t span = (uint64_t)column_get(c, last) - (uint64_t)column_get(c, i);
		x->span = span > x->span ? span : x->span;
	}
	x->low = column_get(c, 0);
	x->high = column_get(c, n - 1);
}

/* For ids that count from 0, the OR of their bits suffices. It is computed on words in which
 * values have fixed positions: three words for values of three bytes. */
static void
survey_ids(struct survey *x, const struct column *c, uint32_t n)
{
	const uint8_t *at = c->at, *end = at + (size_t)n * c->width;
	uint64_t any[3] = {0}, bits = 0;
	uint8_t last[3 * sizeof *any] = {0}, first[3 * sizeof *any];

	for (; end - at >= (ptrdiff_t)sizeof any; at += sizeof any)
		for (unsigned k = 0; k < 3; k++)
			any[k] |= column_word(at + k * sizeof *any);
	if (at < end)
		memcpy(last, at, (size_t)(end - at));
	for (unsigned k = 0; k < 3; k++)
		column_word_put(first + k * sizeof *any,
				any[k] | column_word(last + k * sizeof *any));
	struct column all = {.at = first, .width = c->width};
	for (uint32_t i = 0; i < sizeof first / c->width; i++)
		bits |= (uint64_t)column_get(&all, i);
	x->low = 0;
	x->high = (int64_t)bits;
	x->divisor = bits & -bits; /* low bits (flags) that none of them has */
}

/* Narrow columns, of at most four bytes per value, are surveyed by their offsets. A whole piece
 * has a constant length, so the compiler vectorises. */
static inline void
offsets_n(const struct column *c, uint32_t from, uint32_t n, uint32_t *out)
{
	switch (c->width) {
	case 1:
		for (uint32_t i = 0; i < n; i++)
			out[i] = ((const uint8_t *)c->at)[from + i];
		break;
	case 2:
		for (uint32_t i = 0; i < n; i++)
			out[i] = ((const uint16_t *)c->at)[from + i];
		break;
	case 3:
		for (uint32_t i = 0; i + 1 < n; i++)
			out[i] = column_get_3_of_4(c->at, from + i);
		out[n - 1] = column_get_3(c->at, from + n - 1);
		break;
	default:
		memcpy(out, (const uint32_t *)c->at + from, n * sizeof *out);
	}
}

static void
offsets(const struct column *c, uint32_t from, uint32_t n, uint32_t *out)
{
	if (n == PIECE)
		offsets_n(c, from, PIECE, out);
	else
		offsets_n(c, from, n, out);
}

/* Returns the OR of all distances. */
static inline uint32_t
distance_bits_n(const uint32_t *v, uint32_t n, uint32_t origin)
{
	uint32_t any = 0;

	for (uint32_t i = 0; i < n; i++)
		any |= v[i] - origin;
	return any;
}

/* Returns true if the divisor stays the same. Usually one test of all bits decides: if it is a
 * power of two, or if all values are equal. */
static bool
keeps_divisor(const struct survey *x, const uint32_t *v, uint32_t n, uint32_t origin)
{
	if (x->divisor & (x->divisor - 1) || x->divisor > UINT32_MAX)
		return false;
	uint32_t any = n == PIECE ? distance_bits_n(v, PIECE, origin)
				  : distance_bits_n(v, n, origin);
	return !(any & (uint32_t)(x->divisor - 1));
}

/* As survey_divisor(), on offsets; `origin` is the first one of the column. */
static void
survey_steps(struct survey *x, const uint32_t *v, uint32_t n, uint32_t origin)
{
	if (x->divisor == 1 || keeps_divisor(x, v, n, origin))
		return;
	struct divider by = divider_of(x->divisor ? x->divisor : 1);

	for (uint32_t i = 0; i < n && x->divisor != 1; i++) {
		uint32_t distance = v[i] < origin ? origin - v[i] : v[i] - origin;
		if (!distance || (x->divisor && divide(&by, distance) <= by.most))
			continue;
		x->divisor = common_divisor(distance, x->divisor);
		by = divider_of(x->divisor);
	}
}

static inline void
range_n(const uint32_t *v, uint32_t n, uint32_t *low, uint32_t *high)
{
	uint32_t least = *low, most = *high;

	for (uint32_t i = 0; i < n; i++) {
		least = v[i] < least ? v[i] : least;
		most = v[i] > most ? v[i] : most;
	}
	*low = least;
	*high = most;
}

/* Finds the range of a whole piece in place, for two bytes per value; the compiler compares
 * eight at once. */
static void
range_of_two(const uint16_t *v, uint32_t *low, uint32_t *high)
{
	uint16_t least = UINT16_MAX, most = 0;

	for (uint32_t i = 0; i < PIECE; i++) {
		least = v[i] < least ? v[i] : least;
		most = v[i] > most ? v[i] : most;
	}
	*low = least < *low ? least : *low;
	*high = most > *high ? most : *high;
}

static void
survey_narrow(struct survey *x, const struct column *c, uint32_t n, enum column_sort sort)
{
	uint32_t v[PIECE], low = UINT32_MAX, high = 0;
	uint32_t origin = (uint32_t)((uint64_t)x->origin - (uint64_t)c->base);

	for (uint32_t i = 0; i < n && (sort != COLUMN_RISING || x->divisor != 1); i += PIECE) {
		uint32_t run = n - i < PIECE ? n - i : PIECE;
		if (run == PIECE && c->width == 2 && x->divisor == 1) {
			range_of_two((const uint16_t *)c->at + i, &low, &high);
			continue;
		}
		offsets(c, i, run, v);
		survey_steps(x, v, run, origin);
		if (sort == COLUMN_RISING)
			continue;
		if (run == PIECE)
			range_n(v, PIECE, &low, &high);
		else
			range_n(v, run, &low, &high);
	}
	if (sort == COLUMN_RISING)
		return;
	x->low = c->base + low;
	x->high = c->base + high;
}

static bool
is_narrow(const struct column *c, enum column_sort sort)
{
	return c->width <= 4 && sort != COLUMN_ZEROS;
}

static struct survey
survey_of(const struct column *c, uint32_t n, enum column_sort sort)
{
	struct survey x = {.low = INT64_MAX, .high = INT64_MIN, .low_other = INT64_MAX};

	x.origin = column_get(c, 0);
	if (sort == COLUMN_IDS && !c->base && c->width < 8) {
		survey_ids(&x, c, n);
		return x;
	}
	if (sort == COLUMN_RISING)
		survey_groups(&x, c, n);
	if (is_narrow(c, sort)) {
		survey_narrow(&x, c, n, sort);
		return x;
	}
	for (uint32_t i = 0; i < n && (sort != COLUMN_RISING || x.divisor != 1); i += PIECE) {
		int64_t v[PIECE];
		uint32_t run = n - i < PIECE ? n - i : PIECE;
		column_values(c, i, run, v);
		if (sort != COLUMN_RISING)
			survey_range(&x, v, run);
		if (sort == COLUMN_ZEROS)
			survey_zeros(&x, v, run);
		survey_divisor(&x, v, run, sort == COLUMN_ZEROS);
	}
	return x;
}

/* ---- writing ---- */

static size_t
packed_size(uint32_t n, unsigned bits)
{
	return ((size_t)n * bits + 7) / 8 + COLUMN_SLACK;
}

/* Returns the smallest form of a column, without its bytes; *size is their number. */
static struct column
series_pack_form_of(const struct survey *x, uint32_t n, enum column_sort sort, size_t *size)
{
	struct column c = {.base = x->low};
	uint64_t step = x->divisor && x->divisor <= UINT32_MAX ? x->divisor : 1;
	uint64_t most = (uint64_t)x->high - (uint64_t)x->low;
	size_t groups = ((size_t)n + COLUMN_GROUP - 1) / COLUMN_GROUP * sizeof *c.bases;

	if (x->zeros && x->others && x->high > 0 && x->low_other > 0) {
		uint64_t others = ((uint64_t)x->high - (uint64_t)x->low_other) / step + 1;
		if (bits_for(others) < bits_for(most)) {
			c.zeros = true;
			c.base = x->low_other;
			most = others * step;
		}
	}
	if (x->zeros && x->others && !c.zeros)
		step = common_divisor(step, (uint64_t)x->origin);
	c.step = (uint32_t)step;
	c.bits = (uint8_t)bits_for(most / step);
	*size = c.bits ? packed_size(n, c.bits) : 0;
	unsigned all = bits_for(most / step), shift = all > 16 ? all - 16 : 0;
	uint64_t left_out = (UINT64_C(1) << shift) - 1, in_group = x->span / step + left_out;
	unsigned of_group = bits_for(in_group);
	bool fits = in_group >= left_out; /* they add up */
	if (sort == COLUMN_RISING && fits && groups + packed_size(n, of_group) < *size) {
		*size = groups + packed_size(n, of_group);
		c.bits = (uint8_t)of_group;
		c.shift = (uint8_t)shift;
		c.bases = mem_alloc(groups / sizeof *c.bases, sizeof *c.bases);
	}
	return c;
}

struct packer {
	uint8_t *out;
	uint64_t word; /* its `fill` lowest bits are still to be written */
	unsigned fill; /* less than 8 */
};

static inline void
pack(struct packer *p, uint64_t v, unsigned bits)
{
	p->word |= v << p->fill;
	p->fill += bits;
	column_word_put(p->out, p->word);
	p->out += p->fill / 8;
	p->word = p->word >> (p->fill & ~7u);
	p->fill &= 7;
}

/* Packs offsets from a base, which are multiples of the step; zeros are encoded apart. */
static void
pack_run(struct packer *all, const struct column *to, const int64_t *v, uint32_t n, int64_t base)
{
	struct packer p = *all; /* a copy whose address is not taken stays in registers */
	struct divider step = divider_of(to->step);
	uint64_t first = (uint64_t)base;
	unsigned bits = to->bits;

	if (to->zeros)
		for (uint32_t i = 0; i < n; i++)
			pack(&p, v[i] ? divide(&step, (uint64_t)v[i] - first) + 1 : 0, bits);
	else if (to->step > 1)
		for (uint32_t i = 0; i < n; i++)
			pack(&p, divide(&step, (uint64_t)v[i] - first), bits);
	else
		for (uint32_t i = 0; i < n; i++)
			pack(&p, (uint64_t)v[i] - first, bits);
	*all = p;
}

/* Stores the base of a group whose first value lies `first` after the column's base; returns
 * the offset of that base, without the omitted bits. */
static inline uint64_t
base_put(struct column *to, uint32_t group, const struct divider *step, uint64_t first)
{
	uint64_t kept = divide(step, first) >> to->shift;

	to->bases[group] = (uint16_t)kept;
	return (kept << to->shift) * to->step;
}

static void
pack_all(const struct column *c, uint32_t n, struct column *to)
{
	struct divider step = divider_of(to->step);
	struct packer p = {.out = to->at};
	uint32_t most = to->bases ? COLUMN_GROUP : PIECE;

	for (uint32_t i = 0; i < n; i += most) {
		int64_t v[PIECE];
		uint32_t run = n - i < most ? n - i : most;
		column_values(c, i, run, v);
		uint64_t base = (uint64_t)to->base;
		if (to->bases)
			base += base_put(to, i / COLUMN_GROUP, &step, (uint64_t)v[0] - base);
		if (to->bits)
			pack_run(&p, to, v, run, (int64_t)base);
	}
}

/* ---- the same for narrow columns ---- */

/* Packs eight values of `bits` bits, which are `bits` bytes; at most 16 bits, so that half of
 * them fit a word. */
static inline uint8_t *
pack_eight(uint8_t *out, const uint32_t *v, unsigned bits)
{
	unsigned two = bits * 2;
	uint64_t a = (v[0] | (uint64_t)v[1] << bits) | (v[2] | (uint64_t)v[3] << bits) << two;
	uint64_t b = (v[4] | (uint64_t)v[5] << bits) | (v[6] | (uint64_t)v[7] << bits) << two;

	column_word_put(out, a);
	if (bits & 1) /* the first four leave half a byte */
		b = b << 4 | a >> bits / 2 * 8;
	column_word_put(out + bits / 2, b);
	return out + bits;
}

/* Packs offsets of `bits` bits; the bits packed before are whole bytes. */
static uint8_t *
pack_words(uint8_t *out, const uint32_t *v, uint32_t n, unsigned bits)
{
	struct packer p;
	uint32_t i = 0;

	if (bits <= 16)
		for (; n - i >= 8; i += 8)
			out = pack_eight(out, v + i, bits);
	p = (struct packer){.out = out};
	if (bits * 2 <= COLUMN_BITS_MAX)
		for (; n - i >= 2; i += 2)
			pack(&p, v[i] | (uint64_t)v[i + 1] << bits, bits * 2);
	for (; i < n; i++)
		pack(&p, v[i], bits);
	return p.out;
}

static inline void
lower_n(uint32_t *v, uint32_t n, uint32_t by)
{
	for (uint32_t i = 0; i < n; i++)
		v[i] -= by;
}

/* Subtracts the difference of the old and the new base. */
static void
lower(uint32_t *v, uint32_t n, uint32_t by)
{
	if (!by)
		return;
	if (n == COLUMN_GROUP)
		lower_n(v, COLUMN_GROUP, by);
	else if (n == PIECE)
		lower_n(v, PIECE, by);
	else
		lower_n(v, n, by);
}

/* Divides multiples of the step; vectorised if it is a power of two, as usual. */
static void
divide_all(uint32_t *v, uint32_t n, uint32_t step)
{
	struct divider by = divider_of(step);

	if (step == 1)
		return;
	for (uint32_t i = 0; by.inverse == 1 && i < n; i++)
		v[i] >>= by.twos;
	for (uint32_t i = 0; by.inverse != 1 && i < n; i++)
		v[i] = (uint32_t)divide(&by, v[i]);
}

static void
pack_narrow(const struct column *c, uint32_t n, struct column *to)
{
	uint8_t *out = to->at;
	uint32_t v[PIECE], most = to->bases ? COLUMN_GROUP : PIECE;
	uint32_t first = (uint32_t)(to->base - c->base);
	struct divider by = divider_of(to->step);

	for (uint32_t i = 0; i < n; i += PIECE) {
		uint32_t run = n - i < PIECE ? n - i : PIECE;
		offsets(c, i, run, v);
		for (uint32_t k = 0; k < run; k += most) {
			uint32_t each = run - k < most ? run - k : most;
			uint32_t base = first;
			if (to->bases)
				base += (uint32_t)base_put(to, (i + k) / COLUMN_GROUP, &by,
							   v[k] - first);
			lower(v + k, each, base);
		}
		divide_all(v, run, to->step);
		if (to->bits)
			out = pack_words(out, v, run, to->bits);
	}
}

/* Shrinking a larger block in place would leave a hole in the heap; a copy frees the whole block
 * for the next chunk. */
static void
series_cut(struct column *c, uint32_t n)
{
	void *all = c->at;

	c->at = mem_alloc(n, c->width);
	memcpy(c->at, all, (size_t)n * c->width);
	free(all);
}

void
column_close(struct column *c, uint32_t n, enum column_sort sort)
{
	size_t size;

	if (!c->width)
		return;
	struct survey x = survey_of(c, n, sort);
	struct column to = series_pack_form_of(&x, n, sort, &size);
	if (to.bits > COLUMN_BITS_MAX || size >= (size_t)n * c->width) {
		free(to.bases);
		series_cut(c, n);
		return;
	}
	if (to.bits) {
		size_t bytes = packed_size(n, to.bits);
		to.at = mem_alloc(bytes, 1);
		/* the last bytes are read but never written */
		memset((uint8_t *)to.at + bytes - COLUMN_SLACK - 1, 0, COLUMN_SLACK + 1);
	}
	if ((to.bits || to.bases) && is_narrow(c, sort))
		pack_narrow(c, n, &to);
	else if (to.bits || to.bases)
		pack_all(c, n, &to);
	free(c->at);
	*c = to;
}
