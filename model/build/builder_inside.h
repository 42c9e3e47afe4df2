/* builder_inside.h - the state of a builder, for builder*.c only. */
#ifndef PNAV_MODEL_BUILD_BUILDER_INSIDE_H
#define PNAV_MODEL_BUILD_BUILDER_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/map.h"
#include "model/base/vec.h"
#include "model/build/builder.h"
#include "model/build/builder_load.h"
#include "model/build/series_pending.h"
#include "model/compare/alike.h"
#include "model/profile/profile.h"
#include "model/profile/series.h"

#define BUILDER_NO_ROLE UINT8_MAX
#define BUILDER_MILLION 1000000

/* A metric as one file declares it. */
struct own_metric {
	uint8_t role; /* enum metric_role or BUILDER_NO_ROLE */
	bool whole;   /* values lack the metric's decimals */
	int64_t interval; /* of samples with this metric; 0: not stated */
};

/* A function's name and its displayed form. */
struct read_name {
	name_id name, shown;
};

struct builder {
	struct profile *p;
	uint32_t group;
	struct series_scratch scratch;
	struct pending pending;

	struct map whole;      /* hash of frame ids -> index in whole_stack */
	stack_id *whole_stack; /* the stack found for that index */
	uint32_t n_whole, whole_cap;
	frame_id *last; /* frames of the last stack, root first */
	stack_id *last_stack;
	size_t n_last, last_cap;

	VEC(frame_id) next; /* frames of builder_next_frame() */

	builder_reads *reads; /* converts names of functions; or NULL */
	struct map read_map;  /* hash of a name -> its index in `read` */
	VEC(struct read_name) read;

	uint32_t n_cut_before; /* names that earlier files truncated */
	uint64_t n_missing; /* number of events without a stack */
	uint64_t n_unshown; /* number of events that no view shows */
	bool deep;        /* a decoder asked for a stack deeper than STACK_DEPTH_MAX */

	struct own_metric *own;     /* [metric] what this file declares of it */
	uint32_t n_own, own_cap;
	metric_id counted;          /* the metric that shows this file's events, or METRIC_NONE */
	struct map metric_map;      /* hash of a name -> metrics with that name */
	bool multiplies;            /* own[].whole is set for some metric */
	bool counts_parts;          /* some metric has decimals, so a count is multiplied by a
				     * million */
	bool default_free;          /* no earlier file chose the default metric */
	bool default_kept;          /* also if it has no values */
	char *label;                /* prefix of the names of tracks; or NULL */
	struct alike alike;         /* functions of earlier files; empty in the first file */
	track_id first_track;
	process_id first_process;
	actor_id first_actor;
	uint32_t first_edge;
	VEC(actor_id) actor_on; /* [track - first_track] its first actor; ACTOR_NONE */
	struct track_pair {
		track_id track, beside;
	} * pair; /* pairs from builder_track_beside() */
	uint32_t n_pairs, pairs_cap;
	uint32_t pairs_settled; /* the first ones, which are done */
	uint64_t first_event;       /* p->events when this file began */
	/* of a packed profile (builder_adopt.c): */
	bool adopts_whole; /* the profile had nothing before */
	uint32_t adopted_files;
	struct metric *adopted;          /* its metrics */
	metric_id adopted_events;        /* the hidden count of events, or METRIC_NONE */
	struct carried carried;
	/* Totals of a part since its last join, which the whole adds up: */
	VEC(struct part_total { struct series *series; stack_id stack; }) total;
	VEC(int64_t) total_value; /* the values of one after the other */
	struct named {         /* builder_named.c */
		struct map map; /* hash of a name -> the first track or process of that name */
		uint32_t n;     /* those up to here are in the map; 0: none */
	} tracks_named, processes_named;
	const struct series *put_alone;  /* the last series that gets its events one by one */
	uint64_t n_odd, first_odd;  /* lines that do not follow the format, and the offset of the
				     * first */
};

/* Adds a row for each metric that the profile has from earlier files. */
void builder_metrics_init(struct builder *b);

/* Returns the id of a track's or process's name, prefixed with the label of its file if there is
 * one. */
name_id builder_track_name(struct builder *b, const void *name, size_t len);

/* ---- builder_named.c ---- */

/* Return the first track or process of this file with this name; UINT32_MAX if there is none. */
track_id builder_track_of(struct builder *b, name_id name);
process_id builder_process_of(struct builder *b, name_id name);

/* ---- builder_unique.c ---- */

/* Gives the tracks of this file names that no other track has: `NAME (2)`. O(tracks of the
 * file), and O(tracks and names) if a name is there twice. */
void builder_unique_tracks(struct builder *b);
/* Forgets the names of tracks that were removed. */
void builder_unique_discard(struct profile *p);

/* ---- builder_stacks.c ---- */

/* Returns the function whose name is the displayed one. */
function_id builder_function_shown(struct builder *b, struct function f);

/* ---- builder_tracks.c ---- */

/* Returns a new process; the name has the label of its file. */
process_id builder_process_with(struct builder *b, name_id name);

