/* series_pending.h - events that are still to be written into their series.
 *
 * What an event costs in a series (which chunk, which block, how wide each column, what to add
 * to which sum) costs a run of them hardly more.  So events of the series that is written to
 * most wait here, in plain columns, and are written a run at a time.  Until then a series
 * lacks them, and their times its track: pending_settle() before anybody looks, and before the
 * start of a track or a file moves.  last_time, end_time and sorted of the series are ahead of
 * what is in its chunks.
 *
 * A file with many events has them written on a thread beside (series_beside.h): what else a series
 * holds is that thread's until pending_drain(), which pending_settle() calls. */
#ifndef PNAV_MODEL_SERIES_PENDING_H
#define PNAV_MODEL_SERIES_PENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile/event_run.h"
#include "model/profile/series.h"
#include "model/profile/series_beside.h"

/* A run is at most this long: its end as a limit, the moment behind its last one, is a
 * number too. */
#define TIME_SPAN_MAX (INT64_MAX - 1)

#define PENDING_SERIES 32u /* that wait side by side */
/* Of time that may wait to be weighed: all of them together are far below what a sum holds
 * beyond the bound that is asked for (BUILDER_BOUND). */
#define PENDING_ROOM (INT64_C(1) << 55)

struct series_pending {
	struct series *series; /* NULL: nobody waits here */
	int64_t before; /* time of the last event in the series */
	int64_t weighed; /* of steps: the end of the series, as far as it is in the bound on sums */
	int64_t low, high; /* times that move neither the track's start nor its file's, and
			    * are near enough to all others */
	int64_t reached;   /* the latest of those that wait; INT64_MIN: none is of the track */
	int64_t until;     /* steps up to then need not be weighed one by one */
	labels_id labels[EVENT_RUN_MAX];
	struct event_run run;
};

struct profile;

struct pending {
	struct profile *p;
	struct series_scratch *scratch;
	struct series_pending *of; /* [PENDING_SERIES]; NULL until the first waits */
	uint32_t next;             /* which place is taken away next */
	uint32_t direct;           /* so many events do not ask for a place */
	uint32_t beside_from;      /* so many runs are written here, those behind them on a */
	struct beside *beside;     /* thread of their own; 0: all here */
	uint64_t round; /* between two times when none are with the thread: series.given */
};

void pending_init(struct pending *w, struct profile *p, struct series_scratch *scratch);
void pending_release(struct pending *w);
/* Writes what waits. */
void pending_settle(struct pending *w);
/* Writes what waits of a series, which then has no place. */
void pending_leave(struct pending *w, struct series *s);
/* Waits until what was given to the thread beside is written. */
void pending_drain(struct pending *w);

/* The series can be looked at, and written to, here: none of its runs is with the thread. */
static inline void
pending_look(struct pending *w, const struct series *s)
{
	if (s->given == w->round)
		pending_drain(w);
}

/* Has the series any event, be it with the thread? */
static inline bool
pending_any(const struct pending *w, const struct series *s)
{
	return s->given == w->round || s->n;
}

/* A place for events of a series; NULL where it is better that they do not wait. */
struct series_pending *pending_place(struct pending *w, struct series *s);
/* Writes the events of one place, which stays. */
void pending_write(struct pending *w, struct series_pending *at);

/* The place for the next event of a series, as pending_place(). */
static inline struct series_pending *
pending_for(struct pending *w, struct series *s)
{
	return s->pending ? s->pending : pending_place(w, s);
}

/* The columns of the next event but for its values. */
static inline void
pending_put(struct series_pending *at, int64_t time, uint32_t stack)
{
	struct series *s = at->series;
	struct event_run *r = &at->run;

	r->time[r->n] = time;
	r->stack[r->n] = stack;
	if (s->labelled) {
		at->labels[r->n] = s->next_labels;
		s->next_labels = LABELS_NONE;
	}
}

/* Appends a step that comes in order and no later than at->until: its run is weighed, and
 * reaches as far as its last one. */
static inline void
pending_add_step(struct pending *w, struct series_pending *at, int64_t time, uint32_t stack)
{
	struct series *s = at->series;
	struct event_run *r = &at->run;

	pending_put(at, time, stack);
	s->last_time = time;
	at->reached = time;
	if (s->end_time < time)
		s->end_time = time;
	if (++r->n == EVENT_RUN_MAX)
		pending_write(w, at);
}

/* Writes a run at once, of a series none of whose events wait; labels[]: of each event, NULL where
 * the series has none; sum[]: of each of its columns, NULL where nobody knows them. */
void pending_write_run(struct pending *w, struct series *s, const struct event_run *run,
		       const labels_id *labels, const int64_t *sum);

/* The same of one whose times do not go down, from that of the event before on. */
void pending_write_rising(struct pending *w, struct series *s, const struct event_run *run);

/* Appends an event; its values are in run.value[][run.n] already. */
static inline void
pending_add(struct pending *w, struct series_pending *at, int64_t time, uint32_t stack)
{
	struct series *s = at->series;
	struct event_run *r = &at->run;

	pending_put(at, time, stack);
	if (time < s->last_time)
		series_unsorted(s);
	else
		s->last_time = time;
	if (s->end_time < time)
		s->end_time = time;
	if (++r->n == EVENT_RUN_MAX)
		pending_write(w, at);
}

#endif
