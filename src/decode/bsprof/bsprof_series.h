/* bsprof_series.h - the series of modules: one for each kind of measurement.
 *
 *	all.b = b;
 *	bsprof_series_put(&all, module, track, kind, &row, err)	-- any number
 *	bsprof_series_release(&all) */
#ifndef PNAV_SRC_DECODE_BSPROF_BSPROF_SERIES_H
#define PNAV_SRC_DECODE_BSPROF_BSPROF_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/base/vec.h"
#include "model/build/builder.h"

enum measure_kind { MEASURE_CPU, MEASURE_MEMORY, MEASURE_CALLS, MEASURE_KINDS };

#define BSPROF_VALUES 2u  /* of a row, at most */
#define BSPROF_METRICS 4u /* of a series */

/* Memory: the second value of a row; the first is the change of live bytes. */
enum { MEMORY_ALLOCATES = 1, MEMORY_FREES = 2 };

struct bsprof_series {
	struct series *series;
	track_id track;
	uint32_t module;
};

struct bsprof_row {
	uint64_t offset;
	int64_t ordinal;
	stack_id stack;
	bool aside; /* a free, whose stack may belong to another track */
	int64_t value[BSPROF_VALUES];
};

/* Zero-initialise it and set b. */
struct bsprof_all {
	struct builder *b;
	VEC(struct bsprof_series *)
	of; /* [module * MEASURE_KINDS + kind]; NULL: none yet */
	metric_id metric[MEASURE_KINDS][BSPROF_METRICS];
	unsigned n_metrics[MEASURE_KINDS]; /* 0: unknown */
	bool apart; /* each metric of memory has a column */
};

void bsprof_series_release(struct bsprof_all *r);
/* Appends a row to the series of this kind; makes the series if necessary. */
bool bsprof_series_put(struct bsprof_all *r, uint32_t module, track_id track,
		       enum measure_kind kind, const struct bsprof_row *row, struct err *err);
/* Returns a series that exists, else NULL. */
static inline struct bsprof_series *
bsprof_series_of(const struct bsprof_all *r, uint32_t module, enum measure_kind kind)
{
	size_t i = (size_t)module * MEASURE_KINDS + kind;

	return i < r->of.n ? r->of.at[i] : NULL;
}

#endif
