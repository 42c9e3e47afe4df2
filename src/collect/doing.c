/* doing.c - see doing.h.
 *
 * /proc/PID/task/TID/syscall has the number of the system call and its six arguments.  A row of
 * the table below says what the first arguments mean.
 *
 * A futex is only an address.  The word there, and what the C library keeps beside it, say more:
 *
 *	glibc's mutex   u32 lock (2: held, and others wait), u32 count, u32 owner
 *	robust mutex, musl's mutex   u32 owner with the highest bit, which says that others wait
 *	pthread_join    u32 tid of the thread, until the kernel clears it; not FUTEX_PRIVATE_FLAG
 *	PI mutex        u32 owner in the lower 30 bits; FUTEX_LOCK_PI
 *
 * The thread must wait for just this value, and the owner must exist, in the same process if the
 * futex is private; else the futex belongs to a condition, a semaphore, or something unknown.  A
 * reader of an rwlock waits for the value 2 or 3, which may be the number of a thread in a
 * container, but the lock is private.  In a pid namespace the owner is a number inside.
 *
 * /proc/PID/task/TID/sched has the time when the thread last ran, on the scheduler's clock of its
 * CPU (rq_clock_task in the kernel).  That clock differs from CPU to CPU, since it stops
 * during interrupts and while a hypervisor runs something else.  So each CPU's clock is compared
 * with ours, from a thread on that CPU; and a wait may be somewhat longer than it seems. */
#include "src/collect/doing.h"

#include <dirent.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/collect/fdname.h"
#include "src/collect/taskplace.h"
#include "src/collect/record.h"

#define KERNEL_THREAD 0x200000u /* PF_KTHREAD, linux/sched.h */
#define POLLED_NAMES 3u
#define PATH_BYTES 1024u
#define CLOCK_TRIES 5

const char *
doing_state_name(enum doing_state s)
{
	static const char *const name[] = {"running", "waiting", "io", "stopped", ""};

	return name[s];
}

/* Returns the n-th word from a text on, counted from 0. */
static const char *
word_of(const char *text, int n)
{
	for (; n && text; n--)
		text = strchr(text + 1, ' ');
	return text ? text : "";
}

/* After the thread's name, which may contain anything, come state, five numbers, flags, and the CPU
 * as the 37th. */
enum doing_state
doing_state_of(pid_t pid, pid_t tid, int *cpu)
{
	char path[64], text[1024], state;
	unsigned flags;

	snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid, (int)tid);
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
	if (f)
		fclose(f);
	text[n] = '\0';
	const char *end = strrchr(text, ')');
	if (!end || sscanf(end + 1, " %c %*d %*d %*d %*d %*d %u", &state, &flags) != 2 ||
	    flags & KERNEL_THREAD || strchr("ZXx", state))
		return DOING_NOTHING;
	if (sscanf(word_of(end + 1, 36), " %d", cpu) != 1)
		*cpu = -1;
	return state == 'R'		      ? DOING_RUNNING
	       : state == 'D'		      ? DOING_IO
	       : state == 'T' || state == 't' ? DOING_STOPPED
					      : DOING_WAITING;
}

/* ---- how long ---- */

/* Returns when the thread last ran, in ns on the scheduler's clock; -1: unknown. */
static int64_t
last_ran(pid_t pid, pid_t tid)
{
	char path[64], line[128];
	double ms = -1;

	snprintf(path, sizeof path, "/proc/%d/task/%d/sched", (int)pid, (int)tid);
	FILE *f = fopen(path, "re");
	while (f && ms < 0 && fgets(line, sizeof line, f))
		if (sscanf(line, "se.exec_start : %lf", &ms) != 1)
			ms = -1;
	if (f)
		fclose(f);
	return ms < 0 ? -1 : (int64_t)(ms * 1e6);
}

