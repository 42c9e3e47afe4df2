/* threadlook.c - see threadlook.h.
 *
 * First all threads are examined, so that each holder of a lock has a name; then come the records.
 *
 * A deadlock is a cycle: a waits for a lock that b holds, b for one that a holds.  The threads are
 * not examined at the same moment, so each thread of a cycle is examined again: if one of them has
 * moved, there is no deadlock.
 *
 * The registers of a waiting thread are unknown except for two, those of a running thread are
 * known.  So there are two events of the same name. */
#include "src/collect/threadlook.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "model/base/map.h"
#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/collect/doing.h"
#include "src/collect/eventlist.h"
#include "src/collect/interp.h"
#include "src/collect/kernelstack.h"
#include "src/collect/lookfields.h"
#include "src/collect/record.h"
#include "src/collect/registers.h"
#include "src/collect/taskplace.h"
#include "src/collect/taskrun.h"
#include "src/collect/tracedata.h"

#define STACK_BYTES 32768u
#define STOP_NS 100000000u /* how long threads may take to get a CPU, on which they stop */
#define MOVES 8u /* so often a waiting thread may move while its stack is read */
#define ROUND 68u        /* PERF_RECORD_FINISHED_ROUND */

enum { EVENT_WAITING, EVENT_RUNNING };

struct looked {
	pid_t pid, tid;
	char comm[RECORD_COMM_SIZE];
	struct doing doing;
	struct taskplace place;
	char *waits_for; /* NULL: it runs */
	bool refused;    /* its place is not readable */
	bool deadlocked, shown;
	bool awaited; /* it runs, and will stop for a sample */
	/* of `doing` when all were examined: they prove deadlocks, whatever follows */
	pid_t holder;
	bool locked;
	size_t walk;  /* the walk over holders that passed here; 0: none did */
};

/* A process, and the maps that were recorded. */
struct look_process {
	pid_t pid;
	struct record_known *known;
};

struct threadlook {
	struct eventlist events;
	VEC(int64_t) clock; /* [CPU] doing_clock(), 0: not asked yet */
	VEC(struct looked) thread; /* of the last look */
	struct map by_tid;
	struct doing_threads threads; /* of the process examined last */
	VEC(struct look_process) process;
	struct map by_pid;
	uint8_t stack[STACK_BYTES];
	struct interp *interp; /* NULL: not wanted */
	struct kernelstack *kernel; /* NULL: not allowed */
	bool scripts;          /* the last thread has frames of an interpreter */
	struct buf finishing;
};

/* ---- the form of the records ---- */

static void
look_add_event(struct threadlook *l, uint64_t registers, uint64_t id)
{
	struct collect_event *v = eventlist_push(&l->events);
	struct perf_event_attr *a = &v->attr;

	v->name = mem_dup("threads", 7);
	v->format = lookfields_format;
	a->type = PERF_TYPE_TRACEPOINT;
	a->config = LOOKFIELDS_TYPE;
	a->sample_period = 1;
	a->sample_type = RECORD_SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
			 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	a->sample_regs_user = registers;
	a->sample_stack_user = STACK_BYTES;
	a->exclude_callchain_user = 1;
	a->sample_id_all = 1;
	a->use_clockid = 1;
	a->clockid = CLOCK_MONOTONIC;
	*vec_push(&v->ids) = id;
}

struct threadlook *
threadlook_new(bool interpreters)
{
	struct threadlook *l = mem_zalloc(1, sizeof *l);

	map_init(&l->by_tid);
	map_init(&l->by_pid);
	l->interp = interpreters ? interp_new() : NULL;
	l->kernel = kernelstack_new();
	look_add_event(l, record_place_registers(), EVENT_WAITING + 1);
	look_add_event(l, record_registers(), EVENT_RUNNING + 1);
	return l;
}

const struct eventlist *
threadlook_events(const struct threadlook *l)
{
	return &l->events;
}

