/* timeline_list.c - which lanes of the timeline are listed, and in which order.
 *
 * The busiest lanes come first.  Lanes of stacks precede those of points, and lanes with the
 * current metric precede those without it.  One line at the end, which opens, represents the
 * lanes without events in the window.  Threads of a process are under its line, and pinned
 * lanes on top.
 *
 * The value of a lane in the window comes from sums and blocks (layout_sum(), and one column as
 * wide as the window).  That is a few binary searches a lane, so 30,000 lanes cost several
 * frames. They are measured in portions.  Meanwhile the previous order stays, or that of the
 * file at first. The value of a lane in the whole run is known without a search. */
#include <stdlib.h>

#include "model/base/mem.h"
#include "ui/part/work.h"
#include "ui/screen/clock.h"
#include "ui/view/timeline/timeline.h"

#define MARKS_LINE 3u     /* marks of a process that share a line */
#define LANES_A_LOOK 256u /* between two looks at the clock */

/* ---- how busy a lane is ---- */

static void
sum_lane(struct timeline *v, const struct scene *s, struct lane *lane)
{
	int64_t from = lane_time(lane, v->from), to = lane_time(lane, v->to);
	if (!lane_has_stacks(lane)) {
		struct point_column point;
		points_columns(lane->run.series, from, to, 1, &point);
		lane->sum = 0;
		lane->idle = !point.has;
		return;
	}
	unsigned m = timeline_metric(lane->run.series, s->fold->metric);
	if (v->layout.all_shown && v->from <= 0 && to > lane->run.series->end_time &&
	    m < lane->run.series->n_metrics)
		lane->sum = series_whole(lane->run.series, m);
	else
		lane->sum = layout_sum(&v->layout, lane->run.series, m, NULL, from, to,
				       LAYOUT_SUM_EVENTS);
	lane->idle = false;
	uint8_t held = layout_held_metric(s->p, lane->run.series, s->fold->metric);
	if (held && lane->run.series->sorted)
		lane->sum = layout_held_at(lane->run.series, held - 1u, to);
	if (lane->sum == 0 && lane->run.series->sorted) {
		timeline_measure(v, s, lane);
		cells_begin(&v->probe, NULL);
		cells_column(&v->probe, &v->layout, &lane->run, from, to);
		lane->idle = cells_at(&v->probe, 0, 0).node == NODE_NONE;
	}
	if (!timeline_compares(v, s, lane->run.series))
		lane->sum = 0;
}

/* Measures some more lanes; returns false while others remain. */
static bool
sum_some(struct timeline *v, const struct scene *s)
{
	int64_t until_ns = works_until(s->works, s->portion_ns);
	do {
		size_t end = v->summed + LANES_A_LOOK;
		for (; v->summed < v->lanes.n && v->summed < end; v->summed++)
			sum_lane(v, s, &v->lanes.at[v->summed]);
	} while (v->summed < v->lanes.n && clock_ns() < until_ns);
	return v->summed == v->lanes.n;
}

static void
as_in_file(struct timeline *v)
{
	v->sorted.n = 0;
	for (size_t i = 0; i < v->lanes.n; i++)
		*vec_push(&v->sorted) = i;
}

/* ---- the lines ---- */

static bool
has_process(const struct processes *list, process_id process)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->at[i] == process)
			return true;
	return false;
}

bool
timeline_is_closed(const struct timeline *v, process_id process)
{
	return has_process(&v->closed, process);
}

bool
timeline_shows_marks(const struct timeline *v, process_id process)
{
	return has_process(&v->marked, process);
}

/* Counts the busy lanes of its process from this one on. */
static uint32_t
count_process(const struct timeline *v, const struct scene *s, size_t i)
{
	process_id process = s->p->track[v->lanes.at[v->sorted.at[i]].track].under;
	uint32_t n = 0;
	for (; i < v->sorted.n; i++) {
		const struct lane *lane = &v->lanes.at[v->sorted.at[i]];
		if (s->p->track[lane->track].under != process || lane->pin)
			break;
		n += !lane->idle;
	}
	return n;
}

static void
push_lane(struct timeline *v, size_t lane, int indent)
{
	*vec_push(&v->list) = (struct shelf){
		.kind = LINE_LANE, .lane = lane, .process = PROCESS_NONE, .indent = indent};
}

/* Counts the lanes of each [process] without pinned ones. */
static uint32_t *
count_lanes(const struct timeline *v, const struct scene *s)
{
	uint32_t *n = mem_zalloc(s->p->n_processes + 1u, sizeof *n);
	for (size_t i = 0; i < v->lanes.n; i++) {
		process_id process = s->p->track[v->lanes.at[i].track].under;
		if (process != PROCESS_NONE && !v->lanes.at[i].pin)
			n[process]++;
	}
	return n;
}