/* This thread last ran a moment before now, so each try is too small by that moment. */
int64_t
doing_clock(int cpu)
{
	int64_t best = INT64_MIN;
	cpu_set_t before, one;

	if (cpu < 0 || cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof before, &before))
		return best;
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	if (sched_setaffinity(0, sizeof one, &one))
		return best;
	for (int i = 0; i < CLOCK_TRIES; i++) {
		sched_yield(); /* notes the time of this thread */
		int64_t ran = last_ran(getpid(), (pid_t)syscall(SYS_gettid));
		int64_t offset = ran - (int64_t)record_now();
		if (ran >= 0 && offset > best)
			best = offset;
	}
	sched_setaffinity(0, sizeof before, &before);
	return best;
}

/* ---- futexes ---- */

/* Returns the number of a thread in its own pid namespace; 0 if that is ours. */
static pid_t
number_inside(pid_t pid, pid_t tid)
{
	char path[64], line[256];
	int outside, inside = 0;

	snprintf(path, sizeof path, "/proc/%d/task/%d/status", (int)pid, (int)tid);
	FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "NSpid: %d %d", &outside, &inside) == 2)
			inside = atoi(strrchr(line, '\t')); /* of several, the last */
	if (f)
		fclose(f);
	return inside;
}

void
doing_threads_read(struct doing_threads *t, pid_t pid)
{
	char path[64];

	t->pid = pid;
	t->thread.n = 0;
	if (!number_inside(pid, pid))
		return;
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *dir = opendir(path);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		pid_t tid = atoi(e->d_name), inside = tid > 0 ? number_inside(pid, tid) : 0;
		if (inside)
			*vec_push(&t->thread) = (struct doing_thread){tid, inside};
	}
	if (dir)
		closedir(dir);
}

/* Returns our number of a thread that a futex names; 0 if there is none, or if it belongs to
 * another process and the futex is `private`. */
static pid_t
thread_named(const struct doing_threads *t, pid_t named, bool private)
{
	char path[64];

	for (size_t i = 0; i < t->thread.n; i++)
		if (t->thread.at[i].inside == named)
			return t->thread.at[i].tid;
	snprintf(path, sizeof path, "/proc/%d/task/%d", (int)(private ? t->pid : named),
		 (int)named);
	return !t->thread.n && named > 0 && access(path, F_OK) == 0 ? named : 0;
}

/* Sets the holder of a futex; returns false if it is unknown. */
static bool
holder_of_futex(struct doing *d, const struct doing_threads *t, const uint64_t argument[6])
{
	uint32_t word[3] = {0};
	unsigned op = (unsigned)argument[1] & FUTEX_CMD_MASK;
	uint32_t expected = (uint32_t)argument[2];
	bool waits = op == FUTEX_WAIT || op == FUTEX_WAIT_BITSET;
	bool inherits = op == FUTEX_LOCK_PI || op == 13; /* FUTEX_LOCK_PI2 */
	bool private = argument[1] & FUTEX_PRIVATE_FLAG;

	if (!taskplace_copy(t->pid, argument[0], word, sizeof word) ||
	    (waits && word[0] != expected))
		return false;
	d->locked = true;
	if (inherits || (waits && word[0] & FUTEX_WAITERS)) {
		d->holder = thread_named(t, (pid_t)(word[0] & FUTEX_TID_MASK), private);
	} else if (waits && word[0] == 2) {
		d->holder = thread_named(t, (pid_t)word[2], private);
	}
	if (!d->holder && waits && !private) {
		d->holder = thread_named(t, (pid_t)word[0], true);
		d->locked = false;
	}
	d->lock = argument[0];
	return d->holder != 0;
}

static void
doing_futex(struct doing *d, const struct doing_threads *t, const uint64_t argument[6],
	    struct buf *out)
{
	if (!holder_of_futex(d, t, argument))
		buf_addf(out, "futex 0x%" PRIx64 ": a condition, a semaphore",
			 argument[0]);
	else if (d->locked)
		buf_addf(out, "lock 0x%" PRIx64 " held by", d->lock);
	else
		buf_adds(out, "the end of");
}

