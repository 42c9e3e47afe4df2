/* continuous.c - see continuous.h.
 *
 * A supervisor and its children: one recorder samples, earlier ones may still look up names, and
 * one sender runs `pnav store` on the oldest part.
 *
 *	recorder  |== part 1 ==|names|
 *	recorder               |== part 2 ==|names|
 *	sender                       |store 1|     |store 2|
 *
 * A recorder reports its last sample before it looks up names, and only then the next one begins:
 * so no sample is in two parts, and between parts lie only the milliseconds in which a process
 * starts.  A part has its final name, the time of its begin, only when it is complete; files
 * without it are remains of a killed recorder.  A store is complete or invisible, and a file that
 * is stored already is skipped (store.c), so a part that was stored just before a crash is not
 * counted twice.
 *
 * Rejected: one recorder that switches files. Its names would have to be looked up while it
 * samples, and a fault in one part would end all. */
#include "src/command/record/continuous.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/base/buf.h"
#include "src/command/command.h"
#include "src/command/record/kept.h"
#include "src/command/record/once.h"
#include "src/input/clock.h"

#define SECOND_NS INT64_C(1000000000)
#define PARTS_MAX 4u     /* recorders at once: one samples, the others look up names */
#define RETRY_MIN_NS SECOND_NS
#define RETRY_MAX_NS (60 * SECOND_NS)
#define TRIES_MAX 5u     /* then another part is tried, in case it is the part that is refused */
#define ENDING ".part"   /* of a part that is not complete */
#define COMPLETE ".perf.data"

struct part {
	pid_t pid;        /* 0: none */
	int64_t start_ns; /* since 1970: its name */
	int done;         /* reads the recorder's byte; -1: it has taken its last sample */
};

struct continuous {
	const struct continuous_how *how;
	struct buf spool;   /* the folder */
	int lock, signals;
	sigset_t old;       /* the mask of children */
	struct part part[PARTS_MAX];
	pid_t sender;       /* 0: none */
	char sending[NAME_MAX + 1], failed[NAME_MAX + 1];
	unsigned tries;     /* of `failed` */
	int64_t retry_ns, next_try, begin_ns;
	uint64_t stored, dropped, lost;
	struct once once;   /* what children say */
	bool stops;         /* no further part is recorded */
	int status;
};

/* ---- the spool ---- */

static bool
has_ending(const char *name, const char *ending)
{
	size_t n = strlen(name), m = strlen(ending);

	return n > m && !strcmp(name + n - m, ending);
}

static void
spool_path(const struct continuous *c, const char *name, struct buf *out)
{
	buf_reset(out);
	buf_addf(out, "%s/%s", buf_str(&c->spool), name);
}

/* Finds the oldest complete part after the name `after`, and the number and size of all. Names have
 * equally many digits, so their order is that of time. Returns false if there is none. */
static bool
spool_oldest(const struct continuous *c, const char *after, char *out, uint64_t *bytes)
{
	DIR *dir = opendir(buf_str(&c->spool));
	struct dirent *d;
	struct stat st;

	*out = '\0';
	*bytes = 0;
	while (dir && (d = readdir(dir))) {
		if (!has_ending(d->d_name, COMPLETE))
			continue;
		if (!fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW))
			*bytes += (uint64_t)st.st_size;
		if (strcmp(d->d_name, after) > 0 && (!*out || strcmp(d->d_name, out) < 0))
			memcpy(out, d->d_name, strlen(d->d_name) + 1);
	}
	if (dir)
		closedir(dir);
	return *out;
}

static void
spool_remove(const struct continuous *c, const char *name)
{
	struct buf path = BUF_INIT;

	spool_path(c, name, &path);
	unlink(buf_str(&path));
	buf_release(&path);
}

/* Drops the oldest parts until the rest fits; not the one that is being sent. */
static void
spool_bound(struct continuous *c)
{
	char name[NAME_MAX + 1];
	uint64_t bytes;

	while (spool_oldest(c, c->sending, name, &bytes) && bytes > c->how->o->spool_bytes) {
		spool_remove(c, name);
		c->dropped++;
		fprintf(stderr, "pnav: %s: full: the oldest recording is dropped, %" PRIu64
			" so far\n", buf_str(&c->spool), c->dropped);
	}
}

