/* Sampling by ptrace(2), where the kernel's counters are forbidden.
 *
 * All threads of the command are seized (which does not stop them), and so are their children.
 * At each tick a running thread is interrupted.  After it has stopped, its registers, and its
 * stack if requested, make one record, and it continues.  A waiting thread costs nothing and is
 * never stopped, and its system calls are not interrupted.  The record's period is the CPU time
 * since the thread's last sample.  It is exact because a stopped thread is off the CPU, so late
 * samples lose nothing.
 *
 * The difficulty is to charge the right place.  A place must be met as often as it uses the
 * CPU, and a thread that only waits there, asleep or for a CPU, must not count:
 *
 * - Ticks come at exponential distances, a period of wall-clock time on average.  A thread on a CPU
 * at a random moment is at a place in proportion to the time spent there.  The time since the
 * last sample says nothing about the place, so periods are fair, too.
 * - A ready thread counts only if it was on a CPU at the tick, so that its count of time slices has
 * not grown until the stop.  Otherwise it is at the place where it slept or was preempted, and
 * is found there more often the longer it waits: beside 30 busy threads, 60 for 70 percent.
 * - A tick often preempts the very thread that it is meant for.  Such a thread was on a CPU, too:
 * it gets one more slice, and the kernel's sum of its waiting shows that it began to wait at
 * the tick.  Only a recorder that got its CPU at once can conclude that.  Otherwise its CPU
 * became free at the end of a slice or of a burst of work, which is no random moment.
 * - No tick is caught up: two in a row would meet the same place.  A thread that has not been on a
 * CPU since its last stop stays where it is.
 *
 * Samples are lost by this, and the next one has their CPU time.  Within a system call a thread
 * that was preempted looks like one that was woken, so the share of system calls is too small.
 *
 * Rejected: examining threads after they have used a period (threads that wait often are then
 * asleep, and the place of sleep gets everything); single stepping (a thousand times slower);
 * stopping whole processes (sleeping threads would pay); a profiling timer in the command
 * (SIGPROF belongs to the command: a program that waits for all signals receives it, and
 * setitimer() replaces it); our own timers on the command's clock (the kernel checks them at
 * its ticks, up to 10 ms apart, when short bursts of work are over).
 *
 * The files that show whether a thread runs stay open, because opening them between tick and
 * stop would miss the start of a burst.  If the recorder itself gets no CPU in time, ticks are
 * late or lost, and collect_warn() reports it.
 *
 * Kernel time counts for its caller.  Maps are read again at doubling intervals, later twenty
 * times a second, and when an address lies in no map. */
#include "src/collect/sampler.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/collect/collect.h"
#include "src/collect/interp.h"
#include "src/collect/record.h"
#include "src/collect/registers.h"
#include "src/collect/userstack.h"

#define SEIZE_OPTIONS                                                                    \
	(PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |                \
	 PTRACE_O_TRACEEXEC)
#define MAPS_NS 50000000u
#define DETACH_NS 500000000u
/* A tick that comes and is handled within this time is prompt; and how exactly the begin of a wait
 * is known. */
#define PROMPT_NS 200000u
#define NEAR_NS 50000u

/* The kernel's counts for a thread. */
struct usage {
	uint64_t cpu_ns, slices, waited_ns; /* slices: 0 if unknown */
};

struct tracer_thread {
	pid_t tid, pid;
	uint64_t cpu_ns;         /* at the last sample */
	uint64_t stopped;        /* time slices at the last stop for a sample */
	struct usage tick;       /* at the tick that requested the sample */
	uint64_t tick_ns, after; /* its time; time slices when it had been handled */
	bool prompt, wanted;     /* that tick was on time; interrupted for a sample */
	int call, usage;         /* its files syscall and schedstat, open; or -1 */
};

struct tracer_process {
	pid_t pid;
	struct record_known *known;
	uint64_t began, maps_at; /* its program; when its maps were read last */
	size_t threads;
};

