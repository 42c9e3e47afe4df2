/* series_pending.h - buffers events before they are written into their series.
 *
 * Writing a run of events costs hardly more than writing one (which chunk, which block, how wide
 * each column, which sums). So events of the busiest series are buffered here in plain columns,
 * and written a run at a time. Until then they are missing in the series, and their times in its
 * track. Call pending_settle() before anyone reads the profile, and before the start of a track
 * or a file changes. The series' last_time, end_time and sorted already include buffered events.
 *
 * For a file with many events, a separate thread writes the runs (series_beside.h). That thread
 * owns the rest of the series until pending_drain(), which pending_settle() calls. */
#ifndef PNAV_MODEL_BUILD_SERIES_PENDING_H
#define PNAV_MODEL_BUILD_SERIES_PENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "model/build/builder_put.h"
#include "model/profile/series.h"
#include "model/profile/series_beside.h"

/* The maximum span of times. A range may end one unit after the last event, and that limit must
 * be a number, too. */
#define TIME_SPAN_MAX (INT64_MAX - 1)

#define PENDING_SERIES 64u /* buffers */
/* The time that may be buffered before it is counted. All buffers together stay below the margin
 * between PENDING_BOUND and the largest sum: as much fits into BUILDER_PUT_BITS and a run. */
#define PENDING_ROOM (INT64_C(1) << 55)
/* Above this absolute sum, the common bound on all metrics no longer suffices. */
#define PENDING_BOUND (INT64_C(1) << 62)
_Static_assert((uint64_t)EVENT_RUN_MAX << BUILDER_PUT_BITS <= (uint64_t)PENDING_ROOM,
	       "the values of a run");
_Static_assert(PENDING_SERIES *(uint64_t)PENDING_ROOM <= (uint64_t)PENDING_BOUND / 2,
	       "the margin of the bound");

struct profile;

struct pending {
	struct profile *p;
	struct series_scratch *scratch;
	struct series_pending *of; /* [PENDING_SERIES]; NULL until first used */
	uint32_t next;             /* index of the buffer to be reused next */
	uint32_t direct;       /* number of further events that do not request a buffer */
	bool precise;          /* every event is weighed exactly (builder_weigh.c) */
	bool full;             /* the bound on sums has reached PENDING_BOUND */
	uint32_t beside_from;  /* number of runs written directly; later ones go */
	struct beside *beside; /* to the separate thread; 0: all are written here */
	int64_t adopting;      /* at least what chunks at the thread add to the bound on sums */
	struct beside_adopted adopted; /* the first fault of chunks, for pending_adopted() */
	uint64_t
		round; /* changes whenever the thread has no runs: compare series.given */
};

void pending_init(struct pending *w, struct profile *p, struct series_scratch *scratch);
void pending_release(struct pending *w);
/* Writes all buffered events. */
void pending_settle(struct pending *w);
/* Writes the buffered events of a series and frees its buffer. */
void pending_leave(struct pending *w, struct series *s);
/* Waits until the separate thread has written all runs and chunks. */
void pending_drain(struct pending *w);

/* Adopts a chunk (series_adopt_chunk()), here or on the separate thread; `most`: at least what it
 * adds to the bound on sums, which must stay below PENDING_BOUND with that. Call pending_adopted()
 * before you write anything else. */
void pending_adopt(struct pending *w, struct series *s, struct chunk *c,
		   const struct adopt_limits *limits, int64_t most, uint64_t offset);
/* Waits for all chunks. Returns the fault of the first event that was not appended and the offset
 * of its chunk, or NULL; chunks after it were dropped. */
const char *pending_adopted(struct pending *w, uint64_t *offset);

/* Makes the series readable and writable here: waits if the thread has runs of it. */
static inline void
pending_look(struct pending *w, const struct series *s)
{
	if (s->given == w->round)
		pending_drain(w);
}

/* Returns true if the series has any event, including those at the thread. */
static inline bool
pending_any(const struct pending *w, const struct series *s)
{
	return s->given == w->round || s->n;
}

/* Returns a number as large as |v|, for the OR of several. */
static inline uint64_t
pending_size(int64_t v)
{
	return (uint64_t)(v ^ (v >> 63)); /* maps -n to n - 1 */
}

/* Returns the buffer for the next event of a series; NULL if buffering it does not pay. The
 * caller has counted the event, for steps up to `time`. */
struct series_pending *pending_place(struct pending *w, struct series *s, int64_t time);
/* Writes the events of one buffer, which stays allocated to its series. */
void pending_write(struct pending *w, struct series_pending *at);

#endif