/* ---- system calls ---- */

enum doing_means {
	MEANS_NAME,  /* nothing more than its name */
	MEANS_FILE,  /* the first argument is a file */
	MEANS_PATH,  /* the second argument is a path */
	MEANS_POLL,  /* struct pollfd *, n */
	MEANS_EPOLL, /* an epoll file */
	MEANS_FUTEX,
	MEANS_CHILD, /* the first argument is a process, if positive */
};

struct doing_call {
	long number;
	const char *name;
	const char *words; /* before the file; what is said if there is nothing more */
	enum doing_means means;
};

#define DOING_CALL(name, words, means)                                                   \
	{                                                                                \
		SYS_##name, #name, words, means                                          \
	}
static const struct doing_call doing_calls[] = {
	DOING_CALL(read, "read from ", MEANS_FILE),
	DOING_CALL(readv, "read from ", MEANS_FILE),
	DOING_CALL(pread64, "read from ", MEANS_FILE),
	DOING_CALL(preadv, "read from ", MEANS_FILE),
	DOING_CALL(getdents64, "read from ", MEANS_FILE),
	DOING_CALL(recvfrom, "read from ", MEANS_FILE),
	DOING_CALL(recvmsg, "read from ", MEANS_FILE),
	DOING_CALL(recvmmsg, "read from ", MEANS_FILE),
	DOING_CALL(write, "write to ", MEANS_FILE),
	DOING_CALL(writev, "write to ", MEANS_FILE),
	DOING_CALL(pwrite64, "write to ", MEANS_FILE),
	DOING_CALL(pwritev, "write to ", MEANS_FILE),
	DOING_CALL(sendto, "write to ", MEANS_FILE),
	DOING_CALL(sendmsg, "write to ", MEANS_FILE),
	DOING_CALL(sendmmsg, "write to ", MEANS_FILE),
	DOING_CALL(sendfile, "write to ", MEANS_FILE),
	DOING_CALL(splice, "read from ", MEANS_FILE),
	DOING_CALL(openat, "open of ", MEANS_PATH),
	DOING_CALL(connect, "connection to ", MEANS_FILE),
	DOING_CALL(accept4, "connection on ", MEANS_FILE),
	DOING_CALL(fsync, "sync of ", MEANS_FILE),
	DOING_CALL(fdatasync, "sync of ", MEANS_FILE),
	DOING_CALL(sync_file_range, "sync of ", MEANS_FILE),
	DOING_CALL(flock, "lock of ", MEANS_FILE),
	DOING_CALL(fcntl, "lock of ", MEANS_FILE),
	DOING_CALL(ioctl, "device ", MEANS_FILE),
	DOING_CALL(ppoll, "poll of ", MEANS_POLL),
	DOING_CALL(pselect6, "select", MEANS_NAME),
	DOING_CALL(epoll_pwait, "epoll of ", MEANS_EPOLL),
	DOING_CALL(futex, "", MEANS_FUTEX),
	DOING_CALL(nanosleep, "sleep", MEANS_NAME),
	DOING_CALL(clock_nanosleep, "sleep", MEANS_NAME),
	DOING_CALL(restart_syscall, "an interrupted call", MEANS_NAME),
	DOING_CALL(wait4, "child ", MEANS_CHILD),
	DOING_CALL(waitid, "a child", MEANS_NAME),
	DOING_CALL(rt_sigtimedwait, "a signal", MEANS_NAME),
	DOING_CALL(rt_sigsuspend, "a signal", MEANS_NAME),
	DOING_CALL(msgrcv, "a message", MEANS_NAME),
	DOING_CALL(io_getevents, "input or output", MEANS_NAME),
#ifdef SYS_accept /* s390 and 32-bit x86 have accept4 alone */
	DOING_CALL(accept, "connection on ", MEANS_FILE),
#endif
#ifdef SYS_semtimedop
	DOING_CALL(semtimedop, "a semaphore", MEANS_NAME),
#endif
#ifdef SYS_poll
	DOING_CALL(poll, "poll of ", MEANS_POLL),
	DOING_CALL(select, "select", MEANS_NAME),
	DOING_CALL(epoll_wait, "epoll of ", MEANS_EPOLL),
	DOING_CALL(pause, "a signal", MEANS_NAME),
#endif
#ifdef SYS_io_uring_enter
	DOING_CALL(io_uring_enter, "input or output", MEANS_NAME),
#endif
};

