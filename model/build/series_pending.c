#include "model/build/series_pending.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/profile/profile.h"
#include "model/profile/series_inside.h"

/* There are few buffers, so that they stay in the nearest caches. A series that needs one takes
 * it from another, in turn. If a buffer got only few events before that, as with thousands of
 * threads that take turns, buffering costs more than it saves, so for a while no series gets a
 * buffer. The first events of a series are written directly. But events that follow runs at the
 * separate thread are always buffered: writing them here would mean waiting for that thread. */

#define SMALL 8u /* events of a series that are written directly */
#define SHORT_RUN 8u
#define DIRECT 65536u

void
pending_init(struct pending *w, struct profile *p, struct series_scratch *scratch)
{
	*w = (struct pending){.p = p, .scratch = scratch, .round = 1};
}

void
pending_release(struct pending *w)
{
	beside_free(w->beside);
	free(w->of);
	*w = (struct pending){0};
}

/* Sets the limits of steps that follow one at `low`, when the bound on sums includes the time up
 * to `weighed`. */
static void
set_until(const struct pending *w, struct series_pending *at, int64_t low)
{
	const struct group *g = &w->p->group[w->p->track[at->series->track].group];
	int64_t until;

	if (__builtin_add_overflow(g->start, TIME_SPAN_MAX, &at->high))
		at->high = INT64_MAX;
	if (at->high == INT64_MAX) /* builder_time_fits() moves that one */
		at->high--;
	if (at->series->kind == SERIES_STEPS &&
	    !__builtin_add_overflow(at->weighed, PENDING_ROOM, &until) && until < at->high)
		at->high = until;
	at->low = low;
}

/* Lets every event take the closer look. */
static void
close_limits(struct series_pending *at)
{
	at->low = INT64_MAX;
	at->high = INT64_MIN;
}

/* Returns the OR of n words of a run. */
static inline uint32_t
any_of(const uint32_t *word, uint32_t n)
{
	uint32_t any = 0;

	for (uint32_t i = 0; i < n; i++)
		any |= word[i];
	return any;
}

/* Returns the OR of all stacks of a run, with their flags. */
static uint32_t
stacks_of(const struct event_run *run)
{
	/* with a constant length the compiler vectorises a whole run */
	return run->n == EVENT_RUN_MAX ? any_of(run->stack, EVENT_RUN_MAX)
				       : any_of(run->stack, run->n);
}

/* Returns false if this OR shows a stack that the profile does not have: it is less than twice
 * the largest one. */
static bool
stacks_exist(const struct pending *w, uint32_t any)
{
	return any / 2 < w->p->stacks.n;
}

/* Adds up n values of a column; adds the OR of their sizes to *bits, with -n counted as n - 1. */
static inline int64_t
add_up(const int64_t *v, uint32_t n, uint64_t *bits)
{
	uint64_t sum = 0, any = 0;

	for (uint32_t i = 0; i < n; i++) {
		sum += (uint64_t)v[i];
		any |= pending_size(v[i]);
	}
	*bits |= any;
	return (int64_t)sum;
}

/* Adds to the bound on all sums what a run of steps adds: for each metric at most the elapsed
 * time, or one per step. */
static void
weigh_steps(struct pending *w, struct series_pending *at)
{
	const struct event_run *run = &at->run;
	struct series *s = at->series;
	int64_t last = run->time[run->n - 1];
	uint32_t flags = stacks_of(run);

	assert(stacks_exist(w, flags & STEP_STACK));
	if (flags & (STEP_CALL | STEP_RETURN))
		w->p->has_call_edges = true;
	s->last_time = last;
	s->end_time = last > s->end_time ? last : s->end_time;
	at->reached = last;
	w->p->bound += s->end_time - at->weighed + (int64_t)run->n;
	at->weighed = s->end_time;
	set_until(w, at, last);
}

/* Returns a number whose sign says whether a < b. */
static inline int64_t
less(int64_t a, int64_t b)
{
	int64_t difference = (int64_t)((uint64_t)a - (uint64_t)b);

	return (a & ~b) | (~(a ^ b) & difference);
}

