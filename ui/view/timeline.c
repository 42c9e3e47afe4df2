/* timeline.c - every track over time, and the way through it slice by slice.
 *
 * Each series of stacks or points is a lane.  The selected lane is as high as its stacks
 * are deep; others are opened too while there is room, else they are one row that shows
 * the leaf.  Lanes grow when deeper stacks come into sight but do not shrink again, so
 * that panning does not shake the screen.
 *
 * The window [from, to) is zoomed and panned; the cursor is a moment in it, on a frame of
 * the selected lane.  What lies under it is asked from the layout, never from the cells:
 * stepping with . and , reaches events that no column shows.  Moving the cursor selects
 * the frame, which is the selection of all other views.
 *
 * Columns are made anew only when window, width or fold change; a step within the window
 * costs a search.  A window cannot become narrower than SPAN_MIN units: a nanosecond is
 * then many columns wide.  When the range of the lens changes the window follows it, so
 * the scrubber and this view never show different things. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/mem.h"
#include "ui/part/show.h"
#include "ui/view/timeline.h"

#define LABEL_MAX 20
#define SPAN_MIN 10

static void *
timeline_create(void)
{
	struct timeline *v = mem_zalloc(1, sizeof *v);
	layout_init(&v->layout);
	v->folds = UINT64_MAX;
	v->range_to = -1;
	return v;
}

static void
timeline_destroy(void *view)
{
	struct timeline *v = view;
	for (size_t i = 0; i < v->lanes.n; i++)
		timeline_lane_release(&v->lanes.at[i]);
	vec_release(&v->lanes);
	layout_release(&v->layout);
	free(v);
}

int
timeline_column(const struct timeline *v, int64_t when)
{
	if (when < v->from)
		return -1;
	if (when >= v->to)
		return v->cols;
	return (int)((__int128)(when - v->from) * v->cols / (v->to - v->from));
}

int64_t
timeline_moment(const struct timeline *v, int column)
{
	__int128 span = v->to - v->from;
	return v->from + (int64_t)((span * column + v->cols - 1) / v->cols);
}

/* ---- the window ---- */

static void
set_window(struct timeline *v, int64_t from, int64_t to)
{
	int64_t end = v->duration + 1, least = end < SPAN_MIN ? end : SPAN_MIN;
	int64_t span = to - from < least ? least : to - from > end ? end : to - from;
	if (from + span > end)
		from = end - span;
	v->from = from < 0 ? 0 : from;
	v->to = v->from + span;
}

/* The range of the lens has changed, or the run has grown. */
static void
follow_range(struct timeline *v, const struct scene *s)
{
	int64_t from, to;
	bool whole = s->fold->whole, first = v->range_to < 0;
	show_range(s, &from, &to);
	v->duration = show_duration(s->p);
	if (!first && whole == v->whole && from == v->range_from && to == v->range_to)
		return;
	/* a run that grows keeps the window where the user put it */
	if (first || !whole || !v->whole || (v->from == 0 && v->to == v->range_to))
		set_window(v, from, to);
	v->whole = whole;
	v->range_from = from;
	v->range_to = to;
}

static void
clamp_cursor(struct timeline *v)
{
	if (v->when >= v->to)
		v->when = v->to - 1;
	if (v->when < v->from)
		v->when = v->from;
}

static void
show_cursor(struct timeline *v)
{
	int64_t span = v->to - v->from;
	if (v->when < v->from || v->when >= v->to)
		set_window(v, v->when - span / 2, v->when - span / 2 + span);
}

static void
zoom(struct timeline *v, bool closer)
{
	int64_t span = v->to - v->from, before = v->when - v->from;
	int64_t want = closer ? span / 2 : span > INT64_MAX / 2 ? span : span * 2;
	int64_t from = v->when - (closer ? before / 2 : before * 2);
	set_window(v, from, from + want);
	clamp_cursor(v);
}

static void
pan(struct timeline *v, int dir)
{
	int64_t span = v->to - v->from, step = span / 4 > 0 ? span / 4 : 1;
	set_window(v, v->from + dir * step, v->to + dir * step);
	clamp_cursor(v);
}

