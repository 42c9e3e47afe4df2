/* shown_times.h - the events that a lens shows, in order of time, for formats that record times. */
#ifndef PNAV_SRC_ENCODE_SHOWN_TIMES_H
#define PNAV_SRC_ENCODE_SHOWN_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "src/encode/shown.h"

/* An event. Times count from the first event of the track's file, in the unit of its axis. */
struct shown_sample {
	int64_t time, begin;   /* `begin`: the same on the file's own clock */
	int64_t lasts;         /* steps: the duration; else 0 */
	stack_id stack;        /* as recorded */
	labels_id labels;      /* LABELS_NONE if the series has none */
	node_id node;          /* NODE_ROOT: a step without a shown node */
	uint32_t flags;        /* STEP_ ones */
	bool before;           /* a step that began before the range: only its time counts */
	int64_t beside;        /* of a valued step: the value shown beside it */
	bool calls;            /* begins a call of the node */
	uint64_t event;        /* its index in the series */
	const int64_t *value;  /* [metric of the series] */
};

/* Passes the events of a series of steps or samples in the range to a callback, in order. Skips
 * events whose stack is not shown, but passes such steps with NODE_ROOT. The step in progress at
 * the beginning of the range is passed from there on. */
void shown_samples(const struct shown *s, const struct series *series,
		   void (*emit)(void *ctx, const struct shown_sample *e), void *ctx);

/* Returns what the event adds to metric m of the series, an index in it. */
int64_t shown_adds(const struct series *series, unsigned m, const struct shown_sample *e);

/* Passes the sums of a series without time whose stacks are shown, in ascending order of stacks;
 * none if the lens has a range. value: [metric of the series]. */
void shown_sums(const struct shown *s, const struct series *series,
		void (*emit)(void *ctx, stack_id stack, node_id node, const int64_t *value),
		void *ctx);

/* The same for a series in which each sum has labels: passes them as samples without a time. */
void shown_labelled_sums(const struct shown *s, const struct series *series,
			 void (*emit)(void *ctx, const struct shown_sample *e), void *ctx);

/* Passes the numbers of the track loaded last, for each node and label set; those without labels
 * have LABELS_NONE. value: [metric of s]; for each node they add up to shown_self(). */
void shown_by_labels(const struct shown *s, track_id track,
		     void (*emit)(void *ctx, node_id node, labels_id labels, const int64_t *value),
		     void *ctx);

/* The beginning of a slice. */
struct shown_entry {
	int64_t time;
	node_id node;
	uint64_t event;   /* the index of the step that enters it in the series */
	stack_id stack;   /* as recorded, ending in the node's frame; STACK_EMPTY: none, as in an
			   * inverted tree */
	labels_id labels; /* of the event that entered it; LABELS_NONE: none */
	bool valued;      /* the event has a value that is shown beside the slice: */
	int64_t value;
};

/* Callbacks for entering and leaving nodes: a parent is entered first and left last. */
struct shown_slices {
	void (*enter)(void *ctx, const struct shown_entry *entry);
	void (*leave)(void *ctx, node_id node, int64_t time);
	void *ctx;
};

/* Deviations of slices from the recorded calls: bits that shown_replay() returns. */
#define REPLAY_RESTED 1u /* a suspended call is left, and entered again */
/* the begin or end of a call was not recorded, or one of its lines continued */
#define REPLAY_TORN 2u

/* Replays a series of steps as slices of nodes, one slice per call. Returns REPLAY_ bits. */
unsigned shown_replay(const struct shown *s, const struct series *series,
		      const struct shown_slices *emit);
/* Warns about these bits of all series written as slices. */
void shown_replay_warn(const struct shown *s, unsigned bits);

struct shown_point {
	int64_t time;
	int64_t value; /* of a floating series: the bits of a double */
	labels_id labels;
};

/* Passes the points of a series in the range, in order. */
void shown_points(const struct shown *s, const struct series *series,
		  void (*emit)(void *ctx, const struct shown_point *e), void *ctx);

/* A flow or a link between two tracks that the lens shows. Times count from the first event of the
 * file of each track. */
struct shown_flow {
	track_id from, to;
	int64_t from_time, to_time;
};

/* Passes those that leave and arrive in the range, in the order of their arrival. */
void shown_flows(const struct shown *s, void (*tell)(void *ctx, const struct shown_flow *flow),
		 void *ctx);


#endif
