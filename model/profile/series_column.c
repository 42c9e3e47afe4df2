/* series_column.c - see series_column.h. */
#include "model/profile/series_column.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/profile/event_run.h"

/* Returns the lowest number of the signed range with the fewest bytes that contains both. */
static int64_t
base_around_zero(int64_t low, int64_t high)
{
	for (unsigned bits = 8; bits < 32; bits += 8)
		if (low >= -(INT64_C(1) << (bits - 1)) && high < INT64_C(1) << (bits - 1))
			return -(INT64_C(1) << (bits - 1));
	return INT32_MIN;
}

/* Chooses a base and width for the first i values, low_new and high_new, and rewrites the
 * existing values. */
static void
series_widen(struct column *c, uint32_t i, uint32_t cap, int64_t low_new, int64_t high_new,
	     bool rising)
{
	struct column wide = {.base = c->base, .width = 8};
	/* the column's values lie in [base, base + 2^width - 1] */
	int64_t span = c->width == 8 ? INT64_MAX : (int64_t)((UINT64_C(1) << (c->width * 8)) - 1);
	int64_t low = c->base, high;

	if (__builtin_add_overflow(c->base, span, &high))
		high = INT64_MAX;
	low = low_new < low ? low_new : low;
	high = high_new > high ? high_new : high;
	if (!rising && low >= 0 && high <= UINT32_MAX)
		wide.base = 0;
	else if (!rising && low >= INT32_MIN && high <= INT32_MAX)
		wide.base = base_around_zero(low, high);
	else if (low_new < c->base)
		wide.base = 0; /* eight bytes hold any value */
	for (wide.width = 1; wide.width < 8; wide.width = column_wider(wide.width))
		if (low >= wide.base &&
		    column_holds(&wide, (uint64_t)high - (uint64_t)wide.base))
			break;
	wide.at = mem_alloc(cap, wide.width);
	for (uint32_t k = 0; k < i; k++)
		column_store(wide.at, wide.width, k,
			     (uint64_t)column_get(c, k) - (uint64_t)wide.base);
	free(c->at);
	*c = wide;
}

void
column_room(struct column *c, uint32_t cap)
{
	if (c->width)
		c->at = mem_alloc(cap, c->width);
}

void
column_refit(struct column *c, uint32_t i, uint32_t cap, int64_t v, bool rising)
{
	series_widen(c, i, cap, v, v, rising);
	column_store(c->at, c->width, i, (uint64_t)v - (uint64_t)c->base);
}

/* Stores n values and collects the bits of all offsets. If these exceed the width, also because
 * a value lies below the base, the caller widens the column and stores them again. */
#define STORE_EACH(store)                                                                  \
	do {                                                                               \
		for (uint32_t k = 0; k < n; k++) {                                         \
			uint64_t offset = (uint64_t)v[k] - base;                           \
			bits |= offset;                                                    \
			store;                                                             \
		}                                                                          \
	} while (0)
#define STORE_ALL()                                                                        \
	switch (c->width) {                                                                \
	case 0:                                                                            \
		STORE_EACH((void)0);                                                       \
		break;                                                                     \
	case 1:                                                                            \
		STORE_EACH(((uint8_t *)c->at)[i + k] = (uint8_t)offset);                   \
		break;                                                                     \
	case 2:                                                                            \
		STORE_EACH(((uint16_t *)c->at)[i + k] = (uint16_t)offset);                 \
		break;                                                                     \
	case 3: /* each value overwrites the excess of the one before */                 \
		STORE_EACH(column_store_3_of_4(c->at, i + k, (uint32_t)offset, k + 1 < n)); \
		break;                                                                     \
	case 4:                                                                            \
		STORE_EACH(((uint32_t *)c->at)[i + k] = (uint32_t)offset);                 \
		break;                                                                     \
	case 8:                                                                            \
		STORE_EACH(((uint64_t *)c->at)[i + k] = offset);                           \
		break;                                                                     \
	}

static inline uint64_t
store_n(struct column *c, uint32_t i, const int64_t *v, uint32_t n, uint64_t base)
{
	uint64_t bits = 0;

	STORE_ALL()
	return bits;
}

static inline uint64_t
store_n_words(struct column *c, uint32_t i, const uint32_t *v, uint32_t n, uint64_t base)
{
	uint64_t bits = 0;

	STORE_ALL()
	return bits;
}

/* Nearly all runs are whole ones: with their constant length the compiler vectorises. */
static uint64_t
store_run(struct column *c, uint32_t i, const int64_t *v, uint32_t n, uint64_t base)
{
	return n == EVENT_RUN_MAX ? store_n(c, i, v, EVENT_RUN_MAX, base)
				  : store_n(c, i, v, n, base);
}

static uint64_t
store_words(struct column *c, uint32_t i, const uint32_t *v, uint32_t n, uint64_t base)
{
	return n == EVENT_RUN_MAX ? store_n_words(c, i, v, EVENT_RUN_MAX, base)
				  : store_n_words(c, i, v, n, base);
}

void
column_put_many(struct column *c, uint32_t i, uint32_t cap, const int64_t *v, uint32_t n,
		bool rising)
{
	int64_t low = v[0], high = v[0];

	if (i == 0)
		column_begin(c, v[0], rising);
	if (column_holds(c, store_run(c, i, v, n, (uint64_t)c->base)))
		return;
	for (uint32_t k = 1; k < n; k++) {
		low = v[k] < low ? v[k] : low;
		high = v[k] > high ? v[k] : high;
	}
	series_widen(c, i, cap, low, high, rising);
	store_run(c, i, v, n, (uint64_t)c->base);
}

void
column_put_words(struct column *c, uint32_t i, uint32_t cap, const uint32_t *v, uint32_t n)
{
	uint32_t low = v[0], high = v[0];

	if (i == 0)
		column_begin(c, v[0], false);
	if (column_holds(c, store_words(c, i, v, n, (uint64_t)c->base)))
		return;
	for (uint32_t k = 1; k < n; k++) {
		low = v[k] < low ? v[k] : low;
		high = v[k] > high ? v[k] : high;
	}
	series_widen(c, i, cap, low, high, false);
	store_words(c, i, v, n, (uint64_t)c->base);
}

void
column_release(struct column *c)
{
	free(c->at);
	free(c->bases);
	*c = (struct column){0};
}

struct column
column_packed(const int64_t *value, uint32_t n)
{
	int64_t low = n ? value[0] : 0, high = low;
	struct column c = {0};

	for (uint32_t i = 1; i < n; i++) {
		low = value[i] < low ? value[i] : low;
		high = value[i] > high ? value[i] : high;
	}
	c.base = low;
	if (low == high)
		return c;
	for (c.width = 1; !column_holds(&c, (uint64_t)high - (uint64_t)low);
	     c.width = column_wider(c.width))
		;
	c.at = mem_alloc(n, c.width);
	store_n(&c, 0, value, n, (uint64_t)low);
	return c;
}
