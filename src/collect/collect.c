/* The life of a collection: the command waits at its gate, a sampler takes hold of it,
 * the gate opens, records flow until the command has ended.
 *
 * Perf events come first: they see threads and children at no cost to the command, and
 * the kernel where that is allowed.  Where they are forbidden (containers, paranoid
 * kernels) a ptrace sampler stops each thread for a moment; it writes the same records.
 *
 * Signals are read from a descriptor, because a handler would need state in this file.
 * The first is the command's: on a terminal ^C has reached it as well, what somebody sent
 * to us alone is handed on.  How long it then takes to end is its own matter: who flushes
 * a database must not be killed over it.  The second signal is for who waits no longer:
 * the command is asked to end (SIGTERM), and two seconds later, or at the third, made to
 * (SIGKILL).  The command's end is the collection's: what it left running goes on,
 * unwatched. */
#include "src/collect/collect.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "model/mem.h"
#include "model/vec.h"
#include "src/collect/child.h"
#include "src/collect/record.h"
#include "src/collect/sampler.h"

#define STACK_COPY_BYTES 8192u /* of a thread's stack, unless told */
#define NS 1000000000u
#define TICK_MS 50
#define TELL_NS (NS / 2) /* most commands end before one could read it */
#define ECHO_NS (NS / 10) /* timeout(1) sends to its child, and to its group */
#define KILL_NS (2 * (uint64_t)NS)
#define MORE_HZ 10000
#define UNSEEN_NS (NS / 50) /* less may be chance */

struct collect {
	struct collect_options options;
	struct perf_event_attr attr;
	struct collect_result result;
	struct child child;
	struct sampler_target target;
	struct events *events;
	struct tracer *tracer;
	sigset_t mask; /* as it was */
	int signals;   /* the descriptor */
	bool ended, released;
	uint64_t interrupted_at, asked_at; /* by a signal; when one asked for its end */
	bool left, told, killed;
	int events_fault; /* errno of perf events, when the tracer runs */
};

static struct perf_event_attr
make_attr(const struct collect_options *o)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof a,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_type = RECORD_SAMPLE_TYPE,
		.disabled = 1,
		.inherit = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.sample_id_all = 1,
		.exclude_guest = 1, /* as perf has it */
		.build_id = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = 256u << 10,
	};
	if (o->cycles) {
		a.type = PERF_TYPE_HARDWARE;
		a.config = PERF_COUNT_HW_CPU_CYCLES;
		a.freq = 1;
		a.sample_freq = o->hz;
	} else {
		a.sample_period = NS / o->hz;
	}
	if (o->stacks != COLLECT_LEAF)
		a.sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (o->stacks == COLLECT_STACK_COPIES && record_registers()) {
		a.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		a.sample_regs_user = record_registers();
		a.sample_stack_user =
			o->stack_bytes ? o->stack_bytes : STACK_COPY_BYTES;
		a.exclude_callchain_user = 1;
		/* perf's unwinder reads .eh_frame through the maps of read-only data */
		a.mmap_data = 1;
	}
	return a;
}

/* ---- beginning ---- */

static void
take_signals(struct collect *c)
{
	sigset_t ours;
	sigemptyset(&ours);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGHUP);
	sigaddset(&ours, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ours, &c->mask);
	c->signals = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* A process of somebody else is not ours to look at, whatever the settings. */
static bool
is_others(const struct sampler_target *t, struct err *e)
{
	char path[64];
	struct stat st;
	snprintf(path, sizeof path, "/proc/%d", (int)t->pid);
	if (!t->runs || !geteuid() || stat(path, &st) || st.st_uid == geteuid())
		return false;
	const struct passwd *user = getpwuid(st.st_uid);
	err_refuse(e, "process %d belongs to %s (uid %u): only that user or root may sample it",
		   (int)t->pid, user ? user->pw_name : "somebody else",
		   (unsigned)st.st_uid);
	return true;
}

