/* timeline_columns.c - the columns of a lane, for the window.
 *
 * A column reads some blocks of events: a wide screen full of busy lanes takes longer than a
 * key may.  So columns are made in portions, from left to right and lane by lane, beside those
 * that are shown, and take their place when all are there.  Until then the lane shows what the
 * picture before knew of the window: moved, pulled apart or pushed together; nothing, where
 * that knew nothing. */
#include <stdlib.h>

#include "model/base/mem.h"
#include "model/profile/span.h"
#include "model/base/sum.h"
#include "ui/screen/clock.h"
#include "ui/view/timeline/timeline.h"

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

/* What is known of the window is shown. */
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
	int64_t a = span_part(from, to, n, x), b = span_part(from, to, n, x + 1);

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
	/* one at least, of all lanes */
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
	lane->seen_whole = true;
	if ((int)x->shown.rows > lane->need)
		lane->need = (int)x->shown.rows;
	return true;
}
