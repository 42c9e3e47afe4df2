/* Handles heaptrack's events: allocations and frees.
 *
 * Finds the live bytes of each stack at the highest total. A list keeps the changes since the last
 * maximum, and is applied when the next maximum is reached. So each event costs one entry of the
 * list, whatever the number of stacks. */
#include "src/decode/heaptrack/heaptrack_inside.h"

#include <inttypes.h>

/* ---- the peak ---- */

void
heaptrack_settle_peak(struct heap_peak *p, struct heap_tables *t, int64_t time_ns)
{
	for (size_t i = 0; i < p->changed.n; i++) {
		struct heap_info *x = &t->info.at[p->changed.at[i]];
		x->at_peak = x->now;
		x->changed = false;
	}
	p->changed.n = 0;
	p->most = p->total;
	p->time_ns = time_ns;
	p->there = true;
}

void
heaptrack_begin_anew(struct heaptrack *h)
{
	h->peak.total = h->peak.most = 0;
	h->peak.there = false;
	for (size_t i = 0; i < h->tables.info.n; i++)
		h->tables.info.at[i].now = h->tables.info.at[i].at_peak = 0;
}

bool
heaptrack_write_peak(struct heaptrack *h)
{
	struct series *s = builder_totals(h->b, h->events.track, &h->peak.metric, 1);

	for (size_t i = 0; i < h->tables.info.n; i++) {
		const struct heap_info *x = &h->tables.info.at[i];
		int64_t bytes;
		if (!x->at_peak || !x->size)
			continue;
		if (__builtin_mul_overflow((int64_t)x->at_peak, x->size, &bytes))
			return heaptrack_bad_line(h, "the sum of the values exceeds 2^63");
		if (!builder_total(h->b, s, x->stack, &bytes, h->offset, h->e))
			return false;
	}
	if (h->peak.there)
		builder_info(h->b, "peak", "%" PRId64 " bytes at %" PRId64 " ms", h->peak.most,
			     h->peak.time_ns / 1000000);
	return true;
}

/* ---- events ---- */

static const uint8_t column_of[CARRIED] = {
	[ALLOC] = COLUMN_LIVE,  [ALLOCS] = COLUMN_FLAGS,    [LIVE] = COLUMN_LIVE,
	[LIVES] = COLUMN_FLAGS, [TEMPORARY] = COLUMN_FLAGS,
};

static const enum value_part part_of[CARRIED] = {
	[ALLOC] = PART_GAIN,   [ALLOCS] = PART_BIT_0,    [LIVE] = PART_ALL,
	[LIVES] = PART_SIGN_0, [TEMPORARY] = PART_BIT_1,
};

void
heaptrack_begin_events(struct builder *b, struct heap_events *x)
{
	x->series = builder_samples_parts(b, x->track, x->metric, column_of, part_of, CARRIED);
	x->apart = !x->series;
	if (x->apart)
		x->series = builder_samples(b, x->track, x->metric, CARRIED);
}

void
heaptrack_count(struct builder *b, struct heap_events *x)
{
	builder_track_events(b, x->track, x->n_freed);
	x->n_freed = 0;
}

bool
heaptrack_append_apart(struct heaptrack *h, stack_id stack, bool made,
		       const int64_t number[COLUMNS])
{
	int64_t value[CARRIED];

	h->events.n_freed += !made;
	for (unsigned m = 0; m < CARRIED; m++)
		value[m] = value_part(part_of[m], number[column_of[m]]);
	return (made ? builder_sample : builder_sample_aside)(h->b, h->events.series, h->time_ns,
							      stack, value, h->offset, h->e);
}

bool
heaptrack_happened(struct heaptrack *h, uint32_t info, bool made)
{
	return heaptrack_happened_here(h, info, made);
}
