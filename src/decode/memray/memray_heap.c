/* memray: allocations and frees, and the heap at its peak.
 *
 * A free belongs to the stack that allocated. So blocks are kept by address, and mappings by
 * range: munmap may free a part of one, or of several.
 *
 * The peak is the last moment at which the total was at its maximum, as memray itself defines it:
 * the maximum counts when the total falls. Between two maxima a list has the sites that changed,
 * so an event costs one entry, whatever the number of sites. */
#include "src/decode/memray/memray_inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/bisect.h"

const char *const memray_allocators[MEMRAY_ALLOCATORS] = {
	"",       "pymalloc_free",  "pymalloc_malloc", "pymalloc_calloc", "pymalloc_realloc",
	"free",   "malloc",         "realloc",         "calloc",          "posix_memalign",
	"aligned_alloc", "memalign", "valloc",         "pvalloc",         "mmap",
	"munmap",
};

enum { ALLOC, ALLOCS, LIVE, LIVES, PEAK, PEAKS, CARRIED = PEAK };
/* Series have two columns: the change of live bytes, and 1 for an allocation, 0 for a free. */
enum { COLUMN_LIVE, COLUMN_FLAGS, COLUMNS };
static const uint8_t heap_column[CARRIED] = {
	[ALLOC] = COLUMN_LIVE,
	[ALLOCS] = COLUMN_FLAGS,
	[LIVE] = COLUMN_LIVE,
	[LIVES] = COLUMN_FLAGS,
};
static const enum value_part heap_part[CARRIED] = {
	[ALLOC] = PART_GAIN, [ALLOCS] = PART_BIT_0, [LIVE] = PART_ALL, [LIVES] = PART_SIGN_0,
};

void
memray_heap_begin(struct builder *b, struct memray_heap *h, bool aggregated)
{
	static const char *const names[] = {"alloc", "allocs", "live", "lives", "peak", "peaks"};
	name_id key = builder_name(b, "allocator", 9);

	for (unsigned i = aggregated ? LIVE : ALLOC; i <= PEAKS; i++)
		h->metric[i] = builder_metric(b, names[i], i & 1 ? UNIT_COUNT : UNIT_BYTES,
					      ROLE_VALUE);
	builder_default_metric(b, h->metric[PEAK]);
	for (unsigned i = 1; i < MEMRAY_ALLOCATORS; i++) {
		const char *name = memray_allocators[i];
		label_id one = builder_label_text(b, key, builder_name(b, name, strlen(name)));
		h->label[i] = builder_labels(b, &one, 1);
	}
}

void
memray_heap_release(struct memray_heap *h)
{
	vec_release_all(&h->site, &h->range, &h->changed);
	idmap_release(&h->site_of);
	live_blocks_release(&h->blocks);
}

/* ---- threads ---- */

uint32_t
memray_thread_at(struct memray *d, uint64_t tid)
{
	uint32_t at = idmap_get(&d->thread_of, tid);
	char text[32];

	if (at != IDMAP_NONE)
		return at;
	int n = snprintf(text, sizeof text, "0x%" PRIx64, tid);
	at = (uint32_t)d->thread.n;
	*vec_push(&d->thread) = (struct memray_thread){
		.tid = tid, .track = builder_track(d->b, text, (size_t)n, TRACK_THREAD)};
	idmap_put(&d->thread_of, tid, at);
	return at;
}

static void
events_begin(struct memray *d, struct memray_thread *t)
{
	struct memray_heap *h = &d->heap;

	t->events = builder_samples_parts(d->b, t->track, h->metric, heap_column, heap_part,
					  CARRIED);
	h->apart = !t->events;
	if (h->apart)
		t->events = builder_samples(d->b, t->track, h->metric, CARRIED);
	builder_labelled(d->b, t->events);
}

/* ---- the peak ---- */

static void
peak_settle(struct memray_heap *h)
{
	for (size_t i = 0; i < h->changed.n; i++) {
		struct memray_site *s = &h->site.at[h->changed.at[i]];
		s->peak_bytes = s->bytes;
		s->peak_blocks = s->blocks;
		s->changed = false;
	}
	h->changed.n = 0;
	h->most = h->total;
	h->most_ns = h->reached_ns;
}

/* Changes a site by bytes and blocks. */
static bool
site_change(struct memray *d, uint32_t site, int64_t bytes, int64_t blocks)
{
	struct memray_heap *h = &d->heap;

	if (bytes < 0 && h->total >= h->most)
		peak_settle(h);
	if (__builtin_add_overflow(h->total, bytes, &h->total))
		return memray_bad(d, "the sum of the values exceeds 2^63");
	if (bytes > 0 && h->total >= h->most)
		h->reached_ns = h->now_ns;
	struct memray_site *s = &h->site.at[site];
	s->bytes += bytes;
	s->blocks += blocks;
	if (!s->changed) {
		s->changed = true;
		*vec_push(&h->changed) = site;
	}
	return true;
}

