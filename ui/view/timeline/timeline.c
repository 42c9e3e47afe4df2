/* timeline.c - every track over time, and navigation slice by slice.
 *
 * Each series of stacks or points is a lane.  The selected lane is as high as its stacks are deep.
 * Others open too while there is room; else they have one row, which shows the leaf.  Lanes grow
 * when deeper stacks become visible but do not shrink again, so panning does not move the other
 * lanes.
 *
 * The user zooms and pans the window [from, to).  The cursor is a moment in it, on a frame of the
 * selected lane.  The layout, never the cells, gives the slice at the cursor: steps with . and ,
 * reach events that no column shows.  Moving the cursor selects its frame, for all views.
 *
 * Columns are only made again when window, width or fold change; a step within the window costs a
 * binary search. */
#include <assert.h>
#include <stdlib.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "ui/part/show.h"
#include "ui/part/slowest.h"
#include "ui/view/timeline/timeline.h"


static void *
timeline_create(void)
{
	struct timeline *v = mem_zalloc(1, sizeof *v);
	layout_init(&v->layout);
	v->folds = UINT64_MAX;
	v->fresh = true;
	v->range_to = -1;
	v->drag_from = -1;
	v->at = SIZE_MAX;
	v->wanted = v->edges.actor = ACTOR_NONE;
	return v;
}

static void
timeline_destroy(void *view)
{
	struct timeline *v = view;
	for (size_t i = 0; i < v->lanes.n; i++)
		timeline_lane_release(&v->lanes.at[i]);
	vec_release(&v->lanes);
	vec_release(&v->before);
	timeline_forget_pins(v);
	vec_release(&v->recalled_pins);
	vec_release(&v->sorted);
	vec_release(&v->list);
	vec_release(&v->closed);
	vec_release(&v->marked);
	timeline_release_states(v);
	layout_release(&v->layout);
	cells_release(&v->probe);
	free(v);
}

/* ---- arranging ---- */

/* Scrolls the selected lane to the frame under the cursor, but not for each leaf that a step
 * reaches: the panel shows the full stack. */
static void
show_depth(struct timeline *v)
{
	const struct lane *lane = timeline_selected(v);
	if (!lane)
		return;
	int rows = lane_stack_rows(lane), own = rows >= LEAF_ROWS ? rows - 1 : rows;
	int depth = v->has_slice && v->slice.shown ? v->layout.depth[v->slice.node] : 1;
	if (v->depth && depth <= v->deep)
		v->deep = depth - 1;
	if (v->depth && depth > v->deep + own)
		v->deep = depth - own;
	if (v->deep + rows > lane->need)
		v->deep = lane->need > rows ? lane->need - rows : 0;
}

/* Returns the lane with most in the window; the selected one if no lane has anything. */
static size_t
timeline_busiest(const struct timeline *v)
{
	size_t best = v->sel;
	for (size_t i = 0; i < v->lanes.n; i++) {
		const struct lane *lane = &v->lanes.at[i];
		if (!lane->idle && (v->lanes.at[best].idle || lane->sum > v->lanes.at[best].sum))
			best = i;
	}
	return best;
}

static void
share_window(struct timeline *v, struct nav *nav)
{
	const struct lane *lane = timeline_selected(v);
	nav->window_from = v->from;
	nav->window_to = v->to;
	if (lane)
		nav->window_track = lane->track;
	nav->actor = timeline_actor(v);
}

/* A slice of millions of events is measured in portions. */
static bool
is_measured_on(const struct timeline *v)
{
	return v->has_slice && v->slice.shown && (!v->slice.start_known || !v->slice.end_known);
}

/* Selects the first listed lane with stacks: the busiest of all may be far below, in a process that
 * is not the busiest. */
static void
go_to_top(struct timeline *v, const struct scene *s)
{
	for (size_t i = 0; i < v->list.n; i++) {
		const struct shelf *line = &v->list.at[i];
		if (line->kind != LINE_LANE || !lane_has_stacks(&v->lanes.at[line->lane]))
			continue;
		if (line->lane != v->sel) {
			timeline_select(v, line->lane);
			timeline_go_to_begin(v, s);
			timeline_relist(v); /* the lane before may be idle */
			timeline_list(v, s);
			timeline_find_slice(v, s);
		}
		return;
	}
}