struct tracer {
	struct perf_event_attr attr;
	pid_t target;
	VEC(struct tracer_thread) threads;
	VEC(struct tracer_process) processes;
	uint64_t tick_at, random;
	bool odd;
	struct buf out; /* records on their way */
	struct interp *interp;
	size_t unfinished;   /* where the sample begins that lacks its scripts; SIZE_MAX: none */
	struct buf finishing;
};

/* ---- processes and threads ---- */

static struct tracer_thread *
find_thread(struct tracer *t, pid_t tid)
{
	for (size_t i = 0; i < t->threads.n; i++)
		if (t->threads.at[i].tid == tid)
			return &t->threads.at[i];
	return NULL;
}

static struct tracer_process *
find_process(struct tracer *t, pid_t pid)
{
	for (size_t i = 0; i < t->processes.n; i++)
		if (t->processes.at[i].pid == pid)
			return &t->processes.at[i];
	return NULL;
}

static int
open_task_file(const struct tracer_thread *th, const char *name)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)th->pid, (int)th->tid,
		 name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Reads a file of /proc/PID/task/TID as a text; "" if the thread is gone.  `open`: the file, or
 * -1. */
static const char *
task_file(const struct tracer_thread *th, int open, const char *name, char *text, size_t max)
{
	int fd = open < 0 ? open_task_file(th, name) : open;
	ssize_t n = fd < 0 ? 0 : pread(fd, text, max - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	if (fd >= 0 && fd != open)
		close(fd);
	return text;
}

/* Reads TID (NAME) STATE and numbers; the name may contain anything.  Slow: a tenth of a short
 * burst of work. */
static const char *
state_of(const struct tracer_thread *th, char *text, size_t max)
{
	const char *end = strrchr(task_file(th, -1, "stat", text, max), ')');
	return end && end[1] ? end + 2 : "";
}

/* Kernels without schedstat count ticks of 10 ms. */
static struct usage
usage_by_ticks(const struct tracer_thread *th)
{
	char text[1024];
	unsigned long long user = 0, kernel = 0;
	sscanf(state_of(th, text, sizeof text),
	       "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user, &kernel);
	return (struct usage){.cpu_ns = (user + kernel) * 10000000u};
}

static struct usage
usage_of(const struct tracer_thread *th)
{
	char text[128];
	unsigned long long cpu = 0, waited = 0, slices = 0;
	if (sscanf(task_file(th, th->usage, "schedstat", text, sizeof text), "%llu %llu %llu", &cpu,
		   &waited, &slices) != 3)
		return usage_by_ticks(th);
	return (struct usage){cpu, slices, waited};
}

/* True if the thread is ready or on a CPU.  If the file of its system call is readable, "running"
 * there decides at once. */
static bool
is_running(const struct tracer_thread *th)
{
	char text[1024];
	const char *call = task_file(th, th->call, "syscall", text, sizeof text);
	return *call ? *call == 'r' : *state_of(th, text, sizeof text) == 'R';
}

/* `before`: it has run before the recorder saw it. */
static void
add_thread(struct tracer *t, pid_t tid, pid_t pid, bool before)
{
	struct tracer_process *p = find_process(t, pid);
	if (!p) {
		p = vec_push(&t->processes);
		*p = (struct tracer_process){.pid = pid, .began = record_now()};
	}
	p->threads++;
	struct tracer_thread *th = vec_push(&t->threads);
	*th = (struct tracer_thread){.tid = tid, .pid = pid};
	th->call = open_task_file(th, "syscall");
	th->usage = open_task_file(th, "schedstat");
	if (before)
		th->cpu_ns = usage_of(th).cpu_ns;
}

static void
remove_process(struct tracer *t, pid_t pid)
{
	struct tracer_process *p = find_process(t, pid);
	assert(p); /* has had threads */
	record_known_free(p->known);
	*p = t->processes.at[--t->processes.n];
}

static void
remove_thread(struct tracer *t, pid_t tid)
{
	struct tracer_thread *th = find_thread(t, tid);
	if (!th)
		return;
	pid_t pid = th->pid;
	if (th->call >= 0)
		close(th->call);
	if (th->usage >= 0)
		close(th->usage);
	*th = t->threads.at[--t->threads.n];
	struct tracer_process *p = find_process(t, pid);
	assert(p && p->threads);
	if (!--p->threads)
		remove_process(t, pid);
}

static struct record_task
task_now(pid_t pid, pid_t tid)
{
	return (struct record_task){(uint32_t)pid, (uint32_t)tid, record_now()};
}

/* Reads a number from /proc/TID/status: "Tgid", "PPid". */
static pid_t
status_number(pid_t tid, const char *key)
{
	char path[64], line[256];
	size_t len = strlen(key);
	pid_t value = 0;
	snprintf(path, sizeof path, "/proc/%d/status", (int)tid);
	FILE *f = fopen(path, "re");
	while (f && !value && fgets(line, sizeof line, f))
		if (!strncmp(line, key, len) && line[len] == ':')
			value = atoi(line + len + 1);
	if (f)
		fclose(f);
	return value;
}

/* Adds a thread that a known one has started. */
static void
meet(struct tracer *t, pid_t tid)
{
	pid_t pid = status_number(tid, "Tgid");
	if (find_thread(t, tid) || !pid)
		return;
	pid_t parent = pid == tid ? status_number(tid, "PPid") : pid;
	record_fork(&t->out, task_now(pid, tid), (uint32_t)parent, (uint32_t)parent);
	add_thread(t, tid, pid, false);
}

struct tracer *
tracer_new(const struct perf_event_attr *attr, struct sampler_target target)
{
	struct tracer *t = mem_zalloc(1, sizeof *t);
	char path[64];
	t->attr = *attr;
	t->target = target.pid[0];
	t->interp = target.interp;
	t->unfinished = SIZE_MAX;
	t->random = 88172645463325252u; /* any value but 0 */
	errno = ENOSYS;
	bool good = registers_known() &&
		    !ptrace(PTRACE_SEIZE, t->target, NULL, SEIZE_OPTIONS);
	if (!good) {
		int fault = errno;
		tracer_free(t);
		errno = fault;
		return NULL;
	}
	add_thread(t, t->target, t->target, true);
	snprintf(path, sizeof path, "/proc/%d/task", (int)t->target);
	DIR *dir = opendir(path);
	for (struct dirent *d; dir && (d = readdir(dir));) {
		pid_t tid = atoi(d->d_name);
		if (tid > 0 && tid != t->target &&
		    !ptrace(PTRACE_SEIZE, tid, NULL, SEIZE_OPTIONS))
			add_thread(t, tid, t->target, true);
	}
	if (dir)
		closedir(dir);
	return t;
}

/* ---- a sample ---- */

static void
refresh_maps(struct tracer *t, const struct tracer_thread *th, uint64_t pc)
{
	struct tracer_process *p = find_process(t, th->pid);
	uint64_t now = record_now();
	assert(p); /* has the thread */
	/* a program loads most of its libraries at its start */
	uint64_t pause =
		p->maps_at - p->began < MAPS_NS ? p->maps_at - p->began : MAPS_NS;
	if (record_known_has(p->known, pc) && now - p->maps_at < pause)
		return;
	record_process(&t->out, task_now(th->pid, th->tid), &p->known, NULL);
	p->maps_at = now;
}

/* Returns true if the thread was on a CPU at the tick, as far as the kernel reports it.  If it
 * got there while the tick was handled, every other such thread counts. */
static bool
ran_at_tick(struct tracer *t, const struct tracer_thread *th, bool in_call, struct usage now)
{
	if (now.slices == th->tick.slices)
		return true;
	if (now.slices == th->after) {
		t->odd = !t->odd;
		return t->odd;
	}
	uint64_t waited = now.waited_ns - th->tick.waited_ns;
	return th->prompt && !in_call && now.slices == th->tick.slices + 1 &&
	       record_now() + NEAR_NS >= th->tick_ns + waited;
}

static void
sample(struct tracer *t, struct tracer_thread *th)
{
	struct registers r;
	/* this waits until the thread is off its CPU, and its time is current */
	if (!registers_read(&r, th->tid))
		return;
	struct usage now = usage_of(th);
	th->stopped = now.slices;
	if (now.cpu_ns <= th->cpu_ns || !ran_at_tick(t, th, r.in_call, now))
		return;
	bool scripts = t->interp && t->attr.sample_type & PERF_SAMPLE_CALLCHAIN &&
		       interp_look(t->interp, th->pid, th->tid, registers_wide(&r));
	refresh_maps(t, th, r.pc);
	size_t at = record_begin(&t->out, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	struct record_sample s = {
		.ip = r.pc,
		.pid = (uint32_t)th->pid,
		.tid = (uint32_t)th->tid,
		.time = record_now(),
		.period = now.cpu_ns - th->cpu_ns,
	};
	buf_add(&t->out, &s.id, sizeof s - sizeof s.header);
	if (t->attr.sample_type & PERF_SAMPLE_STACK_USER) {
		uint64_t none = 0; /* the kernel's part of the chain */
		buf_add(&t->out, &none, sizeof none);
		userstack_copy(th->pid, &r, t->attr.sample_stack_user, &t->out);
	} else if (t->attr.sample_type & PERF_SAMPLE_CALLCHAIN) {
		userstack_chain(th->pid, &r, &t->out);
	}
	record_end(&t->out, at);
	t->unfinished = scripts ? at : SIZE_MAX;
	th->cpu_ns = now.cpu_ns;
}

/* Adds the frames of an interpreter to the last sample, whose thread runs again. */
static void
finish_sample(struct tracer *t)
{
	size_t at = t->unfinished;

	if (at == SIZE_MAX)
		return;
	t->unfinished = SIZE_MAX;
	buf_reset(&t->finishing);
	buf_add(&t->finishing, t->out.at + at, t->out.len - at);
	t->out.len = at;
	interp_put(t->interp, (const void *)t->finishing.at, &t->out);
}

/* ---- events ---- */

/* After exec all other threads are gone, and the caller has the number of the process. */
static void
on_exec(struct tracer *t, pid_t pid)
{
	size_t from = t->out.len;

	for (size_t i = t->threads.n; i-- > 0;)
		if (t->threads.at[i].pid == pid)
			remove_thread(t, t->threads.at[i].tid);
	add_thread(t, pid, pid, true);
	struct tracer_process *p = find_process(t, pid);
	assert(p); /* add_thread() made it */
	char name[RECORD_COMM_SIZE];
	record_read_comm(pid, name);
	record_comm(&t->out, task_now(pid, pid), name, true);
	record_process(&t->out, task_now(pid, pid), &p->known, NULL);
	p->began = p->maps_at = record_now();
	if (t->interp)
		interp_take(t->interp, (const void *)(t->out.at + from));
}

static void
on_stop(struct tracer *t, pid_t tid, int status)
{
	int event = status >> 16, sig = WSTOPSIG(status), deliver = 0;
	unsigned long other = 0;

	meet(t, tid);
	struct tracer_thread *th = find_thread(t, tid);
	if (th && th->wanted) {
		/* a sample is possible at any stop */
		sample(t, th);
		th->wanted = false;
	}
	switch (event) {
	case PTRACE_EVENT_CLONE:
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
		if (!ptrace(PTRACE_GETEVENTMSG, tid, NULL, &other))
			meet(t, (pid_t)other);
		break;
	case PTRACE_EVENT_EXEC:
		on_exec(t, tid);
		break;
	case PTRACE_EVENT_STOP:
		if (sig != SIGTRAP) {
			/* stopped by job control: it stays stopped until SIGCONT */
			ptrace(PTRACE_LISTEN, tid, NULL, 0L);
			finish_sample(t);
			return;
		}
		break;
	default:
		deliver = sig;
	}
	ptrace(PTRACE_CONT, tid, NULL, (long)deliver);
	finish_sample(t);
	th = find_thread(t, tid);
	if (t->interp && th)
		interp_prepare(t->interp, th->pid);
}

static bool
tracer_give(struct tracer *t, const struct collect_sink *sink, struct collect_result *r,
	    struct err *e)
{
	const struct perf_event_header round = {.type = 68, .size = sizeof round};
	for (size_t at = 0; at < t->out.len;) {
		const void *rec = t->out.at + at;
		struct perf_event_header h;
		memcpy(&h, rec, sizeof h);
		if (h.type == PERF_RECORD_SAMPLE) {
			r->samples++;
			r->seen_ns += record_period(rec);
		}
		if (!sink->take(sink->ctx, rec, e))
			return false;
		at += h.size;
	}
	if (!t->out.len)
		return true;
	buf_reset(&t->out);
	return sink->take(sink->ctx, &round, e);
}

bool
tracer_handle(struct tracer *t, const struct collect_sink *sink, struct collect_result *r,
	      bool *ended, struct err *e)
{
	int status;
	for (pid_t tid; (tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0;) {
		if (WIFSTOPPED(status)) {
			on_stop(t, tid, status);
			continue;
		}
		remove_thread(t, tid);
		if (tid == t->target) {
			r->status = status;
			*ended = true;
		}
	}
	return tracer_give(t, sink, r, e);
}

/* Returns an exponential pause, a period on average; the generator is xorshift (Marsaglia 2003). */
static uint64_t
next_pause(struct tracer *t)
{
	t->random ^= t->random << 13;
	t->random ^= t->random >> 7;
	t->random ^= t->random << 17;
	double u = ((double)(t->random >> 11) + 1) / 0x1p53;
	return (uint64_t)(-log(u) * (double)t->attr.sample_period);
}

/* Interrupts a thread that may be on a CPU. */
static void
request_sample(struct tracer_thread *th, bool prompt)
{
	th->tick_ns = record_now();
	th->tick = usage_of(th);
	if ((th->tick.slices && th->tick.slices == th->stopped) || !is_running(th))
		return;
	th->after = usage_of(th).slices;
	th->prompt = prompt;
	/* a recorder that was preempted here would meet those that have begun meanwhile */
	th->wanted = record_now() - th->tick_ns < PROMPT_NS &&
		     !ptrace(PTRACE_INTERRUPT, th->tid, NULL, NULL);
}

uint64_t
tracer_tick(struct tracer *t)
{
	uint64_t now = record_now();
	if (now < t->tick_at)
		return t->tick_at - now;
	for (size_t i = 0; i < t->threads.n; i++)
		if (!t->threads.at[i].wanted)
			request_sample(&t->threads.at[i], now - t->tick_at < PROMPT_NS);
	t->tick_at = now + next_pause(t);
	return 0;
}

/* Only a stopped thread can be detached. */
static void
detach_all(struct tracer *t)
{
	uint64_t until = record_now() + DETACH_NS;
	struct timespec moment = {.tv_nsec = 1000000};
	int status;
	for (size_t i = t->threads.n; i-- > 0;)
		if (ptrace(PTRACE_INTERRUPT, t->threads.at[i].tid, NULL, NULL))
			remove_thread(t, t->threads.at[i].tid);
	while (t->threads.n && record_now() < until) {
		pid_t tid = t->threads.at[t->threads.n - 1].tid;
		pid_t got = waitpid(tid, &status, __WALL | WNOHANG);
		if (!got) {
			nanosleep(&moment, NULL);
			continue;
		}
		if (got == tid && WIFSTOPPED(status)) {
			bool signal = !(status >> 16);
			ptrace(PTRACE_DETACH, tid, NULL,
			       signal ? (long)WSTOPSIG(status) : 0L);
		}
		remove_thread(t, tid);
	}
}

void
tracer_free(struct tracer *t)
{
	if (!t)
		return;
	detach_all(t);
	while (t->threads.n)
		remove_thread(t, t->threads.at[0].tid);
	vec_release(&t->threads);
	vec_release(&t->processes);
	buf_release(&t->out);
	buf_release(&t->finishing);
	free(t);
}
