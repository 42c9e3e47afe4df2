/* builder_inside.h - what a builder holds.  For builder*.c alone. */
#ifndef PNAV_MODEL_BUILDER_INSIDE_H
#define PNAV_MODEL_BUILDER_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/compare/alike.h"
#include "model/build/builder.h"
#include "model/base/map.h"
#include "model/profile/profile.h"
#include "model/profile/series.h"
#include "model/build/series_pending.h"
#include "model/base/vec.h"

#define BUILDER_NO_ROLE UINT8_MAX
#define BUILDER_MILLION 1000000

/* A metric as one file has it. */
struct own_metric {
	uint8_t role; /* enum metric_role; or BUILDER_NO_ROLE */
	bool whole;   /* values lack the metric's decimals */
};

/* A name of a function, and what it is shown as. */
struct read_name {
	name_id name, shown;
};

struct builder {
	struct profile *p;
	uint32_t group;
	struct series_scratch scratch;
	struct pending pending;

	struct map whole;      /* hash of frame ids -> index in whole_stack */
	stack_id *whole_stack; /* what was found under it */
	uint32_t n_whole, whole_cap;
	frame_id *last; /* frames of the last stack, root first */
	stack_id *last_stack;
	size_t n_last, last_cap;

	builder_reads *reads; /* names of functions; or NULL */
	struct map read_map;  /* hash of a name -> its index in read */
	VEC(struct read_name) read;

	uint32_t n_cut_before; /* names that files before have cut */
	uint64_t n_missing; /* events without a stack */
	bool deep;        /* a stack that is deeper than any is was asked for */

	struct own_metric *own;     /* [metric] what this file says of it */
	uint32_t n_own, own_cap;
	metric_id counted;          /* what this file shows its events as; or METRIC_NONE */
	struct map metric_map;      /* hash of a name -> metrics that are called so */
	bool multiplies;            /* any of those is set */
	bool counts_parts;          /* some metric has decimals: what is counted is a million */
	bool default_free;          /* no file before has chosen the default metric */
	char *label;                /* in front of the names of tracks; or NULL */
	struct alike alike;         /* functions of the files before; empty in the first file */
	track_id first_track;
	process_id first_process;
	struct track_pair {
		track_id track, beside;
	} * pair; /* of builder_track_beside() */
	uint32_t n_pairs, pairs_cap;
	uint64_t first_event;       /* of p->events */
	uint64_t n_odd, first_odd;  /* lines that are none of the format; where the first begins */
};

/* A row for each metric that the profile has from files before. */
void builder_metrics_init(struct builder *b);

/* Tracks that stand beside others stand under their processes. */
void builder_tracks_settle(struct builder *b);

/* The name of a track or a process, behind the label of its file where that has one. */
name_id builder_track_name(struct builder *b, const void *name, size_t len);

/* ---- builder_weigh.c ---- */

/* What an event adds to the metrics of its series; `lasts` of it is new time. */
struct builder_adds {
	const int64_t *values;
	int64_t lasts;
	uint32_t flags;
};

/* Whether all times of the track's file stay close enough with this one.  INT64_MAX, the last
 * time of all, is the end of ranges that have every event: an event there, and one that is
 * one nanosecond further from the others than TIME_SPAN_MAX, is moved by one. */
static inline bool
builder_time_fits(struct builder *b, track_id t, int64_t *time_io)
{
	int64_t time = *time_io == INT64_MAX ? INT64_MAX - 1 : *time_io;
	const struct group *group = &b->p->group[b->p->track[t].group];

	if (group->has_time && time < group->start)
		builder_settle(b); /* how late others are counts, too */
	int64_t start = group->has_time && group->start < time ? group->start : time;
	int64_t end = group->has_time && group->end > time ? group->end : time, span;

	if (__builtin_sub_overflow(end, start, &span))
		return false;
	if (span > TIME_SPAN_MAX) /* by one */
		time += time == end ? -1 : 1;
	*time_io = time;
	return true;
}

void builder_reaches_out(struct builder *b, track_id t, int64_t time);

/* The track has something at a time that fits. */
static inline void
builder_reaches(struct builder *b, track_id t, int64_t time)
{
	struct track *track = &b->p->track[t];
	struct group *group = &b->p->group[track->group];

	/* nearly every event lies behind the first of its track */
	if (!track->has_time || time < track->start) {
		builder_reaches_out(b, t, time);
		return;
	}
	track->end = time > track->end ? time : track->end;
	group->end = time > group->end ? time : group->end;
}

/* How much longer a series of steps is when something of it is at `time`: the last step
 * counts too, from where it was known to end. */
static inline int64_t
builder_more_time(const struct builder *b, const struct series *s, int64_t time)
{
	return pending_any(&b->pending, s) && time > s->end_time ? time - s->end_time : 0;
}

/* What no metric's values may reach in size, all together, for the bound to say enough; and
 * what an event that is told by it alone stays below, in each of its values. */
#define BUILDER_BOUND (INT64_C(1) << 62)
#define BUILDER_SMALL (UINT64_C(1) << 56)

bool builder_weigh_exactly(struct builder *b, const struct series *s,
			   const struct builder_adds *a);

/* Whether one bound on all metrics says enough, as nearly always; it grows by `most`, a number
 * that none of the event's is larger than in size. */
static inline bool
builder_weighs(struct builder *b, uint64_t most)
{
	struct profile *p = b->p;

	if (most >= BUILDER_SMALL || p->weight || b->counts_parts ||
	    p->bound + (int64_t)most + 1 >= BUILDER_BOUND)
		return false;
	p->bound += (int64_t)most + 1;
	return true;
}

/* The number that builder_weighs() asks for is as large as the largest of these. */
static inline uint64_t
builder_size(int64_t v)
{
	return (uint64_t)(v ^ (v >> 63)); /* -n is n - 1 here */
}

/* Weighs all that an event adds, or nothing and gives false where a sum would pass 2^63. */
static inline bool
builder_weigh_event(struct builder *b, const struct series *s, const struct builder_adds *a)
{
	uint64_t most = (uint64_t)a->lasts | 1;

	for (unsigned i = 0; a->values && i < s->n_columns; i++)
		most |= builder_size(a->values[i]);
	return builder_weighs(b, most) || builder_weigh_exactly(b, s, a);
}

/* The last step of a series lasts until then: no event, only time. */
bool builder_weigh_end(struct builder *b, const struct series *s, int64_t time);
/* Has the metric a value that is not 0? */
bool builder_has_values(struct builder *b, metric_id m);
/* Can all values of a metric become a million times as large?  Then that they did. */
bool builder_can_multiply(struct builder *b, metric_id m);
void builder_has_multiplied(struct builder *b, metric_id m);
/* Gives values that lack decimals theirs, in own[SERIES_METRICS_MAX]; false when one
 * passes 2^63. */
bool builder_multiply(const struct builder *b, const struct series *s,
		      const int64_t **values, int64_t *own);

#endif
