/* sum.h - sums that saturate instead of wrapping. The builder keeps the sums of a whole profile
 * below 2^63. The sum of two of them (overlapping ranges, a comparison) may exceed it, and so
 * may the difference of two times. */
#ifndef PNAV_MODEL_BASE_SUM_H
#define PNAV_MODEL_BASE_SUM_H

#include <stdint.h>

static inline int64_t
sum_clipped(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return b < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

/* Returns a - b, saturated; for times. */
static inline int64_t
difference_clipped(int64_t a, int64_t b)
{
	int64_t difference;

	if (__builtin_sub_overflow(a, b, &difference))
		return a < b ? INT64_MIN : INT64_MAX;
	return difference;
}

#endif
