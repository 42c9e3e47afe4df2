/* rings.h - finds the functions of a call graph that reach each other.
 *
 * A ring is a strongly connected component: direct or indirect recursion. A function without
 * recursion is a ring of its own. Rings are numbered callees first: the rings that a ring calls
 * have smaller numbers. */
#ifndef PNAV_SRC_DECODE_COMMON_RINGS_H
#define PNAV_SRC_DECODE_COMMON_RINGS_H

#include <stdint.h>

struct rings {
	uint32_t *of; /* [function] its ring */
	uint32_t n;
	uint32_t *begin; /* [ring] index of its first function in member[]; [n] the end */
	uint32_t *member; /* of one ring: in ascending order */
};

/* Finds the rings of n functions: function f calls to[first[f]] ... to[first[f + 1] - 1].
 * Release with rings_release(). */
void rings_find(struct rings *r, uint32_t n, const uint32_t *first, const uint32_t *to);
void rings_release(struct rings *r);

#endif
