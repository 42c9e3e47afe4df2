/* steady.h - heaviest first, but so that a picture which is drawn again and again does not jump.
 *
 * While a profile grows, things of nearly the same weight overtake each other with every
 * look.  Here one has to be heavier by an eighth to go ahead of what was before it. */
#ifndef PNAV_UI_PART_STEADY_H
#define PNAV_UI_PART_STEADY_H

#include <stddef.h>
#include <stdint.h>

#define STEADY_NEW SIZE_MAX

struct steady {
	int64_t weight;
	size_t was; /* its place in the last picture; STEADY_NEW: it was not there */
	size_t id;  /* the caller's; of all that is the same the lower comes first */
};

/* Orders them; where all are new, exactly by weight. */
void steady_sort(struct steady *at, size_t n);

#endif
