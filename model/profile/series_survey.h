/* series_survey.h - examines the values of a full column, to find its smallest form; for the two
 * files that pack columns.
 *
 * Values are examined and packed in pieces. Where their offsets from a base have 32 bits, loops run
 * over those: the compiler vectorises them for pieces, whose length is constant. */
#ifndef PNAV_MODEL_PROFILE_SERIES_SURVEY_H
#define PNAV_MODEL_PROFILE_SERIES_SURVEY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "model/profile/series_column.h"

#define SURVEY_PIECE 1024u /* values that fit the first-level cache; whole groups */

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

/* Surveys n values, n > 0. */
struct survey survey_of(const struct column *c, uint32_t n, enum column_sort sort);
/* Returns the greatest common divisor; that of 0 and a number is the number. */
uint64_t survey_gcd(uint64_t a, uint64_t b);
/* Writes the offsets from the base of a column of at most four bytes per value. */
void survey_offsets(const struct column *c, uint32_t from, uint32_t n, uint32_t *out);

static inline bool
column_is_narrow(const struct column *c, enum column_sort sort)
{
	return c->width <= 4 && sort != COLUMN_ZEROS;
}

static inline unsigned
bits_for(uint64_t most)
{
	return most ? 64 - (unsigned)__builtin_clzll(most) : 0;
}

static inline uint64_t
distance_of(int64_t a, int64_t b)
{
	return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

/* Divides many numbers by a fixed one: a division costs as much as the rest of packing a value.
 * The odd part of the divisor has an inverse modulo 2^64. */
struct divider {
	uint64_t inverse, most; /* most: the largest possible quotient */
	unsigned twos;
};

static inline struct divider
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

/* The inverse modulo 2^64 is one modulo 2^32, too. Multiples of d have quotients up to `most`. */
static inline uint32_t
divide_32(uint32_t inverse, unsigned twos, uint32_t n)
{
	uint32_t q = n * inverse;

	return q >> twos | q << (31 - twos) << 1;
}

/* Writes the offsets of values from a base that is near all of them. */
static inline void
near_n(const int64_t *v, uint32_t n, int64_t base, uint32_t *out)
{
	for (uint32_t i = 0; i < n; i++)
		out[i] = (uint32_t)((uint64_t)v[i] - (uint64_t)base);
}

#endif
