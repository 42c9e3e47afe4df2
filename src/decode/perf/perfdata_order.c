/* The queue of records that wait for their turn.
 *
 * Samples could be sorted for display, but their meaning depends on the mappings and names before
 * them: all records must be handled in the order of time. perf promises rounds (perfdata_order.h);
 * two of them are in memory at any time. Records without a time are not queued at all.
 *
 * Files without rounds exist (perf inject writes some). So the queue has a limit, at which its
 * older half is passed on. Records that arrive too late are counted and handled immediately.
 *
 * Records of one time keep the order of the file: the queue is in that order, and merging is
 * stable.
 *
 * The copies of records fill blocks. A block is used again when its last record was passed on.
 *
 * Rejected: two passes, mappings first (no pipe, no growing file); a heap (records come in long
 * sorted runs, one a CPU, which are merged in one pass each). */
#include "src/decode/perf/perfdata_order.h"

#include <string.h>

#define BYTES_MAX (64u << 20)

void
perfdata_order_release(struct perfdata_order *o)
{
	for (size_t i = 0; i < o->block.n; i++)
		free(o->block.at[i].bytes);
	vec_release_all(&o->block, &o->empty, &o->queue, &o->merged, &o->run);
}

/* Returns the block for the next record, which is the last one unless it is full. */
static struct perfdata_block *
block_for(struct perfdata_order *o, uint32_t size)
{
	if (o->block.n && o->block.at[o->last].used + size <= PERFDATA_BLOCK)
		return &o->block.at[o->last];
	if (o->empty.n) {
		o->last = o->empty.at[--o->empty.n];
	} else {
		o->last = (uint32_t)o->block.n;
		*vec_push(&o->block) = (struct perfdata_block){
			.bytes = mem_alloc(PERFDATA_BLOCK, 1)};
	}
	o->block.at[o->last].used = 0;
	return &o->block.at[o->last];
}

void
perfdata_order_add(struct perfdata_order *o, const struct perfdata_record *rec,
		   uint64_t time)
{
	struct perfdata_block *b = block_for(o, rec->size);

	memcpy(b->bytes + b->used, rec->at, rec->size);
	*vec_push(&o->queue) = (struct perfdata_queued){
		.time = time, .offset = rec->offset, .block = o->last, .at = b->used};
	b->used += rec->size;
	b->records++;
	o->bytes += rec->size;
	if (time > o->newest)
		o->newest = time;
	if (time < o->given)
		o->late++;
}

bool
perfdata_order_full(const struct perfdata_order *o)
{
	return o->bytes >= BYTES_MAX;
}

/* Finds where the queue's runs of ascending times begin, and where the last one ends. */
static void
find_runs(struct perfdata_order *o)
{
	o->run.n = 0;
	*vec_push(&o->run) = 0;
	for (size_t i = 1; i < o->queue.n; i++)
		if (o->queue.at[i].time < o->queue.at[i - 1].time)
			*vec_push(&o->run) = i;
	*vec_push(&o->run) = o->queue.n;
}

/* Merges [from, middle) and [middle, end) of the queue; among equal times those of the first
 * run come first. */
static void
perfdata_merge(struct perfdata_order *o, size_t from, size_t middle, size_t end)
{
	const struct perfdata_queued *q = o->queue.at;
	struct perfdata_queued *out = o->merged.at + from;
	size_t a = from, b = middle;

	while (a < middle && b < end)
		*out++ = q[b].time < q[a].time ? q[b++] : q[a++];
	while (a < middle)
		*out++ = q[a++];
	while (b < end)
		*out++ = q[b++];
}

/* Each pass leaves half of the runs. */
static void
sort(struct perfdata_order *o)
{
	if (!o->queue.n)
		return;
	find_runs(o);
	while (o->run.n > 2) {
		size_t runs = o->run.n - 1, left = 0;
		vec_reserve(&o->merged, o->queue.n);
		for (size_t i = 0; i < runs; i += 2) {
			size_t middle = o->run.at[i + 1];
			size_t end = i + 2 <= runs ? o->run.at[i + 2] : middle;
			perfdata_merge(o, o->run.at[i], middle, end);
			o->run.at[left++] = o->run.at[i];
		}
		o->run.at[left++] = o->queue.n;
		o->run.n = left;
		o->merged.n = o->queue.n;
		struct perfdata_order old = *o;
		o->queue.at = old.merged.at;
		o->queue.cap = old.merged.cap;
		o->merged.at = old.queue.at;
		o->merged.cap = old.queue.cap;
	}
}

static struct perfdata_record
record_at(const struct perfdata_order *o, const struct perfdata_queued *q)
{
	const uint8_t *at = o->block.at[q->block].bytes + q->at;

	return (struct perfdata_record){
		.at = at,
		.offset = q->offset,
		.type = bytes_u32(at, o->big_endian),
		.misc = bytes_u16(at + 4, o->big_endian),
		.size = bytes_u16(at + 6, o->big_endian),
	};
}

/* Removes the first n records of the queue. Blocks that are empty now serve again, the last one of
 * them first: it may still be in the cache of the processor. */
static void
keep_rest(struct perfdata_order *o, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct perfdata_queued *q = &o->queue.at[i];
		struct perfdata_block *b = &o->block.at[q->block];
		o->bytes -= bytes_u16(b->bytes + q->at + 6, o->big_endian);
		if (--b->records)
			continue;
		if (q->block == o->last)
			b->used = 0;
		else
			*vec_push(&o->empty) = q->block;
	}
	o->queue.n -= n;
	memmove(o->queue.at, o->queue.at + n, o->queue.n * sizeof *o->queue.at);
}

/* Gives out all up to `until`. */
static bool
give(struct perfdata_order *o, uint64_t until, perfdata_take *take, void *arg)
{
	size_t n = 0;
	bool ok = true;
	while (ok && n < o->queue.n && o->queue.at[n].time <= until) {
		struct perfdata_record rec = record_at(o, &o->queue.at[n]);
		o->given = o->queue.at[n++].time;
		ok = take(arg, &rec);
	}
	ok = take(arg, NULL) && ok;
	if (n)
		keep_rest(o, n);
	return ok;
}

bool
perfdata_order_round(struct perfdata_order *o, perfdata_take *take, void *arg)
{
	uint64_t until = o->round;
	o->round = o->newest;
	sort(o);
	return give(o, until, take, arg);
}

bool
perfdata_order_half(struct perfdata_order *o, perfdata_take *take, void *arg)
{
	sort(o);
	return give(o, o->queue.at[o->queue.n / 2].time, take, arg);
}

bool
perfdata_order_all(struct perfdata_order *o, perfdata_take *take, void *arg)
{
	sort(o);
	return give(o, UINT64_MAX, take, arg);
}