/* ---- the slice under the cursor ---- */

static void
find_slice(struct timeline *v)
{
	struct lane *lane = timeline_selected(v);
	v->has_slice = lane && lane_has_stacks(lane) &&
		       layout_slice(&v->layout, &lane->run,
				    lane->start + v->when, v->depth, &v->slice);
}

/* The cursor was moved: its frame is the selection. */
static void
settle(struct timeline *v, struct scene *s)
{
	find_slice(v);
	if (v->has_slice && v->slice.shown && v->slice.node != s->nav->node)
		nav_select(s->nav, s->fold, s->p, v->slice.node);
}

static bool
fits(const struct timeline *v, int64_t from, int64_t to)
{
	return v->from == from && v->to == to;
}

/* The slice, then the range, then the whole run. */
static void
fit(struct timeline *v, const struct scene *s)
{
	const struct lane *lane = timeline_selected(v);
	int64_t end = v->duration + 1, was_from = v->from, was_to = v->to, from, to;
	show_range(s, &from, &to);
	if (lane && v->has_slice && v->slice.shown) {
		int64_t a = v->slice.start - lane->start, b = v->slice.end - lane->start;
		int64_t margin = (b - a) / 20;
		set_window(v, a - margin, b + margin);
		if (!fits(v, was_from, was_to))
			return;
	}
	if (fits(v, from, to))
		set_window(v, 0, end);
	else
		set_window(v, from, to);
	clamp_cursor(v);
}

/* Another view asks for a moment: a call that it shows. */
static void
jump(struct timeline *v, struct scene *s)
{
	const struct nav *nav = s->nav;
	v->jumps = nav->jumps;
	for (size_t i = 0; i < v->lanes.n; i++)
		if (v->lanes.at[i].track == nav->track &&
		    lane_has_stacks(&v->lanes.at[i])) {
			v->sel = i;
			break;
		}
	int64_t margin = (nav->to - nav->from) / 20;
	v->when = nav->from;
	set_window(v, nav->from - margin, nav->to + margin);
	clamp_cursor(v);
	v->depth = 0;
	find_slice(v);
	if (!v->has_slice || !v->slice.shown)
		return;
	for (node_id n = v->slice.node; n != NODE_ROOT; n = s->fold->tree->parent[n])
		if (s->fold->tree->key[n] == nav->key)
			v->depth = v->layout.depth[n];
	find_slice(v);
}

/* ---- arranging ---- */

/* Scrolls the selected lane to the frame under the cursor, but not after each leaf that
 * a step comes to: the panel spells it out. */
static void
show_depth(struct timeline *v)
{
	const struct lane *lane = timeline_selected(v);
	int depth = v->has_slice && v->slice.shown ? v->layout.depth[v->slice.node] : 1;
	if (v->depth && depth <= v->deep)
		v->deep = depth - 1;
	if (v->depth && depth > v->deep + lane->rows)
		v->deep = depth - lane->rows;
	if (v->deep + lane->rows > lane->need)
		v->deep = lane->need > lane->rows ? lane->need - lane->rows : 0;
}

static void
timeline_arrange(void *view, struct scene *s, struct area a)
{
	struct timeline *v = view;
	int label = a.w / 5 < LABEL_MAX ? a.w / 5 : LABEL_MAX;
	bool first = v->folds == UINT64_MAX;
	v->area = a;
	v->label_cols = label;
	v->cols = a.w - label - 2 > 1 ? a.w - label - 2 : 1;
	v->panel_rows = a.h < 8 ? 2 : a.h / 5 < 3 ? 3 : a.h / 5 > 6 ? 6 : a.h / 5;
	v->lane_rows = a.h - RULER_ROWS - v->panel_rows > 1
			       ? a.h - RULER_ROWS - v->panel_rows
			       : 1;
	if (v->folds != s->folds)
		timeline_look(v, s);
	follow_range(v, s);
	if (!v->lanes.n || v->duration <= 0) {
		v->has_slice = false;
		return;
	}
	if (first) {
		struct event e;
		series_event(timeline_selected(v)->run.series, 0, &e);
		v->when = e.time - timeline_selected(v)->start;
		v->jumps = s->nav->jumps && s->nav->key != KEY_NONE ? v->jumps
								    : s->nav->jumps;
	}
	if (v->recalled) {
		v->recalled = false;
		set_window(v, v->recalled_from, v->recalled_to);
		v->when = v->recalled_when;
	}
	if (v->jumps != s->nav->jumps)
		jump(v, s);
	clamp_cursor(v);
	find_slice(v);
	/* a slice of millions of events is measured a part at a time */
	if (v->has_slice && v->slice.shown)
		s->again |= !v->slice.start_known || !v->slice.end_known;
	timeline_lay_lanes(v, s);
	show_depth(v);
}

