/* layout_sum.c - the sum of a series in a window, by which tracks are sorted.
 *
 * If everything is shown, it is a difference of two prefix sums. With filters, events are read
 * one by one up to a limit. Beyond it, each block counts as a whole if its dominant stack is
 * shown. That suffices for an order, in a time independent of the number of events. */
#include "model/picture/layout_inside.h"

static bool
counts(const struct layout *l, uint32_t step, const uint8_t *of)
{
	node_id n = node_of(l, step);
	return n != NODE_NONE && (!of || of[n]);
}

/* Returns the value of an event in this metric, as far as it lies in [from, to). */
static int64_t
part_of_event(const struct series *s, unsigned m, uint64_t i, const struct event *e,
	      int64_t from, int64_t to)
{
	const struct chunk *c;
	switch ((enum metric_role)s->role[m]) {
	case ROLE_VALUE:
		c = series_chunk(s, i);
		return series_number(s, c, (uint32_t)(i - c->first), m);
	case ROLE_EVENTS:
		return 1;
	case ROLE_TIME:
	case ROLE_WALL:
		return series_lasts(s, m, e->time > from ? e->time : from,
				    e->end < to ? e->end : to);
	case ROLE_CALLS:
		return e->time >= from && e->stack & STEP_CALL ? 1 : 0;
	case ROLE_LINES:
		return e->time >= from && e->stack & STEP_LINE ? 1 : 0;
	}
	return 0;
}

static int64_t
sum_events(const struct layout *l, const struct series *s, unsigned m, const uint8_t *of,
	   uint64_t first, uint64_t end, int64_t from, int64_t to)
{
	int64_t sum = 0;
	for (uint64_t i = first; i < end; i++) {
		struct event e;
		if (series_event(s, i, &e) && counts(l, step_of(s, e.stack), of))
			sum += part_of_event(s, m, i, &e, from, to);
	}
	return sum;
}

static int64_t
sum_blocks(const struct layout *l, const struct series *s, unsigned m, const uint8_t *of,
	   uint64_t first, uint64_t end)
{
	int64_t sum = 0;
	for (uint64_t b = first / BLOCK_EVENTS; b < s->n_blocks && b * BLOCK_EVENTS < end; b++) {
		int64_t next = b + 1 < s->n_blocks ? s->block_sum[(b + 1) * s->n_metrics + m]
						   : s->sum[m];
		if (counts(l, s->block[b].dominant, of))
			sum += next - s->block_sum[b * s->n_metrics + m];
	}
	return sum;
}

int64_t
layout_sum(const struct layout *l, const struct series *s, unsigned m, const uint8_t *of,
	   int64_t from, int64_t to, uint64_t exact)
{
	int64_t sum = 0;
	if (!drawable(s) || m >= s->n_metrics || to <= from)
		return 0;
	if (l->all_shown && !of) {
		series_bins(s, m, from, to, 1, &sum);
		return sum;
	}
	uint64_t first = series_find(s, from), end = series_find(s, to);
	if (s->kind == SERIES_STEPS && first)
		first--; /* it extends into the window */
	return end - first <= exact ? sum_events(l, s, m, of, first, end, from, to)
					   : sum_blocks(l, s, m, of, first, end);
}
