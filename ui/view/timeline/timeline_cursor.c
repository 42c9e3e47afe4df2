/* timeline_cursor.c - the cursor of the timeline, and its moves.
 *
 * The cursor is a moment on a frame of the selected lane.  `depth` stays the same from slice to
 * slice; 0 means the deepest frame.  The layout gives the slice at that moment. */
#include "model/base/sum.h"
#include "ui/view/timeline/timeline.h"

void
timeline_find_slice(struct timeline *v, const struct scene *s)
{
	struct lane *lane = timeline_selected(v);
	if (lane)
		timeline_measure(v, s, lane);
	v->has_slice = lane && lane_has_stacks(lane) &&
		       layout_slice(&v->layout, &lane->run,
				    lane_time(lane, v->when), v->depth, &v->slice);
}

/* Selects the frame of the cursor after a move. */
void
timeline_settle(struct timeline *v, struct scene *s)
{
	timeline_find_slice(v, s);
	if (v->has_slice && v->slice.shown && v->slice.node != s->nav->node)
		nav_select(s->nav, s->fold, s->p, v->slice.node);
}

/* Moves within the stack under the cursor to the frame of the selected function. */
static void
to_key(struct timeline *v, const struct scene *s, unsigned deep)
{
	if (!v->has_slice || !v->slice.shown)
		return;
	for (node_id n = v->slice.node; n != NODE_ROOT; n = s->fold->tree->parent[n])
		if (s->fold->tree->key[n] == s->nav->key && v->layout.depth[n] >= deep)
			v->depth = v->layout.depth[n];
	timeline_find_slice(v, s);
}

/* Goes to a moment that another view requests, such as that of a call. */
void
timeline_jump(struct timeline *v, struct scene *s)
{
	const struct nav *nav = s->nav;
	v->jumps = nav->jumps;
	for (size_t i = 0; i < v->lanes.n; i++)
		if (v->lanes.at[i].track == nav->track &&
		    lane_has_stacks(&v->lanes.at[i])) {
			timeline_select(v, i);
			break;
		}
	int64_t margin = difference_clipped(nav->to, nav->from) / 20;
	v->when = nav->from;
	timeline_keep_window(v);
	timeline_set_window(v, difference_clipped(nav->from, margin),
			    sum_clipped(nav->to, margin));
	timeline_clamp_cursor(v);
	v->depth = 0;
	timeline_find_slice(v, s);
	to_key(v, s, nav->deep);
}

/* When the view opens, goes to where the selected function costs most, unless the cursor is on
 * it. */
void
timeline_go_to_cost(struct timeline *v, struct scene *s)
{
	size_t lane;
	int64_t when;
	timeline_find_slice(v, s);
	if (s->nav->key == KEY_NONE || s->nav->away || timeline_shows_key(v, s) ||
	    !timeline_find_cost(v, s, &lane, &when))
		return;
	timeline_select(v, lane);
	v->when = when;
	timeline_show_cursor(v);
	v->depth = v->deep = 0;
	timeline_find_slice(v, s);
	to_key(v, s, 0);
}

static void
go_to(struct timeline *v, struct scene *s, int64_t when)
{
	v->fresh = false;
	v->when = when < 0 ? 0 : when > v->duration ? v->duration : when;
	timeline_show_cursor(v);
	timeline_settle(v, s);
}

static void
go_column(struct timeline *v, struct scene *s, int by)
{
	int64_t to = timeline_moment(v, timeline_column(v, v->when) + by);
	if (to == v->when)
		to += by;
	if ((to < v->from && v->from > 0) || (to >= v->to && v->to <= v->duration))
		timeline_pan(v, by);
	go_to(v, s, to);
}

void
timeline_go_lane(struct timeline *v, struct scene *s, int by, unsigned depth)
{
	if (!timeline_go_line(v, by))
		return;
	v->depth = depth;
	v->deep = 0;
	timeline_settle(v, s);
}

/* Moves to the frame above or below, and from the last one to the next lane. */
static void
go_frame(struct timeline *v, struct scene *s, int by)
{
	const struct lane *lane = timeline_selected(v);
	if (!lane || !v->has_slice || !v->slice.shown) {
		timeline_go_lane(v, s, by, by < 0 ? 0 : 1);
		return;
	}
	unsigned here = v->layout.depth[v->slice.node];
	node_id leaf = layout_node(&v->layout, lane->run.series, v->slice.event);
	unsigned last = leaf == NODE_NONE ? here : v->layout.depth[leaf];
	if (by < 0 ? here <= 1 : here >= last) {
		timeline_go_lane(v, s, by, by < 0 ? 0 : 1);
		return;
	}
	v->depth = by < 0 ? here - 1 : here + 1 == last ? 0 : here + 1;
	timeline_settle(v, s);
}

/* Moves the cursor to the next state (dir < 0: the previous one) of the actor's line. */
static void
timeline_step_state(struct timeline *v, struct scene *s, int dir)
{
	actor_id id = timeline_actor(v);
	const struct actor *a = &s->p->actor[id];
	int64_t start = s->p->group[a->group].start, now = sum_clipped(start, v->when);
	uint32_t i = actor_find(a, dir > 0 ? now : sum_clipped(now, -1));

	if (dir > 0 ? i == a->n : i == 0) {
		buf_addf(&s->say, "no %s state", dir > 0 ? "later" : "earlier");
		return;
	}
	go_to(v, s, difference_clipped(actor_time(a, dir > 0 ? i : i - 1), start));
}

