#include "model/profile/totals.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"

/* A profile without times has a sum for each metric of each stack. For most stacks, those that
 * only call others, it is 0. With eight bytes each, sums would exceed everything else stored of
 * a stack; most fit into one or two bytes. A page is widened as a whole, at most three times.
 *
 * Rejected: a hash table of the sums that are not 0 (a probe per event, and no less memory if
 * half of them are leaves). */

void
totals_release(struct totals *t)
{
	free(t->at);
	*t = (struct totals){0};
}

static void
totals_set(const struct totals *t, uint32_t i, int64_t v)
{
	switch (t->width) {
	case 1:
		((int8_t *)t->at)[i] = (int8_t)v;
		break;
	case 2:
		((int16_t *)t->at)[i] = (int16_t)v;
		break;
	case 4:
		((int32_t *)t->at)[i] = (int32_t)v;
		break;
	case 8:
		((int64_t *)t->at)[i] = v;
		break;
	}
}

static uint8_t
width_of(int64_t v)
{
	return v == (int8_t)v ? 1 : v == (int16_t)v ? 2 : v == (int32_t)v ? 4 : 8;
}

static void
totals_widen(struct totals *t, uint8_t width)
{
	struct totals wide = {mem_zalloc(TOTALS_PAGE, width), width};

	for (uint32_t i = 0; t->at && i < TOTALS_PAGE; i++)
		totals_set(&wide, i, totals_get(t, i));
	free(t->at);
	*t = wide;
}

void
totals_add(struct totals *t, uint32_t i, int64_t v)
{
	if (!v)
		return;
	v += totals_get(t, i);
	uint8_t width = width_of(v);
	if (width > t->width)
		totals_widen(t, width);
	totals_set(t, i, v);
}

void
totals_read(const struct totals *t, int64_t out[TOTALS_PAGE])
{
	if (t->width == 8)
		memcpy(out, t->at, TOTALS_PAGE * sizeof *out);
	else
		for (uint32_t i = 0; i < TOTALS_PAGE; i++)
			out[i] = totals_get(t, i);
}

bool
totals_any(const struct totals *t)
{
	for (uint32_t i = 0; t->at && i < TOTALS_PAGE; i++)
		if (totals_get(t, i))
			return true;
	return false;
}

void
totals_scale(struct totals *t, int64_t factor)
{
	int64_t all[TOTALS_PAGE];

	if (!t->at)
		return;
	totals_read(t, all);
	totals_release(t);
	for (uint32_t i = 0; i < TOTALS_PAGE; i++)
		totals_add(t, i, all[i] * factor);
}
