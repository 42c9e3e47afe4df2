/* The life of a collection: the command waits at its gate, a sampler attaches to it, the gate
 * opens, and records flow until the command has ended.
 *
 * Perf events come first: they see threads and children at no cost to the command, and the kernel
 * if that is allowed.  Where they are forbidden (containers, paranoid kernels), a ptrace sampler
 * stops each thread for a moment; it writes the same records.
 *
 * Signals are read from a descriptor, because a handler would need state at file scope.  The first
 * signal is meant for the command: on a terminal ^C has reached it as well, and a signal sent only
 * to the recorder is forwarded.  The command may then take its time: a database that flushes must
 * not be killed.  With the second signal the user stops waiting: the command gets SIGTERM, and two
 * seconds later, or at the third signal, SIGKILL.  The collection ends with the command; processes
 * that it leaves running continue unobserved. */
#include "src/collect/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
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

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/collect/collect_inside.h"
#include "src/collect/priority.h"
#include "src/collect/probed.h"
#include "src/collect/record.h"

#define TICK_MS 50
#define REPORT_NS (NS / 2)  /* most commands end before a user could read a message */
#define ECHO_NS (NS / 10) /* timeout(1) signals its child, and then its group */
#define LOOK_NS (NS / 2000) /* between looks at samples of interpreters that do not wake pnav */
#define AT_ONCE_HZ 250u /* the whole system's samples may wake pnav up to this rate */
#define KILL_NS (2 * (uint64_t)NS)

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
	c->signals = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
	sigaddset(&ours, SIGUSR2); /* perf record ignores it, too */
	sigprocmask(SIG_BLOCK, &ours, &c->mask);
}

/* Finds the program as execvp() does. */
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

/* The kernel hides programs that run as another user. */
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

/* Starts the command, which waits at its gate. */
static bool
start_command(struct collect *c, enum collect_fault *fault, struct err *e)
{
	const struct collect_options *o = &c->options;
	struct child_options child = {o->argv, o->path, o->in, o->out, o->err, &c->mask};

	if (!child_start(&c->child, &child)) {
		*fault = COLLECT_NO_MEMORY;
		return err_refuse(e, "no process can be started: %s", strerror(errno));
	}
	c->command = c->child.pid;
	c->result.setuid = !o->n_pids && runs_as_other(o);
	return true;
}

/* True if the command gets a control group and counters of groups are allowed.  Chosen events count
 * single occurrences, which short tasks have, too; switches belong to tasks. */
static bool
wants_group(const struct collect_options *o, bool commands)
{
	return commands && !geteuid() && !o->system && !o->n_pids && !o->off_cpu && !o->cpus &&
	       o->sampler != COLLECT_PTRACE && !(o->events && o->events->at.n);
}

void
collect_leave_group(struct collect *c)
{
	cgroup_free(c->cgroup);
	c->cgroup = NULL;
	c->target.pid = &c->command;
	c->target.n = 1;
	c->target.cgroup = -1;
}

/* True if each sample shall wake the recorder, because the target may be an interpreter, whose
 * frames are read then.  In the whole system this is limited to slow clocks: the samples of a fast
 * one would often hit the return from the interrupt that wakes the recorder. */
static bool
wants_at_once(const struct collect_options *o)
{
	char path[PATH_MAX], link[64];
	bool is = false;

	if (o->system)
		return o->hz <= AT_ONCE_HZ && !o->period;
	if (o->argv && o->argv[0])
		is |= find_program(o, path, sizeof path) && interp_program(path);
	for (size_t i = 0; !is && i < o->n_pids; i++) {
		snprintf(link, sizeof link, "/proc/%d/exe", (int)o->pid[i]);
		ssize_t n = readlink(link, path, sizeof path - 1);
		path[n > 0 ? n : 0] = '\0';
		is = interp_program(path);
	}
	return is;
}