/* ---- moving ---- */

static void
go_to(struct timeline *v, struct scene *s, int64_t when)
{
	v->when = when < 0 ? 0 : when > v->duration ? v->duration : when;
	show_cursor(v);
	settle(v, s);
}

static void
go_column(struct timeline *v, struct scene *s, int by)
{
	int64_t to = timeline_moment(v, timeline_column(v, v->when) + by);
	if (to == v->when)
		to += by;
	if ((to < v->from && v->from > 0) || (to >= v->to && v->to <= v->duration))
		pan(v, by);
	go_to(v, s, to);
}

static void
go_lane(struct timeline *v, struct scene *s, int by, unsigned depth)
{
	if (by < 0 ? v->sel == 0 : v->sel + 1 >= v->lanes.n)
		return;
	v->sel += by < 0 ? (size_t)-1 : 1;
	v->depth = depth;
	v->deep = 0;
	settle(v, s);
}

/* To the frame above or below, and from the last one to the next lane. */
static void
go_frame(struct timeline *v, struct scene *s, int by)
{
	const struct lane *lane = timeline_selected(v);
	if (!v->has_slice || !v->slice.shown) {
		go_lane(v, s, by, by < 0 ? 0 : 1);
		return;
	}
	unsigned here = v->layout.depth[v->slice.node];
	node_id leaf = layout_node(&v->layout, lane->run.series, v->slice.event);
	unsigned last = leaf == NODE_NONE ? here : v->layout.depth[leaf];
	if (by < 0 ? here <= 1 : here >= last) {
		go_lane(v, s, by, by < 0 ? 0 : 1);
		return;
	}
	v->depth = by < 0 ? here - 1 : here + 1 == last ? 0 : here + 1;
	settle(v, s);
}

static void
step_points(struct timeline *v, struct scene *s, int dir)
{
	const struct lane *lane = timeline_selected(v);
	struct event e;
	assert(lane); /* keys come where there are lanes */
	int64_t now = lane->start + v->when;
	if (!lane->run.series->sorted)
		return;
	uint64_t i = series_find(lane->run.series, dir > 0 ? now + 1 : now);
	if (dir < 0 && !i--)
		return;
	if (series_event(lane->run.series, i, &e))
		go_to(v, s, e.time - lane->start);
}

static void
step(struct timeline *v, struct scene *s, int dir)
{
	struct lane *lane = timeline_selected(v);
	struct event e;
	bool ended;
	assert(lane);
	if (!lane_has_stacks(lane)) {
		step_points(v, s, dir);
		return;
	}
	if (!v->has_slice)
		return;
	uint64_t i = v->slice.event;
	/* before the first event the first one is next */
	if (dir > 0 && series_event(lane->run.series, i, &e) &&
	    e.time > lane->start + v->when) {
		go_to(v, s, e.time - lane->start);
		return;
	}
	bool found = layout_step(&v->layout, &lane->run, dir,
				 v->depth, NULL, &i, &ended);
	if ((found || !ended) && series_event(lane->run.series, i, &e))
		go_to(v, s, e.time - lane->start);
}

static enum reply
take_range(struct timeline *v, struct scene *s, int64_t from, int64_t to)
{
	s->nav->from = from < 0 ? 0 : from;
	s->nav->to = to > from ? to : from + 1;
	(void)v;
	return REPLY_RANGE;
}

