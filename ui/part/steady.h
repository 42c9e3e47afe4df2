/* steady.h - sorting by weight, heaviest first, with hysteresis.
 *
 * While a profile grows, items of nearly equal weight overtake each other in every picture.
 * Here an item must be heavier by an eighth to pass the item before it. */
#ifndef PNAV_UI_PART_STEADY_H
#define PNAV_UI_PART_STEADY_H

#include <stddef.h>
#include <stdint.h>

#define STEADY_NEW SIZE_MAX

struct steady {
	int64_t weight;
	size_t was; /* its position in the last picture; STEADY_NEW: it had none */
	size_t id;  /* of the caller; breaks ties, the lower first */
};

/* Sorts n items; if all are new, exactly by weight. */
void steady_sort(struct steady *at, size_t n);

#endif
