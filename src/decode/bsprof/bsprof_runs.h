/* bsprof_runs.h - rows of the series of modules, on their way into the profile.
 *
 *	runs.b = b;
 *	bsprof_runs_put(&runs, module, kind, &row, err)		-- as often as there are
 *	bsprof_runs_settle(&runs, err)		-- before a reader looks, and at the end
 *	bsprof_runs_release(&runs) */
#ifndef PNAV_SRC_DECODE_BSPROF_BSPROF_RUNS_H
#define PNAV_SRC_DECODE_BSPROF_BSPROF_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/build/builder.h"
#include "model/base/err.h"

enum measure_kind { MEASURE_CPU, MEASURE_MEMORY, MEASURE_CALLS, MEASURE_KINDS };

#define BSPROF_RUNS_MAX 64u
#define BSPROF_SMALL (UINT64_C(1) << 40)
#define BSPROF_VALUES 2u  /* of a row, at most */
#define BSPROF_METRICS 4u /* of a series */

/* Memory: the second value of a row; the first is what becomes live. */
enum { MEMORY_ALLOCATES = 1, MEMORY_FREES = 2 };

/* Those of one series that are not in it yet. */
struct bsprof_run {
	size_t of;      /* index of its series */
	uint32_t aside; /* how many are */
	struct event_run events;
	uint64_t offset[EVENT_RUN_MAX];
	bool is_aside[EVENT_RUN_MAX];
};

struct bsprof_series {
	struct series *series; /* NULL: none yet */
	struct bsprof_run *run; /* NULL: they are few, or there are too many runs */
	bool apart; /* each metric has a column */
	track_id track;
	uint32_t n;   /* rows, as long as they are few */
	bool counted; /* a row that is not aside was there */
	int64_t last; /* the latest of those */
};

struct bsprof_row {
	uint64_t offset;
	int64_t ordinal;
	stack_id stack;
	bool aside; /* the event is that of a free, maybe on another track */
	int64_t value[BSPROF_VALUES];
};

/* Zero-initialised but for b. */
struct bsprof_runs {
	struct builder *b;
	struct bsprof_series *of; /* [module * MEASURE_KINDS + kind] */
	size_t n, cap;
	struct bsprof_run *run[BSPROF_RUNS_MAX]; /* own */
	uint32_t n_runs;
	bool singly; /* rows are given to the builder one by one */
	metric_id metric[MEASURE_KINDS][BSPROF_METRICS];
	unsigned n_metrics[MEASURE_KINDS]; /* 0: not known yet */
};

void bsprof_runs_release(struct bsprof_runs *r);
bool bsprof_runs_put(struct bsprof_runs *r, uint32_t module, track_id track,
		     enum measure_kind kind, const struct bsprof_row *row, struct err *err);
/* Writes all rows. */
bool bsprof_runs_settle(struct bsprof_runs *r, struct err *err);
/* Writes those of one run. */
bool bsprof_run_write(struct bsprof_runs *r, struct bsprof_run *run, struct err *err);

/* The run of a series that has one, else NULL. */
static inline struct bsprof_run *
bsprof_run_of(const struct bsprof_runs *r, uint32_t module, enum measure_kind kind)
{
	size_t i = (size_t)module * MEASURE_KINDS + kind;

	return i < r->n ? r->of[i].run : NULL;
}

static inline uint32_t
bsprof_run_module(const struct bsprof_run *run)
{
	return (uint32_t)(run->of / MEASURE_KINDS);
}

/* Appends a row whose values lie in events.value[][events.n] already. */
static inline bool
bsprof_run_add(struct bsprof_runs *r, struct bsprof_run *run, int64_t ordinal, stack_id stack,
	       uint64_t offset, bool aside, struct err *err)
{
	uint32_t n = run->events.n;

	run->events.time[n] = ordinal;
	run->events.stack[n] = stack;
	run->offset[n] = offset;
	run->is_aside[n] = aside;
	run->aside += aside;
	run->events.n = ++n;
	return n < EVENT_RUN_MAX || bsprof_run_write(r, run, err);
}

#endif
