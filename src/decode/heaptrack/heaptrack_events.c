/* What happened, according to heaptrack: allocations that are made and freed.
 *
 * An event says the number of its allocation, of which a file may have millions: each was a miss
 * of the caches.  So events wait until there is a run of them: then all that they are about is
 * fetched at once, and the profile gets them as columns.
 *
 * The live bytes of each stack at the highest total: what changed since the last maximum is
 * kept in a list, and settled when the next is reached, so that each event costs one entry of
 * it, whatever the number of stacks. */
#include "src/decode/heaptrack/heaptrack_inside.h"

#include <inttypes.h>

/* ---- the peak ---- */

/* The total is higher than ever: what is live now is the peak. */
static void
settle_peak(struct heaptrack *h, int64_t time)
{
	for (size_t i = 0; i < h->changed.n; i++) {
		struct heap_info *x = &h->info.at[h->changed.at[i]];
		x->at_peak = x->now;
		x->changed = false;
	}
	h->changed.n = 0;
	h->most = h->total;
	h->peak_ns = time;
	h->has_peak = true;
}

bool
heaptrack_begin_anew(struct heaptrack *h)
{
	if (!heaptrack_settle(h))
		return false;
	h->total = h->most = 0;
	h->has_peak = false;
	for (size_t i = 0; i < h->info.n; i++)
		h->info.at[i].now = h->info.at[i].at_peak = 0;
	return true;
}

bool
heaptrack_write_peak(struct heaptrack *h)
{
	struct series *s = builder_totals(h->b, h->track, &h->peak, 1);

	for (size_t i = 0; i < h->info.n; i++) {
		const struct heap_info *x = &h->info.at[i];
		int64_t bytes;
		if (!x->at_peak || !x->size)
			continue;
		if (__builtin_mul_overflow(x->at_peak, x->size, &bytes))
			return heaptrack_bad_line(h, "the sum of the values passes 2^63");
		if (!builder_total(h->b, s, x->stack, &bytes, h->offset, h->e))
			return false;
	}
	if (h->has_peak)
		builder_info(h->b, "peak", "%" PRId64 " bytes at %" PRId64 " ms", h->most,
			     h->peak_ns / 1000000);
	return true;
}

/* ---- events ---- */

static const uint8_t column_of[CARRIED] = {
	[ALLOC] = COLUMN_LIVE,   [ALLOCS] = COLUMN_FLAGS,    [LIVE] = COLUMN_LIVE,
	[LIVES] = COLUMN_FLAGS, [TEMPORARY] = COLUMN_FLAGS,
};

static const enum value_part part_of[CARRIED] = {
	[ALLOC] = PART_GAIN,    [ALLOCS] = PART_BIT_0,     [LIVE] = PART_ALL,
	[LIVES] = PART_SIGN_0, [TEMPORARY] = PART_BIT_1,
};

void
heaptrack_begin_events(struct heaptrack *h)
{
	h->series = builder_samples_parts(h->b, h->track, h->carried, column_of, part_of, CARRIED);
	h->apart = !h->series;
	if (h->apart)
		h->series = builder_samples(h->b, h->track, h->carried, CARRIED);
}

/* The i-th of those that wait becomes a row of the run. */
static bool
take(struct heaptrack *h, uint32_t i)
{
	struct heap_events *v = &h->events;
	struct heap_info *x = &h->info.at[v->info[i]];
	int64_t made = v->flags[i] & FLAG_MADE; /* no branch: which it is, is chance */
	int64_t bytes = (x->size ^ -(int64_t)!made) + !made;

	if (__builtin_add_overflow(h->total, bytes, &h->total))
		return false;
	x->now += 2 * made - 1;
	if (!x->changed) {
		x->changed = true;
		*vec_push(&h->changed) = v->info[i];
	}
	if (h->total > h->most)
		settle_peak(h, v->run.time[i]);
	v->run.stack[i] = x->stack;
	v->run.value[COLUMN_LIVE][i] = bytes;
	v->run.value[COLUMN_FLAGS][i] = v->flags[i];
	return true;
}

/* The run, event by event. */
static bool
tell_singly(struct heaptrack *h, struct err *e)
{
	const struct heap_events *v = &h->events;

	for (uint32_t i = 0; i < v->run.n; i++) {
		int64_t value[CARRIED];
		for (unsigned m = 0; m < (h->apart ? (unsigned)CARRIED : COLUMNS); m++)
			value[m] = h->apart ? value_part(part_of[m], v->run.value[column_of[m]][i])
					    : v->run.value[m][i];
		builder_track_event(h->b, h->track);
		if (!(v->flags[i] & FLAG_MADE ? builder_sample : builder_sample_aside)(
			    h->b, h->series, v->run.time[i], v->run.stack[i], value, v->offset[i],
			    e))
			return false;
	}
	return true;
}

static bool
tell(struct heaptrack *h, struct err *e)
{
	const struct heap_events *v = &h->events;
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (uint32_t i = 0; i < v->run.n; i++) {
		if (v->run.stack[i] == STACK_NONE)
			return tell_singly(h, e);
		if (!(v->flags[i] & FLAG_MADE))
			continue;
		first = v->run.time[i] < first ? v->run.time[i] : first;
		last = v->run.time[i]; /* they do not go down */
	}
	if (h->apart || !builder_sample_run(h->b, h->series, &v->run, first, last))
		return tell_singly(h, e);
	builder_track_events(h->b, h->track, v->run.n);
	return true;
}

bool
heaptrack_settle(struct heaptrack *h)
{
	struct heap_events *v = &h->events;
	uint32_t n = v->run.n;
	struct err e;
	bool good;

	for (uint32_t i = 0; i < n; i++)
		__builtin_prefetch(&h->info.at[v->info[i]], 1);
	for (v->run.n = 0; v->run.n < n && take(h, v->run.n); v->run.n++)
		;
	err_init(&e);
	bool fits = v->run.n == n;
	uint64_t offset = fits ? 0 : v->offset[v->run.n];
	good = tell(h, &e);
	if (good && !fits)
		good = err_damage(&e, offset, "the sum of the values passes 2^63");
	v->run.n = 0;
	if (!good)
		*h->e = e;
	return good;
}
