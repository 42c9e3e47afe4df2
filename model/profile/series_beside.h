/* series_beside.h - a separate thread that writes runs of events into their series.
 *
 *	struct beside *q = beside_new();
 *	beside_give(q, s, &run, labels, before);	-- for each run
 *	beside_drain(q);				-- now all of them are in their series
 *	beside_free(q);
 *
 * Between beside_give() or beside_adopt() and the next beside_drain(), only that thread may access
 * what writing changes in the series: its count, chunks, blocks, checkpoints and sums. */
#ifndef PNAV_MODEL_PROFILE_SERIES_BESIDE_H
#define PNAV_MODEL_PROFILE_SERIES_BESIDE_H

#include <stdint.h>

#include "model/profile/event_run.h"
#include "model/profile/labels.h"
#include "model/profile/series_adopt.h"

struct beside;
struct series;

/* Returns NULL if no thread can be created. */
struct beside *beside_new(void);
/* Hands a copy of a run to the thread. `labels` (one per event) and `sum` (one per column) may
 * be NULL. Blocks while too many runs are queued. */
void beside_give(struct beside *q, struct series *s, const struct event_run *run,
		 const labels_id *labels, const int64_t *sum, int64_t before);
/* Hands over a chunk for series_adopt_chunk(). All runs of the series must have been written.
 * `offset` is that of the chunk in its file. Blocks while many chunks are queued. */
void beside_adopt(struct beside *q, struct series *s, const struct chunk *c,
		  const struct adopt_limits *limits, uint64_t offset);
/* Waits until all runs and chunks are written. */
void beside_drain(struct beside *q);
/* The result of the chunks since the last call, which must follow beside_drain(). */
struct beside_adopted {
	int64_t bound;     /* as of series_adopt_chunk() */
	const char *wrong; /* NULL, or the fault of the first event that was not appended; the
			    * chunks after it were dropped */
	uint64_t offset;   /* of the chunk with the fault */
};
struct beside_adopted beside_adopted(struct beside *q);
void beside_free(struct beside *q);

#endif
