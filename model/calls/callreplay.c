#include "model/calls/callreplay.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/fold/tally.h"

/* A track's steps are replayed with a stack of open calls. STEP_CALL opens one and STEP_RETURN
 * closes the topmost. A step to the empty stack suspends; a step to any other stack resumes it.
 * Normally the stack of open calls *is* the path of the running stack, so an event costs a
 * comparison and an addition. Time is added only to the topmost open call. Gross times are
 * differences of a clock that stops while nothing runs, except on overlap lanes, where other lanes
 * run meanwhile. Adding to every open call would cost the
 * depth.
 *
 * A step may not continue from the one before: the range begins in the middle, or a frame was
 * unwound without a return. Then sync() makes the open calls equal to the step's path. Calls
 * that are not on it end without an exit; missing ones began before the recording and have no
 * entry.
 *
 * Sums are kept in 128 bits and limited to 2^63-1 for display. */

int64_t
replay_between(int64_t from, int64_t to)
{
	int64_t d;

	return __builtin_sub_overflow(to, from, &d) ? INT64_MAX : d;
}

static void
callreplay_count(struct replay_numbers *n, int64_t v)
{
	n->min = !n->n || v < n->min ? v : n->min;
	n->max = !n->n || v > n->max ? v : n->max;
	n->total = wide_add(n->total, wide_of(v));
	n->n++;
}

/* Records a value of a call of function k, which lasted from `from` to now. */
static void
note(struct replay *r, struct replay_known *k, enum call_time time, int64_t v, int64_t from)
{
	callreplay_count(&k->of[time], v);
	if (r->heard)
		r->heard(r->ctx, k, time, v, from);
}

/* ---- open calls ---- */

static struct replay_known *
known_of(struct replay *r, function_id f)
{
	assert(r->place && f < r->p->frames.n_functions);
	if (!r->place[f]) {
		struct replay_known *k = vec_push(&r->known);
		memset(k, 0, sizeof *k);
		k->function = f;
		r->place[f] = (uint32_t)r->known.n;
	}
	return &r->known.at[r->place[f] - 1];
}

/* Counts the topmost call, which has just begun or was open when the range began. */
static void
open_count(struct replay *r)
{
	struct replay_call *o = &r->open.at[r->open.n - 1];
	struct replay_known *k = known_of(r, o->function);

	o->entry = r->now;
	o->clock = r->clock;
	if (o->entered) {
		k->calls++;
		if (k->has_entry)
			note(r, k, CALL_PERIOD, replay_between(k->last_entry, r->now),
			     k->last_entry);
		if (!k->depth && k->has_exit)
			note(r, k, CALL_OUTSIDE, replay_between(k->last_exit, r->now),
			     k->last_exit);
		k->has_entry = true;
		k->last_entry = r->now;
	}
	if (!k->depth++)
		k->clock = r->clock;
	k->has_exit = false;
	if (r->opened)
		r->opened(r->ctx);
}

static void
open_push(struct replay *r, stack_id stack, bool entered)
{
	*vec_push(&r->open) = (struct replay_call){
		.stack = stack,
		.plain = profile_plain(r->p, stack),
		.function = r->p->frames.frame.function[r->p->stacks.frame[stack]],
		.entered = entered,
		.here = entered,
	};
	if (!r->before)
		open_count(r);
}

bool
replay_elsewhere(const struct replay *r, const struct replay_call *o)
{
	return r->lanes && !o->here;
}

/* `returned`: its exit was recorded. */
static void
open_pop(struct replay *r, bool returned)
{
	assert(r->open.n);
	struct replay_call o = r->open.at[--r->open.n];
	if (r->before)
		return;
	struct replay_known *k = known_of(r, o.function);
	k->net = wide_add(k->net, wide_of(o.net));
	if (!--k->depth) {
		if (!replay_elsewhere(r, &o))
			k->gross = wide_add(k->gross, wide_of(r->clock - k->clock));
		k->has_exit = returned;
		k->last_exit = r->now;
	}
	if (r->closed)
		r->closed(r->ctx, &o, returned);
	if (!returned || !o.entered)
		return;
	note(r, k, CALL_NET, o.net, o.entry);
	note(r, k, CALL_GROSS, r->clock - o.clock, o.entry);
	note(r, k, CALL_CALL, replay_between(o.entry, r->now), o.entry);
}

static bool
same_function(const struct replay *r, const struct replay_call *o, stack_id stack)
{
	return r->p->frames.frame.function[r->p->stacks.frame[stack]] == o->function;
}

static void
set_stack(const struct replay *r, struct replay_call *o, stack_id stack)
{
	o->stack = stack;
	o->plain = profile_plain(r->p, stack);
}

/* Makes the open calls those of this stack. */
static void
sync(struct replay *r, stack_id stack)
{
	const struct stacks *t = &r->p->stacks;
	size_t same = 0;

	r->path.n = 0;
	for (stack_id s = stack; profile_plain(r->p, s) != STACK_EMPTY; s = t->parent[s])
		*vec_push(&r->path) = s;
	while (same < r->open.n && same < r->path.n) {
		stack_id s = r->path.at[r->path.n - 1 - same];
		if (r->open.at[same].stack != s &&
		    !same_function(r, &r->open.at[same], s))
			break;
		set_stack(r, &r->open.at[same++], s);
	}
	while (r->open.n > same)
		open_pop(r, false);
	while (r->open.n < r->path.n)
		open_push(r, r->path.at[r->path.n - 1 - r->open.n], false);
}

