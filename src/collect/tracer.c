/* Sampling by ptrace(2), where the kernel's counters are forbidden.
 *
 * All threads of the command are seized (which does not stop them), and so are their children.
 * At each tick a running thread is interrupted.  After it has stopped, its registers, and its
 * stack if requested, make one record, and it continues.  A waiting thread is never stopped.  The
 * record's period is the exact CPU time since the thread's last sample: late samples lose nothing.
 *
 * A place must be met as often as it uses the CPU, and a thread that only waits there, asleep or
 * for a CPU, must not count:
 *
 * - Ticks come at exponential distances, a period of wall-clock time on average.  A thread on a CPU
 * at a random moment is at a place in proportion to the time spent there.  The time since the
 * last sample says nothing about the place, so periods are fair, too.
 * - An interrupt from another CPU takes 5 us in a virtual machine, and a thread that enters a
 * system call meanwhile is stopped there: one in two and a half microseconds had 98 percent instead
 * of 20.  So once stops in system calls are many, ticks take the CPU of the thread (ticker.h), and
 * with it the thread at its place of that moment.  Both then have the same moment in
 * /proc/TID/sched.  A thread that was woken at the tick, or waits for the CPU, has an earlier one.
 * Where threads run on several CPUs, each has ticks of its own.
 * - A thread that runs elsewhere, or any if the kernel has no such file, is interrupted from there.
 * It counts only if it was on a CPU at the tick, so that its count of time slices has not grown
 * until the stop.  Otherwise it is at the place where it slept or was preempted, and is found there
 * more often the longer it waits: beside 30 busy threads, 60 for 70 percent.
 * - A tick may preempt such a thread, too: it gets one more slice, and the kernel's sum of its
 * waiting shows that it began to wait at the tick.  Only a recorder that got its CPU at once can
 * conclude that.  Otherwise its CPU became free at the end of a slice or of a burst of work, which
 * is no random moment.  Within a system call the thread may have been woken, and does not count.
 * - No tick is caught up: two in a row would meet the same place.  A thread that has not been on a
 * CPU since its last stop stays where it is.  The next sample has the CPU time of those lost.
 *
 * Rejected: examining threads after they have used a period (threads that wait often are then
 * asleep, and the place of sleep gets everything); single stepping (a thousand times slower);
 * stopping whole processes (sleeping threads would pay); a profiling timer in the command (SIGPROF
 * belongs to the command); our own timers on the command's clock (the kernel checks them at its
 * ticks, up to 10 ms apart, when short bursts of work are over).
 *
 * collect_warn() reports late and lost ticks.  Kernel time counts for its caller.  The maps
 * of the process (traced.h) and the names of an interpreter are read when the thread runs again. */
#include "src/collect/sampler.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
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
#include "src/collect/taskrun.h"
#include "src/collect/ticker.h"
#include "src/collect/traced.h"
#include "src/collect/userstack.h"

#define SEIZE_OPTIONS                                                                    \
	(PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |                \
	 PTRACE_O_TRACEEXEC)
#define DETACH_NS 500000000u
/* A tick that comes and is handled within this time is prompt; and how exactly the begin of a wait
 * is known. */
#define PROMPT_NS 200000u
#define NEAR_NS 50000u
#define MANY_CALLS 4096u /* of 65536 */
#define MANY_LATE 57344u /* of 65536 */

struct tracer_thread {
	struct taskrun run;
	uint64_t cpu_ns;           /* at the last sample */
	uint64_t stopped;          /* time slices at the last stop for a sample */
	struct taskrun_usage tick; /* at the tick that requested the sample */
	uint64_t tick_ns, after;   /* its time; time slices when it had been handled */
	bool prompt, wanted;       /* that tick was on time; interrupted for a sample */
	bool beside;               /* the tick took its CPU */
	bool ran;                  /* when it was last looked at */
	int cpu;                   /* where it last ran; -1 if unknown */
};

