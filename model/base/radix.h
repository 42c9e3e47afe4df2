/* radix.h - things in the order of their numbers, by counting digits.
 *
 * Comparing costs log n looks at scattered pairs; this is a pass over memory for each byte in
 * which the numbers differ, and there are rarely more than three.  Equals stay in the order
 * in which they came. */
#ifndef PNAV_MODEL_RADIX_H
#define PNAV_MODEL_RADIX_H

#include <stddef.h>
#include <stdint.h>

struct radix_item {
	uint64_t number;
	uint32_t thing;
};

/* n of them, smallest first; `spare` has room for as many, and means nothing afterwards. */
void radix_sort(struct radix_item *item, struct radix_item *spare, size_t n);

#endif
