/* Finds where threads wait: without privilege, or since before the recording.
 *
 * The kernel reports to an ordinary user when his own thread leaves its CPU and returns, but takes
 * no sample there, since that would be one of the kernel.  While the thread is away, its
 * /proc/PID/task/TID/syscall has stack pointer and program counter, and process_vm_readv(2) copies
 * the stack.  Both need only the right to trace the process, and the thread is not disturbed.
 *
 * So the recorder looks at moments some milliseconds apart, and examines each thread that left
 * since and is still away, once a wait.  It sees every long wait; of short ones it sees those that
 * a look falls into, and reports how many it missed.  The distances are random, so looks do not
 * synchronise with a periodic program.  A look costs about 70 us, so their rate is limited; the
 * longest waits come first.
 *
 * The thread may continue while it is examined.  So the file is read again after the copy, and if
 * it has changed, the copy is dropped.
 *
 * The other registers are unavailable, so the copy is unwound without them (src/symbol/unwind.c
 * finds the frame pointer in the stack).  The samples' attr shows this by asking for two registers.
 *
 * With privilege the kernel takes a sample when a thread leaves its CPU.  A thread that waits since
 * before the recording has none, so it is examined once in the same way.  Its wait counts from the
 * start of sampling, by a switch record that the recorder writes itself.
 *
 * Rejected: stopping the thread by ptrace (some system calls end with EINTR); examining it as soon
 * as it leaves (a switch of the recorder for each of the program's); the tracepoints of system
 * calls (they need no privilege except to read their numbers in a folder of root's). */
#include "src/collect/waits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/base/buf.h"
#include "model/base/map.h"
#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/collect/doing.h"
#include "src/collect/taskplace.h"
#include "src/collect/record.h"

#define PAUSE_NS 3000000u /* half of it to one and a half */
#define IDLE_NS 50000000u /* pause when no thread is away */
#define LOOKS_A_SECOND 400u
#define LOOKS_AT_ONCE 32u
#define LOOKS_AT_START 2000u /* beyond those; and as many at the end */
#define NS_PER_S 1000000000u
#define STACK_BYTES 65000u /* the rest of a record must fit in 64 KB, too */

struct away {
	uint32_t pid, tid;
	uint64_t since; /* 0: it is on a CPU, or never left one */
	bool seen, tried, gone;
};

struct waits {
	struct perf_event_attr attr;
	uint64_t id, next_at, filled_at, random;
	uint64_t looks; /* remaining looks, in billionths */
	bool kernel;    /* the kernel samples each thread that leaves a CPU */
	struct waits_counts counts;
	VEC(struct away) thread;
	struct map map; /* tid -> thread */
	VEC(uint32_t) due;
	uint8_t stack[STACK_BYTES];
};

struct waits *
waits_new(struct perf_event_attr *attr, uint64_t id, bool kernel)
{
	struct waits *w = mem_zalloc(1, sizeof *w);

	if (attr->sample_type & (PERF_SAMPLE_STACK_USER | PERF_SAMPLE_CALLCHAIN) &&
	    record_place_registers()) {
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
				     PERF_SAMPLE_STACK_USER;
		attr->exclude_callchain_user = 1;
		attr->sample_regs_user = record_place_registers();
		if (!attr->sample_stack_user)
			attr->sample_stack_user = RECORD_STACK_BYTES;
	}
	w->attr = *attr;
	w->id = id;
	w->kernel = kernel;
	w->random = 88172645463325252u; /* any value but 0 */
	map_init(&w->map);
	return w;
}

void
waits_free(struct waits *w)
{
	if (!w)
		return;
	vec_release(&w->thread);
	vec_release(&w->due);
	map_release(&w->map);
	free(w);
}

/* ---- threads off their CPU ---- */

static struct away *
waits_thread_of(struct waits *w, uint32_t pid, uint32_t tid)
{
	uint64_t hash = (uint64_t)tid * 0x9E3779B97F4A7C15u;
	uint32_t slot = map_first(&w->map, hash), i;

	while (map_probe(&w->map, &slot, hash, &i))
		if (w->thread.at[i].tid == tid)
			return &w->thread.at[i];
	*vec_push(&w->thread) = (struct away){.pid = pid, .tid = tid};
	i = (uint32_t)w->thread.n - 1;
	map_insert(&w->map, hash, i);
	return &w->thread.at[i];
}