/* Lists the marks of a process in one line, if there are several, and below it each of them if the
 * user opened it, else the selected one.  Returns false if they need no such line. */
static bool
list_marks(struct timeline *v, const struct scene *s, process_id process, size_t first, int indent)
{
	uint32_t n = 0;
	for (size_t i = first; i < v->sorted.n; i++)
		n += timeline_is_mark_of(v, s, process, v->sorted.at[i]);
	if (n < MARKS_LINE)
		return false;
	*vec_push(&v->list) = (struct shelf){LINE_MARKS, v->sorted.at[first], process, n, indent, 0,
					     0, ACTOR_NONE};
	bool open = timeline_shows_marks(v, process);
	for (size_t i = first; i < v->sorted.n; i++)
		if (timeline_is_mark_of(v, s, process, v->sorted.at[i]) &&
		    (open || v->sorted.at[i] == v->sel))
			push_lane(v, v->sorted.at[i], indent + 1);
	return true;
}

/* How the marks of a process are listed, [process]; 0: not yet. */
enum { MARKS_LISTED = 1, MARKS_SINGLE };

/* Lists a busy lane, or, at the first mark of a process, all of its marks. */
static void
list_lane(struct timeline *v, const struct scene *s, uint8_t *marks, size_t i, int indent)
{
	size_t at = v->sorted.at[i];
	process_id process = s->p->track[v->lanes.at[at].track].under;
	uint8_t *seen = &marks[process == PROCESS_NONE ? s->p->n_processes : process];
	if (timeline_is_mark_of(v, s, process, at)) {
		if (!*seen)
			*seen = list_marks(v, s, process, i, indent) ? MARKS_LISTED : MARKS_SINGLE;
		if (*seen == MARKS_LISTED)
			return;
	}
	push_lane(v, at, indent);
}

/* Lists the lanes with events in the window under their processes.  A process with a single lane
 * gets no line of its own. */
static void
list_busy(struct timeline *v, const struct scene *s)
{
	uint32_t *lanes = count_lanes(v, s);
	uint8_t *marks = mem_zalloc(s->p->n_processes + 1u, 1);
	process_id open = PROCESS_NONE; /* the process whose line is open */
	for (size_t i = 0; i < v->sorted.n; i++) {
		size_t at = v->sorted.at[i];
		const struct lane *lane = &v->lanes.at[at];
		process_id process = s->p->track[lane->track].under;
		if (lane->idle && at != v->sel && !lane->pin)
			continue;
		if (process == PROCESS_NONE || lane->pin || lanes[process] < 2) {
			list_lane(v, s, marks, i, 0);
			continue;
		}
		if (process != open)
			*vec_push(&v->list) = (struct shelf){
				LINE_PROCESS, at, process, count_process(v, s, i), 0, 0, 0,
				ACTOR_NONE};
		open = process;
		if (!timeline_is_closed(v, process))
			list_lane(v, s, marks, i, 1);
	}
	free(lanes);
	free(marks);
}

static void
list_idle(struct timeline *v)
{
	uint32_t n = 0;
	size_t one = 0;
	for (size_t i = 0; i < v->sorted.n; i++) {
		const struct lane *lane = &v->lanes.at[v->sorted.at[i]];
		if (!lane->idle || lane->pin || v->sorted.at[i] == v->sel)
			continue;
		n++;
		one = v->sorted.at[i];
	}
	if (n == 1) /* a line of its own */
		push_lane(v, one, 0);
	if (n < 2)
		return;
	*vec_push(&v->list) = (struct shelf){LINE_IDLE, SIZE_MAX, PROCESS_NONE, n, 0, 0, 0,
					     ACTOR_NONE};
	for (size_t i = 0; v->idle_open && i < v->sorted.n; i++) {
		const struct lane *lane = &v->lanes.at[v->sorted.at[i]];
		if (lane->idle && !lane->pin && v->sorted.at[i] != v->sel)
			push_lane(v, v->sorted.at[i], 1);
	}
}

/* Finds the line of the cursor in the new list. */
static void
find_line(struct timeline *v, struct shelf was)
{
	for (size_t i = 0; i < v->list.n; i++) {
		const struct shelf *x = &v->list.at[i];
		if (x->kind != was.kind || x->process != was.process ||
		    (x->kind == LINE_LANE && x->lane != v->sel) ||
		    (x->kind == LINE_ACTOR && x->actor != was.actor))
			continue;
		v->at = i;
		return;
	}
	v->at = 0;
	for (size_t i = 0; i < v->list.n; i++)
		if (v->list.at[i].lane == v->sel)
			v->at = i;
}

