/* timeline_lanes.c - the list of lanes, the rows that each gets, and when its columns are made.
 *
 * A new fold rebuilds the list; a lane whose series still exists keeps its measurements.  Columns
 * are made for visible lanes, once a window (`stamp`).  Their content decides how many rows a lane
 * needs, so rows are then distributed again. */
#include <stdlib.h>

#include "model/base/mem.h"
#include "ui/part/work.h"
#include "ui/screen/clock.h"
#include "ui/view/timeline/timeline.h"

#define POINT_ROWS 4

void
timeline_lane_release(struct lane *lane)
{
	layout_lane_release(&lane->run);
	if (lane->cells) {
		cells_release(&lane->cells->shown);
		cells_release(&lane->cells->next);
	}
	free(lane->cells);
	free(lane->pin_name);
	free(lane->point);
}

/* ---- which there are ---- */

static bool
timeline_has_calls(const struct track *t)
{
	for (uint32_t i = 0; i < t->n_series; i++)
		if (t->series[i]->kind == SERIES_STEPS && t->series[i]->n)
			return true;
	return false;
}

/* True if the series has the current metric, or is the track's first one if none has it. Values of
 * calls, which are derived samples, are drawn only for their own metric: the calls are there. */
static bool
timeline_is_wanted(const struct track *t, const struct series *s, metric_id metric)
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
		if (!first && !(x->derived && timeline_has_calls(t)))
			first = x;
	}
	return first == s;
}

/* The previous lanes.  Those of another profile are not reused: its series may have had the same
 * addresses. */
struct old_lanes {
	struct lane *at;
	size_t n, next;
	bool same; /* they belong to this profile */
};

static bool
is_next(const struct old_lanes *old, const struct series *x, uint32_t place)
{
	return old->same && old->next < old->n && old->at[old->next].track == x->track &&
	       old->at[old->next].place == place;
}

/* Takes over the previous lane of a series, or makes a new one.  Both lists are in the order of the
 * file, so only the next previous lane can match. */
static struct lane
take_lane(struct old_lanes *old, const struct series *series, uint32_t place)
{
	if (is_next(old, series, place)) {
		struct lane lane = old->at[old->next];
		old->at[old->next++] = (struct lane){0};
		return lane;
	}
	return (struct lane){.actor = ACTOR_NONE,
			     .run.series = series,
			     .track = series->track,
			     .place = place,
			     .need = 1,
			     .points = series->kind == SERIES_POINTS};
}

bool
timeline_compares(const struct timeline *v, const struct scene *s, const struct series *x)
{
	return !v->has_metric || series_metric(x, s->fold->metric) >= 0;
}

/* Returns the lane with most of the metric over the run, one with stacks if possible. */
static size_t
timeline_lanes_busiest(const struct timeline *v, const struct scene *s)
{
	size_t best = 0;
	int64_t most = -1;
	for (size_t i = 0; i < v->lanes.n; i++) {
		const struct series *x = v->lanes.at[i].run.series;
		if (!lane_has_stacks(&v->lanes.at[i]) || !x->n_metrics ||
		    !timeline_compares(v, s, x))
			continue;
		int64_t sum = x->sum[timeline_metric(x, s->fold->metric)];
		if (sum > most) {
			most = sum;
			best = i;
		}
	}
	return best;
}

/* Counts the lanes below the line of their process. */
static void
count_fellows(struct timeline *v, const struct scene *s)
{
	uint32_t *n = mem_zalloc(s->p->n_processes + 1u, sizeof *n);
	for (size_t i = 0; i < v->lanes.n; i++) {
		process_id under = s->p->track[v->lanes.at[i].track].under;
		n[under == PROCESS_NONE ? s->p->n_processes : under]++;
	}
	for (size_t i = 0; i < v->lanes.n; i++) {
		process_id under = s->p->track[v->lanes.at[i].track].under;
		v->lanes.at[i].fellows = under != PROCESS_NONE && n[under] > 1;
	}
	free(n);
}