/* ---- events ---- */

static bool
event_append(struct memray *d, const struct memray_site *s, bool made, int64_t bytes)
{
	struct memray_heap *h = &d->heap;
	struct memray_thread *t = &d->thread.at[s->thread];
	int64_t value[CARRIED], number[COLUMNS] = {[COLUMN_LIVE] = bytes, [COLUMN_FLAGS] = made};

	builder_next_labels(d->b, t->events, h->label[s->allocator]);
	if (h->apart)
		for (unsigned m = 0; m < CARRIED; m++)
			value[m] = value_part(heap_part[m], number[heap_column[m]]);
	return (made ? builder_sample : builder_sample_aside)(d->b, t->events, h->now_ns, s->stack,
							      h->apart ? value : number, d->offset,
							      d->e);
}

/* A mapping lost bytes at one end, or in its middle: then it becomes two. */
static bool
event_cut(struct memray *d, const struct memray_site *s, int64_t bytes, int64_t blocks)
{
	struct memray_thread *t = &d->thread.at[s->thread];

	if (!t->cuts) {
		t->cuts = builder_samples(d->b, t->track, &d->heap.metric[LIVE], 2);
		builder_labelled(d->b, t->cuts);
	}
	builder_next_labels(d->b, t->cuts, d->heap.label[s->allocator]);
	return builder_sample_aside(d->b, t->cuts, d->heap.now_ns, s->stack,
				    (int64_t[]){bytes, blocks}, d->offset, d->e);
}

static bool
site_freed(struct memray *d, uint32_t site, uint64_t size)
{
	return site_change(d, site, -(int64_t)size, -1) &&
	       event_append(d, &d->heap.site.at[site], false, -(int64_t)size);
}

static uint32_t
site_find(struct memray *d, unsigned allocator, stack_id stack)
{
	struct memray_heap *h = &d->heap;
	uint64_t key = (uint64_t)stack << 32 | d->current << 4 | allocator;
	uint32_t at = idmap_get(&h->site_of, key);

	if (at != IDMAP_NONE)
		return at;
	at = (uint32_t)h->site.n;
	*vec_push(&h->site) = (struct memray_site){
		.stack = stack, .thread = d->current, .allocator = (uint8_t)allocator};
	idmap_put(&h->site_of, key, at);
	return at;
}

/* ---- mappings ---- */

/* Returns the index of the first range that begins at `start` or after it. */
static size_t
range_from(const struct memray_heap *h, uint64_t start)
{
	return bisect(i, h->range.n, h->range.at[i].start < start);
}

static void
range_insert(struct memray_heap *h, struct memray_range r)
{
	size_t at = range_from(h, r.start);

	(void)vec_push(&h->range);
	memmove(&h->range.at[at + 1], &h->range.at[at], (h->range.n - 1 - at) * sizeof r);
	h->range.at[at] = r;
	if (r.end - r.start > h->longest)
		h->longest = r.end - r.start;
}

static void
range_remove(struct memray_heap *h, size_t at)
{
	h->range.n--;
	memmove(&h->range.at[at], &h->range.at[at + 1],
		(h->range.n - at) * sizeof h->range.at[at]);
}

/* Frees what [start, end) covers of the range at this index. */
static bool
range_cut(struct memray *d, size_t at, uint64_t start, uint64_t end)
{
	struct memray_heap *h = &d->heap;
	struct memray_range *r = &h->range.at[at], rest = {end, r->end, r->site};
	uint32_t site = r->site;
	bool low = start <= r->start, high = end >= r->end;
	uint64_t lost = (high ? r->end : end) - (low ? r->start : start);

	if (low && high) {
		range_remove(h, at);
		return site_freed(d, site, lost);
	}
	if (!low)
		r->end = start;
	if (low)
		range_remove(h, at);
	if (!high)
		range_insert(h, rest);
	return site_change(d, site, -(int64_t)lost, !low && !high) &&
	       event_cut(d, &h->site.at[site], -(int64_t)lost, !low && !high);
}

