/* sum.h - sums that stop at the largest number instead of wrapping.  The builder keeps the sums
 * of a whole profile below 2^63; what adds two of them (ranges that overlap, a comparison)
 * may be over it.  So may a time beside another. */
#ifndef PNAV_MODEL_SUM_H
#define PNAV_MODEL_SUM_H

#include <stdint.h>

static inline int64_t
sum_clipped(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return b < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

/* a - b, of times that lie as far apart as they can. */
static inline int64_t
difference_clipped(int64_t a, int64_t b)
{
	int64_t difference;

	if (__builtin_sub_overflow(a, b, &difference))
		return a < b ? INT64_MIN : INT64_MAX;
	return difference;
}

#endif
