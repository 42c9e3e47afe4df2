/* series_column.c - see series_column.h. */
#include "model/series_column.h"

#include <stdlib.h>

#include "model/mem.h"

/* Finds a base and width that hold the first i values, low_new and high_new, and rewrites
 * those that are there. */
static void
widen(struct column *c, uint32_t i, uint32_t cap, int64_t low_new, int64_t high_new, bool rising)
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
		wide.base = INT32_MIN;
	else if (low_new < c->base)
		wide.base = 0; /* eight bytes hold anything */
	for (wide.width = 1; wide.width < 8; wide.width *= 2)
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
column_refit(struct column *c, uint32_t i, uint32_t cap, int64_t v, bool rising)
{
	widen(c, i, cap, v, v, rising);
	column_store(c->at, c->width, i, (uint64_t)v - (uint64_t)c->base);
}

#define STORE_MANY(type)                                                                   \
	do {                                                                               \
		type *to = (type *)c->at + i;                                              \
		for (uint32_t k = 0; k < n; k++)                                           \
			to[k] = (type)((uint64_t)v[k] - base);                             \
	} while (0)

void
column_put_many(struct column *c, uint32_t i, uint32_t cap, const int64_t *v, uint32_t n,
		bool rising)
{
	int64_t low = v[0], high = v[0];

	for (uint32_t k = 1; k < n; k++) {
		low = v[k] < low ? v[k] : low;
		high = v[k] > high ? v[k] : high;
	}
	if (i == 0)
		*c = (struct column){.base = v[0]};
	if (c->width < 8 &&
	    (low < c->base || !column_holds(c, (uint64_t)high - (uint64_t)c->base)))
		widen(c, i, cap, low, high, rising);
	uint64_t base = (uint64_t)c->base;
	switch (c->width) {
	case 1:
		STORE_MANY(uint8_t);
		break;
	case 2:
		STORE_MANY(uint16_t);
		break;
	case 4:
		STORE_MANY(uint32_t);
		break;
	case 8:
		STORE_MANY(uint64_t);
		break;
	}
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
	for (c.width = 1; !column_holds(&c, (uint64_t)high - (uint64_t)low); c.width *= 2)
		;
	c.at = mem_alloc(n, c.width);
	for (uint32_t i = 0; i < n; i++)
		column_store(c.at, c.width, i, (uint64_t)value[i] - (uint64_t)low);
	return c;
}
