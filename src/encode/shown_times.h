/* shown_times.h - what a lens shows, event after event, for formats that know time. */
#ifndef PNAV_SRC_ENCODE_SHOWN_TIMES_H
#define PNAV_SRC_ENCODE_SHOWN_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "src/encode/shown.h"

/* Times count from the first event of the track's file, in the unit of its axis. */
struct shown_sample {
	int64_t time;
	int64_t lasts;         /* steps: how long; else 0 */
	stack_id stack;        /* as recorded */
	labels_id labels;      /* LABELS_NONE where the series has none */
	node_id node;          /* NODE_ROOT: a step at which nothing runs that is shown */
	uint32_t flags;        /* STEP_ ones */
	bool before;           /* a step that began before the range: its time counts alone */
	int64_t beside;        /* a valued step: what is shown beside it */
	bool calls;            /* begins a call of the node */
	const int64_t *value;  /* [metric of the series] */
};

/* Tells the events of a series of steps or samples in range, in their order.  Events whose
 * stack is not shown are passed over; of steps they are told with NODE_ROOT.  The step that
 * holds when the range begins is told from there on. */
void shown_samples(const struct shown *s, const struct series *series,
		   void (*tell)(void *ctx, const struct shown_sample *e), void *ctx);

/* Tells the sums of a series without time whose stacks are shown, the smallest stack first;
 * nothing where the lens has a range.  value: [metric of the series]. */
void shown_sums(const struct shown *s, const struct series *series,
		void (*tell)(void *ctx, stack_id stack, node_id node, const int64_t *value),
		void *ctx);

/* The same for sums of which each has its labels, which lie one by one: told as samples without
 * a time. */
void shown_labelled_sums(const struct shown *s, const struct series *series,
			 void (*tell)(void *ctx, const struct shown_sample *e), void *ctx);

/* The numbers of the track that was loaded last, of each node by label set; what has none, with
 * LABELS_NONE.  value: [metric of s], and of a node they sum up to shown_self(). */
void shown_by_labels(const struct shown *s, track_id track,
		     void (*tell)(void *ctx, node_id node, labels_id labels, const int64_t *value),
		     void *ctx);

/* A slice begins. */
struct shown_entry {
	int64_t time;
	node_id node;
	stack_id stack;   /* as recorded, that ends in the node's frame; STACK_EMPTY: none, as of
			   * an inverted tree */
	labels_id labels; /* of the event that entered it; LABELS_NONE: it has none */
	bool valued;      /* the event has a value that is shown beside the slice: */
	int64_t value;
};

/* Told when a node is entered and left: parents first, and left last. */
struct shown_slices {
	void (*enter)(void *ctx, const struct shown_entry *entry);
	void (*leave)(void *ctx, node_id node, int64_t time);
	void *ctx;
};

/* What slices say otherwise than the calls were: bits of shown_replay(). */
#define REPLAY_RESTED 1u /* a call that is suspended is left, and entered again */
#define REPLAY_TORN 2u   /* no begin or no end was seen, or another line of it ran on */

/* Replays a series of steps as slices of nodes: one a call, however many events it has. */
unsigned shown_replay(const struct shown *s, const struct series *series,
		      const struct shown_slices *tell);
/* Warns of these bits of all series that were written as slices. */
void shown_replay_warn(const struct shown *s, unsigned bits);

struct shown_point {
	int64_t time;
	int64_t value; /* of a floating series the bits of a double */
	labels_id labels;
};

/* Tells the points of a series in range, in their order. */
void shown_points(const struct shown *s, const struct series *series,
		  void (*tell)(void *ctx, const struct shown_point *e), void *ctx);

/* The index of a metric of the profile in a series; -1: it has none. */
int shown_column(const struct series *series, metric_id m);

#endif