/* Chooses where to begin once the list is known. */
static void
begin_there(struct timeline *v, const struct scene *s, bool first)
{
	if (v->fresh && s->nav->key == KEY_NONE)
		go_to_top(v, s);
	v->fresh = false;
	if (!first || (v->has_slice && v->slice.shown))
		return;
	/* range and filters leave nothing there */
	if (v->lanes.at[v->sel].idle)
		timeline_select(v, timeline_busiest(v));
	timeline_go_to_begin(v, s);
	timeline_relist(v);
	timeline_list(v, s);
	timeline_find_slice(v, s);
}

static void
timeline_arrange(void *view, struct scene *s, struct area a)
{
	struct timeline *v = view;
	bool first = v->folds == UINT64_MAX;
	v->panel_rows = a.h < 8 ? 2 : a.h / 5 < 3 ? 3 : a.h / 5 > 6 ? 6 : a.h / 5;
	v->lane_rows = a.h - RULER_ROWS - v->panel_rows > 1
			       ? a.h - RULER_ROWS - v->panel_rows
			       : 1;
	if (v->folds != s->folds)
		timeline_look(v, s);
	int label = timeline_label_cols(v, a.w);
	v->label_cols = label;
	v->cols = a.w - label - 2 > 1 ? a.w - label - 2 : 1;
	timeline_follow_range(v, s);
	if (!v->lanes.n || v->duration <= 0) {
		v->has_slice = false;
		return;
	}
	if (first) {
		struct event e;
		series_event(timeline_selected(v)->run.series, 0, &e);
		v->when = difference_clipped(e.time, timeline_selected(v)->start);
		v->jumps = s->nav->jumps && s->nav->key != KEY_NONE ? v->jumps
								    : s->nav->jumps;
	}
	bool recalled = v->recalled; /* its window and cursor stay, whatever is selected */
	if (v->recalled) {
		v->recalled = v->fresh = false;
		timeline_set_window(v, v->recalled_from, v->recalled_to);
		v->when = v->recalled_when;
		if (v->recalled_lane < v->lanes.n) {
			v->sel = v->recalled_lane;
			v->depth = v->recalled_depth;
		}
	}
	if (slowest_waits(s->calls))
		slowest_arrange(s->calls, s, s->nav->key);
	if (v->jumps != s->nav->jumps)
		timeline_jump(v, s);
	else if (!recalled && !s->nav->window_to)
		timeline_go_to_cost(v, s);
	timeline_clamp_cursor(v);
	timeline_find_slice(v, s);
	s->again |= is_measured_on(v);
	s->again |= !timeline_list(v, s);
	v->has_slice &= !timeline_line(v); /* an edge may lead to a line that is new in the list */
	if (v->listed)
		begin_there(v, s, first && !recalled);
	s->again |= !timeline_lay_lanes(v, s);
	s->later |= v->rows_wait;
	show_depth(v);
	timeline_find_edges(v, s);
	share_window(v, s->nav);
}

/* Keeps the zoom, since the user still looks for the other end of the range. */
static enum reply
take_range(struct timeline *v, struct scene *s, int64_t from, int64_t to)
{
	s->nav->from = from < 0 ? 0 : from;
	s->nav->to = to > from ? to : from + 1;
	v->own_range = true;
	return REPLY_RANGE;
}

/* Returns true if the cursor is in the time between two slices, whose ends are known. */
static bool
is_in_gap(const struct timeline *v)
{
	const struct layout_slice *x = &v->slice;

	return v->has_slice && !x->shown && x->start_known && x->end_known && x->end > x->start;
}

