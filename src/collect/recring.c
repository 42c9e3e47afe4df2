/* recring.c - see recring.h.
 *
 * Records are gathered in blocks of a part of the time, and of the bytes if those are limited.
 * When a block is too old, or all blocks are too large, what its records say about tasks and maps
 * goes to `past` (recpast.h), and the rest is dropped.  So a ring costs a copy of each record, and
 * no search. */
#include "src/collect/recring.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/collect/collect.h"
#include "src/collect/recpast.h"

#define BLOCKS 32u /* of the time that is kept, or of the bytes */
#define FINISHED_ROUND 68u /* PERF_RECORD_FINISHED_ROUND */

struct recring_block {
	uint64_t begins, ends; /* no record arrived earlier, or later */
	uint64_t samples;
	struct buf records;
};

struct recring {
	uint64_t keep_ns, bytes, most_bytes;
	struct recpast *past;
	VEC(struct recring_block) block; /* the oldest first */
};

struct recring *
recring_new(uint64_t keep_ns, uint64_t most_bytes)
{
	struct recring *r = mem_zalloc(1, sizeof *r);

	r->keep_ns = keep_ns;
	r->most_bytes = most_bytes;
	r->past = recpast_new();
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
	recpast_free(r->past);
	free(r);
}

static void
drop_oldest(struct recring *r)
{
	struct recring_block old = r->block.at[0];
	struct perf_event_header h;

	for (size_t at = 0; at < old.records.len; at += h.size) {
		const void *rec = old.records.at + at;
		memcpy(&h, rec, sizeof h);
		recpast_take(r->past, rec);
	}
	r->bytes -= old.records.len;
	buf_release(&old.records);
	r->block.n--;
	memmove(r->block.at, r->block.at + 1, r->block.n * sizeof *r->block.at);
}

/* ---- the ring ---- */

static void
begin_block(struct recring *r, uint64_t now)
{
	if (r->block.n) { /* the last one grows no more */
		struct recring_block *last = &r->block.at[r->block.n - 1];
		last->ends = last->ends < now ? last->ends : now;
		last->records.cap = last->records.len + 1;
		last->records.at = mem_realloc(last->records.at, last->records.cap, 1);
	}
	*vec_push(&r->block) =
		(struct recring_block){.begins = now, .ends = now + r->keep_ns / BLOCKS};
}

static bool
is_full(const struct recring *r, const struct recring_block *b, uint64_t now)
{
	return b->ends < now || (r->most_bytes && b->records.len >= r->most_bytes / BLOCKS);
}

void
recring_take(struct recring *r, const struct perf_event_header *record, uint64_t now)
{
	while (r->block.n && r->block.at[0].ends + r->keep_ns < now)
		drop_oldest(r);
	while (r->most_bytes && r->block.n > 1 && r->bytes + record->size > r->most_bytes)
		drop_oldest(r);
	if (!r->block.n || is_full(r, &r->block.at[r->block.n - 1], now))
		begin_block(r, now);
	struct recring_block *last = &r->block.at[r->block.n - 1];
	buf_add(&last->records, record, record->size);
	r->bytes += record->size;
	last->samples += record->type == PERF_RECORD_SAMPLE;
}

void
recring_command(struct recring *r, uint32_t pid)
{
	recpast_command(r->past, pid);
}

void
recring_commanded(const struct recring *r, struct recpast_pids *pids)
{
	recpast_commanded(r->past, pids);
}

bool
recring_write(const struct recring *r, const struct collect_sink *sink, struct err *e)
{
	const struct perf_event_header round = {.type = FINISHED_ROUND, .size = sizeof round};

	if (!recpast_write(r->past, sink, e) || !sink->take(sink->ctx, &round, e))
		return false;
	for (size_t i = 0; i < r->block.n; i++)
		if (!collect_give(&r->block.at[i].records, sink, e))
			return false;
	return true;
}

uint64_t
recring_span(const struct recring *r, uint64_t now)
{
	return r->block.n && r->block.at[0].begins < now ? now - r->block.at[0].begins : 0;
}

uint64_t
recring_samples(const struct recring *r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < r->block.n; i++)
		n += r->block.at[i].samples;
	return n;
}
