/* series_prefix.h - sums that a packed profile states, so that opening it need not compute them.
 *
 * A file may state what the events of each block add, its dominant stack, and checkpoints. A reader
 * trusts them like the values of events: wrong ones make wrong reports. It only checks what others
 * rely on: stacks exist, counts and times never decrease, and all sizes together stay below those
 * that the events can have, so that no sum overflows. */
#ifndef PNAV_MODEL_PROFILE_SERIES_PREFIX_H
#define PNAV_MODEL_PROFILE_SERIES_PREFIX_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile/tracks.h"

/* Stated sums or all their offsets from the base are smaller than 2^PREFIX_BITS, and so is the
 * base. So a sum is below 2^60. A checkpoint may be the sum of two columns, so the difference of
 * two checkpoints is below 2^62. */
#define PREFIX_BITS 59

/* The sums that a file states of a series, while the series adopts its chunks. Blocks and
 * checkpoints move from here into the series with the events that they sum. */
struct series_prefix {
	uint32_t n_blocks;       /* 0: not stated */
	struct column dominant;  /* [block] */
	struct column *sum;      /* [metric of the series]; [block] what its events add, but of the
				  * last block */
	uint32_t n_checkpoints;  /* length of s->checkpoint[]; s->n_checkpoints counts only those
				  * whose events are there. 0: not stated */
	bool alone; /* no checkpoints are worth their memory: the series takes none */
	int64_t bound;   /* at least the sizes of all numbers of the events adopted so far */
	int64_t checked; /* the same for those before the last checkpoint */
};

/* Returns true if n sums of this column can be added without overflow. */
bool prefix_column_fits(const struct column *c, uint32_t n);
/* Gives a series without events n blocks. Takes over the columns, which fit. Returns false, without
 * taking them, if it has some already. */
bool series_prefix_blocks(struct series *s, uint32_t n, const struct column *dominant,
			  const struct column *sum);
/* Returns the number of stacks that the stated checkpoints have so far. */
uint32_t series_prefix_seen(const struct series *s);
/* Adds a checkpoint to a series without events: the sums of its first `events` events, for all
 * stacks so far and n more. Takes over the columns, one a metric, which fit. Returns false, without
 * taking them, if it has more stacks than there are events since the checkpoint before. */
bool series_prefix_checkpoint(struct series *s, uint64_t events, const stack_id *stack, uint32_t n,
			      const struct column *sum);
/* Says that the series takes no checkpoints. */
void series_prefix_alone(struct series *s);
/* Adds the last checkpoint to a series that has all its events, and drops what has none. `ends`: as
 * for series_prefix_due(). Returns NULL, or what is wrong. */
const char *series_prefix_end(struct series *s, int64_t ends);
/* Drops what is stated and has no events yet: further events are summed. */
void series_prefix_drop(struct series *s);

/* Adds the checkpoint that is stated of the events so far, if any, and sets *index to it, else to
 * UINT32_MAX. The last step lasts for `ends` from its begin. Returns NULL, or what is wrong. */
const char *series_prefix_due(struct series *s, int64_t ends, uint32_t *index);

#endif
