/* layout_bins.c - the sums of a metric of a lane in the columns of a picture.
 *
 * A sample's value is spread over its duration (layout_hold.c).  If it counted where it begins, the
 * columns of a thread that never rests would have six or seven samples by turns, and with columns
 * narrower than the distance of samples, most would look idle.  Few samples are read one by one.
 * Of many, the sum of a column by their begins costs a few searches (series_bins).  Samples of a
 * series do not overlap, so at most one lasts across each edge, and its part behind the edge moves
 * to the next column. */
#include "model/picture/layout.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/base/wide.h"

#define SPREAD_EVENTS 4u /* per column: with fewer, values are spread */

static int64_t
sample_value(const struct series *r, unsigned m, uint64_t i)
{
	const struct chunk *c = series_chunk(r, i);
	if (r->role[m] != ROLE_VALUE)
		return 1;
	return series_number(r, c, (uint32_t)(i - c->first), m);
}

/* Returns the first event at or after a moment; usually the very first, since usually all is
 * drawn. */
static uint64_t
first_of(const struct series *r, int64_t from)
{
	return r->n && column_get(&r->chunk[0].time, 0) >= from ? 0 : series_find(r, from);
}

void
layout_spread(const struct layout_lane *lane, unsigned m, const struct layout_choice *of,
	      int64_t from, int64_t to, unsigned n, double *out)
{
	const uint8_t *in = of->in;
	double width = ((double)to - (double)from) / n;
	uint64_t i = first_of(lane->series, from), end = lane->series->n;
	struct event e;
	for (i -= i > 0; i < end; i++) {
		series_event(lane->series, i, &e);
		if (e.time >= to)
			break;
		uint32_t stack = e.stack & STEP_STACK;
		if (in && (stack == STACK_EMPTY || stack >= of->n_stacks || !in[stack]))
			continue;
		double *row = in ? out + in[stack] - 1 : out;
		int64_t until = layout_event_end(lane, i, &e);
		if (until <= e.time) /* the next one is at the same moment: its whole value
				      * counts here */
			until = sum_clipped(e.time, 1);
		double a = (double)difference_clipped(e.time, from) / width;
		double b = (double)difference_clipped(until, from) / width;
		double each = of->unit * (double)sample_value(lane->series, m, i) / (b - a);
		for (double x = a > 0 ? a : 0; x < b && x < n;) {
			unsigned k = (unsigned)x;
			double next = k + 1 < b ? k + 1 : b;
			row[(size_t)k * of->step] += each * (next - x);
			x = next;
		}
	}
}

bool
layout_is_rare(const struct layout_lane *lane, int64_t from, int64_t to, unsigned n)
{
	const struct series *r = lane->series;
	uint64_t few = (uint64_t)n * SPREAD_EVENTS;
	return r->kind == SERIES_SAMPLES && r->sorted && to > from &&
	       (r->n < few || series_find(r, to) - series_find(r, from) < few);
}

double
layout_behind(const struct layout_lane *lane, unsigned m, uint64_t i, int64_t edge,
	      uint32_t *stack)
{
	struct event e;
	if (!i || !series_event(lane->series, i - 1, &e))
		return 0;
	int64_t until = layout_event_end(lane, i - 1, &e);
	if (until <= edge || e.time >= edge)
		return 0;
	*stack = e.stack & STEP_STACK;
	return (double)sample_value(lane->series, m, i - 1) *
	       (double)difference_clipped(until, edge) / (double)difference_clipped(until, e.time);
}

static void
move_behind(const struct layout_lane *lane, unsigned m, int64_t from, int64_t to, unsigned n,
	    double *out)
{
	for (unsigned k = 0; k <= n; k++) {
		int64_t edge = wide_part_up(from, to, n, k);
		uint32_t stack;
		double part = layout_behind(lane, m, series_find(lane->series, edge), edge, &stack);
		if (k)
			out[k - 1] -= part;
		if (k < n)
			out[k] += part;
	}
}

void
layout_bins(const struct layout_lane *lane, unsigned m, int64_t from, int64_t to, unsigned n,
	    double *out)
{
	const struct series *r = lane->series;
	memset(out, 0, n * sizeof *out);
	if (lane->held && m + 1 == lane->held && r->sorted && to > from) {
		layout_held_bins(r, m, from, to, n, out);
		return;
	}
	if (layout_is_rare(lane, from, to, n)) {
		layout_spread(lane, m, &(struct layout_choice){.unit = 1, .step = 1}, from, to, n,
			      out);
		return;
	}
	int64_t *sum = mem_alloc(n, sizeof *sum);
	series_bins(r, m, from, to, n, sum);
	for (unsigned k = 0; k < n; k++)
		out[k] = (double)sum[k];
	free(sum);
	if (r->kind == SERIES_SAMPLES && r->sorted && to > from)
		move_behind(lane, m, from, to, n, out);
}