static bool
choose_sampler(struct collect *c, struct err *e)
{
	struct perf_event_attr asked = c->attr;
	if (is_others(&c->target, e))
		return false;
	if (c->options.sampler != COLLECT_PTRACE) {
		c->events = events_new(&c->attr, c->target);
		if (c->attr.type == PERF_TYPE_SOFTWARE && c->attr.freq) {
			/* a clock has a period; a frequency would only be limited */
			c->attr.freq = 0;
			c->attr.sample_period = NS / c->options.hz;
			events_free(c->events);
			c->events = events_new(&c->attr, c->target);
		}
		c->result.sampler = COLLECT_PERF;
		c->result.kernel = !c->attr.exclude_kernel;
		if (c->events)
			return true;
		c->events_fault = errno;
		if (c->options.sampler == COLLECT_PERF)
			return err_refuse(e,
					  "perf events cannot be used: %s; see "
					  "/proc/sys/kernel/perf_event_paranoid",
					  strerror(errno));
	}
	c->attr = asked;
	c->attr.type = PERF_TYPE_SOFTWARE;
	c->attr.config = PERF_COUNT_SW_TASK_CLOCK;
	c->attr.freq = 0;
	c->attr.build_id = 0;
	c->attr.sample_period = NS / c->options.hz;
	c->attr.exclude_kernel = 1;
	c->result.sampler = COLLECT_PTRACE;
	c->result.kernel = false;
	c->tracer = tracer_new(&c->attr, c->target);
	if (c->tracer)
		return true;
	int fault = errno;
	if (c->events_fault)
		return err_refuse(
			e,
			"neither perf events (%s) nor ptrace (%s) can be used: see "
			"perf_event_paranoid and yama/ptrace_scope in "
			"/proc/sys/kernel",
			strerror(c->events_fault), strerror(fault));
	return err_refuse(
		e, "ptrace cannot be used: %s; see /proc/sys/kernel/yama/ptrace_scope",
		strerror(fault));
}

/* Where execvp() finds the program. */
static bool
find_program(const struct collect_options *o, char *out, size_t max)
{
	const char *name = o->path ? o->path : o->argv[0], *path = getenv("PATH");
	if (o->path || strchr(name, '/')) {
		snprintf(out, max, "%s", name);
		return true;
	}
	for (; path && *path; path += strspn(path, ":")) {
		size_t len = strcspn(path, ":");
		snprintf(out, max, "%.*s/%s", (int)len, path, name);
		if (!access(out, X_OK))
			return true;
		path += len;
	}
	return false;
}

