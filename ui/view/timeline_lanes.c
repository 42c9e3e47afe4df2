/* timeline_lanes.c - the lanes of the timeline: which there are, how many rows each gets,
 * and its columns.
 *
 * A fold that is another one makes the list anew; a lane whose series is still there keeps
 * what was measured of it.  Columns are made for the lanes in sight, once a window (`stamp`),
 * and what they show decides how many rows a lane needs: so rows are shared out again. */
#include <stdlib.h>

#include "model/mem.h"
#include "ui/view/timeline.h"

#define POINT_ROWS 3

void
timeline_lane_release(struct lane *lane)
{
	layout_lane_release(&lane->run);
	free(lane->column);
	free(lane->point);
}

bool
lane_has_stacks(const struct lane *lane)
{
	return lane->run.series->kind != SERIES_POINTS;
}

/* ---- which there are ---- */

/* Of several series of a track those with the metric that is looked at, else the first. */
static bool
is_wanted(const struct track *t, const struct series *s, metric_id metric)
{
	const struct series *first = NULL;
	if (!s->n || s->kind == SERIES_TOTALS)
		return false;
	if (s->kind != SERIES_SAMPLES)
		return true;
	for (uint32_t i = 0; i < t->n_series; i++) {
		const struct series *x = t->series[i];
		bool has = false;
		if (x->kind != SERIES_SAMPLES || !x->n)
			continue;
		for (unsigned m = 0; m < x->n_metrics; m++)
			has |= x->metric[m] == metric;
		if (has)
			return x == s;
		first = first ? first : x;
	}
	return first == s;
}

/* The lane that was there for a series, taken over, or a new one. */
static struct lane
take_lane(struct lane *old, size_t n, const struct series *series)
{
	for (size_t i = 0; i < n; i++)
		if (old[i].run.series == series) {
			struct lane lane = old[i];
			old[i] = (struct lane){0};
			return lane;
		}
	return (struct lane){.run.series = series, .track = series->track, .need = 1};
}

static void
measure(struct lane *lane)
{
	if (lane->measured == lane->run.series->n)
		return;
	lane->run.hold = layout_hold(lane->run.series);
	points_extremes(lane->run.series, &lane->min, &lane->max);
	lane->measured = lane->run.series->n;
}

/* The lane with the most events, of stacks if there is one. */
static size_t
busiest(const struct timeline *v)
{
	size_t best = 0;
	for (size_t i = 1; i < v->lanes.n; i++)
		if (lane_has_stacks(&v->lanes.at[i]) &&
		    v->lanes.at[i].run.series->n > v->lanes.at[best].run.series->n)
			best = i;
	return best;
}

/* The lanes anew: those of stacks first, each kind in the order of the file. */
static void
refill(struct timeline *v, const struct scene *s)
{
	struct lane *old = v->lanes.at;
	size_t n = v->lanes.n;
	const struct series *sel = v->sel < n ? old[v->sel].run.series : NULL;
	v->lanes.at = NULL;
	v->lanes.n = v->lanes.cap = 0;
	for (int points = 0; points < 2; points++)
		for (track_id t = 0; t < s->p->n_tracks; t++) {
			const struct track *track = &s->p->track[t];
			for (uint32_t i = 0; i < track->n_series; i++) {
				const struct series *x = track->series[i];
				if ((x->kind == SERIES_POINTS) != points ||
				    !is_wanted(track, x, s->fold->metric) ||
				    !lens_has_track(s->lens, s->p, t))
					continue;
				struct lane lane = take_lane(old, n, x);
				lane.start = s->p->group[track->group].start;
				measure(&lane);
				*vec_push(&v->lanes) = lane;
			}
		}
	for (size_t i = 0; i < n; i++)
		timeline_lane_release(&old[i]);
	free(old);
	v->sel = SIZE_MAX;
	for (size_t i = 0; sel && i < v->lanes.n; i++)
		if (v->lanes.at[i].run.series == sel)
			v->sel = i;
	if (v->sel == SIZE_MAX)
		v->sel = busiest(v);
}

/* The fold is another one. */
void
timeline_look(struct timeline *v, const struct scene *s)
{
	const struct fold *f = s->fold;
	if (v->folds == UINT64_MAX || v->trees != f->trees ||
	    v->generation != f->generation) {
		layout_look(&v->layout, s->p, f->tree);
		v->trees = f->trees;
		v->generation = f->generation;
		v->stamp++;
		for (size_t i = 0; i < v->lanes.n; i++) {
			layout_lane_release(&v->lanes.at[i].run);
			v->lanes.at[i].need = 1;
		}
	}
	refill(v, s);
	v->folds = s->folds;
}

