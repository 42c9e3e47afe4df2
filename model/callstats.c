#include "model/callstats.h"

#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include "model/profile.h"
#include "model/tally.h"
#include "model/vec.h"

/* A track's steps are replayed with a stack of open calls.  STEP_CALL opens one,
 * STEP_RETURN closes the one on top; a step to the empty stack suspends, a step to any
 * other stack resumes it.  While all goes well the stack of open calls *is* the path of
 * the stack that runs, so an event costs a comparison and an addition: time is added to
 * the top of the open calls alone, and gross times are differences of one clock that
 * stands still while nothing runs.  Adding to every open call would cost the depth.
 *
 * Where a step does not continue from the one before (the range begins in the middle of
 * things, a frame was unwound without a return), sync() makes the open calls equal to
 * the step's path: those that are not on it end without an exit, those that are missing
 * were there before the recording and have no entry.
 *
 * Sums are kept in 128 bits and cut at 2^63-1 when they are shown. */

typedef __int128 wide;

struct numbers {
	wide total;
	int64_t min, max;
	uint64_t n;
};

struct open_call {
	stack_id stack;
	function_id function;
	bool entered; /* its entry was recorded */
	int64_t entry, net, clock;
};

/* What is known of one function on the track. */
struct known {
	function_id function;
	uint32_t depth; /* how often it is open */
	bool has_entry, has_exit;
	int64_t last_entry, last_exit, clock;
	int64_t calls;
	wide net, gross;
	struct numbers of[CALL_TIMES];
};

struct replay {
	const struct profile *p;
	VEC(struct open_call) open;
	VEC(struct known) known;
	VEC(stack_id) path;
	uint32_t *place; /* [function] index in known + 1 */
	bool running;
	int64_t now;
	int64_t clock; /* time in which something ran */
};

void
callstats_release(struct callstats *c)
{
	free(c->at);
	*c = (struct callstats){0};
}

struct callstats_row *
callstats_add(struct callstats *c, track_id track, function_id function)
{
	if (c->n == c->cap) {
		c->cap = (uint32_t)vec_grown(c->cap, c->n + 1u);
		c->at = mem_realloc(c->at, c->cap, sizeof *c->at);
	}
	c->at[c->n] = (struct callstats_row){.track = track, .function = function};
	return &c->at[c->n++];
}

/* The time between two moments, which may be farther apart than 2^63. */
static int64_t
between(int64_t from, int64_t to)
{
	int64_t d;

	return __builtin_sub_overflow(to, from, &d) ? INT64_MAX : d;
}

static void
count(struct numbers *n, int64_t v)
{
	n->min = !n->n || v < n->min ? v : n->min;
	n->max = !n->n || v > n->max ? v : n->max;
	n->total += v;
	n->n++;
}

/* ---- open calls ---- */

static struct known *
known_of(struct replay *r, function_id f)
{
	if (!r->place[f]) {
		struct known *k = vec_push(&r->known);
		memset(k, 0, sizeof *k);
		k->function = f;
		r->place[f] = (uint32_t)r->known.n;
	}
	return &r->known.at[r->place[f] - 1];
}

static void
open_push(struct replay *r, stack_id stack, bool entered)
{
	function_id f = profile_frame(r->p, r->p->stacks.frame[stack])->function;
	struct known *k = known_of(r, f);

	*vec_push(&r->open) = (struct open_call){
		.stack = stack,
		.function = f,
		.entered = entered,
		.entry = r->now,
		.clock = r->clock,
	};
	if (entered) {
		k->calls++;
		if (k->has_entry)
			count(&k->of[CALL_PERIOD], between(k->last_entry, r->now));
		if (!k->depth && k->has_exit)
			count(&k->of[CALL_OUTSIDE], between(k->last_exit, r->now));
		k->has_entry = true;
		k->last_entry = r->now;
	}
	if (!k->depth++)
		k->clock = r->clock;
	k->has_exit = false;
}

/* `returned`: its exit was recorded. */
static void
open_pop(struct replay *r, bool returned)
{
	struct open_call o = r->open.at[--r->open.n];
	struct known *k = known_of(r, o.function);

	k->net += o.net;
	if (!--k->depth) {
		k->gross += r->clock - k->clock;
		k->has_exit = returned;
		k->last_exit = r->now;
	}
	if (!returned || !o.entered)
		return;
	count(&k->of[CALL_NET], o.net);
	count(&k->of[CALL_GROSS], r->clock - o.clock);
	count(&k->of[CALL_CALL], between(o.entry, r->now));
}

static bool
same_function(const struct replay *r, const struct open_call *o, stack_id stack)
{
	return profile_frame(r->p, r->p->stacks.frame[stack])->function == o->function;
}

/* Makes the open calls those of this stack. */
static void
sync(struct replay *r, stack_id stack)
{
	const struct stacks *t = &r->p->stacks;
	size_t same = 0;

	r->path.n = 0;
	for (stack_id s = stack; s != STACK_EMPTY; s = t->parent[s])
		*vec_push(&r->path) = s;
	while (same < r->open.n && same < r->path.n) {
		stack_id s = r->path.at[r->path.n - 1 - same];
		if (r->open.at[same].stack != s &&
		    !same_function(r, &r->open.at[same], s))
			break;
		r->open.at[same++].stack = s;
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
		int64_t lasted = between(r->now, time);
		r->open.at[r->open.n - 1].net += lasted;
		r->clock += lasted;
	}
	r->now = time;
}

