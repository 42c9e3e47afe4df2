/* series_inside.h - chunks and blocks that are being written.  For series*.c alone. */
#ifndef PNAV_MODEL_SERIES_INSIDE_H
#define PNAV_MODEL_SERIES_INSIDE_H

#include "model/profile/event_run.h"
#include "model/profile/series.h"

/* A new chunk, with a checkpoint before it where one is due; its first event is at `time`. */
struct chunk *series_chunk_open(struct series *s, struct series_scratch *x, int64_t time);
/* No event comes any more: packs its columns.  Of the series it reads what never changes. */
void series_chunk_close(const struct series *s, struct chunk *c);

/* ---- series_run.c ---- */

/* Appends a run of steps or samples; labels[], where the series has them; sum[], of each column,
 * where that is known, or NULL; `before` is the time of the event before them. */
void series_add_run(struct series *s, struct series_scratch *x, const struct event_run *run,
		    const labels_id *labels, const int64_t *sum, int64_t before);

/* ---- series_values.c ---- */

/* Lets go of what chunk_value() finds elsewhere, of a chunk that is full and not yet packed; how
 * many values are left. */
uint32_t series_thin_values(struct chunk *c);

/* ---- series_checkpoint.c ---- */

/* Takes a checkpoint of all chunks so far, where it is worth its memory; `next` is the time of
 * the event behind them.  Whether there is a new one. */
bool series_checkpoint(struct series *s, struct series_scratch *x, int64_t next);
/* How many events the last one covers. */
static inline uint64_t
series_checkpointed(const struct series *s)
{
	return s->n_checkpoints ? s->checkpoint[s->n_checkpoints - 1].events : 0;
}

/* A new block, whose first event is at `time`. */
void series_block_open(struct series *s, int64_t time);

/* The chunk that takes the next events, the first at `time`. */
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

/* An event of the last block: is it the longest? */
static inline void
series_block_weigh(struct series *s, stack_id stack, int64_t weight)
{
	if (weight > s->longest) {
		s->longest = weight;
		s->block[s->n_blocks - 1].dominant = stack;
	}
}

/* The last step, which began at `from`, ends at `time`: adds how long it lasted. */
static inline void
series_end_step(struct series *s, int64_t from, int64_t time)
{
	const struct chunk *c = &s->chunk[s->n_chunks - 1];
	uint32_t stack = chunk_stack(c, c->n - 1) & STEP_STACK;

	if (stack == STACK_EMPTY)
		return;
	for (unsigned m = 0; m < s->n_metrics; m++)
		if (s->role[m] == ROLE_TIME)
			s->sum[m] += time - from;
	series_block_weigh(s, stack, time - from);
}

#endif
