#include "model/series_pending.h"

#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include "model/profile.h"
#include "model/series_column.h"
#include "model/series_inside.h"

/* A run is cut where a chunk or a block ends; within a piece all is loops over columns.
 * What comes out is what series_add_step() and series_add_sample() make of the same events
 * one by one: the sums of a block that begins, and a checkpoint, know the step before, which
 * ends where the piece begins.
 *
 * Places are few, so that they stay in the nearest cache.  A series that needs one takes it
 * from another, in turn.  Where runs come out short, as with thousands of threads that take
 * turns, waiting costs more than it saves, and for a while nobody does.  Small series never
 * wait: they are written as their events come. */

#define SMALL 1024u  /* events of a series that are written at once */
#define SHORT_RUN 8u
#define DIRECT 65536u

void
pending_init(struct pending *w, struct profile *p, struct series_scratch *scratch)
{
	*w = (struct pending){.p = p, .scratch = scratch};
}

void
pending_release(struct pending *w)
{
	free(w->of);
	*w = (struct pending){0};
}

/* What a run adds to each metric by being there, beside times and values. */
static void
add_flags(struct series *s, const uint32_t *stack, uint32_t n)
{
	int64_t calls = 0, lines = 0;

	for (uint32_t i = 0; i < n; i++) {
		calls += (stack[i] & STEP_CALL) != 0;
		lines += (stack[i] & STEP_LINE) != 0;
	}
	for (unsigned m = 0; m < s->n_metrics; m++)
		s->sum[m] += s->role[m] == ROLE_EVENTS  ? n
			     : s->role[m] == ROLE_CALLS ? calls
			     : s->role[m] == ROLE_LINES ? lines
							: 0;
}

/* The steps of a piece but the last have ended within it. */
static void
add_steps(struct series *s, const int64_t *time, const uint32_t *stack, uint32_t n)
{
	int64_t lasted = 0;

	for (uint32_t i = 0; i + 1 < n; i++) {
		stack_id at = stack[i] & STEP_STACK;
		if (at == STACK_EMPTY)
			continue;
		lasted += time[i + 1] - time[i];
		series_block_weigh(s, at, time[i + 1] - time[i]);
	}
	for (unsigned m = 0; m < s->n_metrics; m++)
		if (s->role[m] == ROLE_TIME)
			s->sum[m] += lasted;
	add_flags(s, stack, n);
}

static inline int64_t
sum_of(const int64_t *v, uint32_t n)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += v[i];
	return sum;
}

/* sum[]: of each column, where that is known. */
static void
add_samples(struct series *s, const struct event_run *run, uint32_t from, uint32_t n,
	    const int64_t *sum)
{
	const uint32_t *stack = run->stack + from;

	for (uint32_t i = 0; s->n_columns && i < n; i++)
		series_block_weigh(s, stack[i], run->value[0][from + i]);
	if (!s->n_columns) /* all weigh the same: the first of a block is its longest */
		series_block_weigh(s, stack[0], 1);
	for (unsigned m = 0; m < s->n_metrics; m++) {
		unsigned c = s->column[m];
		s->sum[m] += c == UINT8_MAX ? n : sum ? sum[c] : sum_of(run->value[c] + from, n);
	}
}

/* The stacks of a piece; those of steps are turned (tracks.h). */
static void
put_stacks(const struct series *s, struct chunk *c, const uint32_t *stack, uint32_t n)
{
	uint32_t turned[EVENT_RUN_MAX];

	for (uint32_t i = 0; s->kind == SERIES_STEPS && i < n; i++)
		turned[i] = step_turned(stack[i]);
	column_put_words(&c->stack, c->n, c->cap, s->kind == SERIES_STEPS ? turned : stack, n);
}

/* As many events from `from` on as one chunk and one block take; how many.  The event before
 * them was at `before`; sum[]: of the columns of the whole run, where that is known. */
static uint32_t
write_piece(struct series *s, struct series_scratch *x, const struct event_run *run,
	    const labels_id *labels, const int64_t *sum, uint32_t from, int64_t before)
{
	const int64_t *time = run->time + from;
	const uint32_t *stack = run->stack + from;
	uint32_t n = run->n - from, in_block = BLOCK_EVENTS - (uint32_t)(s->n % BLOCK_EVENTS);

	if (s->kind == SERIES_STEPS && s->n)
		series_end_step(s, before, time[0]);
	struct chunk *c = series_chunk_for(s, x, time[0]);
	if (in_block == BLOCK_EVENTS)
		series_block_open(s, time[0]);
	n = n < in_block ? n : in_block;
	n = n < c->cap - c->n ? n : c->cap - c->n;
	column_put_many(&c->time, c->n, c->cap, time, n, true);
	put_stacks(s, c, stack, n);
	for (unsigned v = 0; v < s->n_columns; v++)
		column_put_many(&c->value[v], c->n, c->cap, run->value[v] + from, n, false);
	for (uint32_t i = 0; s->labelled && i < n; i++)
		column_put(&c->labels, c->n + i, c->cap, labels[from + i], false);
	if (s->kind == SERIES_STEPS)
		add_steps(s, time, stack, n);
	else
		add_samples(s, run, from, n, n == run->n ? sum : NULL);
	c->n += n;
	s->n += n;
	return n;
}