/* ---- steps ---- */

static void
advance(struct replay *r, int64_t time)
{
	if (r->running && r->open.n) {
		int64_t lasted = replay_between(r->now, time);
		r->open.at[r->open.n - 1].net += lasted;
		r->clock += lasted;
		if (r->ran && lasted)
			r->ran(r->ctx, lasted);
	} else if (r->lanes && r->open.n) {
		r->clock += replay_between(r->now, time);
	}
	r->now = time;
}

/* Labels decide only whether a stack is shown and say nothing about its caller. So open calls
 * stay open until something else runs. */
static bool
is_left_out(const struct replay *r, stack_id stack)
{
	return stack != STACK_EMPTY && r->p->stacks.frame[stack] == r->p->left_out;
}

static void
replay_step(struct replay *r, uint32_t step)
{
	const stack_id *parent = r->p->stacks.parent;
	stack_id stack = step & STEP_STACK, plain = profile_plain(r->p, stack);
	struct replay_call *top;

	if (step & STEP_RETURN && r->open.n && !r->left_out)
		open_pop(r, true);
	r->left_out = is_left_out(r, stack);
	r->running = stack != STACK_EMPTY && !r->left_out;
	if (!r->running)
		return;
	top = r->open.n ? &r->open.at[r->open.n - 1] : NULL;
	if (step & STEP_CALL) {
		if (parent[plain] != (top ? top->plain : STACK_EMPTY))
			sync(r, parent[stack]);
		open_push(r, stack, true);
	} else if (top && parent[top->plain] == parent[plain] &&
		   same_function(r, top, stack)) {
		set_stack(r, top, stack); /* the same function, perhaps at another line */
	} else {
		sync(r, stack);
	}
}

void
replay_begin(struct replay *r, const struct series *s, int64_t from, int64_t to,
	     bool whole)
{
	assert(s->kind == SERIES_STEPS);
	r->series = s;
	r->at = whole ? 0 : series_find(s, from);
	if (r->at)
		r->at = r->lanes ? 0 : r->at - 1;
	r->from = from;
	r->to = to;
	r->whole = whole;
	r->running = r->left_out = false;
	r->clock = 0;
	r->now = from;
	r->before = !whole;
}

/* Passes on the value and the labels of event k. */
static void
say_more(struct replay *r, const struct chunk *c, uint32_t k)
{
	if (!r->running || !r->open.n)
		return;
	if (r->series->valued && r->valued)
		r->valued(r->ctx, chunk_value(c, k));
	if (r->series->labelled && r->labelled)
		r->labelled(r->ctx, (labels_id)column_get(&c->labels, k));
}

/* Counts the calls that the steps before the range left open. */
static void
begin_range(struct replay *r)
{
	size_t n = r->open.n;

	r->before = false;
	for (r->open.n = 0; r->open.n < n;) {
		r->open.at[r->open.n++].entered = false;
		open_count(r);
	}
	if (r->at) {
		const struct chunk *c = series_chunk(r->series, r->at - 1);
		say_more(r, c, (uint32_t)(r->at - 1 - c->first));
	}
}

bool
replay_some(struct replay *r, uint64_t n)
{
	const struct series *s = r->series;

	while (r->at < s->n && n) {
		const struct chunk *c = series_chunk(s, r->at);
		uint32_t k = (uint32_t)(r->at - c->first);
		for (; k < c->n && n; k++, n--, r->at++) {
			int64_t time = column_get(&c->time, k);
			if (r->before && time < r->from) {
				replay_step(r, chunk_stack(c, k));
				continue;
			}
			if (r->before)
				begin_range(r);
			if (!r->whole && time >= r->to)
				return true;
			if (r->whole && !r->at)
				r->now = time;
			advance(r, time);
			replay_step(r, chunk_stack(c, k));
			say_more(r, c, k);
		}
	}
	return r->at >= s->n;
}

void
replay_end(struct replay *r)
{
	const struct series *s = r->series;

	if (r->before)
		begin_range(r);
	if (s->n) {
		int64_t end = s->end_time;
		if (!r->whole && end > r->to)
			end = r->to;
		if (end > r->now)
			advance(r, end);
	}
	while (r->open.n)
		open_pop(r, false);
}

void
replay_release(struct replay *r)
{
	vec_release(&r->open);
	vec_release(&r->known);
	vec_release(&r->path);
	free(r->place);
}

/* The range of a slice on the clock of this track's file. */
void
replay_range(const struct profile *p, const struct slice *s, track_id t, int64_t *from,
	 int64_t *to)
{
	int64_t start = p->group[p->track[t].group].start;

	if (__builtin_add_overflow(start, s->from, from))
		*from = s->from < 0 ? INT64_MIN : INT64_MAX;
	if (__builtin_add_overflow(start, s->to, to))
		*to = s->to < 0 ? INT64_MIN : INT64_MAX;
}
