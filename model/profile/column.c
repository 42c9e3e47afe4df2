/* column.c - reads the columns of tracks.h.
 *
 * Loops have no branches, and one base: those of whole bytes that of the column, those of bits that
 * of a group. */
#include "model/profile/tracks.h"

/* Adds values of a column of bits with one base. */
static void
add_bits(const struct column *c, uint32_t from, uint32_t n, int64_t sign, int64_t *out)
{
	int64_t base = column_base(c, from);
	uint64_t times = (uint64_t)sign * c->step, first = (uint64_t)sign * (uint64_t)base;

	if (c->zeros)
		for (uint32_t i = 0; i < n; i++)
			out[i] = (int64_t)((uint64_t)out[i] +
					   (uint64_t)sign *
						   (uint64_t)column_of_bits(c, from + i, base));
	else if (c->step == 1 && sign == 1)
		for (uint32_t i = 0; i < n; i++)
			out[i] = (int64_t)((uint64_t)out[i] + first +
					   column_offset(c, from + i));
	else
		for (uint32_t i = 0; i < n; i++)
			out[i] = (int64_t)((uint64_t)out[i] + first +
					   times * column_offset(c, from + i));
}

/* Adds values with one base, of any column. */
static void
add_run(const struct column *c, uint32_t from, uint32_t n, int64_t sign, int64_t *out)
{
	int64_t base = sign * column_base(c, from);

	switch (c->width) {
	case 0:
		if (c->bits) {
			add_bits(c, from, n, sign, out);
			return;
		}
		for (uint32_t i = 0; i < n; i++)
			out[i] += base;
		return;
	case 1:
		for (uint32_t i = 0; i < n; i++)
			out[i] += base + sign * ((const uint8_t *)c->at)[from + i];
		return;
	case 2:
		for (uint32_t i = 0; i < n; i++)
			out[i] += base + sign * ((const uint16_t *)c->at)[from + i];
		return;
	case 3:
		for (uint32_t i = 0; i < n; i++)
			out[i] += base + sign * (int64_t)column_get_3(c->at, from + i);
		return;
	case 4:
		for (uint32_t i = 0; i < n; i++)
			out[i] += base + sign * ((const uint32_t *)c->at)[from + i];
		return;
	default:
		for (uint32_t i = 0; i < n; i++)
			out[i] = (int64_t)((uint64_t)out[i] + (uint64_t)base +
					   (uint64_t)sign * ((const uint64_t *)c->at)[from + i]);
	}
}

void
column_add(const struct column *c, uint32_t from, uint32_t n, int64_t sign, int64_t *out)
{
	for (uint32_t i = 0, run; i < n; i += run) {
		run = n - i;
		if (c->bases && run > COLUMN_GROUP - (from + i) % COLUMN_GROUP)
			run = COLUMN_GROUP - (from + i) % COLUMN_GROUP;
		add_run(c, from + i, run, sign, out + i);
	}
}

/* Reads the values of a column of whole bytes. */
static inline void
read_n(const struct column *c, uint32_t from, uint32_t n, int64_t *out)
{
	int64_t base = c->base;

	switch (c->width) {
	case 0:
		for (uint32_t i = 0; i < n; i++)
			out[i] = base;
		break;
	case 1:
		for (uint32_t i = 0; i < n; i++)
			out[i] = base + ((const uint8_t *)c->at)[from + i];
		break;
	case 2:
		for (uint32_t i = 0; i < n; i++)
			out[i] = base + ((const uint16_t *)c->at)[from + i];
		break;
	case 3:
		for (uint32_t i = 0; i + 1 < n; i++)
			out[i] = base + column_get_3_of_4(c->at, from + i);
		out[n - 1] = base + column_get_3(c->at, from + n - 1);
		break;
	case 4:
		for (uint32_t i = 0; i < n; i++)
			out[i] = base + ((const uint32_t *)c->at)[from + i];
		break;
	default:
		for (uint32_t i = 0; i < n; i++)
			out[i] = (int64_t)((uint64_t)base + ((const uint64_t *)c->at)[from + i]);
	}
}

/* Reads values of bits with one base. A word has at least 57 bits of values, so two of up to 28. */
static inline void
read_bits(const struct column *c, uint32_t from, uint32_t n, uint64_t base, uint64_t step,
	  int64_t *out)
{
	const uint8_t *at = c->at;
	unsigned bits = c->bits;
	uint64_t bit = (uint64_t)from * bits, mask = (UINT64_C(1) << bits) - 1;
	uint32_t i = 0;

	for (; bits <= 28 && i + 1 < n; i += 2, bit += 2u * bits) {
		uint64_t word = column_word(at + bit / 8) >> bit % 8;
		out[i] = (int64_t)(base + (word & mask) * step);
		out[i + 1] = (int64_t)(base + (word >> bits & mask) * step);
	}
	for (; i < n; i++, bit += bits)
		out[i] = (int64_t)(base +
				   (column_word(at + bit / 8) >> bit % 8 & mask) * step);
}

/* Reads values with one base, of a column of bits or with bases. */
static void
read_group(const struct column *c, uint32_t from, uint32_t n, int64_t *out)
{
	int64_t base = column_base(c, from);

	if (!c->bits)
		for (uint32_t i = 0; i < n; i++)
			out[i] = base;
	else if (c->zeros)
		for (uint32_t i = 0; i < n; i++)
			out[i] = column_of_bits(c, from + i, base);
	else if (c->step == 1 && n == COLUMN_GROUP)
		read_bits(c, from, COLUMN_GROUP, (uint64_t)base, 1, out);
	else if (c->step == 1)
		read_bits(c, from, n, (uint64_t)base, 1, out);
	else
		read_bits(c, from, n, (uint64_t)base, c->step, out);
}

#define PIECE 1024u /* the usual number of values has a constant length for the compiler */

void
column_values(const struct column *c, uint32_t from, uint32_t n, int64_t *out)
{
	if (!c->bits && !c->bases) {
		if (n == PIECE)
			read_n(c, from, PIECE, out);
		else if (n)
			read_n(c, from, n, out);
		return;
	}
	for (uint32_t i = 0, run; i < n; i += run) {
		run = n - i;
		if (c->bases && run > COLUMN_GROUP - (from + i) % COLUMN_GROUP)
			run = COLUMN_GROUP - (from + i) % COLUMN_GROUP;
		read_group(c, from + i, run, out + i);
	}
}
