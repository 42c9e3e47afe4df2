/* recpast.c - see recpast.h.
 *
 * Each process has its maps, and each thread its last name, as the kernel has them at that moment:
 *
 *	FORK   the child has its parent's maps and name from now on, under its own numbers
 *	exec   the process has no maps any more, but its owners (owners.h)
 *	       and no thread but the one that began it
 *	EXIT   the thread is forgotten LINGER_NS later: usage.h sees an end late
 *
 * The last thread takes its process along.  The first one stays until then, as its name is that of
 * the process: main() may end alone.
 *
 * Records of several CPUs arrive out of order, a fork after the end of the child.  So they wait, as
 * in readers of perf.data: at the end of a round, all are known up to the last time of the round
 * before.
 *
 * So no record of a process that has ended is needed for its children.  A list of all records until
 * the end of their process was rejected: a process that makes threads for days grows without end,
 * and a child that outlives its parent loses its names.
 *
 * A map replaces the earlier one at its address, and those that lie inside it.  The kernel does not
 * say that a map has ended: those of a process that maps code at ever new addresses all stay.
 *
 * Records without a process are recothers.h's. */
#include "src/collect/recpast.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/map.h"
#include "model/base/mem.h"
#include "model/base/ordered.h"
#include "model/base/vec.h"
#include "src/collect/collect.h"
#include "src/collect/record.h"
#include "src/collect/recothers.h"

#define NOTES_FROM (UINT64_C(1) << 62) /* addresses of interp.h, and of owners.h */
#define OWNERS_FROM (NOTES_FROM + (UINT64_C(1) << 60))
#define RANGE_AT (sizeof(struct perf_event_header) + 2 * sizeof(uint32_t)) /* in a map */
#define LINGER_NS UINT64_C(3000000000)
#define ROUND_END 68u /* PERF_RECORD_FINISHED_ROUND */
#define WAITING_BYTES (4u << 20) /* at most, in a round that does not end */
#define GONE_MOST 1024u /* more have to be forgotten before the tables are made again */

struct recpast_process {
	uint32_t pid;
	uint32_t threads; /* that are not forgotten; 0: none is known */
	bool gone;              /* forgotten */
	bool commanded, chosen; /* of the command; named by the user */
	struct buf maps;        /* records */
};

struct recpast_thread {
	uint32_t pid, tid;
	bool gone;
	uint64_t ended;
	struct buf name; /* a record; empty: unknown */
};

/* An end that is not forgotten yet. */
struct recpast_end {
	uint32_t pid, tid;
	uint64_t at;
};

/* A record that waits for the end of a round. */
struct recpast_waiting {
	uint64_t time;
	size_t at; /* in `records` */
};

struct recpast {
	VEC(struct recpast_waiting) waiting; /* in the order of arrival */
	struct buf records;
	uint64_t complete, latest; /* times: of the round before, of this one */
	VEC(struct recpast_process) process;
	VEC(struct recpast_thread) thread;
	struct map by_pid, by_tid;
	size_t gone; /* of both */
	VEC(struct recpast_end) end;
	size_t first_end;
	struct recothers others;
};

struct recpast *
recpast_new(void)
{
	struct recpast *p = mem_zalloc(1, sizeof *p);

	map_init(&p->by_pid);
	map_init(&p->by_tid);
	return p;
}

void
recpast_free(struct recpast *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->process.n; i++)
		buf_release(&p->process.at[i].maps);
	for (size_t i = 0; i < p->thread.n; i++)
		buf_release(&p->thread.at[i].name);
	vec_release(&p->process);
	vec_release(&p->thread);
	vec_release(&p->end);
	vec_release(&p->waiting);
	buf_release(&p->records);
	map_release(&p->by_pid);
	map_release(&p->by_tid);
	recothers_release(&p->others);
	free(p);
}

/* ---- tables ---- */

static struct recpast_process *
find_process(struct recpast *p, uint32_t pid)
{
	uint64_t hash = map_hash_pair(pid, 0);
	uint32_t slot = map_first(&p->by_pid, hash), i;

	while (map_probe(&p->by_pid, &slot, hash, &i))
		if (p->process.at[i].pid == pid)
			return &p->process.at[i];
	return NULL;
}

static struct recpast_thread *
find_thread(struct recpast *p, uint32_t tid)
{
	uint64_t hash = map_hash_pair(tid, 1);
	uint32_t slot = map_first(&p->by_tid, hash), i;

	while (map_probe(&p->by_tid, &slot, hash, &i))
		if (p->thread.at[i].tid == tid)
			return &p->thread.at[i];
	return NULL;
}