static void
forget_threads(struct threadlook *l)
{
	for (size_t i = 0; i < l->thread.n; i++)
		free(l->thread.at[i].waits_for);
	l->thread.n = 0;
	map_release(&l->by_tid);
	map_init(&l->by_tid);
}

void
threadlook_free(struct threadlook *l)
{
	if (!l)
		return;
	forget_threads(l);
	vec_release_all(&l->thread, &l->threads.thread, &l->clock);
	map_release(&l->by_tid);
	map_release(&l->by_pid);
	for (size_t i = 0; i < l->process.n; i++)
		record_known_free(l->process.at[i].known);
	vec_release(&l->process);
	eventlist_release(&l->events);
	interp_free(l->interp);
	kernelstack_free(l->kernel);
	buf_release(&l->finishing);
	free(l);
}

/* ---- examining ---- */

static int64_t
threadlook_clock(struct threadlook *l, int cpu)
{
	while (cpu >= 0 && l->clock.n <= (size_t)cpu)
		*vec_push(&l->clock) = 0;
	if (cpu >= 0 && !l->clock.at[cpu])
		l->clock.at[cpu] = doing_clock(cpu);
	return cpu < 0 ? INT64_MIN : l->clock.at[cpu];
}

/* Reads what a thread does. Returns false if it has ended. */
static bool
examine_again(struct threadlook *l, struct looked *t)
{
	struct buf waits_for = BUF_INIT;
	int cpu = -1;

	free(t->waits_for);
	t->waits_for = NULL;
	t->place = (struct taskplace){0};
	t->doing = (struct doing){.call = "", .waited_ns = -1};
	t->doing.state = doing_state_of(t->pid, t->tid, &cpu);
	if (t->doing.state == DOING_NOTHING)
		return false;
	if (t->doing.state == DOING_RUNNING)
		return true;
	if (taskplace_read(&t->place, t->pid, t->tid)) {
		if (l->threads.pid != t->pid)
			doing_threads_read(&l->threads, t->pid);
		doing_read(&t->doing, &l->threads, t->tid, &t->place, threadlook_clock(l, cpu),
			   &waits_for);
		t->waits_for = mem_dup(buf_str(&waits_for), waits_for.len);
	} else if (errno) {
		t->refused = true;
	} else {
		t->doing.state = DOING_RUNNING;
	}
	buf_release(&waits_for);
	return true;
}

static void
examine_thread(struct threadlook *l, pid_t pid, pid_t tid)
{
	struct looked t = {.pid = pid, .tid = tid};

	if (!examine_again(l, &t))
		return;
	t.holder = t.doing.holder;
	t.locked = t.doing.locked;
	record_read_comm(tid, t.comm);
	map_insert(&l->by_tid, map_hash_pair((uint32_t)tid, 0), (uint32_t)l->thread.n);
	*vec_push(&l->thread) = t;
}

static void
examine_process(struct threadlook *l, pid_t pid)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *dir = opendir(path);
	for (struct dirent *d; dir && (d = readdir(dir));)
		if (atoi(d->d_name) > 0)
			examine_thread(l, pid, atoi(d->d_name));
	if (dir)
		closedir(dir);
}

static void
examine_all(struct threadlook *l)
{
	DIR *dir = opendir("/proc");

	for (struct dirent *d; dir && (d = readdir(dir));)
		if (atoi(d->d_name) > 0 && atoi(d->d_name) != getpid())
			examine_process(l, atoi(d->d_name));
	if (dir)
		closedir(dir);
}

/* ---- holders and deadlocks ---- */

static struct looked *
looked_at(const struct threadlook *l, pid_t tid)
{
	uint64_t hash = map_hash_pair((uint32_t)tid, 0);
	uint32_t slot = map_first(&l->by_tid, hash), i;

	while (tid && map_probe(&l->by_tid, &slot, hash, &i))
		if (l->thread.at[i].tid == tid)
			return &l->thread.at[i];
	return NULL;
}