static enum reply
take_slice(struct timeline *v, struct scene *s)
{
	const struct lane *lane = timeline_selected(v);
	if (!v->has_slice || !v->slice.shown)
		return REPLY_DONE;
	assert(lane); /* it has the slice */
	return take_range(v, s, v->slice.start - lane->start, v->slice.end - lane->start);
}

static enum reply
move(struct timeline *v, struct scene *s, enum action action)
{
	switch (action) {
	case ACTION_LEFT:
	case ACTION_RIGHT:
		go_column(v, s, action == ACTION_LEFT ? -1 : 1);
		return REPLY_DONE;
	case ACTION_UP:
	case ACTION_DOWN:
		go_frame(v, s, action == ACTION_UP ? -1 : 1);
		return REPLY_DONE;
	case ACTION_PAGE_UP:
	case ACTION_HALF_UP:
		go_lane(v, s, -1, 0);
		return REPLY_DONE;
	case ACTION_PAGE_DOWN:
	case ACTION_HALF_DOWN:
		go_lane(v, s, 1, 0);
		return REPLY_DONE;
	case ACTION_FIRST:
		go_to(v, s, 0);
		return REPLY_DONE;
	case ACTION_LAST:
		go_to(v, s, v->duration);
		return REPLY_DONE;
	case ACTION_STEP_ON:
	case ACTION_STEP_BACK:
		step(v, s, action == ACTION_STEP_ON ? 1 : -1);
		return REPLY_DONE;
	default:
		return REPLY_PASS;
	}
}

static enum reply
timeline_act(void *view, struct scene *s, enum action action)
{
	struct timeline *v = view;
	int64_t from, to;
	if (!v->lanes.n || v->duration <= 0)
		return REPLY_PASS;
	show_range(s, &from, &to);
	switch (action) {
	case ACTION_ZOOM_IN:
	case ACTION_ZOOM_OUT:
		zoom(v, action == ACTION_ZOOM_IN);
		return REPLY_DONE;
	case ACTION_PAN_LEFT:
	case ACTION_PAN_RIGHT:
		pan(v, action == ACTION_PAN_LEFT ? -1 : 1);
		settle(v, s);
		return REPLY_DONE;
	case ACTION_FIT:
		fit(v, s);
		return REPLY_DONE;
	case ACTION_OUT:
		set_window(v, from, to);
		clamp_cursor(v);
		return REPLY_DONE;
	case ACTION_ENTER:
		return take_slice(v, s);
	case ACTION_RANGE_START:
		return take_range(v, s, v->when, to > v->when ? to : v->duration + 1);
	case ACTION_RANGE_END:
		return take_range(v, s, from < v->when ? from : 0, v->when);
	default:
		return move(v, s, action);
	}
}

static enum reply
timeline_click(void *view, struct scene *s, int y, int x, bool twice)
{
	struct timeline *v = view;
	int col = x - v->label_cols - 1;
	if (!v->lanes.n || v->duration <= 0)
		return REPLY_PASS;
	for (size_t i = v->top; i < v->lanes.n && v->lanes.at[i].rows; i++) {
		const struct lane *lane = &v->lanes.at[i];
		int row = y - RULER_ROWS - lane->y;
		if (row < 0 || row >= lane->rows)
			continue;
		int deep = i == v->sel ? v->deep : 0;
		v->depth = lane->rows == 1 && lane->need > 1 ? 0
							     : (unsigned)(deep + row + 1);
		v->sel = i;
	}
	if (col >= 0 && col < v->cols)
		v->when = timeline_moment(v, col);
	clamp_cursor(v);
	settle(v, s);
	return twice ? take_slice(v, s) : REPLY_DONE;
}

/* ---- search ---- */