static enum reply
take_slice(struct timeline *v, struct scene *s)
{
	const struct lane *lane = timeline_selected(v);
	int64_t from, to;
	if (timeline_line(v) && timeline_line(v)->kind != LINE_ACTOR) {
		timeline_toggle(v);
		return REPLY_DONE;
	}
	if (v->has_slice && v->slice.shown) {
		assert(lane); /* the slice lies in it */
		from = v->slice.start - lane->start;
		to = difference_clipped(v->slice.end, lane->start);
	} else if (timeline_aim(v, s) != REPLY_PASS) {
		from = s->nav->from;
		to = s->nav->to;
	} else if (!lane) {
		return REPLY_DONE;
	} else if (!timeline_phase(v, s, lane, &from, &to)) {
		if (!is_in_gap(v)) {
			buf_adds(&s->say, "nothing begins and ends here: [ and ] set a range");
			return REPLY_DONE;
		}
		from = difference_clipped(v->slice.start, lane->start);
		to = difference_clipped(v->slice.end, lane->start);
	}
	timeline_keep_window(v);
	timeline_set_window(v, from, to);
	return take_range(v, s, from, to);
}

/* Goes to the next peak of a counter, or to the next of the slowest calls. */
static void
step_peak(struct timeline *v, struct scene *s, bool on)
{
	if (timeline_go_peak(v, s, on))
		return;
	if (s->p->calls_metric == METRIC_NONE)
		buf_adds(&s->say, "neither counters nor calls to go to");
	else
		slowest_step(s->calls, on ? 1 : -1);
}

static enum reply
timeline_act(void *view, struct scene *s, enum action action)
{
	struct timeline *v = view;
	int64_t from, to;
	if (!v->lanes.n || v->duration <= 0)
		return REPLY_PASS;
	show_range(s, &from, &to);
	switch ((int)action) {
	case ACTION_ZOOM_IN:
	case ACTION_ZOOM_OUT:
		timeline_zoom(v, action == ACTION_ZOOM_IN);
		return REPLY_DONE;
	case ACTION_PAN_LEFT:
	case ACTION_PAN_RIGHT:
		timeline_pan(v, action == ACTION_PAN_LEFT ? -1 : 1);
		timeline_settle(v, s);
		return REPLY_DONE;
	case ACTION_FIT:
		timeline_fit(v, s);
		return REPLY_DONE;
	case ACTION_COUNTER:
		timeline_go_counter(v, s);
		return REPLY_DONE;
	case ACTION_AUTOSCALE:
		v->scaled = !v->scaled;
		timeline_say_counters(v, s);
		return REPLY_DONE;
	case ACTION_SLOWER:
	case ACTION_FASTER:
		step_peak(v, s, action == ACTION_FASTER);
		return REPLY_DONE;
	case ACTION_OUT:
		if (!timeline_step_back(v))
			return REPLY_PASS;
		timeline_clamp_cursor(v);
		return REPLY_DONE;
	case ACTION_ENTER:
		return take_slice(v, s);
	case ACTION_EDGE_BACK:
	case ACTION_EDGE_ON:
		return timeline_follow(v, s, action == ACTION_EDGE_BACK ? -1 : 1);
	case ACTION_WHY: /* a range that the user has chosen comes first */
		return s->fold->whole ? timeline_aim(v, s) : REPLY_PASS;
	case ACTION_ORDER:
		timeline_next_order(v);
		return REPLY_DONE;
	case ACTION_PIN:
		timeline_pin(v);
		return REPLY_DONE;
	case ACTION_FOLD:
		timeline_fold(v, s);
		return REPLY_DONE;
	case ACTION_RANGE_START:
		return take_range(v, s, v->when, to > v->when ? to : sum_clipped(v->duration, 1));
	case ACTION_RANGE_END:
		return take_range(v, s, from < v->when ? from : 0, v->when);
	default:
		return timeline_move(v, s, action);
	}
}

