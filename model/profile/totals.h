/* totals.h - the sums of one metric for a page of consecutive stacks.
 *
 * A zero-initialised struct has sums of 0. Release it with totals_release(). */
#ifndef PNAV_MODEL_PROFILE_TOTALS_H
#define PNAV_MODEL_PROFILE_TOTALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOTALS_PAGE 1024u /* number of stacks in a page */

struct totals {
	void *at; /* the sums [first, first + n); all others are 0. NULL: all are 0 */
	uint16_t first, n;
	uint8_t width; /* bytes per sum, as the largest needs: 1, 2, 4 or 8 */
};

void totals_release(struct totals *t);
/* Returns sum i. */
static inline int64_t
totals_get(const struct totals *t, uint32_t i)
{
	if ((i -= t->first) >= t->n)
		return 0;
	switch (t->width) {
	case 1:
		return ((const int8_t *)t->at)[i];
	case 2:
		return ((const int16_t *)t->at)[i];
	case 4:
		return ((const int32_t *)t->at)[i];
	case 8:
		return ((const int64_t *)t->at)[i];
	}
	return 0;
}

/* Prefetches sum i for totals_add(). */
static inline void
totals_soon(const struct totals *t, uint32_t i)
{
	/* the address of a sum that has no memory yet does no harm */
	uint32_t at = (i - t->first) * t->width;

	__builtin_prefetch((const void *)((uintptr_t)t->at + at), 1);
}

/* Adds v to sum i; the caller guarantees that it stays below 2^63. */
void totals_add(struct totals *t, uint32_t i, int64_t v);
/* Reads all sums. */
void totals_read(const struct totals *t, int64_t out[TOTALS_PAGE]);
/* Returns true if any sum is not 0. */
bool totals_any(const struct totals *t);
/* Multiplies all sums; the caller guarantees that they stay below 2^63. */
void totals_scale(struct totals *t, int64_t factor);

#endif