/* Removes what a killed recorder left, and reports it. */
static void
spool_clean(struct continuous *c)
{
	DIR *dir = opendir(buf_str(&c->spool));
	struct dirent *d;

	while (dir && (d = readdir(dir)))
		if (has_ending(d->d_name, ENDING)) {
			spool_remove(c, d->d_name);
			c->lost++;
		}
	if (dir)
		closedir(dir);
	if (c->lost)
		fprintf(stderr, "pnav: %s: %" PRIu64 " unfinished recordings of an earlier run are "
			"dropped\n", buf_str(&c->spool), c->lost);
}

/* Opens the folder, which one supervisor at a time uses. */
static bool
spool_open(struct continuous *c)
{
	const char *given = c->how->o->spool, *state = getenv("STATE_DIRECTORY");
	struct buf path = BUF_INIT;

	if (given) {
		buf_adds(&c->spool, given);
	} else if (state && *state == '/') { /* of a systemd unit */
		buf_add(&c->spool, state, strcspn(state, ":"));
	} else if (kept_folder(&c->spool)) {
		buf_adds(&c->spool, "/spool-");
		for (const char *at = c->how->o->service; *at; at++)
			buf_addc(&c->spool, *at == '/' ? '_' : *at);
	}
	if (mkdir(buf_str(&c->spool), 0700) && errno != EEXIST) {
		fprintf(stderr, "pnav: --spool %s: %s\n", buf_str(&c->spool), strerror(errno));
		return false;
	}
	spool_path(c, "lock", &path);
	c->lock = open(buf_str(&path), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	bool good = c->lock >= 0 && !flock(c->lock, LOCK_EX | LOCK_NB);
	if (!good)
		fprintf(stderr, "pnav: --spool %s: %s\n", buf_str(&c->spool),
			errno == EWOULDBLOCK ? "another pnav record uses it" : strerror(errno));
	buf_release(&path);
	if (good)
		spool_clean(c);
	return good;
}

/* ---- recorders ---- */

static void
child_begin(const struct continuous *c)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	setpgid(0, 0); /* ^C is meant for the supervisor */
	close(c->signals);
	close(c->lock); /* the next supervisor need not wait for this process */
	once_join(&c->once);
	sigprocmask(SIG_SETMASK, &c->old, NULL);
}

static void
part_name(const struct part *p, const char *ending, struct buf *out)
{
	buf_reset(out);
	buf_addf(out, "%019" PRId64 "%s", p->start_ns, ending);
}

static void
part_begin(struct continuous *c)
{
	struct part *p = c->part;
	struct buf name = BUF_INIT, path = BUF_INIT;
	int ends[2];

	while (p < c->part + PARTS_MAX && p->pid)
		p++;
	if (p == c->part + PARTS_MAX || pipe2(ends, O_CLOEXEC))
		return; /* tried again with the next event */
	*p = (struct part){.start_ns = clock_day_ns(), .done = ends[0]};
	part_name(p, ENDING, &name);
	spool_path(c, buf_str(&name), &path);
	p->pid = fork();
	if (!p->pid) {
		child_begin(c);
		_exit(c->how->record(c->how->ctx, buf_str(&path), ends[1]));
	}
	close(ends[1]);
	if (p->pid < 0) {
		close(ends[0]);
		p->pid = 0;
	}
	buf_release(&name);
	buf_release(&path);
}

/* The recorder has ended: the part is complete, or nothing. */
static void
part_end(struct continuous *c, struct part *p, int state)
{
	struct buf name = BUF_INIT, from = BUF_INIT, to = BUF_INIT;
	int64_t lasted = clock_day_ns() - p->start_ns;

	part_name(p, ENDING, &name);
	spool_path(c, buf_str(&name), &from);
	part_name(p, COMPLETE, &name);
	spool_path(c, buf_str(&name), &to);
	bool good = WIFEXITED(state) && WEXITSTATUS(state) != STATUS_UNREADABLE &&
		    !rename(buf_str(&from), buf_str(&to));
	if (!good)
		unlink(buf_str(&from));
	/* a recorder that is stopped before it samples loses nothing */
	if (!good && !(c->stops && WIFSIGNALED(state))) {
		c->lost++;
		if (p->start_ns == c->begin_ns || lasted < SECOND_NS) {
			c->stops = true; /* the recorder has reported why */
			c->status = WIFEXITED(state) && WEXITSTATUS(state) ? WEXITSTATUS(state)
									   : STATUS_UNREADABLE;
		}
	}
	if (p->done >= 0)
		close(p->done);
	*p = (struct part){.done = -1};
	spool_bound(c);
	buf_release(&name);
	buf_release(&from);
	buf_release(&to);
}

