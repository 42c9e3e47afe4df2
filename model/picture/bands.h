/* bands.h - the states of a thread (actors.h) as a row of columns, one state a column.
 *
 *	running ━━━━━  runnable ╍╍╍  waiting ···  io ≈≈≈        (ui/view/timeline)
 *
 * A column in which several states take turns shows one of them, marked as mixed. Which one follows
 * from the columns before it: the states get columns in proportion to their times, so the row as a
 * whole has the right mixture at every zoom.
 *
 * Sums at every BANDS_STEP-th state make a column two binary searches and at most 2 * BANDS_STEP
 * states, however many states lie in it. They are computed when an actor is first drawn. */
#ifndef PNAV_MODEL_PICTURE_BANDS_H
#define PNAV_MODEL_PICTURE_BANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/vec.h"
#include "model/profile/actors.h"

#define BANDS_STEP 64u

struct band_times {
	int64_t ns[ACTOR_STATE_COUNT];
};

/* Zero-initialised, it is empty. */
struct bands {
	VEC(struct band_times) before; /* [i] times in [start, begin of state i * BANDS_STEP) */
	int64_t start;                 /* of the run */
};

struct band_column {
	uint8_t state; /* enum actor_state; ACTOR_UNKNOWN outside of the run, too */
	bool mixed;    /* less than 85 % of the column is in that state */
};

/* Extends the sums to all states of the actor. `start` is the begin of its file's run, not after
 * its first state. O(states added since the last call). */
void bands_update(struct bands *b, const struct actor *a, int64_t start);
/* Gets how long the actor is in each state in [from, to), which lies in the run. O(log n). */
void bands_between(const struct bands *b, const struct actor *a, int64_t from, int64_t to,
		   struct band_times *out);
/* Makes the n columns of [from, to), absolute times. The run ends at `end`. */
void bands_columns(const struct bands *b, const struct actor *a, int64_t end, int64_t from,
		   int64_t to, unsigned n, struct band_column *out);
void bands_release(struct bands *b);

#endif
