/* timeline_columns.c - the columns of a lane for the window.
 *
 * A column reads several blocks of events, so a wide screen of busy lanes takes longer than a key
 * may.  So columns are made in portions, from left to right and lane by lane, beside the displayed
 * ones, and replace them when all are complete.  Meanwhile the lane shows the part of the window
 * that the previous picture knew, moved or scaled; the rest is empty. */
#include <stdlib.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/base/wide.h"
#include "ui/screen/clock.h"
#include "ui/view/timeline/timeline.h"

void
timeline_measure(struct timeline *v, const struct scene *s, struct lane *lane)
{
	struct layout_lane *run = &lane->run, was = *run;
	layout_lane_look(&v->layout, s->p, run, s->fold->metric);
	if (was.hold != run->hold || was.weight != run->weight || was.held != run->held) {
		layout_lane_release(run);
		lane->stamp = 0;
	}
	if (lane->measured == lane->run.series->n)
		return;
	points_extremes(lane->run.series, &lane->min, &lane->max);
	lane->measured = lane->run.series->n;
}

void
timeline_drop_columns(struct lane *lane)
{
	if (lane->cells) {
		cells_begin(&lane->cells->shown, NULL);
		cells_begin(&lane->cells->next, NULL);
	}
	lane->seen_from = lane->seen_to = 0;
	lane->stamp = 0;
}

/* Shows the known part of the window. */
static void
show_known(struct timeline *v, struct lane *lane, int64_t from, int64_t to)
{
	struct lane_cells *x = lane->cells;
	struct cells old = x->shown;

	x->shown = x->next;
	cells_begin(&x->shown, NULL);
	cells_stretch(&x->shown, &old, lane->seen_from, lane->seen_to, from, to,
		      (unsigned)v->cols);
	cells_join(&x->shown, &v->layout);
	x->next = old;
	lane->seen_from = from;
	lane->seen_to = to;
}

static void
make_column(struct timeline *v, struct lane *lane, int64_t from, int64_t to)
{
	unsigned n = (unsigned)v->cols, x = lane->cells->next.n;
	int64_t a = wide_part(from, to, n, x), b = wide_part(from, to, n, x + 1);

	cells_column(&lane->cells->next, &v->layout, &lane->run, a, b > a ? b : sum_clipped(a, 1));
}

bool
timeline_columns(struct timeline *v, const struct scene *s, struct lane *lane, int64_t until_ns)
{
	unsigned n = (unsigned)v->cols;
	int64_t from = lane_time(lane, v->from), to = lane_time(lane, v->to);

	if (lane->stamp == v->stamp && (!lane_has_stacks(lane) || lane->seen_whole))
		return true;
	if (lane->stamp != v->stamp) {
		timeline_measure(v, s, lane);
		lane->stamp = v->stamp;
		if (!lane_has_stacks(lane)) {
			lane->point = mem_realloc(lane->point, n, sizeof *lane->point);
			points_columns(lane->run.series, from, to, n, lane->point);
			return true;
		}
		lane->seen_whole = false;
		if (!lane->cells)
			lane->cells = mem_zalloc(1, sizeof *lane->cells);
		show_known(v, lane, from, to);
		cells_begin(&lane->cells->next, NULL);
	}
	struct lane_cells *x = lane->cells;
	/* make at least one, over all lanes */
	while (x->next.n < n && (!v->made_column || clock_ns() < until_ns)) {
		make_column(v, lane, from, to);
		v->made_column = true;
	}
	if (x->next.n < n)
		return false;
	struct cells before = x->shown;
	x->shown = x->next;
	x->next = before;
	cells_join(&x->shown, &v->layout);
	cells_find_unfinished(&x->shown, &v->layout, &lane->run,
			      labels_unfinished(&s->p->labels, &s->p->names), from, to);
	lane->seen_whole = true;
	if ((int)x->shown.rows > lane->need)
		lane->need = (int)x->shown.rows;
	return true;
}