/* Returns the thread that ends the wait of t; NULL if that is unknown. */
static struct looked *
holder_of(const struct threadlook *l, const struct looked *t)
{
	return looked_at(l, t->holder);
}

/* True if the thread still waits as when it was examined. */
static bool
has_not_moved(const struct looked *t)
{
	struct taskplace now;

	return taskplace_read(&now, t->pid, t->tid) && !strcmp(now.text, t->place.text);
}

/* Marks the threads of a cycle that contains t, if none of them has moved. */
static void
mark_cycle(const struct threadlook *l, struct looked *t)
{
	struct looked *member = t;
	bool still = true;

	do
		still = still && has_not_moved(member);
	while ((member = holder_of(l, member)) != t);
	do
		member->deadlocked = still;
	while ((member = holder_of(l, member)) != t);
}

/* Walks from each thread to its holder, and on.  A walk that comes back to its own threads has
 * found a cycle; one that comes to the threads of an earlier walk has not.  O(n). */
static void
find_deadlocks(struct threadlook *l)
{
	for (size_t i = 0; i < l->thread.n; i++) {
		struct looked *t = &l->thread.at[i];
		for (; t && !t->walk; t = holder_of(l, t))
			t->walk = i + 1;
		if (t && t->walk == i + 1)
			mark_cycle(l, t);
	}
}

/* Appends "worker 1234", or only the number of a thread that was not looked at. */
static void
add_thread_name(const struct threadlook *l, pid_t tid, struct buf *out)
{
	const struct looked *t = looked_at(l, tid);

	buf_addf(out, "%s%s%d", t ? t->comm : "", t ? " " : "", (int)tid);
}

static void
name_holder(const struct threadlook *l, struct looked *t)
{
	struct buf text = BUF_INIT;

	if (!t->doing.holder)
		return;
	buf_addf(&text, "%s ", t->waits_for);
	add_thread_name(l, t->doing.holder, &text);
	buf_adds(&text, t->deadlocked ? " (deadlock)" : "");
	free(t->waits_for);
	t->waits_for = mem_dup(buf_str(&text), text.len);
	buf_release(&text);
}

/* ---- records ---- */

static size_t
begin_sample(const struct looked *t, unsigned event, uint64_t pc, const struct kernelstack *kernel,
	     struct buf *out)
{
	struct record_sample s = {.id = event + 1, .ip = pc, .pid = (uint32_t)t->pid,
				  .tid = (uint32_t)t->tid, .time = record_now(), .period = 1};
	uint16_t mode = pc ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_CPUMODE_UNKNOWN;
	size_t at = record_begin(out, PERF_RECORD_SAMPLE, mode);

	buf_add(out, &s.id, sizeof s - sizeof s.header);
	kernelstack_put(kernel, out);
	lookfields_put(&t->doing, t->tid, t->waits_for, out);
	return at;
}

/* Reads the frames of a thread's interpreter, with its registers or NULL; end_sample() adds
 * them. */
static void
look_at_scripts(struct threadlook *l, const struct looked *t, const struct registers *r)
{
	l->scripts = l->interp && interp_look(l->interp, t->pid, t->tid,
						 r ? registers_wide(r) : NULL);
}

static void
end_sample(struct threadlook *l, size_t at, struct buf *out)
{
	if (!l->scripts)
		return;
	l->scripts = false;
	buf_reset(&l->finishing);
	buf_add(&l->finishing, out->at + at, out->len - at);
	out->len = at;
	interp_put(l->interp, (const void *)l->finishing.at, out);
}

/* A sample without registers and stack. */
static void
put_bare(const struct looked *t, uint64_t pc, struct buf *out)
{
	size_t at = begin_sample(t, EVENT_WAITING, pc, NULL, out);
	uint64_t none[2] = {0};

	buf_add(out, none, sizeof none);
	record_end(out, at);
}

