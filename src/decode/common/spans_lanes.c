/* spans_lanes.c - writes the spans of a track as steps on lanes, tracks `NAME (overlap N)`.
 *
 * The problem: children run beside each other, so a track has several running stacks at a time. A
 * lane shows one of them. A span that starts takes the lane of its nearest open ancestor, or the
 * lowest free one. When it ends, its lane goes back to that ancestor, unless another descendant of
 * it still runs: the last of them hands its lane back. So ordinary calls stay on one lane, and
 * every moment has exactly the stacks of the spans without open descendants.
 *
 * The lane of an open call is kept for it and its descendants, and the call goes on there as soon
 * as it runs again. So all of its own time is on one lane, and nothing else runs there between.
 *
 * The call of a span is on the lane on which it started. If the span ends on another lane, its
 * return is written on the first one as well, if nothing has run there since. If a descendant is
 * open already when a span starts, the span is called when that one starts: calls nest.
 *
 * Each start and each end walks over the ancestors: O(n log n), and the depth a span.
 *
 * Rejected: replaying slices by containment (slices.c), which hangs one request below another one
 * that runs at the same time. */
#include "src/decode/common/spans_inside.h"

#include <stdlib.h>

#include "model/base/mem.h"
#include "model/base/ordered.h"

#define NO_LANE UINT32_MAX
#define DEPTH_MAX 65536u
#define BREATHE 65536u

struct lane_order {
	int64_t start, end;
	uint32_t depth, span;
};

struct lane_end {
	int64_t end;
	uint32_t order, span; /* order: its place among the starts */
};

/* A lane of the track that is written. */
struct lane_now {
	struct series *series;
	uint32_t index;  /* in the writer's lanes */
	uint32_t holder; /* the span that runs on it, or SPAN_NONE */
	uint32_t below;  /* the innermost open call if nothing runs, or SPAN_NONE */
	int64_t since;
	uint64_t events;
};

struct lanes {
	struct spans_writer *w;
	const struct spans *s;
	uint32_t track;
	struct lane_span *of; /* [span] */
	VEC(struct lane_now) lane;
	VEC(struct lane_end) ends; /* a heap, the earliest first */
	uint32_t lowest; /* no lane before it is free */
};

/* ---- paths ---- */

/* Finds the path of a span and those of its local ancestors. */
static void
path_find(struct spans_writer *w, uint32_t span)
{
	struct spans *s = w->s;
	VEC(uint32_t) way = VEC_INIT;

	for (uint32_t i = span; i != SPAN_NONE && w->stack[i] == STACK_NONE; i = spans_local(s, i))
		*vec_push(&way) = i;
	while (way.n) {
		uint32_t i = way.at[--way.n], up = spans_local(s, i);
		if (up != SPAN_NONE && w->depth[up] + 1 >= DEPTH_MAX) {
			builder_warn(s->b, "spans nested deeper than %u: roots", DEPTH_MAX);
			s->span.at[i].up = up = SPAN_NONE;
		}
		w->depth[i] = up == SPAN_NONE ? 0 : w->depth[up] + 1;
		w->stack[i] = builder_child(s->b, up == SPAN_NONE ? STACK_EMPTY : w->stack[up],
					    s->span.at[i].frame);
	}
	vec_release(&way);
}

/* ---- the heap of ends ---- */

static bool
ends_before(const struct lane_end *a, const struct lane_end *b)
{
	return a->end != b->end ? a->end < b->end : a->order > b->order;
}

static void
ends_push(struct lanes *l, struct lane_end x)
{
	size_t i = l->ends.n;

	*vec_push(&l->ends) = x;
	for (struct lane_end *at = l->ends.at; i && ends_before(&x, &at[(i - 1) / 2]);) {
		at[i] = at[(i - 1) / 2];
		i = (i - 1) / 2;
		at[i] = x;
	}
}

static struct lane_end
ends_pop(struct lanes *l)
{
	struct lane_end *at = l->ends.at, top = at[0], x = at[--l->ends.n];
	size_t i = 0, n = l->ends.n;

	for (size_t k; (k = 2 * i + 1) < n; i = k) {
		k += k + 1 < n && ends_before(&at[k + 1], &at[k]);
		if (!ends_before(&at[k], &x))
			break;
		at[i] = at[k];
	}
	if (n)
		at[i] = x;
	return top;
}

/* ---- steps ---- */

static uint32_t
open_ancestor(const struct lanes *l, uint32_t span)
{
	uint32_t i = spans_local(l->s, span);

	while (i != SPAN_NONE && !l->of[i].open)
		i = spans_local(l->s, i);
	return i;
}