static void
doing_file(pid_t pid, int fd, struct buf *out)
{
	if (!fdname(pid, fd, out))
		buf_addf(out, "file %d", fd);
}

/* Opening a FIFO waits for its other end. */
static void
doing_path(pid_t pid, uint64_t at, struct buf *out)
{
	char path[PATH_BYTES];
	size_t n = taskplace_copy(pid, at, path, sizeof path);

	buf_add(out, path, strnlen(path, n));
}

static void
doing_poll(pid_t pid, const uint64_t argument[6], struct buf *out)
{
	struct pollfd fd[POLLED_NAMES];
	uint64_t n = argument[1];
	size_t got = taskplace_copy(pid, argument[0], fd, sizeof fd) / sizeof *fd;

	if (n != 1)
		buf_addf(out, "%" PRIu64 " files", n);
	for (size_t i = 0; i < got && i < n; i++) {
		buf_adds(out, i ? ", " : n == 1 ? "" : ": ");
		doing_file(pid, fd[i].fd, out);
	}
	if (n > got && got)
		buf_adds(out, ", ...");
}

static void
doing_epoll(pid_t pid, int fd, struct buf *out)
{
	char path[64], line[256];
	unsigned n = 0;

	snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", (int)pid, fd);
	FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f))
		n += !strncmp(line, "tfd:", 4);
	if (f)
		fclose(f);
	buf_addf(out, "%u file%s", n, n == 1 ? "" : "s");
}

static void
doing_call(struct doing *d, const struct doing_call *c, const struct doing_threads *t,
	   const uint64_t argument[6], struct buf *out)
{
	d->call = c->name;
	buf_adds(out, c->words);
	switch (c->means) {
	case MEANS_NAME:
		break;
	case MEANS_FILE:
		doing_file(t->pid, (int)argument[0], out);
		break;
	case MEANS_PATH:
		doing_path(t->pid, argument[1], out);
		break;
	case MEANS_POLL:
		doing_poll(t->pid, argument, out);
		break;
	case MEANS_EPOLL:
		doing_epoll(t->pid, (int)argument[0], out);
		break;
	case MEANS_FUTEX:
		doing_futex(d, t, argument, out);
		break;
	case MEANS_CHILD:
		if ((int)argument[0] > 0)
			buf_addf(out, "process %d", (int)argument[0]);
		else
			buf_adds(out, "process");
		break;
	}
}

void
doing_read(struct doing *d, const struct doing_threads *threads, pid_t tid,
	   const struct taskplace *place, int64_t clock, struct buf *waits_for)
{
	uint64_t argument[6] = {0};
	char *end;
	long number = strtol(place->text, &end, 10);
	int64_t ran = clock == INT64_MIN ? -1 : last_ran(threads->pid, tid);

	d->call = "";
	d->holder = 0;
	d->waited_ns = -1;
	if (ran >= 0) {
		int64_t ns = (int64_t)record_now() + clock - ran;
		d->waited_ns = ns > 0 ? ns : 0;
	}
	for (int i = 0; i < 6 && number >= 0 && *end; i++)
		argument[i] = strtoull(end, &end, 16);
	for (size_t i = 0; i < sizeof doing_calls / sizeof *doing_calls && number >= 0;
	     i++)
		if (doing_calls[i].number == number && place->sp > UINT32_MAX) {
			doing_call(d, &doing_calls[i], threads, argument, waits_for);
			return;
		}
	if (number >= 0)
		buf_addf(waits_for, "system call %ld", number);
}
