#include "src/decode/bsprof/bsprof_runs.h"

#include <stdlib.h>

#include "model/base/mem.h"
#include "model/base/vec.h"

/* A run takes as much room as a thousand packed rows: series with few rows get none, nor
 * those that come when BSPROF_RUNS_MAX have one.
 *
 * Which rows of several runs are written first says nothing, but for the one case that one of
 * them does not fit the profile: what stands before it in the file stays, and nothing behind
 * it.  So rows with large values are not among those that wait, and where the builder refuses
 * a run, the rows of all are given to it one by one, in the order of the file, and from there
 * on each as it comes. */

#define WORTH 256u

/* alloc, allocs, frees and live are of two numbers: what becomes live, and whether it is an
 * allocation, a free or what that takes from elsewhere. */
static const uint8_t memory_column[BSPROF_METRICS] = {0, 1, 1, 0};
static const enum value_part memory_part[BSPROF_METRICS] = {PART_GAIN, PART_BIT_0, PART_BIT_1,
							    PART_ALL};

void
bsprof_runs_release(struct bsprof_runs *r)
{
	for (uint32_t i = 0; i < r->n_runs; i++)
		free(r->run[i]);
	free(r->of);
	*r = (struct bsprof_runs){0};
}

/* One row; track and series know it. */
static bool
write_one(struct bsprof_runs *r, struct bsprof_series *s, const struct bsprof_row *row,
	  struct err *err)
{
	const int64_t *values = row->value;
	int64_t apart[BSPROF_METRICS];

	for (unsigned m = 0; s->apart && m < BSPROF_METRICS; m++)
		apart[m] = value_part(memory_part[m], row->value[memory_column[m]]);
	values = s->apart ? apart : values;
	if (row->aside)
		return builder_sample_aside(r->b, s->series, row->ordinal, row->stack, values,
					    row->offset, err);
	builder_track_event(r->b, s->track);
	s->last = s->counted && s->last > row->ordinal ? s->last : row->ordinal;
	s->counted = true;
	return builder_sample(r->b, s->series, row->ordinal, row->stack, values, row->offset, err);
}

static struct bsprof_series *
series_of(struct bsprof_runs *r, uint32_t module, track_id track, enum measure_kind kind)
{
	size_t i = (size_t)module * MEASURE_KINDS + kind;

	while (r->n <= i) {
		vec_room(r->of, r->cap, r->n + 1);
		r->of[r->n++] = (struct bsprof_series){0};
	}
	struct bsprof_series *s = &r->of[i];
	if (s->series)
		return s;
	s->track = track;
	if (kind == MEASURE_MEMORY)
		s->series = builder_samples_parts(r->b, track, r->metric[kind], memory_column,
						  memory_part, r->n_metrics[kind]);
	if (!s->series) {
		s->apart = kind == MEASURE_MEMORY;
		s->series = builder_samples(r->b, track, r->metric[kind], r->n_metrics[kind]);
	}
	return s;
}

static bool
is_large(const struct bsprof_row *row)
{
	uint64_t most = 0;

	for (unsigned v = 0; v < BSPROF_VALUES; v++)
		most |= (uint64_t)(row->value[v] < 0 ? -row->value[v] : row->value[v]);
	return most >= BSPROF_SMALL;
}

bool
bsprof_runs_put(struct bsprof_runs *r, uint32_t module, track_id track, enum measure_kind kind,
		const struct bsprof_row *row, struct err *err)
{
	struct bsprof_series *s = series_of(r, module, track, kind);
	struct bsprof_run *run = s->run;

	if (!run && s->n++ > WORTH && r->n_runs < BSPROF_RUNS_MAX && !r->singly) {
		run = r->run[r->n_runs++] = s->run = mem_alloc(1, sizeof *run);
		run->of = (size_t)(s - r->of);
		run->aside = run->events.n = 0;
	}
	bool alone = row->stack == STACK_NONE || is_large(row);
	if (alone && !bsprof_runs_settle(r, err))
		return false;
	if (!run || r->singly || alone)
		return write_one(r, s, row, err);
	for (unsigned v = 0; v < BSPROF_VALUES; v++)
		run->events.value[v][run->events.n] = row->value[v];
	return bsprof_run_add(r, run, row->ordinal, row->stack, row->offset, row->aside, err);
}

/* ---- runs ---- */

static bool
written(struct bsprof_runs *r, struct bsprof_run *run)
{
	struct bsprof_series *s = &r->of[run->of];
	struct event_run *e = &run->events;
	int64_t first = INT64_MAX, last = INT64_MIN;

	if (!run->aside && e->n) { /* what waited is written apart: within a run times rise */
		first = e->time[0];
		last = e->time[e->n - 1];
	}
	for (uint32_t i = 0; run->aside && i < e->n; i++) {
		if (run->is_aside[i])
			continue;
		first = e->time[i] < first ? e->time[i] : first;
		last = e->time[i] > last ? e->time[i] : last;
	}
	if (s->apart || !builder_sample_run(r->b, s->series, e, first, last))
		return false;
	if (run->aside < e->n) {
		builder_track_events(r->b, s->track, e->n - run->aside);
		s->last = s->counted && s->last > last ? s->last : last;
		s->counted = true;
	}
	e->n = run->aside = 0;
	return true;
}

/* Of rows that are next in their runs the one that comes first in the file; of one free that
 * itself, then what it takes away. */
static bool
comes_before(const struct bsprof_run *a, uint32_t i, const struct bsprof_run *b, uint32_t k)
{
	if (a->offset[i] != b->offset[k])
		return a->offset[i] < b->offset[k];
	return !a->is_aside[i] && b->is_aside[k];
}

static bool
write_singly(struct bsprof_runs *r, struct err *err)
{
	uint32_t done[BSPROF_RUNS_MAX] = {0};
	bool good = true;

	r->singly = true;
	while (good) {
		uint32_t next = UINT32_MAX;
		for (uint32_t i = 0; i < r->n_runs; i++)
			if (done[i] < r->run[i]->events.n &&
			    (next == UINT32_MAX ||
			     comes_before(r->run[i], done[i], r->run[next], done[next])))
				next = i;
		if (next == UINT32_MAX)
			break;
		const struct bsprof_run *run = r->run[next];
		uint32_t i = done[next]++;
		struct bsprof_row row = {
			.offset = run->offset[i],
			.ordinal = run->events.time[i],
			.stack = run->events.stack[i],
			.aside = run->is_aside[i],
		};
		for (unsigned v = 0; v < BSPROF_VALUES; v++)
			row.value[v] = run->events.value[v][i];
		good = write_one(r, &r->of[run->of], &row, err);
	}
	for (uint32_t i = 0; i < r->n_runs; i++)
		r->run[i]->events.n = r->run[i]->aside = 0;
	return good;
}

bool
bsprof_run_write(struct bsprof_runs *r, struct bsprof_run *run, struct err *err)
{
	return written(r, run) || write_singly(r, err);
}

bool
bsprof_runs_settle(struct bsprof_runs *r, struct err *err)
{
	for (uint32_t i = 0; i < r->n_runs; i++)
		if (r->run[i]->events.n && !bsprof_run_write(r, r->run[i], err))
			return false;
	return true;
}