/* Returns the process, which lives. */
static struct recpast_process *
put_process(struct recpast *p, uint32_t pid)
{
	struct recpast_process *x = find_process(p, pid);

	if (!x) {
		map_insert(&p->by_pid, map_hash_pair(pid, 0), (uint32_t)p->process.n);
		x = vec_push(&p->process);
		*x = (struct recpast_process){.pid = pid};
	}
	p->gone -= x->gone;
	x->gone = false;
	return x;
}

static void
forget_process(struct recpast *p, struct recpast_process *x)
{
	buf_release(&x->maps);
	x->gone = true;
	x->commanded = x->chosen = false;
	p->gone++;
}

static void
recpast_forget_thread(struct recpast *p, struct recpast_thread *t)
{
	struct recpast_process *x = find_process(p, t->pid);

	buf_release(&t->name);
	t->gone = true;
	p->gone++;
	if (--x->threads == 0)
		forget_process(p, x);
}

static struct recpast_thread *
put_thread(struct recpast *p, uint32_t pid, uint32_t tid)
{
	struct recpast_thread *x = find_thread(p, tid);

	if (!x) {
		map_insert(&p->by_tid, map_hash_pair(tid, 1), (uint32_t)p->thread.n);
		x = vec_push(&p->thread);
		*x = (struct recpast_thread){.tid = tid, .gone = true};
		p->gone++;
	}
	if (!x->gone && x->pid != pid)
		recpast_forget_thread(p, x); /* of another process, which did not say its end */
	if (x->gone) {
		x->gone = false;
		p->gone--;
		put_process(p, pid)->threads++;
	}
	x->ended = 0;
	x->pid = pid;
	return x;
}

/* Removes what was forgotten from the tables, whose indexes change. */
static void
recpast_sweep(struct recpast *p)
{
	size_t kept = 0;

	map_release(&p->by_pid);
	map_release(&p->by_tid);
	map_init(&p->by_pid);
	map_init(&p->by_tid);
	for (size_t i = 0; i < p->process.n; i++) {
		if (p->process.at[i].gone)
			continue;
		map_insert(&p->by_pid, map_hash_pair(p->process.at[i].pid, 0), (uint32_t)kept);
		p->process.at[kept++] = p->process.at[i];
	}
	p->process.n = kept;
	kept = 0;
	for (size_t i = 0; i < p->thread.n; i++) {
		if (p->thread.at[i].gone)
			continue;
		map_insert(&p->by_tid, map_hash_pair(p->thread.at[i].tid, 1), (uint32_t)kept);
		p->thread.at[kept++] = p->thread.at[i];
	}
	p->thread.n = kept;
	p->gone = 0;
}

/* ---- records ---- */

/* Returns the words after the header: mostly pid and tid, of forks and ends pid, parent's pid, tid,
 * parent's tid. */
static uint32_t
recpast_word(const struct perf_event_header *h, unsigned i)
{
	uint32_t word = 0;

	if (h->size >= sizeof *h + (i + 1) * sizeof word)
		memcpy(&word, (const uint8_t *)(h + 1) + i * sizeof word, sizeof word);
	return word;
}

/* Gives a record at `at` to another task. */
static void
rewrite(struct buf *records, size_t at, uint32_t pid, uint32_t tid)
{
	uint32_t ids[2] = {pid, tid};

	memcpy(records->at + at + sizeof(struct perf_event_header), ids, sizeof ids);
}

/* Copies records of MMAP or COMM for another task. */
static void
copy_records(struct buf *to, const struct buf *from, uint32_t pid, uint32_t tid)
{
	struct perf_event_header h;

	buf_reset(to);
	buf_add(to, from->at, from->len);
	for (size_t at = 0; at < to->len; at += h.size) {
		memcpy(&h, to->at + at, sizeof h);
		rewrite(to, at, pid, tid);
	}
}

/* Where a map is; the record has u32 pid, tid before it. */
struct recpast_range {
	uint64_t start, len;
};

static struct recpast_range
recpast_range_of(const void *record)
{
	struct recpast_range r;

	memcpy(&r, (const uint8_t *)record + RANGE_AT, sizeof r);
	return r;
}