static uint32_t
lane_make(struct lanes *l)
{
	struct spans_writer *w = l->w;
	struct builder *b = w->s->b;
	struct name name = builder_name_get(b, w->s->track.at[l->track].name);
	struct buf *text = &w->s->text;
	uint32_t index = (uint32_t)w->lanes.n, first = index - (uint32_t)l->lane.n;

	buf_reset(text);
	buf_add(text, name.at, name.len);
	if (l->lane.n)
		buf_addf(text, " (overlap %zu)", l->lane.n);
	track_id track = builder_track(b, buf_str(text), text->len, TRACK_TASK);
	if (l->lane.n)
		builder_track_beside(b, track, w->lanes.at[first].track);
	*vec_push(&w->lanes) = (struct spans_lane){
		.track = track,
		.name = builder_name(b, buf_str(text), text->len),
		.actor = ACTOR_NONE,
	};
	struct series *series = builder_steps_of(b, track, w->time);
	builder_labelled(b, series);
	*vec_push(&l->lane) = (struct lane_now){.series = series, .index = index,
						.holder = SPAN_NONE, .below = SPAN_NONE};
	return (uint32_t)l->lane.n - 1;
}

/* Begins to run a span on a lane; SPAN_NONE: nothing. */
static bool
lane_run(struct lanes *l, uint32_t lane, int64_t time, uint32_t span, uint32_t flags)
{
	struct spans_writer *w = l->w;
	struct lane_now *to = &l->lane.at[lane];
	bool runs = span != SPAN_NONE;
	int64_t lasted = to->holder != SPAN_NONE ? time - to->since : 0;

	if (lasted > INT64_MAX - w->spent)
		return err_damage(w->e, 0, "the times of all spans together exceed 2^63 ns");
	w->spent += lasted;
	if (!runs && lane < l->lowest)
		l->lowest = lane;
	to->since = time;
	to->holder = span;
	builder_next_labels(w->s->b, to->series, runs ? w->s->span.at[span].labels : LABELS_NONE);
	return builder_step(w->s->b, to->series, time, runs ? w->stack[span] : STACK_EMPTY, flags,
			    0, w->e);
}

/* Counts an open span among the descendants of its ancestors, or no more. */
static void
count_open(struct lanes *l, uint32_t span, bool open)
{
	l->of[span].open = open;
	for (uint32_t i = spans_local(l->s, span); i != SPAN_NONE; i = spans_local(l->s, i))
		l->of[i].descendants += open ? 1 : UINT32_MAX;
}

/* Returns the innermost open span whose call is on a lane on which nothing runs, or SPAN_NONE. */
static uint32_t
lane_kept(const struct lanes *l, uint32_t lane)
{
	uint32_t i = l->lane.at[lane].below;

	while (i != SPAN_NONE && !(l->of[i].open && l->of[i].called == lane))
		i = spans_local(l->s, i);
	return i;
}

/* Returns true if nothing runs on the lane of a span's call, and it can go on there. */
static bool
lane_waits(const struct lanes *l, uint32_t span)
{
	uint32_t lane = l->of[span].called;

	return l->lane.at[lane].holder == SPAN_NONE && lane_kept(l, lane) == span;
}

/* Returns a lane for a span whose nearest open ancestor is `up`: that of its call, or a free
 * one. */
static uint32_t
lane_free(struct lanes *l, uint32_t up)
{
	if (up != SPAN_NONE && lane_waits(l, up))
		return l->of[up].called;
	for (; l->lowest < l->lane.n; l->lowest++)
		if (l->lane.at[l->lowest].holder == SPAN_NONE &&
		    lane_kept(l, l->lowest) == SPAN_NONE)
			return l->lowest;
	return lane_make(l);
}

static bool
span_start(struct lanes *l, uint32_t span, uint32_t order)
{
	struct lane_span *of = &l->of[span];
	uint32_t up = open_ancestor(l, span), lane;

	if (up != SPAN_NONE && l->of[up].holds != NO_LANE) {
		lane = l->of[up].holds;
		l->of[up].holds = NO_LANE;
	} else {
		lane = lane_free(l, up);
	}
	count_open(l, span, true);
	ends_push(l, (struct lane_end){l->s->span.at[span].end, order, span});
	of->holds = of->called = lane;
	l->lane.at[lane].events++;
	l->w->lane[span] = l->lane.at[lane].index;
	return lane_run(l, lane, of->first, span, STEP_CALL);
}

/* Writes the return of a span on the lane with its call, if it ended on another. */
static bool
return_there(struct lanes *l, uint32_t span, int64_t time)
{
	struct lane_now *to = &l->lane.at[l->of[span].called];

	if (to->holder != SPAN_NONE || to->below != span)
		return true;
	to->below = spans_local(l->s, span);
	return lane_run(l, l->of[span].called, time, SPAN_NONE, STEP_RETURN);
}