/* A thread that moves meanwhile is examined again; one that runs by then is left to
 * put_running(). */
static void
put_waiting(struct threadlook *l, struct looked *t, struct buf *out)
{
	size_t copied;

	for (unsigned tries = 0;; tries++) {
		look_at_scripts(l, t, NULL);
		copied = taskplace_copy(t->pid, t->place.sp, l->stack, sizeof l->stack);
		kernelstack_read(l->kernel, t->pid, t->tid);
		if (has_not_moved(t))
			break;
		l->scripts = false;
		if (tries < MOVES && (!examine_again(l, t) || t->doing.state == DOING_RUNNING))
			return;
		if (tries == MOVES || t->refused) {
			put_bare(t, 0, out);
			return;
		}
		name_holder(l, t);
	}
	size_t at = begin_sample(t, EVENT_WAITING, t->place.pc, l->kernel, out);
	taskplace_put(&t->place, l->stack, copied, out);
	record_end(out, at);
	end_sample(l, at, out);
}

/* A stopped thread goes on, with the signal that it was about to receive. */
static void
let_go(pid_t tid, int status)
{
	if (WIFSTOPPED(status))
		ptrace(PTRACE_DETACH, tid, NULL, status >> 16 ? 0L : (long)WSTOPSIG(status));
}

void
threadlook_settle(void)
{
	int status;

	for (pid_t tid; (tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0;)
		let_go(tid, status);
}

/* Samples a stopped thread.  Returns where the sample begins, for end_sample(). */
static size_t
put_stopped(struct threadlook *l, const struct looked *t, struct buf *out)
{
	struct registers r;
	size_t copied = 0, start = out->len;

	bool good = registers_read(&r, t->tid);
	look_at_scripts(l, t, good ? &r : NULL);
	if (!good || !r.n) {
		put_bare(t, good ? r.pc : 0, out);
		return start;
	}
	copied = taskplace_copy(t->pid, r.sp, l->stack, sizeof l->stack);
	size_t at = begin_sample(t, EVENT_RUNNING, r.pc, NULL, out);
	uint64_t used = copied & ~(uint64_t)7;
	buf_add(out, &r.abi, sizeof r.abi);
	buf_add(out, r.value, r.n * sizeof *r.value);
	buf_add(out, &used, sizeof used);
	if (used) {
		buf_add(out, l->stack, (size_t)used);
		buf_add(out, &used, sizeof used);
	}
	record_end(out, at);
	return start;
}

/* Asks the threads that run to stop, which each does on a CPU.  Returns how many will. */
static size_t
interrupt_running(struct threadlook *l, struct buf *out)
{
	pid_t tracer = taskrun_status(getpid(), "TracerPid"); /* it would wait for us */
	pid_t debugger = tracer ? record_process_of(tracer) : 0;
	size_t n = 0;
	for (size_t i = 0; i < l->thread.n; i++) {
		struct looked *t = &l->thread.at[i];
		if (t->doing.state != DOING_RUNNING)
			continue;
		t->awaited = registers_known() && t->pid != debugger &&
			     !ptrace(PTRACE_SEIZE, t->tid, NULL, NULL) &&
			     !ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL);
		if (!t->awaited)
			put_bare(t, t->place.pc, out);
		n += t->awaited;
	}
	return n;
}

/* Samples the threads that run as each of them stops, and lets it go at once.  Returns how many
 * ended instead. */