/* ---- rows and columns ---- */

static int
wanted_rows(const struct timeline *v, const struct scene *s, size_t i)
{
	const struct lane *lane = &v->lanes.at[i];
	if (lane_has_stacks(lane))
		return lane->need;
	return s->p->track[lane->track].kind == TRACK_COUNTER && i == v->sel ? POINT_ROWS
									     : 1;
}

static int
sum_rows(const struct timeline *v, size_t from, size_t to)
{
	int sum = 0;
	for (size_t i = from; i <= to && sum <= v->lane_rows; i++)
		sum += v->lanes.at[i].rows;
	return sum;
}

/* Shares out the rows, and scrolls so that the selected lane is in sight. */
static void
lay_rows(struct timeline *v, const struct scene *s)
{
	int n = (int)(v->lanes.n < 10000 ? v->lanes.n : 10000), room = v->lane_rows;
	int others = n - 1 < room / 3 ? n - 1 : room / 3, rest, y = 0;
	int most = room - others > 1 ? room - others : 1;
	for (size_t i = 0; i < v->lanes.n; i++)
		v->lanes.at[i].rows = 1;
	int want = wanted_rows(v, s, v->sel);
	v->lanes.at[v->sel].rows = want < most ? want : most;
	rest = room - v->lanes.at[v->sel].rows - (n - 1);
	for (size_t i = 0; i < v->lanes.n && rest > 0; i++) {
		int more = wanted_rows(v, s, i) - 1;
		if (i == v->sel || more > rest)
			continue;
		v->lanes.at[i].rows += more;
		rest -= more;
	}
	if (v->top > v->sel)
		v->top = v->sel;
	while (v->top < v->sel && sum_rows(v, v->top, v->sel) > room)
		v->top++;
	while (v->top > 0 && sum_rows(v, v->top - 1, v->lanes.n - 1) <= room)
		v->top--;
	for (size_t i = 0; i < v->lanes.n; i++) {
		struct lane *lane = &v->lanes.at[i];
		if (i < v->top || y >= room) {
			lane->rows = 0;
			continue;
		}
		lane->y = y;
		lane->rows = lane->rows < room - y ? lane->rows : room - y;
		y += lane->rows;
	}
}

static void
make_columns(struct timeline *v, struct lane *lane)
{
	unsigned n = (unsigned)v->cols;
	int64_t from = lane->start + v->from, to = lane->start + v->to;
	if (lane->stamp == v->stamp)
		return;
	lane->stamp = v->stamp;
	if (!lane_has_stacks(lane)) {
		lane->point = mem_realloc(lane->point, n, sizeof *lane->point);
		points_columns(lane->run.series, from, to, n, lane->point);
		return;
	}
	lane->column = mem_realloc(lane->column, n, sizeof *lane->column);
	layout_columns(&v->layout, &lane->run, from, to, n, lane->column);
	for (unsigned i = 0; i < n; i++)
		if (lane->column[i].node != NODE_NONE &&
		    v->layout.depth[lane->column[i].node] > lane->need)
			lane->need = v->layout.depth[lane->column[i].node];
}

void
timeline_lay_lanes(struct timeline *v, const struct scene *s)
{
	struct lane *sel = timeline_selected(v);
	if (v->made_from != v->from || v->made_to != v->to || v->made_cols != v->cols) {
		v->made_from = v->from;
		v->made_to = v->to;
		v->made_cols = v->cols;
		v->stamp++;
	}
	make_columns(v, sel);
	if (v->has_slice && v->slice.shown) {
		node_id leaf = layout_node(&v->layout, sel->run.series, v->slice.event);
		if (leaf != NODE_NONE && v->layout.depth[leaf] > sel->need)
			sel->need = v->layout.depth[leaf];
	}
	for (int pass = 0; pass < 2; pass++) {
		lay_rows(v, s);
		for (size_t i = v->top; i < v->lanes.n && v->lanes.at[i].rows; i++)
			make_columns(v, &v->lanes.at[i]);
	}
	lay_rows(v, s);
	for (size_t i = v->top; i < v->lanes.n && v->lanes.at[i].rows; i++)
		make_columns(v, &v->lanes.at[i]);
}
