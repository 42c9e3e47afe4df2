#include "src/decode/bsprof/bsprof_series.h"

#include <stdlib.h>

#include "model/base/mem.h"

/* The metrics alloc, allocs, frees and live derive from two numbers: the change of live bytes,
 * and the kind (an allocation, a free, or the subtraction from another stack). */
static const uint8_t memory_column[BSPROF_METRICS] = {0, 1, 1, 0};
static const enum value_part memory_part[BSPROF_METRICS] = {PART_GAIN, PART_BIT_0,
							    PART_BIT_1, PART_ALL};

void
bsprof_series_release(struct bsprof_all *r)
{
	for (size_t i = 0; i < r->of.n; i++)
		free(r->of.at[i]);
	vec_release(&r->of);
}

static struct bsprof_series *
series_new_of(struct bsprof_all *r, uint32_t module, track_id track, enum measure_kind kind)
{
	size_t i = (size_t)module * MEASURE_KINDS + kind;
	struct bsprof_series *s = mem_zalloc(1, sizeof *s);

	while (r->of.n <= i)
		*vec_push(&r->of) = NULL;
	r->of.at[i] = s;
	s->track = track;
	s->module = module;
	if (kind == MEASURE_MEMORY)
		s->series = builder_samples_parts(r->b, track, r->metric[kind], memory_column,
						  memory_part, r->n_metrics[kind]);
	if (!s->series) {
		r->apart |= kind == MEASURE_MEMORY;
		s->series = builder_samples(r->b, track, r->metric[kind], r->n_metrics[kind]);
	}
	return s;
}

bool
bsprof_series_put(struct bsprof_all *r, uint32_t module, track_id track,
		  enum measure_kind kind, const struct bsprof_row *row, struct err *err)
{
	struct bsprof_series *s = bsprof_series_of(r, module, kind);
	const int64_t *value = row->value;
	int64_t apart[BSPROF_METRICS];

	if (!s)
		s = series_new_of(r, module, track, kind);
	if (r->apart && kind == MEASURE_MEMORY) {
		for (unsigned m = 0; m < BSPROF_METRICS; m++)
			apart[m] = value_part(memory_part[m], row->value[memory_column[m]]);
		value = apart;
	}
	return (row->aside ? builder_sample_aside : builder_sample)(
		r->b, s->series, row->ordinal, row->stack, value, row->offset, err);
}
