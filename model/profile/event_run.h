/* event_run.h - a run of events of one series, as columns.
 *
 * Writing a run into a series costs hardly more than writing one event. builder_step() and
 * builder_sample() collect runs (builder_put.h), series_pending.h writes them. */
#ifndef PNAV_MODEL_PROFILE_EVENT_RUN_H
#define PNAV_MODEL_PROFILE_EVENT_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile/labels.h"

#define EVENT_RUN_MAX 128u /* divides BLOCK_EVENTS */
#define EVENT_RUN_VALUES 6u

struct event_run {
	uint32_t n;
	int64_t time[EVENT_RUN_MAX];
	uint32_t stack[EVENT_RUN_MAX]; /* of steps: with their STEP_ flags */
	int64_t value[EVENT_RUN_VALUES][EVENT_RUN_MAX]; /* [metric with ROLE_VALUE] */
};

/* The newest events of a series, which are not in the series yet. */
struct series_pending {
	struct series *series; /* NULL: the buffer is free */
	/* Events between these times need no closer look. They change neither the start of the
	 * track nor that of its file, and all sums are bounded with them. For steps, `low` is the
	 * time of the last one. low > high: every event needs it. */
	int64_t low, high;
	int64_t reached; /* the latest time of samples here; INT64_MIN: none counts for the
			  * track */
	int64_t before;  /* `last_time` of the series without the events here, */
	int64_t first;   /* and when the buffer became that of the series */
	int64_t weighed; /* of steps: the end of the series as far as the bound on sums includes
			  * it */
	uint32_t
		apart; /* number of samples here that are already counted, or never are */
	bool exact;    /* the sums already include the events here */
	/* Label sets of labelled events; LABELS_NONE after them, but for the next event's. */
	labels_id labels[EVENT_RUN_MAX];
	struct event_run run;
};

#endif