struct tracer {
	struct perf_event_attr attr;
	pid_t target;
	VEC(struct tracer_thread) threads;
	struct traced traced;
	uint64_t tick_at, random;
	bool odd;
	struct ticker *ticker; /* once system calls are many */
	int cpu;               /* of the next tick; -1: any */
	cpu_set_t allowed, busy; /* for the recorder; those where threads ran */
	uint32_t late;           /* moments that the ticker missed, of 65536 */
	uint32_t calls;          /* samples in system calls, of 65536 */
	unsigned n_busy, turn; /* at least 1; counts the ticks */
	struct buf out;        /* records on their way */
	struct interp *interp;
	struct buf sample; /* the sample of the stopped thread */
	bool lacks_scripts, lacks_maps; /* read these before it goes to `out` */
};

/* ---- processes and threads ---- */

static struct tracer_thread *
find_thread(struct tracer *t, pid_t tid)
{
	for (size_t i = 0; i < t->threads.n; i++)
		if (t->threads.at[i].run.tid == tid)
			return &t->threads.at[i];
	return NULL;
}

/* `before`: it has run before the recorder saw it. */
static void
add_thread(struct tracer *t, pid_t tid, pid_t pid, bool before)
{
	traced_join(&t->traced, pid);
	struct tracer_thread *th = vec_push(&t->threads);
	*th = (struct tracer_thread){.cpu = -1};
	taskrun_open(&th->run, pid, tid);
	if (before)
		th->cpu_ns = taskrun_usage(&th->run).cpu_ns;
}

static void
remove_thread(struct tracer *t, pid_t tid)
{
	struct tracer_thread *th = find_thread(t, tid);
	if (!th)
		return;
	pid_t pid = th->run.pid;
	taskrun_close(&th->run);
	*th = t->threads.at[--t->threads.n];
	traced_leave(&t->traced, pid);
}

static struct record_task
task_now(pid_t pid, pid_t tid)
{
	return (struct record_task){(uint32_t)pid, (uint32_t)tid, record_now()};
}

/* Adds a thread that a known one has started. */
static void
meet(struct tracer *t, pid_t tid)
{
	pid_t pid = taskrun_status(tid, "Tgid");
	if (find_thread(t, tid) || !pid)
		return;
	pid_t parent = pid == tid ? taskrun_status(tid, "PPid") : pid;
	record_fork(&t->out, task_now(pid, tid), (uint32_t)parent, (uint32_t)parent);
	add_thread(t, tid, pid, false);
}