/* Rebuilds the lanes: those with stacks first, each kind in the order of the file. */
static void
timeline_lanes_refill(struct timeline *v, const struct scene *s)
{
	struct old_lanes old = {v->lanes.at, v->lanes.n, 0, v->of == s->p->names.serial};
	struct lane sel = v->sel < old.n ? old.at[v->sel] : (struct lane){.track = TRACK_NONE};
	bool others = true; /* the other kind exists too */
	v->lanes.at = NULL;
	v->lanes.n = v->lanes.cap = 0;
	v->has_metric = false;
	vec_reserve(&v->lanes, s->p->n_tracks);
	for (int points = 0; points < 2 && others; points++) {
		others = false;
		for (track_id t = 0; t < s->p->n_tracks; t++) {
			const struct track *track = &s->p->track[t];
			bool looked_at = track->n_series && fold_has_track(s->fold, t);
			for (uint32_t i = 0; i < track->n_series; i++) {
				const struct series *x = track->series[i];
				if ((x->kind == SERIES_POINTS) != points) {
					others = true;
					continue;
				}
				if (!looked_at || !timeline_is_wanted(track, x, s->fold->metric)) {
					old.next += is_next(&old, x, i); /* that lane is gone */
					continue;
				}
				struct lane lane = take_lane(&old, x, i);
				lane.start = s->p->group[track->group].start;
				*vec_push(&v->lanes) = lane;
				v->has_metric |= series_metric(x, s->fold->metric) >= 0;
			}
		}
	}
	for (size_t i = 0; i < old.n; i++)
		timeline_lane_release(&old.at[i]);
	free(old.at);
	if (!old.same)
		timeline_release_states(v);
	v->of = s->p->names.serial;
	size_t now = SIZE_MAX;
	for (size_t i = 0; i < v->lanes.n; i++)
		if (v->lanes.at[i].track == sel.track && v->lanes.at[i].place == sel.place)
			now = i;
	timeline_restore_pins(v);
	count_fellows(v, s);
	timeline_find_actors(v, s);
	if (v->at < v->list.n)
		v->kept = v->list.at[v->at];
	v->list.n = v->sorted.n = 0; /* their numbers refer to the previous lanes */
	v->at = now == SIZE_MAX ? SIZE_MAX : v->at;
	v->sel = now == SIZE_MAX && v->lanes.n ? timeline_lanes_busiest(v, s) : now;
}

/* Updates the lanes after a new fold. */
void
timeline_look(struct timeline *v, const struct scene *s)
{
	const struct fold *f = s->fold;
	if (v->folds == UINT64_MAX || v->tree != f->tree->serial ||
	    v->generation != f->generation) {
		layout_look(&v->layout, s->p, f->tree);
		v->tree = f->tree->serial;
		v->generation = f->generation;
		v->stamp++;
		for (size_t i = 0; i < v->lanes.n; i++) {
			layout_lane_release(&v->lanes.at[i].run);
			timeline_drop_columns(&v->lanes.at[i]);
			v->lanes.at[i].need = 1;
		}
	}
	timeline_lanes_refill(v, s);
	timeline_measure_labels(v, s);
	v->folds = s->folds;
}

/* ---- rows and columns ---- */

static int
wanted_rows(const struct timeline *v, const struct scene *s, size_t i)
{
	const struct shelf *line = &v->list.at[i];
	if (line->kind != LINE_LANE)
		return 1;
	const struct lane *lane = &v->lanes.at[line->lane];
	if (lane->idle && i != v->at)
		return 1;
	if (lane_has_stacks(lane))
		return lane->need + lane->states;
	return lane_is_counter(s, lane) ? POINT_ROWS : 1;
}

static int
sum_rows(const struct timeline *v, size_t from, size_t to, int most)
{
	int sum = 0;
	for (size_t i = from; i <= to && sum <= most; i++)
		sum += v->list.at[i].rows;
	return sum;
}

/* Gives the line of the cursor the rows it needs, as long as some others stay visible; then the
 * others from the top; counters get a part of the rest. */
static void
share_rows(struct timeline *v, const struct scene *s, int room)
{
	int n = (int)(v->list.n < 10000 ? v->list.n : 10000);
	int others = n - 1 < room / 3 ? n - 1 : room / 3;
	int most = room - others > 1 ? room - others : 1;
	for (size_t i = 0; i < v->list.n; i++)
		v->list.at[i].rows = 1;
	int want = wanted_rows(v, s, v->at);
	v->list.at[v->at].rows = want < most ? want : most;
	int rest = room - v->list.at[v->at].rows - (n - 1);
	for (size_t i = 0; i < v->list.n && rest > 0; i++) {
		struct shelf *line = &v->list.at[i];
		int more = wanted_rows(v, s, i) - 1;
		if (i == v->at)
			continue;
		const struct lane *lane = line->kind == LINE_LANE ? &v->lanes.at[line->lane] : NULL;
		if (more > rest && lane && lane_has_stacks(lane)) {
			if (!lane->states)
				continue;
			more = 1; /* the states above the leaves */
		}
		more = more < rest ? more : rest;
		line->rows += more;
		rest -= more;
	}
}