/* ---- builder.c ---- */

/* Returns a new track; the name has the label of its file. */
track_id builder_track_with(struct builder *b, name_id name, enum track_kind kind);
/* Returns the metric in which events of this file are counted; METRIC_NONE: a hidden one. */
metric_id builder_events_counted(const struct builder *b);
/* Returns a new series without metrics. */
struct series *builder_series_for(struct builder *b, track_id t, enum series_kind kind);

/* ---- builder_actors.c ---- */

/* Releases memory that the actors of this file do not need. */
void builder_actors_finish(struct builder *b);
/* Removes the actors and edges of this file. */
void builder_actors_discard(struct builder *b);

/* ---- builder_weigh.c ---- */

/* The amounts that an event adds to the metrics of its series; `lasts` is only the time not yet
 * counted. */
struct builder_adds {
	const int64_t *values;
	int64_t lasts;
	uint32_t flags;
};

/* Returns true if the times of a file stay within TIME_SPAN_MAX with this one. Ranges with every
 * event end at INT64_MAX. So an event there is moved by one, and so is one that lies one
 * nanosecond too far from the others. */
static inline bool
builder_moment_fits(struct builder *b, const struct group *group, int64_t *time_io)
{
	int64_t time = *time_io == INT64_MAX ? INT64_MAX - 1 : *time_io;

	if (group->has_time && time < group->start)
		builder_settle(b); /* buffered events extend the group's span, too */
	int64_t start = group->has_time && group->start < time ? group->start : time;
	int64_t end = group->has_time && group->end > time ? group->end : time, span;

	if (__builtin_sub_overflow(end, start, &span))
		return false;
	if (span > TIME_SPAN_MAX) /* too far by one */
		time += time == end ? -1 : 1;
	*time_io = time;
	return true;
}

/* The same for the file of a track. */
static inline bool
builder_time_fits(struct builder *b, track_id t, int64_t *time_io)
{
	return builder_moment_fits(b, &b->p->group[b->p->track[t].group], time_io);
}

void builder_reaches_out(struct builder *b, track_id t, int64_t time);

/* Extends the track to a time that fits. */
static inline void
builder_reaches(struct builder *b, track_id t, int64_t time)
{
	struct track *track = &b->p->track[t];
	struct group *group = &b->p->group[track->group];

	/* nearly every event lies after the first of its track */
	if (!track->has_time || time < track->start) {
		builder_reaches_out(b, t, time);
		return;
	}
	track->end = time > track->end ? time : track->end;
	group->end = time > group->end ? time : group->end;
}

/* Returns how much longer a series of steps lasts if its next event is at `time`, counted from
 * the known end of its last step. */
static inline int64_t
builder_more_time(const struct builder *b, const struct series *s, int64_t time)
{
	return pending_any(&b->pending, s) && time > s->end_time ? time - s->end_time : 0;
}

bool builder_weigh_exactly(struct builder *b, const struct series *s, const struct builder_adds *a);

/* Each value of an event that only the common bound counts is smaller than this. */
#define BUILDER_SMALL (UINT64_C(1) << 56)

/* Adds `most`, at least the absolute size of each number of an event, to the common bound of all
 * metrics. Returns false if the bound does not suffice, which is rare; the caller then weighs
 * exactly. */
static inline bool
builder_weighs(struct builder *b, uint64_t most)
{
	struct profile *p = b->p;

	if (most >= BUILDER_SMALL || p->weight || b->counts_parts ||
	    p->bound + (int64_t)most + 1 >= PENDING_BOUND)
		return false;
	p->bound += (int64_t)most + 1;
	return true;
}

/* Counts all that an event adds. Returns false without a change if a sum would exceed 2^63. */
static inline bool
builder_weigh_event(struct builder *b, const struct series *s, const struct builder_adds *a)
{
	uint64_t most = (uint64_t)a->lasts | 1;

	for (unsigned i = 0; a->values && i < s->n_columns; i++)
		most |= pending_size(a->values[i]);
	return builder_weighs(b, most) || builder_weigh_exactly(b, s, a);
}

/* Returns true if the tracks of this file, if there are any, have no events. */
bool builder_is_empty(const struct builder *b);
/* Extends the last step of a series until `time`: adds time but no event. */
bool builder_weigh_end(struct builder *b, const struct series *s, int64_t time);
/* Returns true if the metric has a value other than 0. */
bool builder_has_values(struct builder *b, metric_id m);
/* If the file has no value of its default metric, makes another the default: the first with
 * values of the same unit, else of any unit, calls last. */
void builder_default_settle(struct builder *b);
/* builder_can_multiply() returns true if all values of a metric can be multiplied by a million.
 * Call builder_has_multiplied() after doing so. */
bool builder_can_multiply(struct builder *b, metric_id m);
void builder_has_multiplied(struct builder *b, metric_id m);
/* Multiplies those values that lack decimals, into own[SERIES_METRICS_MAX]; returns false if one
 * exceeds 2^63. */
bool builder_multiply(const struct builder *b, const struct series *s,
		      const int64_t **values, int64_t *own);

#endif
