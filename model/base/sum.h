/* sum.h - sums that saturate instead of wrapping. The builder keeps the sums of a whole profile
 * below 2^63. The sum of two of them (overlapping ranges, a comparison) may exceed it, and so
 * may the difference of two times. */
#ifndef PNAV_MODEL_BASE_SUM_H
#define PNAV_MODEL_BASE_SUM_H

#include <math.h>
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

/* Returns the number, rounded and saturated. */
static inline int64_t
rounded_clipped(double v)
{
	if (v >= 0x1p63)
		return INT64_MAX;
	return v <= -0x1p63 ? INT64_MIN : (int64_t)llround(v);
}

#endif