static enum reply
timeline_click(void *view, struct scene *s, int y, int x, bool twice)
{
	struct timeline *v = view;
	int col = x - v->label_cols - 1;
	if (!v->lanes.n || v->duration <= 0)
		return REPLY_PASS;
	for (size_t i = v->top; i < v->list.n && v->list.at[i].rows; i++) {
		const struct shelf *line = &v->list.at[i];
		int row = y - RULER_ROWS - line->y;
		if (row < 0 || row >= line->rows)
			continue;
		if (line->kind == LINE_ACTOR) {
			v->at = i;
			continue;
		}
		if (line->kind != LINE_LANE) {
			v->at = i;
			timeline_find_slice(v, s);
			return twice ? take_slice(v, s) : REPLY_DONE;
		}
		const struct lane *lane = &v->lanes.at[line->lane];
		row -= lane_state_rows(lane);
		v->depth = row < 0 ? 0 : lane_depth(v, lane, row);
		if (!v->depth && lane->need == 1)
			v->depth = 1;
		timeline_select(v, line->lane);
	}
	if (col >= 0 && col < v->cols)
		v->when = timeline_moment(v, col);
	v->drag_from = col >= 0 && col < v->cols ? v->when : -1;
	timeline_clamp_cursor(v);
	timeline_settle(v, s);
	return twice ? take_slice(v, s) : REPLY_DONE;
}

/* Makes a range from the place where the button went down to this one. */
static enum reply
timeline_drag(void *view, struct scene *s, int y, int x)
{
	struct timeline *v = view;
	int col = x - v->label_cols - 1, first = timeline_column(v, v->drag_from);
	(void)y;
	if (v->drag_from < 0 || !v->lanes.n || v->duration <= 0)
		return REPLY_DONE;
	col = col < 0 ? 0 : col >= v->cols ? v->cols - 1 : col;
	int low = col < first ? col : first, high = col < first ? first : col;
	v->when = timeline_moment(v, col);
	timeline_clamp_cursor(v);
	timeline_find_slice(v, s);
	take_range(v, s, timeline_moment(v, low), timeline_moment(v, high + 1));
	return REPLY_RANGE_STEP;
}

/* With Ctrl zooms about the mouse, else scrolls through the tracks. */
static enum reply
timeline_wheel(void *view, struct scene *s, int x, bool up, bool ctrl)
{
	struct timeline *v = view;
	int col = x - v->label_cols - 1;
	if (!v->lanes.n || v->duration <= 0)
		return REPLY_PASS;
	if (ctrl) {
		if (col >= 0 && col < v->cols)
			v->when = timeline_moment(v, col);
		timeline_zoom(v, up);
		timeline_find_slice(v, s);
	} else {
		timeline_go_lane(v, s, up ? -1 : 1, 0);
	}
	return REPLY_DONE;
}

static bool
timeline_describe(const void *view, const struct scene *s, struct row *out)
{
	(void)view;
	return show_node(s, s->nav->node, out);
}

static bool
timeline_is_hued(const void *view, const struct scene *s)
{
	const struct timeline *v = view;
	(void)s;
	return v->lanes.n > 0;
}

static bool
timeline_has_effect(const void *view, const struct scene *s, enum action action)
{
	const struct timeline *v = view;
	int64_t from, to;
	size_t counter;
	if (!v->lanes.n || v->duration <= 0)
		return action == ACTION_SEARCH;
	switch ((int)action) {
	case ACTION_ZOOM_OUT:
		return v->from > 0 || v->to < v->duration;
	case ACTION_PAN_LEFT:
		return v->from > 0;
	case ACTION_PAN_RIGHT:
		return v->to < v->duration;
	case ACTION_ENTER:
		return (v->has_slice && v->slice.shown) || is_in_gap(v) || timeline_line(v) ||
		       (v->sel < v->lanes.n &&
			timeline_phase(v, s, &v->lanes.at[v->sel], &from, &to));
	case ACTION_EDGE_BACK:
	case ACTION_EDGE_ON:
		return timeline_edge(v, action == ACTION_EDGE_BACK);
	case ACTION_FIT:
		return timeline_fit_has_effect(v, s);
	case ACTION_COUNTER:
		return timeline_find_counter(v, s, &counter);
	case ACTION_SLOWER:
	case ACTION_FASTER:
	case ACTION_AUTOSCALE:
		return !timeline_line(v) && v->sel < v->lanes.n &&
		       lane_is_counter(s, &v->lanes.at[v->sel]);
	default:
		return true;
	}
}

