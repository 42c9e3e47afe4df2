/* series_beside.h - runs of events are written on a thread of their own.
 *
 *	struct beside *q = beside_new();
 *	beside_give(q, s, &run, labels, before);	-- as often as there are
 *	beside_drain(q);				-- now all of them are in their series
 *	beside_free(q);
 *
 * Between a run that was given and the next beside_drain() nobody else looks at what the writing
 * of runs touches in the series: its count, chunks, blocks, checkpoints and sums. */
#ifndef PNAV_MODEL_SERIES_BESIDE_H
#define PNAV_MODEL_SERIES_BESIDE_H

#include <stdint.h>

#include "model/profile/event_run.h"
#include "model/profile/labels.h"

struct beside;
struct series;

/* NULL where no thread can be had. */
struct beside *beside_new(void);
/* Copies a run; labels, one an event, and sums, one a column, or NULL.  Waits while too many are on
 * their way. */
void beside_give(struct beside *q, struct series *s, const struct event_run *run,
		 const labels_id *labels, const int64_t *sum, int64_t before);
/* Returns when all that was given is written. */
void beside_drain(struct beside *q);
void beside_free(struct beside *q);

#endif
