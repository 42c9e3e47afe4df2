/* series.h - writes the columns of tracks.h. Used by builder*.c, series*.c, regroup.c and
 * profile.c. */
#ifndef PNAV_MODEL_PROFILE_SERIES_H
#define PNAV_MODEL_PROFILE_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile/tracks.h"

/* Memory that all series of a builder share to take checkpoints. */
struct series_scratch {
	uint32_t *place; /* [stack] its index in `seen` + 1; 0: not seen */
	uint32_t cap;
	int64_t *sum; /* [index in seen][metric] */
	size_t sum_cap;
	int64_t *value; /* [metric][event] of some events */
	size_t value_cap;
	/* Callback that takes over a full chunk, which is not read before it is closed, and
	 * calls series_chunk_close() later. Returns false to refuse. NULL: the series closes its
	 * chunks itself. */
	bool (*closer)(void *with, struct series *s, uint32_t chunk);
	void *closer_with;
};
void series_scratch_release(struct series_scratch *x);

struct series *series_new(enum series_kind kind);
void series_free(struct series *s);
/* Frees the columns of a chunk of the series. */
void series_chunk_release(const struct series *s, struct chunk *c);
/* Returns an empty series with the same metrics and form. */
struct series *series_like(const struct series *s);
/* Adds a metric and returns its index in the series. A metric with ROLE_VALUE has a column. */
unsigned series_add_metric(struct series *s, metric_id m, enum metric_role role);
/* For samples: adds a metric that is a part of an existing column, or of the next one. */
unsigned series_add_part(struct series *s, metric_id m, unsigned column, enum value_part part);

/* Append one event; samples and totals have values[column]. The caller guarantees that no sum
 * exceeds 2^63 (builder_weigh.c). */
void series_add_step(struct series *s, struct series_scratch *x, int64_t time,
		     uint32_t stack_and_flags, int64_t value);
void series_add_sample(struct series *s, struct series_scratch *x, int64_t time,
		       stack_id stack, const int64_t *values);
/* Marks the times of the series as unordered. A thread that writes its chunks meanwhile may see
 * that now or later. */
static inline void
series_unsorted(struct series *s)
{
	__atomic_store_n(&s->sorted, false, __ATOMIC_RELAXED);
}

static inline bool
series_is_sorted(const struct series *s)
{
	return __atomic_load_n(&s->sorted, __ATOMIC_RELAXED);
}

/* `place` distinguishes points of one time on different tracks. */
void series_add_point(struct series *s, int64_t time, int64_t value, int64_t place);
void series_add_total(struct series *s, stack_id stack, const int64_t *values);
/* Prefetches for such a total. */
void series_total_soon(const struct series *s, stack_id stack);
/* Subtracts values from the sums of a stack that has them; the count of totals stays. */
void series_take_total(struct series *s, stack_id stack, const int64_t *values);
/* Removes all totals. */
void series_clear_totals(struct series *s);
/* Adds the sums of several totals of one stack, [metric]. */
void series_add_sums(struct series *s, stack_id stack, const int64_t *sums);
/* Returns true if the numbers of one metric can be multiplied; those of single events cannot. */
bool series_scales(const struct series *s, metric_id m);
/* Multiplies the sums of one metric of such a series; the caller guarantees that all of them
 * stay below 2^63. */
void series_scale(struct series *s, metric_id m, int64_t factor);
/* Sorts unordered events by time, stably. */
void series_sort(struct series *s, struct series_scratch *x);

#endif
