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
#include "model/profile/series_survey.h"

#define PIECE SURVEY_PIECE

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
		step = survey_gcd(step, distance_of(0, x->origin));
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

/* ---- the same for offsets of 32 bits ---- */

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

/* Divides multiples of the step. */
static inline void
divide_n(uint32_t *v, uint32_t n, uint32_t inverse, unsigned twos)
{
	for (uint32_t i = 0; i < n; i++)
		v[i] = divide_32(inverse, twos, v[i]);
}

static void
divide_all(uint32_t *v, uint32_t n, const struct divider *step)
{
	if (step->inverse == 1 && !step->twos)
		return;
	if (n == PIECE)
		divide_n(v, PIECE, (uint32_t)step->inverse, step->twos);
	else
		divide_n(v, n, (uint32_t)step->inverse, step->twos);
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
		survey_offsets(c, i, run, v);
		for (uint32_t k = 0; k < run; k += most) {
			uint32_t each = run - k < most ? run - k : most;
			uint32_t base = first;
			if (to->bases)
				base += (uint32_t)base_put(to, (i + k) / COLUMN_GROUP, &by,
							   v[k] - first);
			lower(v + k, each, base);
		}
		divide_all(v, run, &by);
		if (to->bits)
			out = pack_words(out, v, run, to->bits);
	}
}

/* Packs values of eight bytes whose offsets from their base have 32 bits. */
static void
pack_near(const struct column *c, uint32_t n, struct column *to)
{
	uint8_t *out = to->at;
	uint32_t near[PIECE], most = to->bases ? COLUMN_GROUP : PIECE;
	struct divider by = divider_of(to->step);
	int64_t v[PIECE];

	for (uint32_t i = 0; i < n; i += PIECE) {
		uint32_t run = n - i < PIECE ? n - i : PIECE;
		column_values(c, i, run, v);
		for (uint32_t k = 0; k < run; k += most) {
			uint32_t each = run - k < most ? run - k : most;
			uint64_t base = (uint64_t)to->base;
			if (to->bases)
				base += base_put(to, (i + k) / COLUMN_GROUP, &by,
						 (uint64_t)v[k] - base);
			if (each == COLUMN_GROUP)
				near_n(v + k, COLUMN_GROUP, (int64_t)base, near + k);
			else
				near_n(v + k, each, (int64_t)base, near + k);
		}
		divide_all(near, run, &by);
		out = pack_words(out, near, run, to->bits);
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
	if ((to.bits || to.bases) && column_is_narrow(c, sort))
		pack_narrow(c, n, &to);
	else if (to.bits && !to.zeros && to.bits + bits_for(to.step) <= 32)
		pack_near(c, n, &to);
	else if (to.bits || to.bases)
		pack_all(c, n, &to);
	free(c->at);
	*c = to;
}