/* Returns true if some recorder is still sampling, and if any runs at all in *any. */
static bool
parts_sample(const struct continuous *c, bool *any)
{
	bool samples = false;

	*any = false;
	for (unsigned i = 0; i < PARTS_MAX; i++) {
		*any |= c->part[i].pid != 0;
		samples |= c->part[i].pid && c->part[i].done >= 0;
	}
	return samples;
}

/* ---- the sender ---- */

static void
sender_words(const struct continuous *c, const char *path, char **argv, struct buf *at,
	     struct buf *kernel)
{
	const struct record_options *o = c->how->o;
	struct utsname u;
	int n = 0;

	buf_addf(at, "--at=@%.*s.%.9s", (int)(strlen(c->sending) - strlen(COMPLETE) - 9),
		 c->sending, c->sending + strlen(c->sending) - strlen(COMPLETE) - 9);
	argv[n++] = (char *)(uintptr_t)"store";
	argv[n++] = (char *)(uintptr_t)"--service";
	argv[n++] = (char *)(uintptr_t)o->service;
	argv[n++] = at->at;
	for (size_t i = 0; i < o->labels.n; i++) {
		argv[n++] = (char *)(uintptr_t)"--label";
		argv[n++] = (char *)(uintptr_t)o->labels.at[i];
	}
	if (!uname(&u)) {
		buf_addf(kernel, "--label=kernel=%s", u.release);
		argv[n++] = kernel->at;
	}
	argv[n++] = (char *)(uintptr_t)o->store;
	argv[n++] = (char *)(uintptr_t)path;
	argv[n] = NULL;
}

/* Runs in the sender's process: `pnav store` with its messages, but not its results. */
static void
sender_run(const struct continuous *c)
{
	char *argv[16 + 2 * CONTINUOUS_LABELS_MAX];
	struct buf path = BUF_INIT, at = BUF_INIT, kernel = BUF_INIT;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), n = 0;

	child_begin(c);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	spool_path(c, c->sending, &path);
	sender_words(c, buf_str(&path), argv, &at, &kernel);
	while (argv[n])
		n++;
	_exit(command_store.run(&command_store, n, argv));
}

static void
sender_begin(struct continuous *c)
{
	const char *after = c->tries >= TRIES_MAX ? c->failed : "";
	uint64_t bytes;

	if (!spool_oldest(c, after, c->sending, &bytes) &&
	    !spool_oldest(c, "", c->sending, &bytes))
		return;
	c->sender = fork();
	if (!c->sender)
		sender_run(c);
	if (c->sender < 0)
		c->sender = 0;
}

/* A part was stored; one before it that was refused again and again never will be. */
static void
sender_stored(struct continuous *c)
{
	spool_remove(c, c->sending);
	c->stored++;
	c->retry_ns = c->next_try = 0;
	if (c->tries >= TRIES_MAX && strcmp(c->failed, c->sending) != 0) {
		spool_remove(c, c->failed);
		c->dropped++;
		fprintf(stderr, "pnav: %s/%s: refused %u times and dropped\n", buf_str(&c->spool),
			c->failed, c->tries);
	}
	c->tries = 0;
}

static void
sender_end(struct continuous *c, int state)
{
	int status = WIFEXITED(state) ? WEXITSTATUS(state) : STATUS_UNREADABLE;

	c->sender = 0;
	if (status == STATUS_DONE || status == STATUS_DAMAGED) {
		sender_stored(c);
	} else {
		c->tries = strcmp(c->failed, c->sending) ? 1 : c->tries + 1;
		memcpy(c->failed, c->sending, sizeof c->failed);
		c->retry_ns = c->retry_ns ? 2 * c->retry_ns : RETRY_MIN_NS;
		c->retry_ns = c->retry_ns < RETRY_MAX_NS ? c->retry_ns : RETRY_MAX_NS;
		c->next_try = clock_ns() + c->retry_ns;
	}
	if (status == STATUS_USAGE) { /* it would be refused for ever */
		c->stops = true;
		c->status = status;
	}
	c->sending[0] = '\0';
}

/* ---- the loop ---- */

