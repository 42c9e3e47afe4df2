/* rings.h - which functions of a call graph reach each other.
 *
 * A ring is a strongly connected component: recursion, direct or by way of others.  A function
 * that is in no recursion is a ring of its own.  Rings are numbered callees first: what a ring
 * calls outside of itself has smaller numbers. */
#ifndef PNAV_SRC_DECODE_COMMON_RINGS_H
#define PNAV_SRC_DECODE_COMMON_RINGS_H

#include <stdint.h>

struct rings {
	uint32_t *of; /* [function] its ring */
	uint32_t n;
	uint32_t *begin; /* [ring] where its functions begin in member[]; [n] the end */
	uint32_t *member; /* of one ring: in the order of their numbers */
};

/* Finds the rings of n functions: function f calls to[first[f]] ... to[first[f + 1] - 1].
 * Release with rings_release(). */
void rings_find(struct rings *r, uint32_t n, const uint32_t *first, const uint32_t *to);
void rings_release(struct rings *r);

#endif
