/* series_inside.h - chunks and blocks that are being written; for series*.c only. */
#ifndef PNAV_MODEL_PROFILE_SERIES_INSIDE_H
#define PNAV_MODEL_PROFILE_SERIES_INSIDE_H

#include "model/profile/event_run.h"
#include "model/profile/series.h"

/* Opens a chunk whose first event is at `time`, with a checkpoint before it if one is due. */
struct chunk *series_chunk_open(struct series *s, struct series_scratch *x, int64_t time);
/* Packs the columns of a chunk that gets no more events. Reads only fields of the series that
 * never change. */
void series_chunk_close(const struct series *s, struct chunk *c);

/* Updates the limits of the last block of points with a value; `first`: of the block. */
void series_block_point(struct series *s, int64_t value, bool first);

/* Adds a total to the sums and counts it; series_add_total() also keeps a labelled one. */
void series_count_total(struct series *s, stack_id stack, const int64_t *values);

/* ---- series_run.c ---- */

/* Adds events [from, from + n) of a run, which lie in one block, to the sums and to the last
 * block; sum[] is as for series_add_run(). The caller has ended the step before. */
void series_count_run(struct series *s, const struct event_run *run, uint32_t from, uint32_t n,
		      const int64_t *sum);

/* Appends a run of steps or samples. labels[] is read if the series has labels; sum[] has the
 * sum of each column, or is NULL; `before` is the time of the preceding event. */
void series_add_run(struct series *s, struct series_scratch *x, const struct event_run *run,
		    const labels_id *labels, const int64_t *sum, int64_t before);

/* ---- series_values.c ---- */

/* Drops the values that chunk_value() can derive, from a full chunk that is not packed yet;
 * returns the number of values left. */
uint32_t series_thin_values(struct chunk *c);

/* ---- series_checkpoint.c ---- */

/* Takes a checkpoint of all chunks so far if it is worth its memory; `next` is the time of the
 * next event. Returns true if it took one. */
bool series_checkpoint(struct series *s, struct series_scratch *x, int64_t next);
/* Takes one in any case. */
void series_checkpoint_take(struct series *s, struct series_scratch *x, int64_t next);
/* Takes one before a chunk that begins at `time` if enough events came since the last. Returns its
 * index; UINT32_MAX if none was taken. */
uint32_t series_checkpoint_before(struct series *s, struct series_scratch *x, int64_t time);
/* Returns the number of events that the last checkpoint covers. */
static inline uint64_t
series_checkpointed(const struct series *s)
{
	return s->n_checkpoints ? s->checkpoint[s->n_checkpoints - 1].events : 0;
}

/* Opens a block whose first event is at `time`. */
void series_block_open(struct series *s, int64_t time);

/* Returns the chunk for the next events, the first at `time`. */
static inline struct chunk *
series_chunk_for(struct series *s, struct series_scratch *x, int64_t time)
{
	if (s->n_chunks) {
		struct chunk *c = &s->chunk[s->n_chunks - 1];
		if (c->n < c->cap)
			return c;
	}
	return series_chunk_open(s, x, time);
}

/* Updates the dominant stack of the last block with an event. */
static inline void
series_block_weigh(struct series *s, stack_id stack, int64_t weight)
{
	if (weight > s->longest) {
		s->longest = weight;
		s->block[s->n_blocks - 1].dominant = stack;
	}
}

/* Ends the last step, which began at `from`, at `time`: adds its duration. */
static inline void
series_end_step(struct series *s, int64_t from, int64_t time)
{
	const struct chunk *c = &s->chunk[s->n_chunks - 1];
	uint32_t stack = chunk_stack(c, c->n - 1) & STEP_STACK;

	if (stack == STACK_EMPTY)
		return;
	for (unsigned m = 0; m < s->n_metrics; m++)
		if (role_lasts((enum metric_role)s->role[m]))
			s->sum[m] += series_lasts(s, m, from, time);
	series_block_weigh(s, stack, time - from);
}

#endif
