/* totals.h - the sums of one metric of some stacks that lie beside each other.
 *
 * Zero-initialised: all are 0.  Release with totals_release(). */
#ifndef PNAV_MODEL_TOTALS_H
#define PNAV_MODEL_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

#define TOTALS_PAGE 1024u /* how many they are */

struct totals {
	void *at;      /* NULL: all are 0 */
	uint8_t width; /* bytes of each, as the largest needs: 1, 2, 4 or 8 */
};

void totals_release(struct totals *t);
/* The i-th. */
static inline int64_t
totals_get(const struct totals *t, uint32_t i)
{
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

/* Adds to the i-th; the caller knows that the sum stays below 2^63. */
void totals_add(struct totals *t, uint32_t i, int64_t v);
/* All of them. */
void totals_read(const struct totals *t, int64_t out[TOTALS_PAGE]);
/* Is one not 0? */
bool totals_any(const struct totals *t);
/* Multiplies all; the caller knows that they stay below 2^63. */
void totals_scale(struct totals *t, int64_t factor);

#endif