/* Returns true if nothing runs from the event on, and the run ends with it. */
static bool
ends_the_run(const struct timeline *v, const struct lane *lane, const struct event *e)
{
	return lane->run.series->kind == SERIES_STEPS && (e->stack & STEP_STACK) == STACK_EMPTY &&
	       difference_clipped(e->time, lane->start) >= v->duration - 1;
}

static void
timeline_step(struct timeline *v, struct scene *s, int dir)
{
	struct lane *lane = timeline_selected(v);
	struct event e;
	bool ended;
	if (!lane && timeline_actor(v) != ACTOR_NONE)
		timeline_step_state(v, s, dir);
	if (!lane)
		return;
	if (!lane_has_stacks(lane)) {
		int64_t when;
		if (timeline_next_point(lane, v->when, dir, &when))
			go_to(v, s, when);
		else
			buf_addf(&s->say, "no %s point", dir > 0 ? "later" : "earlier");
		return;
	}
	if (!v->has_slice)
		return;
	uint64_t i = v->slice.event;
	/* before the first event, that one is next */
	if (dir > 0 && series_event(lane->run.series, i, &e) &&
	    e.time > lane_time(lane, v->when)) {
		go_to(v, s, difference_clipped(e.time, lane->start));
		return;
	}
	bool found = layout_step(&v->layout, &lane->run, dir,
				 v->depth, NULL, &i, &ended);
	if ((found || !ended) && series_event(lane->run.series, i, &e) &&
	    !ends_the_run(v, lane, &e))
		go_to(v, s, difference_clipped(e.time, lane->start));
	else
		buf_addf(&s->say, "nothing %s on this track",
			 dir > 0 ? "later" : "earlier");
}

bool
timeline_say_counters(const struct timeline *v, struct scene *s)
{
	size_t lane;
	bool any = timeline_find_counter(v, s, &lane);
	if (!any)
		buf_adds(&s->say, "no chosen track has a counter");
	return any;
}

void
timeline_go_counter(struct timeline *v, struct scene *s)
{
	size_t lane;
	if (!timeline_say_counters(v, s) || !timeline_find_counter(v, s, &lane))
		return;
	timeline_select(v, lane);
	v->depth = v->deep = 0;
	timeline_settle(v, s);
}

bool
timeline_go_peak(struct timeline *v, struct scene *s, bool highest)
{
	const struct lane *lane = timeline_selected(v);
	int64_t when;
	if (!lane || !lane_is_counter(s, lane))
		return false;
	if (!timeline_find_peak(v, lane, highest, &when))
		buf_adds(&s->say, "the counter has no value in this window");
	else if (when == v->when)
		buf_addf(&s->say, "this is its %s value in this window",
			 highest ? "highest" : "lowest");
	else
		go_to(v, s, when);
	return true;
}

enum reply
timeline_move(struct timeline *v, struct scene *s, enum action action)
{
	switch ((int)action) {
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
		timeline_go_lane(v, s, -1, 0);
		return REPLY_DONE;
	case ACTION_PAGE_DOWN:
	case ACTION_HALF_DOWN:
		timeline_go_lane(v, s, 1, 0);
		return REPLY_DONE;
	case ACTION_FIRST:
		go_to(v, s, 0);
		return REPLY_DONE;
	case ACTION_LAST:
		go_to(v, s, v->duration);
		return REPLY_DONE;
	case ACTION_STEP_ON:
	case ACTION_STEP_BACK:
		timeline_step(v, s, action == ACTION_STEP_ON ? 1 : -1);
		return REPLY_DONE;
	default:
		return REPLY_PASS;
	}
}

static void
found_hit(struct timeline *v, struct scene *s, size_t at, uint64_t i)
{
	const struct lane *lane = &v->lanes.at[at];
	const uint8_t *hit = s->search->path;
	struct event e;
	if (!series_event(lane->run.series, i, &e))
		return;
	timeline_select(v, at);
	v->depth = 0;
	for (node_id n = layout_node(&v->layout, lane->run.series, i);
	     n != NODE_NONE && n != NODE_ROOT; n = v->layout.t->parent[n])
		if (hit[n] & HIT_HERE) {
			v->depth = v->layout.depth[n];
			break;
		}
	go_to(v, s, difference_clipped(e.time, lane->start));
}

/* Searches the selected lane from the cursor on, then the others, and ends where it began. */
bool
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
		if (!lane_has_stacks(lane)) {
			int64_t from = !k ? v->when : dir > 0 ? -1 : sum_clipped(v->duration, 1);
			int64_t when;
			if (!timeline_find_phase(s, lane, from, dir, &when))
				continue;
			timeline_select(v, at);
			go_to(v, s, when);
			return true;
		}
		timeline_measure(v, s, lane);
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

void
timeline_hold_cursor(void *view, const struct scene *s, bool back)
{
	struct timeline *v = view;
	const struct timeline_held *h = &v->held;
	(void)s;
	if (!back) {
		v->held = (struct timeline_held){v->sel, v->top,   v->from, v->to,
						 v->when, v->depth, v->deep};
		return;
	}
	if (h->sel < v->lanes.n) {
		v->sel = h->sel;
		v->top = h->top;
	}
	v->from = h->from;
	v->to = h->to;
	v->when = h->when;
	v->depth = h->depth;
	v->deep = h->deep;
}