static void
count_wait(const struct waits *w, struct waits_counts *counts, const struct away *a, uint64_t until)
{
	uint64_t ns = until > a->since ? until - a->since : 0;

	if (!a->since || w->kernel)
		return;
	counts->n++;
	counts->ns += ns;
	counts->seen += a->seen;
	counts->seen_ns += a->seen ? ns : 0;
}

static void
take_switch(struct waits *w, const struct perf_event_header *h)
{
	struct record_tail tail = record_tail_of(h);
	uint16_t out = h->misc & PERF_RECORD_MISC_SWITCH_OUT;

	if (!tail.tid)
		return;
	struct away *a = waits_thread_of(w, tail.pid, tail.tid);
	count_wait(w, &w->counts, a, tail.time);
	a->pid = tail.pid;
	a->seen = a->tried = false;
	a->since = 0;
	if (out && !(h->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) && !w->kernel && !a->gone)
		a->since = tail.time;
}

/* An ended thread leaves for good: its last switch is not a wait. */
static void
take_end(struct waits *w, const struct perf_event_header *h)
{
	uint32_t ids[4];

	memcpy(ids, h + 1, sizeof ids);
	struct away *a = waits_thread_of(w, ids[0], ids[2]);
	a->since = 0;
	a->gone = true;
}

/* Reads pid, parent's pid, tid.  The rings are read one CPU after another, so a switch of the new
 * thread on one CPU may come before its fork on the next. */
static void
take_fork(struct waits *w, const struct perf_event_header *h)
{
	uint32_t ids[4];

	memcpy(ids, h + 1, sizeof ids);
	struct away *a = waits_thread_of(w, ids[0], ids[2]);
	if (a->gone)
		*a = (struct away){.tid = ids[2]};
	a->pid = ids[0];
}

/* The fork of the command itself was not recorded: its exec gives it a name. */
static void
take_name(struct waits *w, const struct perf_event_header *h)
{
	uint32_t ids[2];

	memcpy(ids, h + 1, sizeof ids);
	if (h->misc & PERF_RECORD_MISC_COMM_EXEC)
		waits_thread_of(w, ids[0], ids[1])->pid = ids[0];
}

void
waits_take(struct waits *w, const struct perf_event_header *h)
{
	if (h->type == PERF_RECORD_SWITCH)
		take_switch(w, h);
	if (h->size < sizeof *h + 4 * sizeof(uint32_t))
		return;
	if (h->type == PERF_RECORD_EXIT)
		take_end(w, h);
	else if (h->type == PERF_RECORD_FORK)
		take_fork(w, h);
	else if (h->type == PERF_RECORD_COMM)
		take_name(w, h);
}

/* ---- at the start ---- */

/* True if a thread, unless it is the kernel's, waits. */
static bool
is_waiting(uint32_t pid, uint32_t tid)
{
	int cpu;
	enum doing_state state = doing_state_of((pid_t)pid, (pid_t)tid, &cpu);

	return state != DOING_NOTHING && state != DOING_RUNNING;
}

void
waits_begin(struct waits *w, uint32_t pid, uint32_t tid, uint64_t since, struct buf *out)
{
	struct away *a = waits_thread_of(w, pid, tid);

	a->pid = pid;
	a->seen = a->tried = a->gone = false;
	a->since = is_waiting(pid, tid) ? since : 0;
	if (a->since)
		record_switch(out, (struct record_task){pid, tid, since}, true);
}

void
waits_begin_known(struct waits *w, uint64_t since, struct buf *out)
{
	for (size_t i = 0; i < w->thread.n; i++) {
		const struct away *a = &w->thread.at[i];
		if (!a->gone)
			waits_begin(w, a->pid, a->tid, since, out);
	}
}

/* ---- a look ---- */