/* Returns true if no time of a run is earlier than the one before it, the first than `before`. */
static bool
rises(const struct event_run *run, int64_t before)
{
	int64_t falls = less(run->time[0], before);

	if (run->n < EVENT_RUN_MAX) {
		for (uint32_t i = 1; i < run->n; i++)
			falls |= less(run->time[i], run->time[i - 1]);
		return falls >= 0;
	}
	/* with a constant length, and an even one, the compiler vectorises the loop */
	for (uint32_t i = 1; i < EVENT_RUN_MAX - 1; i++)
		falls |= less(run->time[i], run->time[i - 1]);
	falls |= less(run->time[EVENT_RUN_MAX - 1], run->time[EVENT_RUN_MAX - 2]);
	return falls >= 0;
}

/* Adds what a run of samples adds: their largest values. sum[]: becomes the sum of each column. */
static void
weigh_samples(struct pending *w, struct series_pending *at, int64_t *sum)
{
	const struct event_run *run = &at->run;
	struct series *s = at->series;
	int64_t last = s->last_time;
	uint64_t bits = 0;

	assert(stacks_exist(w, stacks_of(run)));
	for (unsigned v = 0; v < s->n_columns; v++)
		sum[v] = run->n == EVENT_RUN_MAX ? add_up(run->value[v], EVENT_RUN_MAX, &bits)
						 : add_up(run->value[v], run->n, &bits);
	if (!at->exact)
		w->p->bound += (int64_t)((bits + 1) * run->n);
	if (rises(run, last)) {
		last = run->time[run->n - 1];
	} else {
		series_unsorted(s);
		for (uint32_t i = 0; i < run->n; i++)
			last = run->time[i] > last ? run->time[i] : last;
	}
	s->last_time = last;
	s->end_time = last > s->end_time ? last : s->end_time;
	struct track *t = &w->p->track[s->track];
	if (!s->derived) {
		t->events += run->n - at->apart;
		w->p->events += run->n - at->apart;
	}
	at->apart = 0;
}

/* Writes a run here, or on the separate thread once there are enough runs. */
static void
write(struct pending *w, struct series *s, const struct event_run *run,
      const labels_id *labels, const int64_t *sum, int64_t before)
{
	w->p->generation += run->n;
	if (w->beside_from && !--w->beside_from)
		w->beside = beside_new();
	if (!w->beside) {
		series_add_run(s, w->scratch, run, labels, sum, before);
		return;
	}
	beside_give(w->beside, s, run, s->labelled ? labels : NULL, sum, before);
	s->given = w->round;
}

void
pending_drain(struct pending *w)
{
	w->round++;
	if (!w->beside)
		return;
	beside_drain(w->beside);
	struct beside_adopted adopted = beside_adopted(w->beside);
	w->p->bound += adopted.bound;
	w->adopting = 0;
	if (!w->adopted.wrong)
		w->adopted = adopted;
}

/* ---- chunks of a packed profile ---- */

#define ADOPT_BESIDE 4096u /* events of a chunk that is worth passing */

/* Returns true if a chunk of n events goes to the separate thread, which begins when there are
 * enough events, as for runs. */
static bool
adopts_beside(struct pending *w, const struct series *s, uint32_t n)
{
	uint32_t runs = n / EVENT_RUN_MAX;

	if (w->beside_from > runs)
		w->beside_from -= runs;
	else if (w->beside_from) {
		w->beside_from = 0;
		w->beside = beside_new();
	}
	return w->beside && (n >= ADOPT_BESIDE || s->given == w->round);
}

void
pending_adopt(struct pending *w, struct series *s, struct chunk *c,
	      const struct adopt_limits *limits, int64_t most, uint64_t offset)
{
	if (w->adopted.wrong) {
		series_chunk_release(s, c);
		return;
	}
	if (adopts_beside(w, s, c->n)) {
		beside_adopt(w->beside, s, c, limits, offset);
		w->adopting += most;
		s->given = w->round;
		return;
	}
	w->adopted.wrong = series_adopt_chunk(s, w->scratch, c, limits, &w->p->bound);
	w->adopted.offset = offset;
}

const char *
pending_adopted(struct pending *w, uint64_t *offset)
{
	pending_drain(w);
	const char *wrong = w->adopted.wrong;

	*offset = w->adopted.offset;
	w->adopted.wrong = NULL;
	return wrong;
}

