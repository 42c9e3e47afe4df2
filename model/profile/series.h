/* series.h - writing the columns of tracks.h.  Known to builder.c alone. */
#ifndef PNAV_MODEL_SERIES_H
#define PNAV_MODEL_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile/tracks.h"

/* Memory that all series of a builder share while they take checkpoints. */
struct series_scratch {
	uint32_t *place; /* [stack] its index in seen + 1, 0: not seen */
	uint32_t cap;
	int64_t *sum; /* [index in seen][metric] */
	size_t sum_cap;
	int64_t *value; /* of some events, [metric][event] */
	size_t value_cap;
	/* Takes a full chunk that nobody looks at before it is closed (series_chunk_close()), and
	 * closes it sometime; false: it does not.  NULL: nobody does. */
	bool (*closer)(void *with, struct series *s, uint32_t chunk);
	void *closer_with;
};
void series_scratch_release(struct series_scratch *x);

struct series *series_new(enum series_kind kind);
void series_free(struct series *s);
/* An empty one of the same metrics and form. */
struct series *series_like(const struct series *s);
/* Adds a metric; its index in the series.  A number that it carries has a column. */
unsigned series_add_metric(struct series *s, metric_id m, enum metric_role role);
/* Adds a metric that is a part of a column, of samples: one that is there, or the next. */
unsigned series_add_part(struct series *s, metric_id m, unsigned column, enum value_part part);

/* Append one event, of samples and totals with values[column]; the caller knows that no sum
 * passes 2^63 (builder_weigh.c). */
void series_add_step(struct series *s, struct series_scratch *x, int64_t time,
		     uint32_t stack_and_flags, int64_t value);
void series_add_sample(struct series *s, struct series_scratch *x, int64_t time,
		       stack_id stack, const int64_t *values);
/* Times of the series went down.  Who writes its chunks meanwhile may learn it now or later. */
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

/* `place` tells points of one time on different tracks apart. */
void series_add_point(struct series *s, int64_t time, int64_t value, int64_t place);
void series_add_total(struct series *s, stack_id stack, const int64_t *values);
/* Such a total will come soon. */
void series_total_soon(const struct series *s, stack_id stack);
/* Takes values off the sums of a stack that has them; the count of totals stays. */
void series_take_total(struct series *s, stack_id stack, const int64_t *values);
/* No totals, as when it was made. */
void series_clear_totals(struct series *s);
/* Sums of several totals of one stack, [metric]. */
void series_add_sums(struct series *s, stack_id stack, const int64_t *sums);
/* Can the numbers of one metric be multiplied?  Those of single events cannot. */
bool series_scales(const struct series *s, metric_id m);
/* Multiplies the sums of one metric of a series that scales; the caller knows that all of
 * them stay below 2^63. */
void series_scale(struct series *s, metric_id m, int64_t factor);
/* Puts events that came out of order into the order of time, stably. */
void series_sort(struct series *s, struct series_scratch *x);

#endif
