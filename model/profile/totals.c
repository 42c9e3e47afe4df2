#include "model/profile/totals.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"

/* A profile without times has a sum for each metric of each stack. For most stacks, those that
 * only call others, it is 0. With eight bytes each, sums would exceed everything else stored of
 * a stack; most fit into one or two bytes. A page is widened as a whole, at most three times.
 * Where a file has thousands of tracks, each has few stacks of a page, so a page has memory for
 * the part that is used, which becomes four times as large when it grows.
 *
 * Rejected: a hash table of the sums that are not 0 (a probe per event, and no less memory if
 * half of them are leaves). */

#define FIRST_SUMS 64u /* a page has room for these at first */

void
totals_release(struct totals *t)
{
	free(t->at);
	*t = (struct totals){0};
}

/* Sets a sum that has memory. */
static void
totals_set(const struct totals *t, uint32_t i, int64_t v)
{
	i -= t->first;
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

/* Makes room for sum i of that width. */
static void
totals_make_room(struct totals *t, uint32_t i, uint8_t width)
{
	uint32_t first = t->n ? t->first : i, end = first + t->n;
	uint32_t more = t->n > FIRST_SUMS ? 3u * t->n : FIRST_SUMS;

	if (i < first)
		first = first - i > more ? i : first > more ? first - more : 0;
	if (i >= end)
		end = i >= end + more ? i + 1 : end + more < TOTALS_PAGE ? end + more : TOTALS_PAGE;
	struct totals wide = {mem_zalloc(end - first, width), (uint16_t)first,
			      (uint16_t)(end - first), width};
	if (width == t->width && t->n)
		memcpy((char *)wide.at + (size_t)(t->first - first) * width, t->at,
		       (size_t)t->n * width);
	else
		for (uint32_t k = t->first; k < (uint32_t)t->first + t->n; k++)
			totals_set(&wide, k, totals_get(t, k));
	free(t->at);
	*t = wide;
}

/* Adds v to a sum that has no room for the result. Not inlined: it would slow down all others. */
static __attribute__((noinline)) void
add_with_room(struct totals *t, uint32_t i, int64_t v)
{
	v += totals_get(t, i);
	uint8_t width = width_of(v);
	totals_make_room(t, i, width > t->width ? width : t->width);
	totals_set(t, i, v);
}

/* Adds v to an element of a column, if the sum fits, and returns. */
#define ADD_IN(type)                                                                       \
	do {                                                                               \
		type *at = (type *)t->at + (i - t->first);                                 \
		int64_t sum = *at + v;                                                     \
		if (sum != (type)sum)                                                      \
			break;                                                             \
		*at = (type)sum;                                                           \
		return;                                                                    \
	} while (0)

void
totals_add(struct totals *t, uint32_t i, int64_t v)
{
	if (!v)
		return;
	if (i - t->first < t->n) {
		if (t->width == 1)
			ADD_IN(int8_t);
		else if (t->width == 2)
			ADD_IN(int16_t);
		else if (t->width == 4)
			ADD_IN(int32_t);
		else
			ADD_IN(int64_t);
	}
	add_with_room(t, i, v);
}

void
totals_read(const struct totals *t, int64_t out[TOTALS_PAGE])
{
	if (t->n < TOTALS_PAGE)
		memset(out, 0, TOTALS_PAGE * sizeof *out);
	if (t->width == 8)
		memcpy(out + t->first, t->at, t->n * sizeof *out);
	else
		for (uint32_t i = t->first; i < (uint32_t)t->first + t->n; i++)
			out[i] = totals_get(t, i);
}

bool
totals_any(const struct totals *t)
{
	for (uint32_t i = t->first; i < (uint32_t)t->first + t->n; i++)
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