/* Extends the track to the latest time of the buffer. */
static void
reach(const struct pending *w, struct series_pending *at)
{
	struct track *t = &w->p->track[at->series->track];
	struct group *g = &w->p->group[t->group];

	if (at->reached == INT64_MIN)
		return;
	t->end = at->reached > t->end ? at->reached : t->end;
	g->end = at->reached > g->end ? at->reached : g->end;
	at->reached = INT64_MIN;
}

/* The bound no longer suffices: from here on each event is counted exactly before it is
 * buffered. */
static void
bound_is_full(struct pending *w)
{
	w->full = true;
	for (uint32_t i = 0; i < PENDING_SERIES; i++) {
		struct series_pending *at = &w->of[i];
		if (!at->series)
			continue;
		pending_write(w, at);
		close_limits(at);
		at->exact = true;
	}
}

/* Empties the labels of the events, but for those of the next one. */
static void
labels_next(struct series_pending *at)
{
	uint32_t n = at->run.n;
	labels_id next = n < EVENT_RUN_MAX ? at->labels[n] : LABELS_NONE;

	if (!at->series->labelled)
		return;
	memset(at->labels, 0, sizeof at->labels);
	at->labels[0] = next;
}

void
pending_write(struct pending *w, struct series_pending *at)
{
	struct event_run *run = &at->run;
	struct series *s = at->series;
	int64_t sum[EVENT_RUN_VALUES];
	bool steps = s->kind == SERIES_STEPS;

	if (!run->n)
		return;
	if (steps)
		weigh_steps(w, at);
	else
		weigh_samples(w, at, sum);
	write(w, s, run, at->labels, steps ? NULL : sum, at->before);
	at->before = s->last_time;
	labels_next(at);
	run->n = 0;
	reach(w, at);
	if (w->p->bound >= PENDING_BOUND && !w->full)
		bound_is_full(w);
}

static void
series_pending_leave(struct pending *w, struct series_pending *at)
{
	if (!at->series)
		return;
	pending_write(w, at);
	at->series->next_labels = at->labels[0];
	at->labels[0] = LABELS_NONE;
	at->series->pending = NULL;
	at->series = NULL;
}

void
pending_leave(struct pending *w, struct series *s)
{
	if (s->pending)
		series_pending_leave(w, s->pending);
}

void
pending_settle(struct pending *w)
{
	for (uint32_t i = 0; w->of && i < PENDING_SERIES; i++)
		series_pending_leave(w, &w->of[i]);
	pending_drain(w);
}

/* Returns true if each event must be counted exactly. */
static bool
counts_exactly(const struct pending *w)
{
	return w->precise || w->p->weight || w->p->bound >= PENDING_BOUND;
}

/* Takes the next buffer for a series. */
static struct series_pending *
series_pending_take(struct pending *w, struct series *s)
{
	if (!w->of)
		w->of = mem_zalloc(PENDING_SERIES, sizeof *w->of);
	struct series_pending *at = &w->of[w->next];
	w->next = (w->next + 1) % PENDING_SERIES;
	if (at->series && at->run.n < SHORT_RUN && at->before == at->first)
		w->direct = DIRECT;
	series_pending_leave(w, at);
	at->series = s;
	at->run.n = at->apart = 0;
	at->reached = INT64_MIN;
	at->before = at->first = s->last_time;
	at->exact = counts_exactly(w);
	at->labels[0] = s->next_labels;
	s->next_labels = LABELS_NONE;
	s->pending = at;
	return at;
}

struct series_pending *
pending_place(struct pending *w, struct series *s, int64_t time)
{
	bool beside = s->given == w->round;
	struct series_pending *at = s->pending;

	if (w->direct && !beside && !at) {
		w->direct--;
		return NULL;
	}
	if ((!beside && s->n < SMALL) || s->n_columns > EVENT_RUN_VALUES ||
	    (s->kind != SERIES_STEPS && s->kind != SERIES_SAMPLES) ||
	    (s->kind == SERIES_STEPS && counts_exactly(w)))
		return NULL;
	if (!at)
		at = series_pending_take(w, s);
	const struct track *t = &w->p->track[s->track];
	at->weighed = time > s->end_time ? time : s->end_time;
	close_limits(at);
	if (!at->exact && t->has_time)
		set_until(w, at, s->kind == SERIES_STEPS ? time : t->start);
	return at;
}
