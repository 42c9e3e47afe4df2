/* bisect.h - binary search in a sorted sequence. */
#ifndef PNAV_MODEL_BASE_BISECT_H
#define PNAV_MODEL_BASE_BISECT_H

#include <stddef.h>

/* Returns the first of the indexes i, 0 to n - 1, for which `below`, an expression of i, is false;
 * n if there is none. It is true for a first part of them. O(log n). */
#define bisect(i, n, below)                                                                \
	__extension__({                                                                    \
		size_t low_ = 0, high_ = (n);                                              \
		while (low_ < high_) {                                                     \
			size_t i = low_ + (high_ - low_) / 2;                              \
			if (below)                                                         \
				low_ = i + 1;                                              \
			else                                                               \
				high_ = i;                                                 \
		}                                                                          \
		low_;                                                                      \
	})

#endif