/* Returns true if a later map replaces one: that begins at the same address, or lies inside. */
static bool
replaces(const struct perf_event_header *record, const struct perf_event_header *h, const char *at)
{
	struct recpast_range now = recpast_range_of(record), was = recpast_range_of(at);
	size_t end = record->size - sizeof(struct record_tail);

	if (now.start < NOTES_FROM)
		return now.start == was.start ||
		       (was.start > now.start && was.start - now.start < now.len &&
			was.len <= now.len - (was.start - now.start));
	/* several notes of pnav about a process may have one address */
	return now.start == was.start && record->size == h->size && end > RANGE_AT &&
	       !memcmp((const char *)record + RANGE_AT, at + RANGE_AT, end - RANGE_AT);
}

static void
recpast_map(struct buf *maps, const struct perf_event_header *record)
{
	struct perf_event_header h;
	size_t kept = 0;

	if (record->size < RANGE_AT + sizeof(struct recpast_range) + sizeof(struct record_tail))
		return;
	for (size_t at = 0; at < maps->len; at += h.size) {
		memcpy(&h, maps->at + at, sizeof h);
		if (replaces(record, &h, maps->at + at))
			continue;
		if (kept < at)
			memmove(maps->at + kept, maps->at + at, h.size);
		kept += h.size;
	}
	maps->len = kept;
	buf_add(maps, record, record->size);
}

/* Removes the maps of a program that another one replaces. */
static void
drop_program(struct buf *maps)
{
	struct perf_event_header h;
	size_t kept = 0;

	for (size_t at = 0; at < maps->len; at += h.size) {
		uint64_t start;
		memcpy(&h, maps->at + at, sizeof h);
		memcpy(&start, maps->at + at + sizeof h + 2 * sizeof(uint32_t), sizeof start);
		if (start < OWNERS_FROM)
			continue;
		memmove(maps->at + kept, maps->at + at, h.size);
		kept += h.size;
	}
	maps->len = kept;
}

/* All other threads of a process have ended: it is new, or its program is. */
static void
end_others(struct recpast *p, uint32_t pid, uint32_t tid, uint64_t at)
{
	if (find_process(p, pid)->threads < 2)
		return;
	for (size_t i = 0; i < p->thread.n; i++) {
		struct recpast_thread *t = &p->thread.at[i];
		if (t->gone || t->pid != pid || t->tid == tid || t->ended)
			continue;
		t->ended = at;
		*vec_push(&p->end) = (struct recpast_end){pid, t->tid, at};
	}
}

static void
take_name(struct recpast *p, const struct perf_event_header *record, uint64_t at)
{
	uint32_t pid = recpast_word(record, 0), tid = recpast_word(record, 1);
	struct recpast_thread *t = put_thread(p, pid, tid);

	buf_reset(&t->name);
	buf_add(&t->name, record, record->size);
	if (!(record->misc & PERF_RECORD_MISC_COMM_EXEC))
		return;
	struct perf_event_header h = *record;
	h.misc &= (uint16_t)~PERF_RECORD_MISC_COMM_EXEC; /* the maps are already those after it */
	memcpy(t->name.at, &h, sizeof h);
	drop_program(&find_process(p, pid)->maps);
	end_others(p, pid, tid, at);
}

static void
recpast_fork(struct recpast *p, const struct perf_event_header *record, uint64_t at)
{
	uint32_t pid = recpast_word(record, 0), ppid = recpast_word(record, 1),
		 tid = recpast_word(record, 2), ptid = recpast_word(record, 3);
	const struct recpast_process *from;
	const struct recpast_thread *namesake;

	if (pid != ppid) {
		struct recpast_process *child = put_process(p, pid);
		buf_reset(&child->maps);
		from = find_process(p, ppid);
		if (from)
			copy_records(&child->maps, &from->maps, pid, pid);
		child->commanded = child->chosen || (from && from->commanded);
	}
	struct recpast_thread *t = put_thread(p, pid, tid);
	if (pid != ppid)
		end_others(p, pid, tid, at);
	buf_reset(&t->name);
	if ((namesake = find_thread(p, ptid)) && namesake != t)
		copy_records(&t->name, &namesake->name, pid, tid);
}

static void
recpast_exit(struct recpast *p, const struct perf_event_header *record, uint64_t at)
{
	uint32_t pid = recpast_word(record, 0), tid = recpast_word(record, 2);
	struct recpast_thread *t = find_thread(p, tid);
	const struct recpast_process *x = pid == tid ? find_process(p, pid) : NULL;

	if ((!t || t->gone) && x && !x->gone)
		t = put_thread(p, pid, tid); /* which had no name */
	if (!t || t->gone || t->pid != pid)
		return;
	t->ended = at;
	*vec_push(&p->end) = (struct recpast_end){pid, tid, at};
}

