/* timeline_cost.c - finds where the selected function costs most, since a user who opens the
 * timeline with a selected function wants to see it run.
 *
 * The search takes the lane with most of the metric below the function, then its best column, and
 * there the first event: three rounds of sums (layout_sum()).  The sums of blocks only know the
 * longest function of each block.  So EXACT_EVENTS events are read one by one, and the rest costs
 * binary searches and blocks. */
#include <stdlib.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/base/wide.h"
#include "ui/part/show.h"
#include "ui/view/timeline/timeline.h"

#define EXACT_EVENTS 500000u /* a few milliseconds */
#define READ_MAX 4096u       /* events of the column, one by one */

/* Marks in [node] the function and everything that it calls. */
static uint8_t *
mark_below(const struct projection *t, key_id key)
{
	uint8_t *below = mem_zalloc(t->n ? t->n : 1, 1);
	for (node_id n = 1; n < t->n; n++)
		below[n] = t->key[n] == key || below[t->parent[n]];
	return below;
}

static size_t
dearest_lane(const struct timeline *v, const struct scene *s, const uint8_t *below,
	     int64_t from, int64_t to)
{
	size_t best = SIZE_MAX;
	int64_t most = 0;
	uint64_t exact = EXACT_EVENTS;
	for (size_t i = 0; i < v->lanes.n; i++) {
		const struct lane *lane = &v->lanes.at[i];
		const struct series *x = lane->run.series;
		if (!lane_has_stacks(lane) || !timeline_compares(v, s, x))
			continue;
		int64_t sum = layout_sum(&v->layout, x, timeline_metric(x, s->fold->metric),
					 below, lane_time(lane, from), lane_time(lane, to), exact);
		exact -= x->n <= exact ? x->n : 0;
		if (sum > most) {
			most = sum;
			best = i;
		}
	}
	return best;
}

/* Times of the lane's axis. */
static void
dearest_column(const struct timeline *v, const struct scene *s, const struct lane *lane,
	       const uint8_t *below, int64_t *from, int64_t *to)
{
	const struct series *x = lane->run.series;
	int64_t begin = *from, end = *to, most = 0;
	for (int i = 0; i < v->cols; i++) {
		int64_t a = wide_part(begin, end, v->cols, i);
		int64_t b = wide_part(begin, end, v->cols, i + 1);
		int64_t sum = layout_sum(&v->layout, x, timeline_metric(x, s->fold->metric),
					 below, a, b, EXACT_EVENTS / (unsigned)v->cols);
		if (sum <= most)
			continue;
		most = sum;
		*from = a;
		*to = b;
	}
}

/* Returns the first event in [from, to) of a marked node, or any visible one if `below` is NULL. */
static int64_t
first_moment(const struct timeline *v, const struct lane *lane, const uint8_t *below,
	     int64_t from, int64_t to)
{
	const struct series *x = lane->run.series;
	uint64_t i = series_find(x, from);
	struct event e;
	if (x->kind == SERIES_STEPS && i)
		i--;
	for (unsigned n = 0; n < READ_MAX && series_event(x, i, &e) && e.time < to; n++, i++) {
		node_id node = layout_node(&v->layout, x, i);
		if (node != NODE_NONE && (!below || below[node]))
			return e.time > from ? e.time : from;
	}
	return from;
}

bool
timeline_find_cost(const struct timeline *v, const struct scene *s, size_t *lane,
		   int64_t *when)
{
	int64_t from, to;
	show_range(s, &from, &to);
	uint8_t *below = mark_below(s->fold->tree, s->nav->key);
	*lane = dearest_lane(v, s, below, from, to);
	if (*lane != SIZE_MAX) {
		const struct lane *at = &v->lanes.at[*lane];
		int64_t a = lane_time(at, from), b = lane_time(at, to);
		dearest_column(v, s, at, below, &a, &b);
		*when = difference_clipped(first_moment(v, at, below, a, b), at->start);
	}
	free(below);
	return *lane != SIZE_MAX;
}

bool
timeline_shows_key(const struct timeline *v, const struct scene *s)
{
	if (!v->has_slice || !v->slice.shown)
		return false;
	for (node_id n = v->slice.node; n != NODE_ROOT; n = s->fold->tree->parent[n])
		if (s->fold->tree->key[n] == s->nav->key)
			return true;
	return false;
}

void
timeline_go_to_begin(struct timeline *v, const struct scene *s)
{
	struct lane *lane = timeline_selected(v);
	int column = -1;
	if (!lane_has_stacks(lane))
		return;
	timeline_measure(v, s, lane);
	for (int i = 0; i < v->cols && column < 0; i++) {
		cells_begin(&v->probe, NULL);
		cells_column(&v->probe, &v->layout, &lane->run,
			     lane_time(lane, timeline_moment(v, i)),
			     lane_time(lane, timeline_moment(v, i + 1)));
		if (cells_at(&v->probe, 0, 0).node != NODE_NONE)
			column = i;
	}
	if (column >= 0)
		v->when = difference_clipped(
			first_moment(v, lane, NULL, lane_time(lane, timeline_moment(v, column)),
				     lane_time(lane, timeline_moment(v, column + 1))),
			lane->start);
}
