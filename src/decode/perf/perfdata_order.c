/* The queue of records that wait for their turn.
 *
 * Samples could be sorted by whoever draws them, but what they mean depends on the
 * mappings and names before them: all must be taken in the order of time.  perf promises
 * rounds (perfdata_order.h); two of them are in memory at any time.  Records without a
 * time are not queued at all.
 *
 * Files without rounds exist (perf inject writes some).  So the queue has a limit, where
 * its older half is given out; what comes too late then is counted and taken as it is.
 *
 * Records of one time keep the order of the file: the position of the copy breaks ties.
 *
 * Rejected: two passes, mappings first (no pipe, no growing file); a heap (records come
 * in long sorted runs, one a CPU, which are merged in one pass each). */
#include "src/decode/perf/perfdata_order.h"

#include <stdlib.h>
#include <string.h>

#include "model/mem.h"

#define BYTES_MAX (64u << 20)

void
perfdata_order_release(struct perfdata_order *o)
{
	vec_release(&o->bytes);
	vec_release(&o->other);
	vec_release(&o->queue);
}

void
perfdata_order_add(struct perfdata_order *o, const struct perfdata_record *rec,
		   uint64_t time)
{
	size_t at = o->bytes.n;
	vec_reserve(&o->bytes, at + rec->size);
	memcpy(o->bytes.at + at, rec->at, rec->size);
	o->bytes.n += rec->size;
	*vec_push(&o->queue) =
		(struct perfdata_queued){.time = time, .offset = rec->offset, .at = at};
	if (time > o->newest)
		o->newest = time;
	if (time < o->given)
		o->late++;
}

bool
perfdata_order_full(const struct perfdata_order *o)
{
	return o->bytes.n >= BYTES_MAX;
}

static int
compare(const void *left, const void *right)
{
	const struct perfdata_queued *a = left, *b = right;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static void
sort(struct perfdata_order *o)
{
	for (size_t i = 1; i < o->queue.n; i++)
		if (compare(&o->queue.at[i - 1], &o->queue.at[i]) > 0) {
			qsort(o->queue.at, o->queue.n, sizeof *o->queue.at, compare);
			return;
		}
}

static struct perfdata_record
record_at(const struct perfdata_order *o, const struct perfdata_queued *q)
{
	struct perfdata_record rec = {.at = o->bytes.at + q->at, .offset = q->offset};
	struct cursor r = perfdata_over(rec.at, PERFDATA_HEADER, o->big_endian);
	rec.type = cursor_u32(&r);
	rec.misc = cursor_u16(&r);
	rec.size = cursor_u16(&r);
	return rec;
}

/* The first n of the queue have gone: moves the others, in the order of time, to a buffer
 * of their own, so that what is in order stays so in memory as well. */
static void
keep_rest(struct perfdata_order *o, size_t n)
{
	size_t kept = 0;
	o->other.n = 0;
	for (size_t i = n; i < o->queue.n; i++) {
		struct perfdata_queued q = o->queue.at[i];
		struct perfdata_record rec = record_at(o, &q);
		vec_reserve(&o->other, o->other.n + rec.size);
		memcpy(o->other.at + o->other.n, rec.at, rec.size);
		q.at = o->other.n;
		o->other.n += rec.size;
		o->queue.at[kept++] = q;
	}
	o->queue.n = kept;
	struct perfdata_order old = *o;
	o->bytes.at = old.other.at;
	o->bytes.n = old.other.n;
	o->bytes.cap = old.other.cap;
	o->other.at = old.bytes.at;
	o->other.n = 0;
	o->other.cap = old.bytes.cap;
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