/* Forgets an end, unless the number was used again. */
static void
recpast_forget(struct recpast *p, struct recpast_end end)
{
	struct recpast_thread *t = find_thread(p, end.tid);

	if (!t || t->gone || t->pid != end.pid || t->ended != end.at)
		return;
	const struct recpast_process *x = find_process(p, end.pid);
	if (t->tid == t->pid && x->threads > 1)
		return; /* see above */
	recpast_forget_thread(p, t);
	t = find_thread(p, end.pid);
	if (x->threads == 1 && t && !t->gone && t->pid == end.pid && t->ended &&
	    t->ended <= end.at)
		recpast_forget_thread(p, t);
}

static void
forget_before(struct recpast *p, uint64_t time)
{
	while (p->first_end < p->end.n && p->end.at[p->first_end].at < time)
		recpast_forget(p, p->end.at[p->first_end++]);
	if (p->first_end > p->end.n / 2) {
		p->end.n -= p->first_end;
		memmove(p->end.at, p->end.at + p->first_end, p->end.n * sizeof *p->end.at);
		p->first_end = 0;
	}
	if (p->gone > GONE_MOST && p->gone > (p->process.n + p->thread.n) / 2)
		recpast_sweep(p);
}

static void
recpast_apply(struct recpast *p, const struct perf_event_header *record, uint64_t time)
{
	forget_before(p, time < LINGER_NS ? 0 : time - LINGER_NS);
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		if (recpast_word(record, 0) == UINT32_MAX || !recpast_word(record, 0))
			recothers_take(&p->others, record);
		else
			recpast_map(&put_process(p, recpast_word(record, 0))->maps, record);
		break;
	case PERF_RECORD_COMM:
		take_name(p, record, time);
		break;
	case PERF_RECORD_FORK:
		recpast_fork(p, record, time);
		break;
	case PERF_RECORD_EXIT:
		recpast_exit(p, record, time);
		break;
	default:
		recothers_take(&p->others, record);
		break;
	}
}

ORDERED_BY_TWO(compare_waiting, struct recpast_waiting, time, at)

/* Applies what waits, up to a time. */
static void
apply_until(struct recpast *p, uint64_t time)
{
	struct buf rest = BUF_INIT;
	size_t n = 0;

	vec_sort(&p->waiting, compare_waiting);
	for (size_t i = 0; i < p->waiting.n; i++) {
		struct recpast_waiting w = p->waiting.at[i];
		const void *at = p->records.at + w.at;
		const struct perf_event_header *record = at;
		if (w.time <= time) {
			recpast_apply(p, record, w.time);
			continue;
		}
		p->waiting.at[n++] = (struct recpast_waiting){w.time, rest.len};
		buf_add(&rest, record, record->size);
	}
	p->waiting.n = n;
	buf_release(&p->records);
	p->records = rest;
}

void
recpast_take(struct recpast *p, const struct perf_event_header *record)
{
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_CGROUP:
		*vec_push(&p->waiting) =
			(struct recpast_waiting){record_tail_of(record).time, p->records.len};
		buf_add(&p->records, record, record->size);
		if (record_tail_of(record).time > p->latest)
			p->latest = record_tail_of(record).time;
		break;
	case ROUND_END:
		apply_until(p, p->complete);
		p->complete = p->latest;
		break;
	default:
		break;
	}
	if (p->records.len > WAITING_BYTES)
		apply_until(p, p->latest);
}

void
recpast_command(struct recpast *p, uint32_t pid)
{
	struct recpast_process *x = put_process(p, pid);

	x->commanded = x->chosen = true;
}

void
recpast_commanded(const struct recpast *p, struct recpast_pids *pids)
{
	for (size_t i = 0; i < p->process.n; i++)
		if (p->process.at[i].commanded)
			*vec_push(&pids->at) = (pid_t)p->process.at[i].pid;
}

bool
recpast_write(const struct recpast *p, const struct collect_sink *sink, struct err *e)
{
	if (!collect_give(&p->others.records, sink, e))
		return false;
	for (size_t i = 0; i < p->thread.n; i++)
		if (!collect_give(&p->thread.at[i].name, sink, e))
			return false;
	for (size_t i = 0; i < p->process.n; i++)
		if (!collect_give(&p->process.at[i].maps, sink, e))
			return false;
	return collect_give(&p->records, sink, e);
}