static void
replay_step(struct replay *r, uint32_t step)
{
	const stack_id *parent = r->p->stacks.parent;
	stack_id stack = step & STEP_STACK;
	struct open_call *top;

	if (step & STEP_RETURN && r->open.n)
		open_pop(r, true);
	r->running = stack != STACK_EMPTY;
	if (!r->running)
		return;
	top = r->open.n ? &r->open.at[r->open.n - 1] : NULL;
	if (step & STEP_CALL) {
		if (parent[stack] != (top ? top->stack : STACK_EMPTY))
			sync(r, parent[stack]);
		open_push(r, stack, true);
	} else if (top && parent[top->stack] == parent[stack] &&
		   same_function(r, top, stack)) {
		top->stack = stack; /* the same function, perhaps at another line */
	} else {
		sync(r, stack);
	}
}

static void
replay_series(struct replay *r, const struct series *s, int64_t from, int64_t to,
	      bool whole)
{
	uint64_t first = whole ? 0 : series_find(s, from);
	struct event e;

	r->running = false;
	r->clock = 0;
	r->now = from;
	if (!whole && first && series_event(s, first - 1, &e) &&
	    (e.stack & STEP_STACK) != STACK_EMPTY) {
		sync(r, e.stack & STEP_STACK);
		r->running = true;
	}
	for (uint32_t i = 0; i < s->n_chunks; i++) {
		const struct chunk *c = &s->chunk[i];
		uint32_t k = first > c->first ? (uint32_t)(first - c->first) : 0;
		if (first >= c->first + c->n)
			continue;
		for (; k < c->n; k++) {
			int64_t time = column_get(&c->time, k);
			if (!whole && time >= to)
				goto out;
			if (whole && !k && !i)
				r->now = time;
			advance(r, time);
			replay_step(r, c->stack[k]);
		}
	}
out:
	if (s->n) {
		int64_t end = s->end_time;
		if (!whole && end > to)
			end = to;
		if (end > r->now)
			advance(r, end);
	}
	while (r->open.n)
		open_pop(r, false);
}

/* ---- rows ---- */

static int64_t
shown(wide v)
{
	return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

static void
row_of(const struct known *k, track_id track, struct callstats *out)
{
	struct callstats_row *row = callstats_add(out, track, k->function);

	row->calls = k->calls;
	for (unsigned t = 0; t < CALL_TIMES; t++) {
		const struct numbers *n = &k->of[t];
		if (!n->n)
			continue;
		row->value[t][CALL_TOTAL] = shown(n->total);
		row->value[t][CALL_MIN] = n->min;
		row->value[t][CALL_AVG] = shown(n->total / n->n);
		row->value[t][CALL_MAX] = n->max;
		row->has |= CALLSTATS_BIT(t, CALL_TOTAL) | CALLSTATS_BIT(t, CALL_MIN) |
			    CALLSTATS_BIT(t, CALL_AVG) | CALLSTATS_BIT(t, CALL_MAX);
	}
	row->value[CALL_NET][CALL_TOTAL] = shown(k->net);
	row->value[CALL_GROSS][CALL_TOTAL] = shown(k->gross);
	row->has |= CALLSTATS_BIT(CALL_NET, CALL_TOTAL) |
		    CALLSTATS_BIT(CALL_GROSS, CALL_TOTAL);
	row->has &= ~CALLSTATS_BIT(CALL_PERIOD, CALL_TOTAL);
}

static void
compute_track(struct replay *r, const struct slice *s, track_id t, struct callstats *out)
{
	const struct track *track = &r->p->track[t];
	int64_t start = r->p->group[track->group].start, from, to;

	if (__builtin_add_overflow(start, s->from, &from))
		from = s->from < 0 ? INT64_MIN : INT64_MAX;
	if (__builtin_add_overflow(start, s->to, &to))
		to = s->to < 0 ? INT64_MIN : INT64_MAX;
	for (uint32_t i = 0; i < track->n_series; i++)
		if (track->series[i]->kind == SERIES_STEPS)
			replay_series(r, track->series[i], from, to, s->whole);
	for (size_t i = 0; i < r->known.n; i++) {
		row_of(&r->known.at[i], t, out);
		r->place[r->known.at[i].function] = 0;
	}
	r->known.n = 0;
}

void
callstats_compute(const struct profile *p, const struct slice *s, struct callstats *out)
{
	struct replay r = {.p = p};
	bool counts = p->calls_metric != METRIC_NONE &&
		      p->metric[p->calls_metric].role == ROLE_CALLS;

	if (counts || p->has_call_edges) {
		r.place = mem_zalloc(p->frames.n_functions, sizeof *r.place);
		for (track_id t = 0; t < p->n_tracks; t++)
			if (!s->tracks || s->tracks[t])
				compute_track(&r, s, t, out);
		out->per_call = true;
	}
	/* what files without a timeline say has no place in a range of time */
	for (uint32_t i = 0; s->whole && p->recorded.per_call && i < p->recorded.n; i++) {
		const struct callstats_row *row = &p->recorded.at[i];
		if (!s->tracks || s->tracks[row->track])
			*callstats_add(out, row->track, row->function) = *row;
		out->per_call = true;
	}
	vec_release(&r.open);
	vec_release(&r.known);
	vec_release(&r.path);
	free(r.place);
}

bool
callstats_recorded_gross(const struct profile *p, function_id f, const uint8_t *tracks,
			 int64_t *out)
{
	bool found = false;
	wide sum = 0;

	for (uint32_t i = 0; i < p->recorded.n; i++) {
		const struct callstats_row *row = &p->recorded.at[i];
		if (row->function != f ||
		    !(row->has & CALLSTATS_BIT(CALL_GROSS, CALL_TOTAL)) ||
		    (tracks && !tracks[row->track]))
			continue;
		found = true;
		sum += row->value[CALL_GROSS][CALL_TOTAL];
	}
	*out = shown(sum);
	return found;
}