static size_t
put_running(struct threadlook *l, struct buf *out)
{
	size_t awaited = interrupt_running(l, out), ended = 0;
	uint64_t until = record_now() + STOP_NS;
	struct timespec moment = {.tv_nsec = 20000};

	while (awaited && record_now() < until) {
		int status;
		pid_t tid = waitpid(-1, &status, __WALL | WNOHANG);
		struct looked *t = looked_at(l, tid > 0 ? tid : 0);
		if (tid <= 0)
			nanosleep(&moment, NULL);
		size_t at = out->len;
		if (t && t->awaited && WIFSTOPPED(status))
			at = put_stopped(l, t, out);
		if (t && t->awaited) {
			t->awaited = false;
			awaited--;
			ended += !WIFSTOPPED(status);
		}
		if (tid > 0)
			let_go(tid, status);
		end_sample(l, at, out);
	}
	for (size_t i = 0; i < l->thread.n; i++)
		if (l->thread.at[i].awaited)
			put_bare(&l->thread.at[i], 0, out);
	return ended;
}

static struct look_process *
process_of(struct threadlook *l, pid_t pid)
{
	uint64_t hash = map_hash_pair((uint32_t)pid, 0);
	uint32_t slot = map_first(&l->by_pid, hash), i;

	while (map_probe(&l->by_pid, &slot, hash, &i))
		if (l->process.at[i].pid == pid)
			return &l->process.at[i];
	map_insert(&l->by_pid, hash, (uint32_t)l->process.n);
	struct look_process *p = vec_push(&l->process);
	*p = (struct look_process){.pid = pid};
	return p;
}

static void
put_thread(struct threadlook *l, struct looked *t, struct buf *out)
{
	struct look_process *p = process_of(l, t->pid);
	struct record_task task = {(uint32_t)t->pid, (uint32_t)t->pid, record_now()};

	if (t == l->thread.at || t[-1].pid != t->pid) {
		record_process(out, task, &p->known, NULL);
		record_threads(out, task);
		if (l->interp)
			interp_prepare(l->interp, t->pid);
	}
	if (t->doing.state == DOING_RUNNING)
		return; /* put_running() */
	if (t->refused || !record_place_registers())
		put_bare(t, t->place.pc, out);
	else
		put_waiting(l, t, out);
}

size_t
threadlook_take(struct threadlook *l, const pid_t *pid, size_t n, struct buf *out)
{
	struct perf_event_header round = {.type = ROUND, .size = sizeof round};

	if (l->kernel && !l->process.n)
		record_kernel(out);
	forget_threads(l);
	l->threads.pid = 0;
	l->clock.n = 0;
	for (size_t i = 0; i < n; i++)
		examine_process(l, pid[i]);
	if (!pid)
		examine_all(l);
	find_deadlocks(l);
	for (size_t i = 0; i < l->thread.n; i++)
		name_holder(l, &l->thread.at[i]);
	for (size_t i = 0; i < l->thread.n; i++)
		put_thread(l, &l->thread.at[i], out);
	size_t ended = put_running(l, out);
	buf_add(out, &round, sizeof round);
	return l->thread.n - ended;
}

/* ---- words ---- */

/* deadlock: a 12 waits for b 13, which waits for a 12 */
static void
say_deadlock(const struct threadlook *l, struct looked *first, struct buf *out)
{
	struct looked *t = first;

	buf_adds(out, "deadlock: ");
	add_thread_name(l, t->tid, out);
	do {
		t->shown = true;
		buf_addf(out, "%s %s ", t == first ? "" : ", which",
			 t->locked ? "waits for a lock of" : "waits for the end of");
		add_thread_name(l, t->holder, out);
		t = holder_of(l, t);
	} while (t != first);
	buf_addc(out, '\n');
}

void
threadlook_say(const struct threadlook *l, struct buf *out)
{
	size_t refused = 0;

	for (size_t i = 0; i < l->thread.n; i++) {
		struct looked *t = &l->thread.at[i];
		refused += t->refused;
		if (t->deadlocked && !t->shown)
			say_deadlock(l, t, out);
	}
	if (l->interp)
		interp_say(l->interp, "", out);
	if (refused)
		buf_addf(out, "%zu thread%s without a stack: only their owner and root may "
			      "examine them\n", refused, refused == 1 ? "" : "s");
}
