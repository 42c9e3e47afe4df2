/* series_survey.c - see series_survey.h. */
#include "model/profile/series_survey.h"

#include <stddef.h>

#define PIECE SURVEY_PIECE

uint64_t
survey_gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* Makes the divisor one of this distance as well. */
static void
survey_distance(struct survey *x, uint64_t distance)
{
	if (distance && (!x->divisor || distance % x->divisor))
		x->divisor = survey_gcd(distance, x->divisor);
}

/* In nearly all columns, the first few values show that their distances have no common divisor. */
static void
survey_divisor(struct survey *x, const int64_t *v, uint32_t n, bool zeros)
{
	struct divider by = divider_of(x->divisor ? x->divisor : 1);

	for (uint32_t i = 0; i < n && x->divisor != 1; i++) {
		if (zeros && !v[i])
			continue;
		uint64_t distance = distance_of(v[i], x->origin);
		if (!distance || (x->divisor && divide(&by, distance) <= by.most))
			continue;
		x->divisor = survey_gcd(distance, x->divisor);
		by = divider_of(x->divisor);
	}
}

static void
survey_range(const int64_t *v, uint32_t n, int64_t *low, int64_t *high)
{
	int64_t least = v[0], most = v[0];

	for (uint32_t i = 1; i < n; i++) {
		least = v[i] < least ? v[i] : least;
		most = v[i] > most ? v[i] : most;
	}
	*low = least;
	*high = most;
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

void
survey_offsets(const struct column *c, uint32_t from, uint32_t n, uint32_t *out)
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

static inline bool
are_multiples_n(const uint32_t *v, uint32_t n, uint32_t least, uint32_t divisor)
{
	struct divider by = divider_of(divisor);
	uint32_t inverse = (uint32_t)by.inverse, most = UINT32_MAX / divisor, beyond = 0;

	/* as `q > most`, which is below 2^31; but the compiler vectorises it */
	for (uint32_t i = 0; i < n; i++) {
		uint32_t q = divide_32(inverse, by.twos, v[i] - least);
		beyond |= q | (most - q);
	}
	return !(beyond >> 31);
}

/* Returns true if the divisor stays the same. One test of all bits decides if it is a power of
 * two, or if all values are equal. */
static bool
keeps_divisor(const struct survey *x, const uint32_t *v, uint32_t n, uint32_t least)
{
	uint32_t divisor = (uint32_t)x->divisor;

	if (x->divisor > UINT32_MAX)
		return false;
	if (divisor & (divisor - 1))
		return n == PIECE ? are_multiples_n(v, PIECE, least, divisor)
				  : are_multiples_n(v, n, least, divisor);
	uint32_t any = n == PIECE ? distance_bits_n(v, PIECE, least)
				  : distance_bits_n(v, n, least);
	return !(any & (divisor - 1));
}

/* Does what survey_divisor() does, for offsets. The distances from the lowest one, `least`, and its
 * own distance from the origin have the same divisors as the distances from the origin. */
static void
survey_steps(struct survey *x, const uint32_t *v, uint32_t n, uint32_t least, uint64_t distance)
{
	survey_distance(x, distance);
	if (x->divisor == 1 || keeps_divisor(x, v, n, least))
		return;
	for (uint32_t i = 0; i < n && x->divisor != 1; i++)
		survey_distance(x, v[i] - least);
}

/* Surveys values of eight bytes by their offsets from the lowest, where those have 32 bits. */
static void
survey_wide(struct survey *x, const int64_t *v, uint32_t n, enum column_sort sort)
{
	uint32_t near[PIECE];
	int64_t low = v[0], high = v[n - 1];

	if (sort != COLUMN_RISING) {
		survey_range(v, n, &low, &high);
		x->low = low < x->low ? low : x->low;
		x->high = high > x->high ? high : x->high;
	}
	if (x->divisor == 1)
		return;
	if ((uint64_t)high - (uint64_t)low > UINT32_MAX || sort == COLUMN_ZEROS) {
		survey_divisor(x, v, n, sort == COLUMN_ZEROS);
		return;
	}
	if (n == PIECE)
		near_n(v, PIECE, low, near);
	else
		near_n(v, n, low, near);
	survey_steps(x, near, n, 0, distance_of(low, x->origin));
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

	for (uint32_t i = 0; i < n && (sort != COLUMN_RISING || x->divisor != 1); i += PIECE) {
		uint32_t run = n - i < PIECE ? n - i : PIECE;
		if (run == PIECE && c->width == 2 && x->divisor == 1) {
			range_of_two((const uint16_t *)c->at + i, &low, &high);
			continue;
		}
		uint32_t least = UINT32_MAX, most = 0;
		survey_offsets(c, i, run, v);
		if (sort == COLUMN_RISING)
			least = v[0];
		else if (run == PIECE)
			range_n(v, PIECE, &least, &most);
		else
			range_n(v, run, &least, &most);
		low = least < low ? least : low;
		high = most > high ? most : high;
		survey_steps(x, v, run, least, distance_of(c->base + least, x->origin));
	}
	if (sort == COLUMN_RISING)
		return;
	x->low = c->base + low;
	x->high = c->base + high;
}

struct survey
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
	if (column_is_narrow(c, sort)) {
		survey_narrow(&x, c, n, sort);
		return x;
	}
	for (uint32_t i = 0; i < n && (sort != COLUMN_RISING || x.divisor != 1); i += PIECE) {
		int64_t v[PIECE];
		uint32_t run = n - i < PIECE ? n - i : PIECE;
		column_values(c, i, run, v);
		if (sort == COLUMN_ZEROS)
			survey_zeros(&x, v, run);
		survey_wide(&x, v, run, sort);
	}
	return x;
}