static void
set_until(struct series_pending *at)
{
	at->weighed = at->series->end_time;
	if (__builtin_add_overflow(at->weighed, PENDING_ROOM, &at->until) || at->until > at->high)
		at->until = at->high;
}

/* What a run of steps adds to the bound on all sums: no metric gets more of it than the time
 * that passes, or one a step. */
static void
weigh_steps(struct pending *w, struct series_pending *at)
{
	const struct event_run *run = &at->run;
	const struct series *s = at->series;
	uint32_t flags = 0;

	if (s->kind != SERIES_STEPS)
		return;
	for (uint32_t i = 0; i < run->n; i++)
		flags |= run->stack[i];
	if (flags & (STEP_CALL | STEP_RETURN))
		w->p->has_call_edges = true;
	w->p->bound += s->end_time - at->weighed + (int64_t)run->n;
	set_until(at);
}

void
pending_write(struct pending *w, struct series_pending *at)
{
	struct event_run *run = &at->run;
	struct series *s = at->series;

	weigh_steps(w, at);
	for (uint32_t from = 0; from < run->n; at->before = run->time[from - 1])
		from += write_piece(s, w->scratch, run, at->labels, NULL, from, at->before);
	w->p->generation += run->n;
	run->n = 0;
	if (at->reached == INT64_MIN)
		return;
	struct track *t = &w->p->track[s->track];
	struct group *g = &w->p->group[t->group];
	t->end = at->reached > t->end ? at->reached : t->end;
	g->end = at->reached > g->end ? at->reached : g->end;
	at->reached = INT64_MIN;
}

void
pending_write_run(struct pending *w, struct series *s, const struct event_run *run,
		  const int64_t *sum)
{
	int64_t before = s->last_time, last = s->n ? s->last_time : INT64_MIN;

	for (uint32_t i = 0; i < run->n; i++) {
		if (run->time[i] < last)
			s->sorted = false;
		else
			last = run->time[i];
	}
	if (!s->n || s->end_time < last)
		s->end_time = last;
	for (uint32_t from = 0; from < run->n; before = run->time[from - 1])
		from += write_piece(s, w->scratch, run, NULL, sum, from, before);
	s->last_time = last;
	w->p->generation += run->n;
}

/* Times from the later start on, as far as one may lie from the first. */
static void
set_limits(const struct profile *p, struct series_pending *at)
{
	const struct track *t = &p->track[at->series->track];
	const struct group *g = &p->group[t->group];

	at->reached = INT64_MIN;
	at->low = INT64_MAX; /* none: the track has still to begin */
	at->until = at->high = INT64_MIN;
	if (!t->has_time)
		return;
	at->low = t->start;
	if (__builtin_add_overflow(g->start, TIME_SPAN_MAX, &at->high))
		at->high = INT64_MAX;
	set_until(at);
}

static void
leave(struct pending *w, struct series_pending *at)
{
	if (!at->series)
		return;
	pending_write(w, at);
	at->series->pending = NULL;
	at->series = NULL;
}

void
pending_leave(struct pending *w, struct series *s)
{
	if (s->pending)
		leave(w, s->pending);
}

void
pending_settle(struct pending *w)
{
	for (uint32_t i = 0; w->of && i < PENDING_SERIES; i++)
		leave(w, &w->of[i]);
}

struct series_pending *
pending_place(struct pending *w, struct series *s)
{
	if (w->direct) {
		w->direct--;
		return NULL;
	}
	if (s->n < SMALL || s->n_columns > EVENT_RUN_VALUES ||
	    (s->kind != SERIES_STEPS && s->kind != SERIES_SAMPLES))
		return NULL;
	if (!w->of)
		w->of = mem_zalloc(PENDING_SERIES, sizeof *w->of);
	struct series_pending *at = &w->of[w->next];
	w->next = (w->next + 1) % PENDING_SERIES;
	if (at->series && at->run.n < SHORT_RUN)
		w->direct = DIRECT;
	leave(w, at);
	at->series = s;
	at->run.n = 0;
	at->before = s->last_time;
	set_limits(w->p, at);
	s->pending = at;
	return at;
}
