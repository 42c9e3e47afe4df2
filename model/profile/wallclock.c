/* wallclock.c - see wallclock.h.
 *
 * Each change has the reading at its moment, so a reading at any time costs a search. Parts of a
 * ns are rounded up in units of 2^-48 ns: an exact number of ns then never becomes one less, and
 * the error of ten million changes stays below 10^-7 ns. */
#include "model/profile/wallclock.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/bisect.h"
#include "model/base/sum.h"
#include "model/base/vec.h"

#define ONE (UINT64_C(1) << WALL_PART_BITS)

/* Returns the reading after `lasts` ns with x->running tracks; *part becomes its part of a ns. */
static int64_t
advance(const struct wall_change *x, int64_t lasts, uint64_t *part)
{
	uint64_t p = x->running, length = lasts > 0 ? (uint64_t)lasts : 0;

	*part = x->part;
	if (!p)
		return x->reading;
	*part += (length % p * ONE + p - 1) / p;
	int64_t whole = (int64_t)(length / p + *part / ONE);
	*part %= ONE;
	return sum_clipped(x->reading, whole);
}

static int64_t
area_at(const struct wall_change *x, int64_t time)
{
	int64_t area;

	if (__builtin_mul_overflow(difference_clipped(time, x->time), (int64_t)x->running, &area))
		area = INT64_MAX;
	return sum_clipped(x->area, area);
}

void
wall_clock_change(struct wall_clock *c, int64_t time, uint64_t running)
{
	struct wall_change next = {.time = time};

	if (c->n) {
		const struct wall_change *last = &c->change[c->n - 1];
		uint64_t part;
		next.reading = advance(last, difference_clipped(time, last->time), &part);
		next.part = part;
		next.area = area_at(last, time);
	}
	next.running = running < WALL_RUNNING_MAX ? running : WALL_RUNNING_MAX;
	vec_room(c->change, c->cap, c->n + 1);
	c->change[c->n++] = next;
}

void
wall_clock_release(struct wall_clock *c)
{
	free(c->change);
	*c = (struct wall_clock){.n = 0};
}

void
wall_clock_drop(struct wall_clock *c, int64_t from)
{
	uint32_t before = wall_clock_find(c, from, c->n);

	if (before < 2 || before - 1 < c->n / 2)
		return;
	c->n -= before - 1;
	memmove(c->change, c->change + before - 1, c->n * sizeof *c->change);
}

uint32_t
wall_clock_find(const struct wall_clock *c, int64_t time, uint32_t near)
{
	uint32_t low = near < c->n ? near : c->n, high = c->n;

	if (low && c->change[low - 1].time > time) {
		high = low - 1;
		low = 0;
	}
	/* mostly a few changes later: in steps that double */
	for (uint32_t step = 1; high - low >= step; step *= 2) {
		if (c->change[low + step - 1].time > time) {
			high = low + step - 1;
			break;
		}
		low += step;
	}
	return low + (uint32_t)bisect(i, high - low, c->change[low + i].time <= time);
}

int64_t
wall_clock_at(const struct wall_clock *c, int64_t time, uint32_t *near)
{
	uint64_t part;

	*near = wall_clock_find(c, time, *near);
	if (!*near)
		return 0;
	const struct wall_change *x = &c->change[*near - 1];
	return advance(x, difference_clipped(time, x->time), &part);
}

int64_t
wall_clock_between(const struct wall_clock *c, int64_t from, int64_t to)
{
	uint32_t near = c->n / 2;
	int64_t begin = wall_clock_at(c, from, &near);

	return wall_clock_at(c, to, &near) - begin;
}

int64_t
wall_clock_mean(const struct wall_clock *c, int64_t from, int64_t to, uint32_t *near)
{
	uint32_t a = *near = wall_clock_find(c, from, *near), b = wall_clock_find(c, to, a);
	int64_t begin = a ? area_at(&c->change[a - 1], from) : 0;
	int64_t area = (b ? area_at(&c->change[b - 1], to) : 0) - begin;
	int64_t length = difference_clipped(to, from);

	if (length <= 0)
		return a ? (int64_t)c->change[a - 1].running : 0;
	return area / length + (area % length >= length - area % length);
}