static void
found_hit(struct timeline *v, struct scene *s, size_t at, uint64_t i)
{
	const struct lane *lane = &v->lanes.at[at];
	const uint8_t *hit = s->search->path;
	struct event e;
	if (!series_event(lane->run.series, i, &e))
		return;
	v->sel = at;
	v->depth = 0;
	for (node_id n = layout_node(&v->layout, lane->run.series, i);
	     n != NODE_NONE && n != NODE_ROOT; n = v->layout.t->parent[n])
		if (hit[n] & HIT_HERE) {
			v->depth = v->layout.depth[n];
			break;
		}
	go_to(v, s, e.time - lane->start);
}

/* On in the selected lane, then through the others, and round to where it began. */
static bool
timeline_find(void *view, struct scene *s, int dir)
{
	struct timeline *v = view;
	size_t n = v->lanes.n;
	if (!s->search->path || !n || s->search->n_nodes != v->layout.t->n)
		return false;
	for (size_t k = 0; k <= n; k++) {
		size_t at = dir > 0 ? (v->sel + k) % n : (v->sel + n * 2 - k) % n;
		struct lane *lane = &v->lanes.at[at];
		bool ended;
		if (!lane_has_stacks(lane))
			continue;
		uint64_t i = !k && v->has_slice ? v->slice.event
			     : dir > 0          ? UINT64_MAX
						: lane->run.series->n;
		if (layout_step(&v->layout, &lane->run, dir, 0,
				s->search->path, &i, &ended) ||
		    !ended) {
			found_hit(v, s, at, i);
			return true;
		}
	}
	return false;
}

static bool
timeline_describe(const void *view, const struct scene *s, struct row *out)
{
	(void)view;
	return show_node(s, s->nav->node, out);
}

static const enum action timeline_keys[] = {
	ACTION_ZOOM_IN, ACTION_ZOOM_OUT, ACTION_PAN_LEFT, ACTION_PAN_RIGHT,
	ACTION_STEP_ON, ACTION_FIT,      ACTION_ENTER,    ACTION_SEARCH,
	ACTION_UNDO,    ACTION_HELP,     ACTION_BACK,     ACTION_NONE,
};

/* "FROM TO WHEN": the window and the cursor, where it is not the range. */
static void
timeline_keep(const void *view, struct buf *out)
{
	const struct timeline *v = view;
	if (v->range_to < 0 || fits(v, v->range_from, v->range_to))
		return;
	buf_addf(out, "%" PRId64 " %" PRId64 " %" PRId64, v->from, v->to, v->when);
}

static bool
timeline_recall(void *view, const char *words)
{
	struct timeline *v = view;
	int64_t from, to, when;
	int used = 0;
	int n = sscanf(words, "%" SCNd64 " %" SCNd64 " %" SCNd64 "%n", &from, &to, &when,
		       &used);
	if (n != 3 || words[used] || from < 0 || to <= from || when < from || when >= to)
		return false;
	v->recalled = true;
	v->recalled_from = from;
	v->recalled_to = to;
	v->recalled_when = when;
	return true;
}

const struct view_ops timeline_view = {
	.name = "timeline",
	.digit = '5',
	.open = ACTION_VIEW_TIMELINE,
	.scope = SCOPE_TIMELINE,
	.says_why = true,
	.about =
		"Every track over time: stacks with the root on top, counters as bars,\n"
		"states as bands, marks as ticks.  A stack holds until the next step; a\n"
		"sample until the next one, but not longer than four usual intervals.\n"
		"Where a column stands for many events it shows what was seen longest;\n"
		"░ tells that most of it was idle, or outside the range.  A slice of one\n"
		"column is the first letter of its name.\n"
		"The stack under the cursor is spelled out below: . and , replay it.  On\n"
		"the deepest frame they stop at every change, on another at the next\n"
		"slice there.  Up and down go through frames and tracks, PgUp and PgDn\n"
		"through tracks.  [ and ] set the range at the cursor.\n",
	.enter = "range",
	.keys = timeline_keys,
	.create = timeline_create,
	.destroy = timeline_destroy,
	.arrange = timeline_arrange,
	.draw = timeline_draw,
	.act = timeline_act,
	.click = timeline_click,
	.find = timeline_find,
	.describe = timeline_describe,
	.keep = timeline_keep,
	.recall = timeline_recall,
};
