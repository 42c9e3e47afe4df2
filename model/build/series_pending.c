#include "model/build/series_pending.h"

#include <stdlib.h>

#include "model/base/mem.h"
#include "model/profile/profile.h"
#include "model/profile/series_inside.h"

/* Places are few, so that they stay in the nearest cache.  A series that needs one takes it
 * from another, in turn.  Where runs come out short, as with thousands of threads that take
 * turns, waiting costs more than it saves, and for a while nobody does.  Small series never
 * wait: they are written as their events come.  But what follows runs that are with the thread
 * beside always does: to write it here would mean to wait for all of them. */

#define SMALL 1024u  /* events of a series that are written at once */
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

/* Here, or on the thread beside once there is so much that it pays. */
static void
write(struct pending *w, struct series *s, const struct event_run *run, const labels_id *labels,
      const int64_t *sum, int64_t before)
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
	if (w->beside)
		beside_drain(w->beside);
	w->round++;
}

void
pending_write(struct pending *w, struct series_pending *at)
{
	struct event_run *run = &at->run;
	struct series *s = at->series;

	weigh_steps(w, at);
	if (!run->n)
		return;
	write(w, s, run, at->labels, NULL, at->before);
	at->before = run->time[run->n - 1];
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
		  const labels_id *labels, const int64_t *sum)
{
	bool any = pending_any(w, s);
	int64_t before = s->last_time, last = any ? s->last_time : INT64_MIN;

	for (uint32_t i = 0; i < run->n; i++) {
		if (run->time[i] < last)
			series_unsorted(s);
		else
			last = run->time[i];
	}
	if (!any || s->end_time < last)
		s->end_time = last;
	write(w, s, run, labels, sum, before);
	s->last_time = last;
}

void
pending_write_rising(struct pending *w, struct series *s, const struct event_run *run)
{
	bool any = pending_any(w, s);
	int64_t before = s->last_time, last = run->time[run->n - 1];

	if (!any || s->end_time < last)
		s->end_time = last;
	write(w, s, run, NULL, NULL, before);
	s->last_time = last;
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
	if (at->high == INT64_MAX) /* builder_time_fits() moves that one */
		at->high--;
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
	pending_drain(w);
}

struct series_pending *
pending_place(struct pending *w, struct series *s)
{
	bool beside = s->given == w->round;

	if (w->direct && !beside) {
		w->direct--;
		return NULL;
	}
	if ((!beside && s->n < SMALL) || s->n_columns > EVENT_RUN_VALUES ||
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