static bool
ranges_free(struct memray *d, uint64_t start, uint64_t size)
{
	struct memray_heap *h = &d->heap;
	uint64_t end = start + size, from = start > h->longest ? start - h->longest : 0;
	bool any = false;

	if (end < start)
		end = UINT64_MAX;
	/* from the last to the first, because cutting inserts behind */
	for (size_t i = range_from(h, end); i-- > 0 && h->range.at[i].start >= from;) {
		if (h->range.at[i].end <= start)
			continue;
		any = true;
		if (!range_cut(d, i, start, end))
			return false;
	}
	h->unmatched += !any;
	return true;
}

/* ---- allocations ---- */

static bool
block_freed(struct memray *d, uint64_t address)
{
	struct live_block block;

	if (live_blocks_free(&d->heap.blocks, address, &block))
		return site_freed(d, block.path, block.size);
	d->heap.unmatched++;
	return true;
}

bool
memray_allocated(struct memray *d, unsigned allocator, uint64_t address, uint64_t size,
		 stack_id stack)
{
	struct memray_heap *h = &d->heap;
	struct memray_thread *t = &d->thread.at[d->current];

	if (memray_is_free(allocator) || allocator == MEMRAY_MUNMAP) {
		t->freed++;
		t->freed_ns = h->now_ns;
		return memray_is_free(allocator) ? block_freed(d, address)
						 : ranges_free(d, address, size);
	}
	if (size > INT64_MAX)
		return memray_bad(d, "an allocation of more than 2^63 bytes");
	if (!t->events)
		events_begin(d, t);
	if (stack == STACK_EMPTY)
		stack = builder_stack_missing(d->b, 1);
	if (stack == STACK_NONE) /* too many stacks: this sets the error */
		return builder_sample(d->b, t->events, h->now_ns, stack, (int64_t[CARRIED]){0},
				      d->offset, d->e);
	uint32_t site = site_find(d, allocator, stack);
	if (allocator == MEMRAY_MMAP && size && size <= UINT64_MAX - address)
		range_insert(h, (struct memray_range){address, address + size, site});
	else if (allocator != MEMRAY_MMAP)
		live_blocks_alloc(&h->blocks, &(struct live_block){
						      .address = address,
						      .size = size,
						      .path = site,
					      });
	return site_change(d, site, (int64_t)size, 1) &&
	       event_append(d, &h->site.at[site], true, (int64_t)size);
}

/* ---- sums and counters ---- */

bool
memray_sum(struct memray *d, uint32_t thread, unsigned allocator, stack_id stack,
	   const int64_t value[4])
{
	struct memray_thread *t = &d->thread.at[thread];
	const metric_id *m = d->heap.metric;

	if (!t->totals) {
		metric_id four[] = {m[PEAKS], m[PEAK], m[LIVES], m[LIVE]};
		t->totals = builder_totals(d->b, t->track, four, d->header.aggregated ? 4 : 2);
		builder_labelled(d->b, t->totals);
	}
	builder_next_labels(d->b, t->totals, d->heap.label[allocator]);
	if (stack == STACK_EMPTY)
		stack = builder_stack_missing(d->b, 1);
	return builder_total(d->b, t->totals, stack, value, d->offset, d->e);
}

bool
memray_sizes(struct memray *d, int64_t time_ns, uint64_t rss, int64_t heap)
{
	struct memray_heap *h = &d->heap;

	if (!h->rss) {
		track_id t = builder_track(d->b, "rss", 3, TRACK_COUNTER);
		builder_track_unit(d->b, t, "bytes", 5);
		h->rss = builder_points(d->b, t, false);
		t = builder_track(d->b, "heap", 4, TRACK_COUNTER);
		builder_track_unit(d->b, t, "bytes", 5);
		h->heap = builder_points(d->b, t, false);
	}
	return builder_point(d->b, h->rss, time_ns, rss > INT64_MAX ? INT64_MAX : (int64_t)rss,
			     d->offset, d->e) &&
	       builder_point(d->b, h->heap, time_ns, heap, d->offset, d->e);
}

bool
memray_heap_finish(struct memray *d)
{
	struct memray_heap *h = &d->heap;

	if (h->total >= h->most)
		peak_settle(h);
	for (size_t i = 0; i < d->thread.n; i++) {
		const struct memray_thread *t = &d->thread.at[i];
		if (!t->freed)
			continue;
		builder_track_events(d->b, t->track, t->freed);
		builder_track_end(d->b, t->track, t->freed_ns);
	}
	for (size_t i = 0; i < h->site.n; i++) {
		const struct memray_site *s = &h->site.at[i];
		if (s->peak_blocks && !memray_sum(d, s->thread, s->allocator, s->stack,
						  (int64_t[4]){s->peak_blocks, s->peak_bytes}))
			return false;
	}
	return true;
}