static void
reap(struct continuous *c)
{
	int state;

	for (pid_t pid; (pid = waitpid(-1, &state, WNOHANG)) > 0;) {
		if (pid == c->sender)
			sender_end(c, state);
		for (unsigned i = 0; i < PARTS_MAX; i++)
			if (c->part[i].pid == pid)
				part_end(c, &c->part[i], state);
	}
}

static void
stop_recorders(struct continuous *c)
{
	c->stops = true;
	for (unsigned i = 0; i < PARTS_MAX; i++)
		if (c->part[i].pid && c->part[i].done >= 0)
			kill(c->part[i].pid, SIGINT);
}

/* Waits for a signal, a recorder's last sample, or the time of the next step. */
static void
wait_event(struct continuous *c, int64_t until)
{
	struct pollfd fd[PARTS_MAX + 2] = {{.fd = c->signals, .events = POLLIN}};
	struct signalfd_siginfo s;
	int64_t left = until - clock_ns();

	for (unsigned i = 0; i < PARTS_MAX; i++)
		fd[i + 1] = (struct pollfd){.fd = c->part[i].pid ? c->part[i].done : -1,
					    .events = POLLIN};
	fd[PARTS_MAX + 1] = (struct pollfd){.fd = c->once.ends[0], .events = POLLIN};
	poll(fd, PARTS_MAX + 2, left < 0 ? 0 : left > 60 * SECOND_NS ? 60000
							: (int)(left / 1000000) + 1);
	for (unsigned i = 0; i < PARTS_MAX; i++)
		if (fd[i + 1].revents && c->part[i].done >= 0) {
			close(c->part[i].done);
			c->part[i].done = -1;
		}
	while (read(c->signals, &s, sizeof s) == sizeof s)
		if (s.ssi_signo != SIGCHLD)
			stop_recorders(c);
	reap(c);
	once_print(&c->once, false);
}

/* Returns false once everything is done. */
static bool
continuous_step(struct continuous *c, int64_t end)
{
	int64_t now = clock_ns();
	char name[NAME_MAX + 1];
	uint64_t bytes;
	bool any, samples = parts_sample(c, &any);

	if (now >= end && !c->stops)
		stop_recorders(c);
	for (size_t i = 0; i < c->how->o->pids.n && !samples && c->begin_ns; i++)
		if (kill(c->how->o->pids.at[i], 0) && errno == ESRCH)
			c->stops = true; /* the process has ended */
	if (!c->stops && !samples) {
		part_begin(c);
		c->begin_ns = c->begin_ns ? c->begin_ns : c->part[0].start_ns;
		any = true;
	}
	/* at the end each part is tried once more, up to the first failure */
	bool last = c->stops && !any;
	if (!c->sender && (now >= c->next_try || (last && !c->tries)))
		sender_begin(c);
	if (last && !c->sender && (c->tries || !spool_oldest(c, "", name, &bytes)))
		return false;
	int64_t until = now + 60 * SECOND_NS;
	if (c->next_try > now && c->next_try < until)
		until = c->next_try;
	wait_event(c, !c->stops && end < until ? end : until);
	return true;
}

static void
continuous_say(const struct continuous *c)
{
	char name[NAME_MAX + 1];
	uint64_t bytes = 0;
	bool waits = spool_oldest(c, "", name, &bytes);

	fprintf(stderr, "pnav: %s: %" PRIu64 " recordings stored, %" PRIu64 " dropped, %" PRIu64
		" unfinished%s\n", c->how->o->store, c->stored, c->dropped, c->lost,
		waits ? "; the rest waits for the next run" : "");
}

int
continuous_run(const struct continuous_how *how)
{
	struct continuous c = {.how = how, .lock = -1, .status = STATUS_DONE};
	int64_t duration = (int64_t)how->o->duration_ns;
	sigset_t set;

	for (unsigned i = 0; i < PARTS_MAX; i++)
		c.part[i].done = -1;
	if (!spool_open(&c)) {
		buf_release(&c.spool);
		return STATUS_USAGE;
	}
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &c.old);
	once_init(&c.once);
	c.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	int64_t end = duration ? clock_ns() + duration : INT64_MAX;
	while (continuous_step(&c, end))
		continue;
	once_print(&c.once, true);
	if (!how->o->quiet)
		continuous_say(&c);
	close(c.signals);
	close(c.lock);
	once_release(&c.once);
	sigprocmask(SIG_SETMASK, &c.old, NULL);
	buf_release(&c.spool);
	return c.status;
}