static bool
open_target(struct collect *c, struct err *e)
{
	const struct collect_options *o = &c->options;

	c->target = (struct sampler_target){
		.pid = o->system ? NULL : o->n_pids ? o->pid : &c->command,
		.n = o->system ? 0 : o->n_pids ? o->n_pids : 1,
		.threads = o->threads,
		.runs = o->system || o->n_pids,
		.waits = o->delay_ns > 0,
		.cgroup = -1,
		.cpus = o->cpus,
		.interp = c->interp,
	};
	if (c->cgroup) {
		c->target.pid = NULL;
		c->target.n = 0;
		c->target.cgroup = cgroup_fd(c->cgroup);
	}
	if (o->cgroup)
		c->target.cgroup = open(o->cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return !o->cgroup || c->target.cgroup >= 0 ||
	       err_refuse(e, "%s: %s", o->cgroup, strerror(errno));
}

struct collect *
collect_new(const struct collect_options *o, enum collect_fault *fault, struct err *e)
{
	struct collect *c = mem_zalloc(1, sizeof *c);
	c->options = *o;
	memset(c->sampled, COLLECT_TRIED, sizeof c->sampled);
	c->child = (struct child){-1, -1, -1};
	c->target.cgroup = -1;
	*fault = COLLECT_STARTED;
	take_signals(c);
	bool commands = o->argv && o->argv[0];
	bool good = !commands || start_command(c, fault, e);
	if (good && wants_group(o, commands))
		c->cgroup = cgroup_new(c->command);
	c->ids = buildids_new();
	c->mapids = mapids_new(c->ids);
	if (o->system)
		c->owners = owners_new();
	if (o->system && o->usage)
		c->usage = usage_new();
	if (!o->system && probed_any(o->events))
		c->probed = probed_new(o->n_pids ? o->pid : &c->command, o->n_pids ? o->n_pids : 1);
	if (o->stacks != COLLECT_LEAF && !o->no_interpreters) {
		c->interp = interp_new();
		c->at_once = wants_at_once(o);
	}
	collect_make_events(c);
	if (!good || !open_target(c, e) || !collect_choose(c, e)) {
		collect_free(c);
		return NULL;
	}
	return c;
}

const struct eventlist *
collect_events(const struct collect *c)
{
	return &c->events_list;
}

pid_t
collect_command(const struct collect *c)
{
	return c->command;
}

const struct collect_result *
collect_result(const struct collect *c)
{
	return &c->result;
}

/* ---- the middle ---- */

/* Returns the CPU time of all ended children, and of theirs, as far as the sampler counts it: perf
 * events without the kernel exclude kernel time. */
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

/* A process that ran before the recording is not signalled. */
static void
signal_command(const struct collect *c, int sig)
{
	if (c->command)
		kill(c->command, sig);
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
		/* a terminal's signal has reached its whole foreground group */
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

/* Leaving the browser while the command runs replaces a first signal. */
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

/* Waits after a signal until the command has ended. */
static void
wait_for_end(struct collect *c)
{
	uint64_t now = record_now();
	if (!c->command) {
		c->ended = true;
	} else if (c->asked_at && now - c->asked_at > KILL_NS && !c->killed) {
		kill_command(c);
	} else if (!c->asked_at && now - c->interrupted_at > REPORT_NS && !c->reported) {
		c->reported = true;
		if (c->options.waits)
			c->options.waits(c->options.ctx);
	}
}

/* Checks whether the command has ended, or the last of the processes that ran already; a command
 * beside those is then asked to end, as after the duration. */
static void
look_for_end(struct collect *c)
{
	const struct collect_options *o = &c->options;
	bool runs = !o->n_pids;

	if (c->command)
		c->ended |= waitpid(c->command, &c->result.status, WNOHANG) == c->command;
	for (size_t i = 0; !runs && i < o->n_pids; i++)
		runs = record_task_runs(o->pid[i]);
	if (runs || c->ended || c->left)
		return;
	c->ended = !c->command;
	if (c->command) {
		c->result.overdue = true;
		on_leave(c);
	}
}

/* Starts sampling of processes that run already.  They are examined while the system's tasks and
 * maps are recorded, and before samples are taken: on a busy machine this takes longer than the
 * rings hold samples.  Counters of chosen processes start before that, so maps made meanwhile are
 * recorded twice rather than never. */
static bool
collect_start(struct collect *c, const struct collect_sink *sink, struct err *e)
{
	bool all = c->options.system;

	if (all)
		events_start_tracking(c->events);
	else
		events_start(c->events);
	if (!collect_write_past(c, sink, e))
		return false;
	uint64_t now = record_now();
	if (all)
		events_start(c->events);
	c->begun_at = now - c->options.delay_ns;
	return collect_begin_waits(c, now, sink, e);
}

/* Handles the clock: the delay is over, or the whole duration. */
static bool
look_at_clock(struct collect *c, const struct collect_sink *sink, struct err *e)
{
	uint64_t gone = record_now() - c->begun_at;

	if (c->delayed && gone >= c->options.delay_ns) {
		c->delayed = false;
		if (c->target.runs)
			return collect_start(c, sink, e);
		uint64_t now = record_now();
		events_start(c->events);
		if (!collect_begin_waits(c, now, sink, e))
			return false;
	}
	if (c->options.duration_ns && !c->result.overdue &&
	    gone >= c->options.delay_ns + c->options.duration_ns) {
		c->result.overdue = true;
		on_leave(c);
	}
	return true;
}

static void
wait_for_more(struct collect *c)
{
	struct pollfd fds[1 + 256] = {{.fd = c->signals, .events = POLLIN}};
	const int *ring;
	size_t n = 0;
	if (c->tracer) {
		tracer_wait(c->tracer, c->signals, TICK_MS * 1000000u);
		return;
	}
	uint64_t pause = c->waits ? waits_pause(c->waits) : (uint64_t)TICK_MS * 1000000u;
	if (c->interp && (!c->at_once || c->quiet) && interp_any(c->interp) && pause > LOOK_NS)
		pause = LOOK_NS;
	struct timespec until = {.tv_nsec = (long)pause};
	n = events_fds(c->events, &ring);
	if (n > 256)
		n = 256; /* the others are emptied when the clock ticks */
	for (size_t i = 0; i < n; i++)
		fds[1 + i] = (struct pollfd){.fd = ring[i], .events = POLLIN};
	/* a ring whose processes have all ended stays readable */
	if (ppoll(fds, 1 + (nfds_t)n, &until, NULL) > 0 && !(fds[0].revents & POLLIN)) {
		bool data = false;
		for (size_t i = 0; i < n; i++)
			data |= fds[1 + i].revents == POLLIN;
		if (!data)
			ppoll(fds, 1, &until, NULL);
	}
}

static void
idle(struct collect *c)
{
	uint64_t now = record_now();

	if (c->ended || now >= c->idle_at) {
		c->idle_at = now + TICK_MS * 900000u;
		if (c->options.idle && c->options.idle(c->options.ctx) && !c->left)
			on_leave(c);
	}
	if (c->interrupted_at && !c->ended)
		wait_for_end(c);
}

/* Reads what remains in the rings at the end. */
static bool
drain_rest(struct collect *c, const struct collect_sink *sink, struct err *e)
{
	if (!c->events)
		return true;
	events_stop(c->events);
	return collect_drain(c, sink, e);
}

static bool
one_round(struct collect *c, const struct collect_sink *sink, struct err *e)
{
	bool good;
	wait_for_more(c);
	read_signals(c);
	if (!look_at_clock(c, sink, e))
		return false;
	if (c->tracer) {
		good = tracer_handle(c->tracer, sink, &c->result, &c->ended, e);
	} else {
		look_for_end(c);
		good = c->ended || collect_drain(c, sink, e);
	}
	idle(c);
	return good;
}

/* The sink accepts no more records.  This is not the command's fault, so it continues
 * unobserved. */
static void
wait_unwatched(struct collect *c)
{
	tracer_free(c->tracer);
	events_free(c->events);
	c->tracer = NULL;
	c->events = NULL;
	if (!c->command)
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

static bool
collect_begin(struct collect *c, const struct collect_sink *sink, struct err *e)
{
	c->delayed = c->options.delay_ns > 0;
	c->begun_at = record_now();
	if (c->delayed && c->target.runs)
		return true;
	return c->events && c->target.runs ? collect_start(c, sink, e)
					   : collect_write_past(c, sink, e);
}

bool
collect_run(struct collect *c, const struct collect_sink *sink, struct err *e)
{
	/* the command exists already, and keeps its own priority */
	struct priority priority = priority_raise();
	bool good = collect_begin(c, sink, e);
	uint64_t before = children_used(c);
	if (good && c->cgroup)
		events_start_tracking(c->events);
	/* also if the sink takes nothing, not even what precedes the samples */
	if (c->command) {
		struct err why;
		err_init(&why);
		bool runs = release_child(c, good ? e : &why);
		if (!runs && !good)
			*e = why;
		good = good && runs;
	}
	/* the program runs now, and is no longer the recorder's child */
	if (good && c->cgroup && !c->delayed)
		events_start(c->events);
	while (good && !c->ended)
		good = one_round(c, sink, e);
	good = good && drain_rest(c, sink, e);
	if (!good && c->released && !c->result.fault && !c->ended)
		wait_unwatched(c);
	priority_restore(priority);
	c->result.cut = !good;
	if (!c->command)
		c->result.status = 0; /* also where the tracer sees it */
	c->result.used_ns = children_used(c) - before;
	c->result.ran_ns = record_now() - c->begun_at;
	c->result.interrupted = c->interrupted_at != 0;
	return good;
}

/* ---- the end ---- */

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
		kill(c->child.pid, SIGKILL); /* the caller would not wait for it */
	tracer_free(c->tracer);
	events_free(c->events);
	waits_free(c->waits);
	interp_free(c->interp);
	owners_free(c->owners);
	mapids_free(c->mapids);
	buildids_free(c->ids);
	usage_free(c->usage);
	probed_free(c->probed);
	if (c->child.pid > 0 && !c->ended)
		waitpid(c->child.pid, NULL, 0);
	if (c->signals >= 0)
		close(c->signals);
	if (c->target.cgroup >= 0 && !c->cgroup)
		close(c->target.cgroup);
	cgroup_free(c->cgroup);
	eventlist_release(&c->events_list);
	/* the next caller must not see the child's end, nor end by SIGUSR2 */
	struct timespec none = {0};
	sigset_t past;
	sigemptyset(&past);
	sigaddset(&past, SIGCHLD);
	sigaddset(&past, SIGUSR2);
	while (sigtimedwait(&past, NULL, &none) > 0)
		;
	sigprocmask(SIG_SETMASK, &c->mask, NULL);
	free(c);
}