/* Distributes the rows, and scrolls the line of the cursor into sight.  If some lines do not fit,
 * the last row counts them (draw). */
static void
lay_rows(struct timeline *v, const struct scene *s)
{
	int room = v->lane_rows, y = 0;
	size_t n = v->list.n;
	for (size_t i = 0; i < v->lanes.n; i++)
		v->lanes.at[i].rows = 0;
	if (!n)
		return;
	v->at = v->at < n ? v->at : 0;
	if (n > (size_t)room && room > 2)
		room--;
	share_rows(v, s, room);
	if (v->top > v->at)
		v->top = v->at;
	while (v->top < v->at && sum_rows(v, v->top, v->at, room) > room)
		v->top++;
	while (v->top > 0 && sum_rows(v, v->top - 1, n - 1, room) <= room)
		v->top--;
	v->above = (uint32_t)v->top;
	v->below = 0;
	for (size_t i = 0; i < n; i++) {
		struct shelf *line = &v->list.at[i];
		if (i < v->top || y >= room) {
			v->below += i >= v->top;
			line->rows = 0;
			continue;
		}
		line->y = y;
		line->rows = line->rows < room - y ? line->rows : room - y;
		y += line->rows;
		if (line->kind != LINE_LANE)
			continue;
		v->lanes.at[line->lane].y = line->y;
		v->lanes.at[line->lane].rows = line->rows;
	}
}

/* Makes the columns of the marks of a process. */
static bool
make_marks(struct timeline *v, const struct scene *s, process_id process, int64_t until_ns)
{
	for (size_t i = 0; i < v->lanes.n; i++) {
		struct lane *lane = &v->lanes.at[i];
		if (lane->stamp == v->stamp || !timeline_is_mark_of(v, s, process, i))
			continue;
		if (clock_ns() >= until_ns)
			return false;
		timeline_columns(v, s, lane, until_ns);
	}
	return true;
}

static bool
make_lane(struct timeline *v, const struct scene *s, struct lane *lane, int64_t until_ns)
{
	if (lane_state_rows(lane))
		timeline_state_columns(v, s, lane->actor);
	return timeline_columns(v, s, lane, until_ns);
}

/* Makes the columns of all visible lanes. */
static bool
make_all_columns(struct timeline *v, const struct scene *s, int64_t until_ns)
{
	bool all = true;
	for (size_t i = v->top; i < v->list.n && v->list.at[i].rows; i++)
		if (v->list.at[i].kind == LINE_LANE)
			all &= make_lane(v, s, &v->lanes.at[v->list.at[i].lane], until_ns);
		else if (v->list.at[i].kind == LINE_ACTOR)
			timeline_state_columns(v, s, v->list.at[i].actor);
		else if (v->list.at[i].kind == LINE_MARKS)
			all &= make_marks(v, s, v->list.at[i].process, until_ns);
	return all;
}

/* A step to another track opens that one and closes the other, which moves all lines below: 10 KB
 * on a large screen.  While keys come quickly, the lines stay, if the cursor's is among them. */
static bool
rows_may_wait(const struct timeline *v, const struct scene *s)
{
	return s->hurried && v->listed && v->laid == v->list.n && v->laid_rows == v->lane_rows &&
	       v->at < v->list.n && v->list.at[v->at].rows > 0;
}

bool
timeline_lay_lanes(struct timeline *v, const struct scene *s)
{
	struct lane *sel = timeline_selected(v);
	int64_t until_ns = works_until(s->works, s->portion_ns);
	bool all = true;

	v->made_column = false;
	if (v->made_from != v->from || v->made_to != v->to || v->made_cols != v->cols) {
		v->made_from = v->from;
		v->made_to = v->to;
		v->made_cols = v->cols;
		v->stamp++;
		v->laid = 0;
	}
	if (sel)
		all = timeline_columns(v, s, sel, until_ns);
	if (sel && v->has_slice && v->slice.shown) {
		node_id leaf = layout_node(&v->layout, sel->run.series, v->slice.event);
		if (leaf != NODE_NONE && v->layout.depth[leaf] > sel->need)
			sel->need = v->layout.depth[leaf];
	}
	v->rows_wait = rows_may_wait(v, s);
	for (int pass = 0; pass < 3; pass++) {
		if (!v->rows_wait)
			lay_rows(v, s);
		all = make_all_columns(v, s, until_ns);
	}
	v->laid = v->list.n;
	v->laid_rows = v->lane_rows;
	return all;
}