struct tracer *
tracer_new(const struct perf_event_attr *attr, struct sampler_target target)
{
	struct tracer *t = mem_zalloc(1, sizeof *t);
	struct taskrun own;
	char path[64];
	t->attr = *attr;
	t->target = target.pid[0];
	t->interp = target.interp;
	t->random = 88172645463325252u; /* any value but 0 */
	t->cpu = -1;
	t->n_busy = 1;
	if (sched_getaffinity(0, sizeof t->allowed, &t->allowed))
		CPU_ZERO(&t->allowed);
	taskrun_open(&own, getpid(), gettid());
	t->late = taskrun_left(&own) ? 0 : 65536; /* without the file, all */
	taskrun_close(&own);
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

/* Returns true if the thread was on a CPU at the tick, as far as the kernel reports it.  If it
 * got there while the tick was handled, every other such thread counts. */
static bool
ran_at_tick(struct tracer *t, const struct tracer_thread *th, bool in_call,
	    struct taskrun_usage now)
{
	if (th->beside || now.slices == th->tick.slices)
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
	if (!registers_read(&r, th->run.tid))
		return;
	struct taskrun_usage now = taskrun_usage(&th->run);
	th->stopped = now.slices;
	if (!th->beside)
		th->cpu = taskrun_cpu(&th->run);
	if (now.cpu_ns <= th->cpu_ns)
		return;
	t->calls += (r.in_call ? 65536u / 64 : 0) - t->calls / 64;
	if (!ran_at_tick(t, th, r.in_call, now))
		return;
	t->lacks_scripts =
		t->interp && t->attr.sample_type & PERF_SAMPLE_CALLCHAIN &&
		interp_look(t->interp, th->run.pid, th->run.tid, registers_wide(&r));
	enum traced_maps maps = traced_maps(&t->traced, th->run.pid, r.pc);
	t->lacks_maps = maps == MAPS_LATER;
	if (maps == MAPS_NOW)
		traced_read_maps(&t->traced, task_now(th->run.pid, th->run.tid), &t->out);
	buf_reset(&t->sample);
	size_t at = record_begin(&t->sample, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	struct record_sample s = {
		.ip = r.pc,
		.pid = (uint32_t)th->run.pid,
		.tid = (uint32_t)th->run.tid,
		.time = record_now(),
		.period = now.cpu_ns - th->cpu_ns,
	};
	buf_add(&t->sample, &s.id, sizeof s - sizeof s.header);
	if (t->attr.sample_type & PERF_SAMPLE_STACK_USER) {
		uint64_t none = 0; /* the kernel's part of the chain */
		buf_add(&t->sample, &none, sizeof none);
		userstack_copy(th->run.pid, &r, t->attr.sample_stack_user, &t->sample);
	} else if (t->attr.sample_type & PERF_SAMPLE_CALLCHAIN) {
		userstack_chain(th->run.pid, &r, &t->sample);
	}
	record_end(&t->sample, at);
	th->cpu_ns = now.cpu_ns;
}

/* Adds the sample of a thread that runs again.  The maps before it get its time, since it needs
 * them. */
static void
finish_sample(struct tracer *t)
{
	struct record_sample s;

	if (!t->sample.len)
		return;
	memcpy(&s, t->sample.at, sizeof s);
	if (t->lacks_maps)
		traced_read_maps(&t->traced, (struct record_task){s.pid, s.tid, s.time}, &t->out);
	if (t->lacks_scripts)
		interp_put(t->interp, (const void *)t->sample.at, &t->out);
	else
		buf_add(&t->out, t->sample.at, t->sample.len);
	buf_reset(&t->sample);
}

/* ---- events ---- */

/* After exec all other threads are gone, and the caller has the number of the process. */
static void
on_exec(struct tracer *t, pid_t pid)
{
	size_t from = t->out.len;

	for (size_t i = t->threads.n; i-- > 0;)
		if (t->threads.at[i].run.pid == pid)
			remove_thread(t, t->threads.at[i].run.tid);
	add_thread(t, pid, pid, true);
	char name[RECORD_COMM_SIZE];
	record_read_comm(pid, name);
	record_comm(&t->out, task_now(pid, pid), name, true);
	traced_read_maps(&t->traced, task_now(pid, pid), &t->out);
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
		finish_sample(t); /* it comes before the maps of the new program */
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
		interp_prepare(t->interp, th->run.pid);
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

/* Returns a random number; the generator is xorshift (Marsaglia 2003). */
static uint64_t
next_random(struct tracer *t)
{
	t->random ^= t->random << 13;
	t->random ^= t->random >> 7;
	t->random ^= t->random << 17;
	return t->random;
}

/* Returns an exponential pause: on average a period for each CPU where threads run. */
static uint64_t
next_pause(struct tracer *t)
{
	double u = ((double)(next_random(t) >> 11) + 1) / 0x1p53;
	return (uint64_t)(-log(u) * (double)t->attr.sample_period / t->n_busy);
}

/* Interrupts a thread that may be on a CPU.  `taken`: when the recorder got the CPU that it shares
 * with the thread, by the clock of that CPU; 0 if it shares none. */
static void
request_sample(struct tracer_thread *th, uint64_t taken, bool prompt)
{
	th->tick_ns = record_now();
	th->beside = taken && taskrun_left(&th->run) == taken;
	if (th->beside) {
		th->ran = true;
	} else {
		th->tick = taskrun_usage(&th->run);
		if (th->tick.slices && th->tick.slices == th->stopped)
			return;
		th->ran = taskrun_runs(&th->run);
		if (!th->ran)
			return;
		th->after = taskrun_usage(&th->run).slices;
	}
	th->prompt = prompt;
	/* a recorder that was preempted here would meet those that have begun meanwhile */
	th->wanted = (th->beside || record_now() - th->tick_ns < PROMPT_NS) &&
		     !ptrace(PTRACE_INTERRUPT, th->run.tid, NULL, NULL);
}

/* Returns true if this tick is for the thread: one that runs beside the recorder, or its share of
 * the others. */
static bool
is_its_tick(const struct tracer *t, size_t i)
{
	const struct tracer_thread *th = &t->threads.at[i];

	if (th->wanted)
		return false;
	if (th->ran && th->cpu >= 0 && CPU_ISSET((size_t)th->cpu, &t->busy))
		return th->cpu == t->cpu;
	return (t->turn + i) % t->n_busy == 0;
}

/* Chooses the CPU of the next tick: one of those where threads run, at random. */
static void
choose_cpu(struct tracer *t)
{
	t->cpu = -1;
	t->n_busy = 1;
	CPU_ZERO(&t->busy);
	if (t->calls < MANY_CALLS || t->late > MANY_LATE)
		return;
	for (size_t i = 0; i < t->threads.n; i++) {
		const struct tracer_thread *th = &t->threads.at[i];
		if (th->ran && th->cpu >= 0 && CPU_ISSET((size_t)th->cpu, &t->allowed))
			CPU_SET((size_t)th->cpu, &t->busy);
	}
	if (!CPU_COUNT(&t->busy))
		return;
	t->n_busy = (unsigned)CPU_COUNT(&t->busy);
	uint64_t skip = next_random(t) % t->n_busy;
	do
		t->cpu++;
	while (!CPU_ISSET((size_t)t->cpu, &t->busy) || skip--);
}

/* Requests a sample of each thread that is on a CPU; chooses the next moment.  Before Linux 6.12
 * the scheduler may let the ticker of an ordinary user wait for the end of a time slice, which is
 * no random moment; if that is the rule, threads are interrupted from elsewhere, for good. */
static void
tick(struct tracer *t, struct ticker_tick at)
{
	uint64_t now = record_now();
	bool prompt = now - t->tick_at < PROMPT_NS;

	for (size_t i = 0; i < t->threads.n; i++) {
		struct tracer_thread *th = &t->threads.at[i];
		bool is_there = t->cpu >= 0 && th->cpu == t->cpu;
		if (is_its_tick(t, i) && (prompt || !is_there))
			request_sample(th, is_there ? at.left : 0, prompt);
	}
	if (t->cpu >= 0)
		t->late += (prompt ? 0 : 65536u / 64) - t->late / 64;
	t->turn++;
	choose_cpu(t);
	t->tick_at = at.now + next_pause(t);
	if (t->cpu >= 0 && !t->ticker)
		t->ticker = ticker_new();
	if (t->ticker)
		ticker_set(t->ticker, t->cpu, t->tick_at);
}

void
tracer_wait(struct tracer *t, int signals, uint64_t most_ns)
{
	bool ticks = t->ticker && t->cpu >= 0; /* the ticker waits for the tick */
	struct pollfd fds[] = {
		{.fd = signals, .events = POLLIN},
		{.fd = ticks ? ticker_fd(t->ticker) : -1, .events = POLLIN}};
	struct ticker_tick at = {.now = record_now()};
	uint64_t pause = at.now < t->tick_at ? t->tick_at - at.now : 0;
	struct timespec until = {
		.tv_nsec = (long)(ticks || pause > most_ns ? most_ns : pause)};

	ppoll(fds, 2, &until, NULL);
	if (ticks) {
		if (ticker_took(t->ticker, &at))
			tick(t, at);
		return;
	}
	at.now = record_now();
	if (at.now >= t->tick_at)
		tick(t, at);
}

/* Only a stopped thread can be detached. */
static void
detach_all(struct tracer *t)
{
	uint64_t until = record_now() + DETACH_NS;
	int status;
	for (size_t i = t->threads.n; i-- > 0;)
		if (ptrace(PTRACE_INTERRUPT, t->threads.at[i].run.tid, NULL, NULL))
			remove_thread(t, t->threads.at[i].run.tid);
	while (t->threads.n && record_now() < until) {
		pid_t tid = t->threads.at[t->threads.n - 1].run.tid;
		pid_t got = waitpid(tid, &status, __WALL | WNOHANG);
		if (!got) {
			usleep(1000);
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
		remove_thread(t, t->threads.at[0].run.tid);
	ticker_free(t->ticker);
	vec_release(&t->threads);
	traced_release(&t->traced);
	buf_release(&t->out);
	buf_release(&t->sample);
	free(t);
}