/* Hints have the keys for extremes on counters alone. */
static const char *
timeline_word(const void *view, enum action action)
{
	const struct shelf *line = timeline_line(view);

	if (action == ACTION_SLOWER || action == ACTION_FASTER)
		return "extremes";
	return action == ACTION_ENTER && line && line->kind != LINE_ACTOR ? "open" : NULL;
}

static const enum action timeline_keys[] = {
	ACTION_SLOWER, ACTION_FASTER, ACTION_AUTOSCALE,
	ACTION_ZOOM_IN, ACTION_ZOOM_OUT, ACTION_ENTER, ACTION_PAN_LEFT,
	ACTION_PAN_RIGHT, ACTION_EDGE_BACK, ACTION_EDGE_ON, ACTION_STEP_ON, ACTION_FIT,
	ACTION_COUNTER, ACTION_SEARCH, ACTION_NONE,
};

const struct view_ops timeline_view = {
	.name = "timeline",
	.digit = '5',
	.open = ACTION_VIEW_TIMELINE,
	.scope = SCOPE_TIMELINE,
	.says_why = true,
	.about =
		"Every track over time: stacks with the root on top, counters as bars,\n"
		"states as bands, marks as ticks.  A stack holds until the next step, a\n"
		"sample for the time that it represents.  Idle time stays empty.\n"
		"A cell has the colour of the function that runs 85 % of the time in its\n"
		"column, or two colours of functions that share it; more are grey dots.\n"
		"The shade is how much of the column ran: full, half, less.  Neighbours\n"
		"with equal content are one box: │name is one call, name ×620 are many,\n"
		"parse + render ×200 two functions that take turns, ×~ an estimate.\n"
		"Narrow boxes have no name.\n"
		"The stack under the cursor is spelled out below: . and , replay it.  On\n"
		"the deepest frame they stop at every change, on another at the next\n"
		"slice there.  Up and down go through frames and tracks, PgUp and PgDn\n"
		"through tracks.  [ and ] set the range at the cursor, Enter makes one of\n"
		"the slice, the state, or the time up to the next mark; / finds these, too.\n"
		"The busiest track of what is shown is on top, by the metric (o: another\n"
		"order); tracks with nothing in it are one line, which Enter opens.\n"
		"A bar of a counter is solid up to the lowest value of its column and pale\n"
		"up to the highest.  Its scale is below its name: from zero, or (A) from\n"
		"the lowest value in the window.  C goes to a counter, > to its peak.\n"
		"Above the stacks of a thread are its states: ━ running, ┅ runnable (it\n"
		"wants a CPU), · waiting, ≈ io, blank unknown; ─ ┄ ˙ ∼ where they take\n"
		"turns in a column.  Threads that have states alone are listed below.\n"
		"← and → mark the edges of the slice or wait at the cursor: who woke the\n"
		"thread, whom it woke, and flows.  ( goes to the other end of the edge\n"
		"that arrives, ) of the one that leaves, Backspace returns.  B shows the\n"
		"critical path of the slice or wait.\n",
	.enter = "range",
	.keys = timeline_keys,
	.create = timeline_create,
	.destroy = timeline_destroy,
	.arrange = timeline_arrange,
	.draw = timeline_draw,
	.act = timeline_act,
	.has_effect = timeline_has_effect,
	.word = timeline_word,
	.is_hued = timeline_is_hued,
	.click = timeline_click,
	.hover = timeline_hover,
	.drag = timeline_drag,
	.wheel = timeline_wheel,
	.find = timeline_find,
	.finds_more = true,
	.hold_cursor = timeline_hold_cursor,
	.describe = timeline_describe,
	.card = timeline_card,
	.save_state = timeline_save_state,
	.restore_state = timeline_restore_state,
	.save_position = timeline_save_position,
	.shift_times = timeline_shift_times,
};