static void
make_list(struct timeline *v, const struct scene *s)
{
	struct shelf was = {LINE_LANE, v->sel, PROCESS_NONE, 0, 0, 0, 0, ACTOR_NONE};
	if (v->at < v->list.n)
		v->kept = v->list.at[v->at];
	if (v->at != SIZE_MAX && v->kept.kind != LINE_LANE)
		was = v->kept;
	process_id process = v->sel < v->lanes.n ? s->p->track[v->lanes.at[v->sel].track].under
					       : PROCESS_NONE;
	for (size_t i = 0; was.kind == LINE_LANE && i < v->closed.n; i++)
		if (v->closed.at[i] == process) /* the user went to one of its lanes */
			v->closed.at[i] = v->closed.at[--v->closed.n];
	v->list.n = 0;
	list_busy(v, s);
	timeline_list_actors(v, s);
	list_idle(v);
	if (v->wanted != ACTOR_NONE)
		was = (struct shelf){
			.kind = LINE_ACTOR, .process = PROCESS_NONE, .actor = v->wanted};
	find_line(v, was);
}

void
timeline_relist(struct timeline *v)
{
	v->listed = false;
}

bool
timeline_list(struct timeline *v, const struct scene *s)
{
	bool same = v->sum_from == v->from && v->sum_to == v->to && v->sum_folds == s->folds;
	if (!same) {
		v->sum_from = v->from;
		v->sum_to = v->to;
		v->sum_folds = s->folds;
		v->summed = 0;
		v->listed = false;
	}
	if (v->listed)
		return true;
	bool done = sum_some(v, s);
	if (!done && v->sorted.n == v->lanes.n && v->list.n)
		return false; /* keep the previous list meanwhile */
	if (done)
		timeline_sort(v, s);
	else
		as_in_file(v);
	make_list(v, s);
	v->listed = done;
	v->wanted = ACTOR_NONE;
	return done;
}

void
timeline_select(struct timeline *v, size_t lane)
{
	v->sel = lane;
	v->fresh = false;
	v->wanted = ACTOR_NONE;
	for (size_t i = 0; i < v->list.n; i++)
		if (v->list.at[i].kind == LINE_LANE && v->list.at[i].lane == lane) {
			v->at = i;
			return;
		}
	v->at = SIZE_MAX; /* folded: the next list has it */
	v->listed = false;
}

void
timeline_go_actor(struct timeline *v, actor_id actor)
{
	for (size_t i = 0; i < v->lanes.n; i++)
		if (v->lanes.at[i].actor == actor) {
			timeline_select(v, i);
			return;
		}
	v->wanted = actor; /* the next list has its line */
	timeline_relist(v);
}

bool
timeline_go_line(struct timeline *v, int by)
{
	if (by < 0 ? v->at == 0 : v->at + 1 >= v->list.n)
		return false;
	v->fresh = false;
	v->at += by < 0 ? (size_t)-1 : 1;
	if (v->list.at[v->at].kind == LINE_LANE)
		v->sel = v->list.at[v->at].lane;
	return true;
}

/* Removes the process from the list, or adds it. */
static void
toggle_process(struct processes *list, process_id process)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->at[i] == process) {
			list->at[i] = list->at[--list->n];
			return;
		}
	*vec_push(list) = process;
}

/* Opens or closes a line of idle tracks, a process, marks, or threads without stacks. */
void
timeline_toggle(struct timeline *v)
{
	const struct shelf *line = timeline_line(v);
	timeline_relist(v);
	if (line && line->kind == LINE_IDLE) {
		v->idle_open = !v->idle_open;
	} else if (line && (line->kind == LINE_ACTORS || line->kind == LINE_ACTOR)) {
		v->actors_turned = !v->actors_turned;
		while (v->list.at[v->at].kind != LINE_ACTORS)
			v->at--;
	} else if (line && line->kind == LINE_MARKS) {
		toggle_process(&v->marked, line->process);
	} else if (line) {
		toggle_process(&v->closed, line->process);
	}
}

/* `-`: folds the line or process of the cursor. */
void
timeline_fold(struct timeline *v, struct scene *s)
{
	const struct lane *lane = timeline_selected(v);
	process_id process = lane ? s->p->track[lane->track].under : PROCESS_NONE;
	for (size_t i = 0; lane && i < v->list.n; i++) {
		const struct shelf *x = &v->list.at[i];
		if (x->kind == LINE_PROCESS ? x->process == process
					    : x->kind == LINE_IDLE && lane->idle)
			v->at = i;
	}
	if (!timeline_line(v))
		buf_adds(&s->say, "this track has no process to fold");
	timeline_toggle(v);
	v->deep = 0;
	v->has_slice = false;
}

void
timeline_pin(struct timeline *v)
{
	struct lane *lane = timeline_selected(v);
	if (lane)
		timeline_pin_lane(v, lane, !lane->pin);
	timeline_relist(v);
}

void
timeline_next_order(struct timeline *v)
{
	v->order = v->order + 1 < ORDER_COUNT ? v->order + 1 : 0;
	v->top = 0;
	timeline_relist(v);
}
