/* radix.h - radix sort of pairs by their number.
 *
 * A comparison sort costs log n accesses to scattered pairs for each of them. This one makes a
 * sequential pass for each byte in which the numbers differ, rarely more than three. The sort is
 * stable. */
#ifndef PNAV_MODEL_BASE_RADIX_H
#define PNAV_MODEL_BASE_RADIX_H

#include <stddef.h>
#include <stdint.h>

struct radix_item {
	uint64_t number;
	uint32_t thing;
};

/* Sorts n items by rising number. `spare` has room for n items and is undefined afterwards. */
void radix_sort(struct radix_item *item, struct radix_item *spare, size_t n);

#endif