static void
waits_sample(struct waits *w, struct away *a, uint64_t now, struct buf *out)
{
	bool copies = w->attr.sample_type & PERF_SAMPLE_STACK_USER;
	uint64_t chain = 0; /* no addresses */
	struct taskplace place, after;
	struct record_sample s = {.id = w->id, .pid = a->pid, .tid = a->tid, .period = 1};

	s.time = now;
	if (!taskplace_read(&place, (pid_t)a->pid, (pid_t)a->tid)) {
		w->counts.refused += errno == EPERM || errno == EACCES;
		a->tried |= errno != 0;
		return;
	}
	size_t size = w->attr.sample_stack_user < STACK_BYTES ? w->attr.sample_stack_user
							       : STACK_BYTES;
	size_t copied = copies ? taskplace_copy((pid_t)a->pid, place.sp, w->stack, size) : 0;
	if (!taskplace_read(&after, (pid_t)a->pid, (pid_t)a->tid) ||
	    strcmp(place.text, after.text) != 0)
		return;
	a->seen = a->tried = true;
	s.ip = place.pc;
	size_t at = record_begin(out, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	buf_add(out, &s.id, sizeof s - sizeof s.header);
	if (copies) {
		buf_add(out, &chain, sizeof chain);
		taskplace_put(&place, w->stack, copied, out);
	}
	record_end(out, at);
}

/* ---- all that are due ---- */

static void
fill_looks(struct waits *w, uint64_t now)
{
	uint64_t most = (uint64_t)LOOKS_AT_ONCE * NS_PER_S;
	uint64_t gone = w->filled_at ? now - w->filled_at : 0;

	if (!w->filled_at)
		w->looks = (uint64_t)LOOKS_AT_START * NS_PER_S;
	gone = (gone < NS_PER_S ? gone : NS_PER_S) * LOOKS_A_SECOND;
	if (w->looks < most)
		w->looks = w->looks + gone < most ? w->looks + gone : most;
	w->filled_at = now;
}

/* Chooses the `most` longest waits that were not tried yet, into w->due. */
static void
waits_choose(struct waits *w, size_t most)
{
	w->due.n = 0;
	for (uint32_t i = 0; most && i < w->thread.n; i++) {
		const struct away *a = &w->thread.at[i];
		size_t k = w->due.n;
		if (!a->since || a->tried)
			continue;
		while (k && w->thread.at[w->due.at[k - 1]].since > a->since)
			k--;
		if (k == most)
			continue;
		if (w->due.n < most)
			*vec_push(&w->due) = i;
		memmove(w->due.at + k + 1, w->due.at + k,
			(w->due.n - 1 - k) * sizeof *w->due.at);
		w->due.at[k] = i;
	}
}

void
waits_look(struct waits *w, struct buf *out)
{
	uint64_t now = record_now();

	if (now < w->next_at)
		return;
	fill_looks(w, now);
	size_t most = w->looks / NS_PER_S;
	waits_choose(w, most < LOOKS_AT_ONCE ? most : LOOKS_AT_ONCE);
	for (size_t i = 0; i < w->due.n; i++) {
		waits_sample(w, &w->thread.at[w->due.at[i]], record_now(), out);
		w->looks -= NS_PER_S;
	}
	/* xorshift (Marsaglia 2003) */
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	w->next_at = now + (w->kernel && !w->due.n ? IDLE_NS
						    : PAUSE_NS / 2 + w->random % PAUSE_NS);
}

void
waits_end(struct waits *w, struct buf *out)
{
	uint64_t now = record_now();

	waits_choose(w, LOOKS_AT_START);
	for (size_t i = 0; i < w->due.n; i++)
		waits_sample(w, &w->thread.at[w->due.at[i]], now, out);
	record_switch(out, (struct record_task){.time = now}, false);
}

uint64_t
waits_pause(const struct waits *w)
{
	uint64_t now = record_now();

	return now < w->next_at ? w->next_at - now : 0;
}

struct waits_counts
waits_counted(const struct waits *w)
{
	struct waits_counts counts = w->counts;
	uint64_t now = record_now();

	for (size_t i = 0; i < w->thread.n; i++)
		count_wait(w, &counts, &w->thread.at[i], now);
	return counts;
}