/* Takes the ancestors that ended before a span started from the lane: they were on its stack. */
static bool
leave_ancestors(struct lanes *l, uint32_t lane, uint32_t span, int64_t time)
{
	int64_t first = l->of[span].first;
	bool good = true;

	while (good && (span = spans_local(l->s, span)) != SPAN_NONE &&
	       l->s->span.at[span].end <= first)
		good = lane_run(l, lane, time, SPAN_NONE, STEP_RETURN);
	return good;
}

static bool
span_finish(struct lanes *l, struct lane_end x)
{
	struct lane_span *of = &l->of[x.span];
	uint32_t up = open_ancestor(l, x.span), lane = of->holds;
	uint32_t flags = l->s->span.at[x.span].bits & SPAN_UNFINISHED ? 0 : STEP_RETURN;
	bool good = true;

	count_open(l, x.span, false);
	of->holds = NO_LANE;
	if (lane != NO_LANE) {
		bool takes = up != SPAN_NONE && !l->of[up].descendants;
		bool returns = takes && l->of[up].called != lane && lane_waits(l, up);
		uint32_t to = returns ? l->of[up].called : lane;
		if (takes)
			l->of[up].holds = to;
		l->lane.at[lane].below = spans_local(l->s, x.span);
		good = lane_run(l, lane, x.end, takes && !returns ? up : SPAN_NONE, flags) &&
		       (!returns || lane_run(l, to, x.end, up, 0)) &&
		       (up != SPAN_NONE || leave_ancestors(l, lane, x.span, x.end));
	}
	if (l->lane.at[of->called].holder == SPAN_NONE && of->called < l->lowest)
		l->lowest = of->called;
	return good && (lane == of->called || !flags || return_there(l, x.span, x.end));
}

/* ---- the track ---- */

static int
compare_starts(const void *left, const void *right)
{
	const struct lane_order *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	return a->span < b->span ? -1 : a->span > b->span;
}

/* Lets each ancestor of a span that would start while the span is open start with it. */
static void
start_ancestors(struct spans_writer *w, uint32_t span)
{
	const struct lane_span *of = &w->of[span];
	int64_t end = w->s->span.at[span].end;

	for (uint32_t i = spans_local(w->s, span); i != SPAN_NONE; i = spans_local(w->s, i)) {
		struct lane_span *up = &w->of[i];
		if (of->first < up->first && w->s->span.at[i].start < end)
			up->first = of->first;
		up->last = of->last > up->last ? of->last : up->last;
	}
}

ORDERED_LARGEST(compare_depths, struct lane_order, depth, span)

/* Finds when the spans start on lanes, if one starts before its parent: the deepest first. */
static void
find_starts(struct spans_writer *w, struct lane_order *at, uint32_t n)
{
	bool late = false;

	for (uint32_t i = 0; i < n && !late; i++) {
		const struct lane_span *of = &w->of[at[i].span];
		uint32_t up = spans_local(w->s, at[i].span);
		late = up != SPAN_NONE && of->first <= w->of[up].first &&
		       (of->first < w->of[up].first || of->last > w->of[up].last);
	}
	if (!late)
		return;
	qsort(at, n, sizeof *at, compare_depths);
	for (uint32_t i = 0; i < n; i++)
		start_ancestors(w, at[i].span);
	for (uint32_t i = 0; i < n; i++) {
		at[i].start = w->of[at[i].span].first;
		at[i].end = w->of[at[i].span].last;
	}
}

static struct lane_order *
ordered(struct spans_writer *w, const uint32_t *index, uint32_t n)
{
	struct lane_order *at = mem_alloc(n, sizeof *at);

	for (uint32_t i = 0; i < n; i++) {
		const struct spans_one *x = &w->s->span.at[index[i]];
		path_find(w, index[i]);
		at[i] = (struct lane_order){x->start, x->end, w->depth[index[i]], index[i]};
		w->of[index[i]].first = x->start;
		w->of[index[i]].last = x->end;
	}
	find_starts(w, at, n);
	qsort(at, n, sizeof *at, compare_starts);
	return at;
}

bool
spans_lanes_write(struct spans_writer *w, uint32_t track, const uint32_t *index, uint32_t n)
{
	struct lanes l = {.w = w, .s = w->s, .track = track, .of = w->of};
	struct lane_order *at = ordered(w, index, n);
	bool good = true;

	lane_make(&l);
	for (uint32_t i = 0; i < n && good; i++) {
		while (good && l.ends.n && l.ends.at[0].end <= at[i].start)
			good = span_finish(&l, ends_pop(&l));
		good = good && span_start(&l, at[i].span, i);
		if (i % BREATHE == BREATHE - 1)
			input_breathe(w->s->in);
	}
	while (good && l.ends.n)
		good = span_finish(&l, ends_pop(&l));
	for (size_t i = 0; i < l.lane.n; i++)
		builder_track_events(w->s->b, w->lanes.at[l.lane.at[i].index].track,
				     (int64_t)l.lane.at[i].events);
	free(at);
	vec_release_all(&l.lane, &l.ends);
	return good;
}
