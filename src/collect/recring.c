/* recring.c - see recring.h.
 *
 * Records are gathered in blocks of a part of the time.  When a block is too old, its records about
 * tasks and maps move to `past`, and the rest is dropped.  So a ring costs a copy of each record,
 * and no search.
 *
 * Tasks of a busy machine come and go, so `past` is swept when it has doubled: records of processes
 * that have ended there are dropped.  A process number may be used again, so only records before
 * the end are. */
#include "src/collect/recring.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/map.h"
#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/collect/collect.h"

#define BLOCKS 32u		   /* of the time that is kept */
#define SWEEP_BYTES (1u << 20) /* at least, between two sweeps */
#define FINISHED_ROUND 68u	   /* PERF_RECORD_FINISHED_ROUND */

struct recring_block {
	uint64_t ends; /* no record arrived later */
	uint64_t samples;
	struct buf records;
};

/* A process that has ended in `past`. */
struct recring_end {
	uint32_t pid;
	size_t at; /* of the last record of its end */
};

struct recring {
	uint64_t keep_ns;
	struct buf past;
	size_t sweep_at; /* the size of `past` at which it is swept */
	VEC(struct recring_block) block; /* the oldest first */
	struct map ended; /* pid -> end */
	VEC(struct recring_end) end;
};

struct recring *
recring_new(uint64_t keep_ns)
{
	struct recring *r = mem_zalloc(1, sizeof *r);

	r->keep_ns = keep_ns;
	r->sweep_at = SWEEP_BYTES;
	map_init(&r->ended);
	return r;
}

void
recring_free(struct recring *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->block.n; i++)
		buf_release(&r->block.at[i].records);
	vec_release(&r->block);
	buf_release(&r->past);
	map_release(&r->ended);
	vec_release(&r->end);
	free(r);
}

/* ---- what is kept of old records ---- */

/* Returns the first words after the header: mostly pid and tid, of forks and ends pid, parent's
 * pid, tid. */
static uint32_t
recring_word(const struct perf_event_header *h, unsigned i)
{
	uint32_t word = 0;

	if (h->size >= sizeof *h + (i + 1) * sizeof word)
		memcpy(&word, (const uint8_t *)(h + 1) + i * sizeof word, sizeof word);
	return word;
}

/* Returns the process that the record describes; 0: none. */
static uint32_t
process_described(const struct perf_event_header *h)
{
	switch (h->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return recring_word(h, 0) == UINT32_MAX ? 0 : recring_word(h, 0);
	default:
		return 0; /* the kernel's maps, control groups */
	}
}

/* True for records without which later samples have no names. */
static bool
is_description(const struct perf_event_header *h)
{
	return process_described(h) || h->type == PERF_RECORD_MMAP ||
	       h->type == PERF_RECORD_KSYMBOL || h->type == PERF_RECORD_CGROUP;
}

/* Calls for each record of a buffer. */
#define EACH_RECORD(h, at, records)                                                        \
	for (size_t at = 0;                                                                \
	     at < (records)->len && (memcpy(&(h), (records)->at + at, sizeof(h)), true);   \
	     at += (h).size)

static struct recring_end *
end_of(struct recring *r, uint32_t pid, bool add)
{
	uint64_t hash = (uint64_t)pid * 0x9E3779B97F4A7C15u;
	uint32_t slot = map_first(&r->ended, hash), i;

	while (map_probe(&r->ended, &slot, hash, &i))
		if (r->end.at[i].pid == pid)
			return &r->end.at[i];
	if (!add)
		return NULL;
	map_insert(&r->ended, hash, (uint32_t)r->end.n);
	struct recring_end *end = vec_push(&r->end);
	*end = (struct recring_end){.pid = pid};
	return end;
}

/* Drops the records of processes that have ended. */
static void
recring_sweep(struct recring *r)
{
	struct perf_event_header h;
	struct buf kept = BUF_INIT;

	map_release(&r->ended);
	map_init(&r->ended);
	r->end.n = 0;
	EACH_RECORD(h, at, &r->past)
	{
		const struct perf_event_header *rec = (const void *)(r->past.at + at);
		if (h.type == PERF_RECORD_EXIT && recring_word(rec, 0) == recring_word(rec, 2))
			end_of(r, recring_word(rec, 0), true)->at = at;
	}
	EACH_RECORD(h, at, &r->past)
	{
		const struct perf_event_header *rec = (const void *)(r->past.at + at);
		const struct recring_end *end = end_of(r, process_described(rec), false);
		if (!end || at > end->at)
			buf_add(&kept, rec, h.size);
	}
	buf_release(&r->past);
	r->past = kept;
	r->sweep_at = 2 * kept.len > SWEEP_BYTES ? 2 * kept.len : SWEEP_BYTES;
}

static void
drop_oldest(struct recring *r)
{
	struct recring_block old = r->block.at[0];
	struct perf_event_header h;

	EACH_RECORD(h, at, &old.records)
	{
		const struct perf_event_header *rec = (const void *)(old.records.at + at);
		if (is_description(rec))
			buf_add(&r->past, rec, h.size);
	}
	buf_release(&old.records);
	r->block.n--;
	memmove(r->block.at, r->block.at + 1, r->block.n * sizeof *r->block.at);
	if (r->past.len >= r->sweep_at)
		recring_sweep(r);
}

/* ---- the ring ---- */

void
recring_take(struct recring *r, const struct perf_event_header *record, uint64_t now)
{
	while (r->block.n && r->block.at[0].ends + r->keep_ns < now)
		drop_oldest(r);
	if (!r->block.n || r->block.at[r->block.n - 1].ends < now)
		*vec_push(&r->block) =
			(struct recring_block){.ends = now + r->keep_ns / BLOCKS};
	struct recring_block *last = &r->block.at[r->block.n - 1];
	buf_add(&last->records, record, record->size);
	last->samples += record->type == PERF_RECORD_SAMPLE;
}

bool
recring_write(const struct recring *r, const struct collect_sink *sink, struct err *e)
{
	const struct perf_event_header round = {.type = FINISHED_ROUND, .size = sizeof round};

	if (!collect_give(&r->past, sink, e) || !sink->take(sink->ctx, &round, e))
		return false;
	for (size_t i = 0; i < r->block.n; i++)
		if (!collect_give(&r->block.at[i].records, sink, e))
			return false;
	return true;
}

uint64_t
recring_samples(const struct recring *r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < r->block.n; i++)
		n += r->block.at[i].samples;
	return n;
}