/* Of a program that runs as somebody else the kernel shows us nothing. */
static bool
runs_as_other(const struct collect_options *o)
{
	struct stat st;
	char path[PATH_MAX];
	if (!geteuid() || !find_program(o, path, sizeof path) || stat(path, &st))
		return false;
	return (st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
	       (st.st_mode & S_ISGID && st.st_mode & S_IXGRP && st.st_gid != getegid());
}

struct collect *
collect_new(const struct collect_options *o, enum collect_fault *fault, struct err *e)
{
	struct collect *c = mem_zalloc(1, sizeof *c);
	c->options = *o;
	c->attr = make_attr(o);
	c->child = (struct child){-1, -1, -1};
	c->target = (struct sampler_target){o->pid, o->pid > 0};
	*fault = COLLECT_STARTED;
	take_signals(c);
	if (!o->pid) {
		struct child_options child = {o->argv, o->path, o->in,
					      o->out,  o->err,  &c->mask};
		if (!child_start(&c->child, &child)) {
			*fault = COLLECT_NO_MEMORY;
			err_refuse(e, "no process can be started: %s", strerror(errno));
			collect_free(c);
			return NULL;
		}
		c->target.pid = c->child.pid;
		c->result.setuid = runs_as_other(o);
	}
	if (!choose_sampler(c, e)) {
		collect_free(c);
		return NULL;
	}
	return c;
}

const struct perf_event_attr *
collect_attr(const struct collect *c)
{
	return &c->attr;
}

const struct collect_result *
collect_result(const struct collect *c)
{
	return &c->result;
}

/* ---- the middle ---- */

/* CPU time of all children of ours that have ended, and of theirs, as far as the sampler
 * counts it: perf events without the kernel leave the kernel's time out. */
static uint64_t
children_used(const struct collect *c)
{
	struct rusage u;
	getrusage(RUSAGE_CHILDREN, &u);
	struct timeval t = u.ru_utime;
	if (c->result.kernel || c->result.sampler == COLLECT_PTRACE)
		timeradd(&u.ru_utime, &u.ru_stime, &t);
	return ((uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_usec) * 1000u;
}

static bool
give_all(const struct buf *records, const struct collect_sink *sink, struct err *e)
{
	for (size_t at = 0; at < records->len;) {
		struct perf_event_header h;
		memcpy(&h, records->at + at, sizeof h);
		/* buf's memory is aligned as malloc's, records are whole words */
		const void *rec = records->at + at;
		if (!sink->take(sink->ctx, rec, e))
			return false;
		at += h.size;
	}
	return true;
}

/* What was there before the first record. */
static bool
tell_past(struct collect *c, const struct collect_sink *sink, struct err *e)
{
	struct buf out = BUF_INIT;
	struct record_task t = {(uint32_t)c->target.pid, (uint32_t)c->target.pid, 0};
	bool good = true;
	if (c->result.kernel)
		record_kernel(&out);
	if (c->target.runs)
		good = record_process(&out, t, NULL) ||
		       err_refuse(e, "process %d: %s", (int)c->target.pid,
				  strerror(ESRCH));
	if (c->target.runs)
		record_threads(&out, t);
	good = good && give_all(&out, sink, e);
	buf_release(&out);
	return good;
}

static bool
release_child(struct collect *c, struct err *e)
{
	int fault = child_release(&c->child);
	c->released = true;
	if (!fault)
		return true;
	c->result.fault = fault == ENOMEM || fault == E2BIG     ? COLLECT_NO_MEMORY
			  : fault == ENOENT || fault == ENOTDIR ? COLLECT_NOT_FOUND
			  : fault == ENOEXEC                    ? COLLECT_NO_FORMAT
								: COLLECT_NOT_RUN;
	return err_refuse(e, "%s", strerror(fault));
}

/* A process that ran before us is left alone. */
static void
signal_command(const struct collect *c, int sig)
{
	if (!c->target.runs)
		kill(c->target.pid, sig);
}

static void
ask_to_end(const struct collect *c)
{
	signal_command(c, SIGTERM);
	signal_command(c, SIGCONT);
}

static void
kill_command(struct collect *c)
{
	c->killed = true;
	signal_command(c, SIGKILL);
}

static void
on_signal(struct collect *c, const struct signalfd_siginfo *s)
{
	uint64_t now = record_now();
	if (!c->interrupted_at) {
		c->interrupted_at = now;
		/* a terminal's signal has gone to all of its foreground */
		if (s->ssi_code != SI_KERNEL)
			signal_command(c, (int)s->ssi_signo);
	} else if (now - c->interrupted_at < ECHO_NS) {
		return;
	} else if (!c->asked_at) {
		c->asked_at = now;
		ask_to_end(c);
	} else if (!c->killed) {
		kill_command(c);
	}
}

/* Who leaves while it runs has asked it to end, in place of a first signal. */
static void
on_leave(struct collect *c)
{
	c->left = true;
	if (!c->interrupted_at)
		c->interrupted_at = record_now();
	ask_to_end(c);
}

static void
read_signals(struct collect *c)
{
	struct signalfd_siginfo s;
	while (read(c->signals, &s, sizeof s) == (ssize_t)sizeof s)
		if (s.ssi_signo != SIGCHLD && !c->ended)
			on_signal(c, &s);
}

/* After a signal, until the command has ended. */
static void
wait_for_end(struct collect *c)
{
	uint64_t now = record_now();
	if (c->target.runs) {
		c->ended = true;
	} else if (c->asked_at && now - c->asked_at > KILL_NS && !c->killed) {
		kill_command(c);
	} else if (!c->asked_at && now - c->interrupted_at > TELL_NS && !c->told) {
		c->told = true;
		if (c->options.waits)
			c->options.waits(c->options.ctx);
	}
}

static void
look_for_end(struct collect *c)
{
	if (c->target.runs)
		c->ended |= kill(c->target.pid, 0) && errno == ESRCH;
	else if (waitpid(c->target.pid, &c->result.status, WNOHANG) == c->target.pid)
		c->ended = true;
}

static void
wait_for_more(struct collect *c)
{
	struct pollfd fds[1 + 256] = {{.fd = c->signals, .events = POLLIN}};
	const int *ring;
	size_t n = 0;
	if (c->tracer) {
		struct timespec t = {.tv_nsec = (long)tracer_tick(c->tracer)};
		if (t.tv_nsec > TICK_MS * 1000000l)
			t.tv_nsec = TICK_MS * 1000000l;
		ppoll(fds, 1, &t, NULL);
		return;
	}
	n = events_fds(c->events, &ring);
	if (n > 256)
		n = 256; /* the others are emptied as the clock ticks */
	for (size_t i = 0; i < n; i++)
		fds[1 + i] = (struct pollfd){.fd = ring[i], .events = POLLIN};
	/* a ring whose processes have all ended is ready for ever */
	if (poll(fds, 1 + (nfds_t)n, TICK_MS) > 0 && !(fds[0].revents & POLLIN)) {
		bool data = false;
		for (size_t i = 0; i < n; i++)
			data |= fds[1 + i].revents == POLLIN;
		if (!data)
			poll(fds, 1, TICK_MS);
	}
}

static void
idle(struct collect *c)
{
	if (c->options.idle && c->options.idle(c->options.ctx) && !c->left)
		on_leave(c);
	if (c->interrupted_at && !c->ended)
		wait_for_end(c);
}

static bool
one_round(struct collect *c, const struct collect_sink *sink, struct err *e)
{
	bool good;
	wait_for_more(c);
	read_signals(c);
	if (c->tracer) {
		good = tracer_handle(c->tracer, sink, &c->result, &c->ended, e);
	} else {
		look_for_end(c);
		if (c->ended)
			events_stop(c->events);
		good = events_drain(c->events, sink, &c->result, e);
	}
	idle(c);
	return good;
}

/* Nobody takes records any more.  The command is not to blame: it goes on, unwatched. */
static void
wait_unwatched(struct collect *c)
{
	tracer_free(c->tracer);
	events_free(c->events);
	c->tracer = NULL;
	c->events = NULL;
	if (c->target.runs)
		return;
	for (;;) {
		struct pollfd fd = {.fd = c->signals, .events = POLLIN};
		look_for_end(c);
		if (c->ended)
			return;
		poll(&fd, 1, TICK_MS);
		read_signals(c);
		idle(c);
	}
}

bool
collect_run(struct collect *c, const struct collect_sink *sink, struct err *e)
{
	bool good = tell_past(c, sink, e);
	uint64_t before = children_used(c);
	if (good && !c->target.runs)
		good = release_child(c, e);
	while (good && !c->ended)
		good = one_round(c, sink, e);
	if (!good && c->released && !c->result.fault && !c->ended)
		wait_unwatched(c);
	c->result.used_ns = children_used(c) - before;
	c->result.interrupted = c->interrupted_at != 0;
	return good;
}

/* ---- the end ---- */

static void
describe_events(const struct collect *c, struct buf *out)
{
	buf_addf(out, "sampled by perf events (%s, %u a second)",
		 c->attr.type == PERF_TYPE_HARDWARE ? "cycles" : "task clock",
		 c->options.hz);
	if (!c->result.kernel)
		buf_adds(out, "; the kernel's own time is not seen: "
			      "/proc/sys/kernel/perf_event_paranoid would have to be 1");
	if (c->result.setuid)
		buf_adds(out, "; a setuid program is not seen: only root may sample it");
	if (c->result.lost)
		buf_addf(out, "; %llu records were lost: take fewer samples a second",
			 (unsigned long long)c->result.lost);
}

/* A task begins with a whole period before its first sample; one that is shorter has
 * none.  Only a clock's periods are CPU time. */
static void
describe_unseen(const struct collect *c, struct buf *out)
{
	const struct collect_result *r = &c->result;
	if (c->attr.type != PERF_TYPE_SOFTWARE || r->lost || r->setuid ||
	    r->seen_ns / 9 * 10 >= r->used_ns || r->used_ns - r->seen_ns < UNSEEN_NS)
		return;
	buf_addf(out,
		 "; samples saw %.2f of %.2f s of CPU time: processes and threads that "
		 "end within 1/%u s are not seen",
		 (double)r->seen_ns / NS, (double)r->used_ns / NS, c->options.hz);
	if (c->options.hz < MORE_HZ)
		buf_addf(out, ", record -F %d sees more", MORE_HZ);
}

static void
describe_tracer(const struct collect *c, struct buf *out)
{
	buf_addf(out, "sampled by ptrace (%u a second)", c->options.hz);
	if (c->events_fault)
		buf_addf(out,
			 ", because perf events cannot be used (%s: see "
			 "/proc/sys/kernel/perf_event_paranoid)",
			 strerror(c->events_fault));
	buf_adds(out,
		 "; the kernel's own time is not seen, each sample stops its thread");
	if (c->result.setuid)
		buf_adds(out, "; a setuid program runs without its privileges");
}

void
collect_describe(const struct collect *c, struct buf *out)
{
	if (c->result.sampler == COLLECT_PERF)
		describe_events(c, out);
	else
		describe_tracer(c, out);
	describe_unseen(c, out);
}

int
collect_exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void
collect_free(struct collect *c)
{
	if (!c)
		return;
	child_drop(&c->child);
	if (c->child.pid > 0 && !c->ended && c->released && !c->result.fault)
		kill(c->child.pid, SIGKILL); /* nobody would wait for it */
	tracer_free(c->tracer);
	events_free(c->events);
	if (c->child.pid > 0 && !c->ended)
		waitpid(c->child.pid, NULL, 0);
	if (c->signals >= 0)
		close(c->signals);
	/* the child's end must not be seen by whoever comes next */
	struct timespec none = {0};
	sigset_t child;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	while (sigtimedwait(&child, NULL, &none) > 0)
		;
	sigprocmask(SIG_SETMASK, &c->mask, NULL);
	free(c);
}
