/* usage.c - see usage.h.
 *
 *	/proc/TID/schedstat          ns on a CPU, ns ready to run, times on a CPU
 *	/proc/TID/task/TID/io        read_bytes: N, write_bytes: N, ...
 *	/proc/TID/task/TID/stat      ... field 42: delayacct_blkio_ticks (proc_pid_stat(5))
 *
 * A thread that was not on a CPU since the last look has done no I/O and ended no wait, so only its
 * schedstat is read.  Its descriptor stays open: this is five times as fast as a path.  A
 * descriptor belongs to the thread, not to its number, so its end is seen by ESRCH.  How long it
 * existed is known from the fork and exit records, which come in any order: threads may be shorter
 * than the time between two looks.
 *
 * Rejected: the scheduler's tracepoints, whose cost grows with the switches; taskstats, which needs
 * a privilege and has no threads. */
#include "src/collect/usage.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/collect/eventlist.h"
#include "src/collect/record.h"

#define USAGE_PORTION 64u        /* threads of a look */
#define USAGE_ROUND_NS 500000000u /* for all threads */
#define USAGE_SHARE 250u          /* a look pauses for its own time, times this */
#define USAGE_EXIST_NS 1000000000u /* between two samples of thread-time */
#define USAGE_TEXT 1024

enum usage_counter { USAGE_WAITING, USAGE_BLOCKED, USAGE_IO, USAGE_EXISTS, USAGE_COUNTERS };

static const struct usage_column {
	const char *name, *lacks;
} usage_columns[USAGE_COUNTERS] = {
	[USAGE_WAITING] = {"waiting", "this kernel has no /proc/PID/schedstat (CONFIG_SCHED_INFO)"},
	[USAGE_BLOCKED] = {"blocked", "delay accounting is off (sysctl kernel.task_delayacct)"},
	[USAGE_IO] = {"io", "this kernel has no /proc/PID/io (CONFIG_TASK_IO_ACCOUNTING)"},
	[USAGE_EXISTS] = {"thread-time", ""},
};

struct usage_thread {
	pid_t pid, tid;
	int fd;         /* of its schedstat; -1: none is kept */
	bool gone;      /* it has ended, but its exit record has not come */
	bool begun;     /* the counters are those of an earlier look, or it is new */
	uint64_t ran, count[USAGE_COUNTERS];
	uint64_t since; /* of the thread-time that no sample has yet */
	uint64_t ended; /* as its exit record says; 0: it has not come */
};

struct taskusage {
	bool has[USAGE_COUNTERS];
	size_t event[USAGE_COUNTERS]; /* index in the list */
	VEC(struct usage_thread) thread;
	size_t next;      /* the first of the next look */
	uint64_t next_at; /* its time */
	uint64_t listed_at; /* usage_add() was called last */
	int kept_below;   /* descriptors below this number are kept open */
	uint64_t tick_ns;
};

/* Reads a small file of /proc as text; returns false with errno. */
static bool
usage_read(int fd, char text[USAGE_TEXT])
{
	ssize_t n = pread(fd, text, USAGE_TEXT - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	if (!n)
		errno = ESRCH;
	return n > 0;
}

static bool
usage_read_path(const char *path, char text[USAGE_TEXT])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	bool good = usage_read(fd, text);
	int fault = errno;
	close(fd);
	errno = fault;
	return good;
}

static bool
usage_read_task(pid_t tid, const char *file, char text[USAGE_TEXT])
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)tid, (int)tid, file);
	return usage_read_path(path, text);
}

/* ---- beginning ---- */

/* The setting exists from Linux 5.14 on; before, delays are counted. */
static bool
counts_delays(void)
{
	char text[USAGE_TEXT];

	if (usage_read_path("/proc/sys/kernel/task_delayacct", text))
		return atoi(text) != 0;
	return errno == ENOENT;
}

struct taskusage *
usage_new(void)
{
	struct taskusage *u = mem_zalloc(1, sizeof *u);
	char text[USAGE_TEXT];

	u->has[USAGE_WAITING] = usage_read_path("/proc/self/schedstat", text);
	u->has[USAGE_BLOCKED] = counts_delays();
	u->has[USAGE_IO] = usage_read_path("/proc/self/io", text);
	u->has[USAGE_EXISTS] = true;
	u->tick_ns = UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK);
	return u;
}

static void
forget_thread(struct taskusage *u, size_t i)
{
	if (u->thread.at[i].fd >= 0)
		close(u->thread.at[i].fd);
	u->thread.at[i] = u->thread.at[--u->thread.n];
}

void
usage_free(struct taskusage *u)
{
	while (u && u->thread.n)
		forget_thread(u, u->thread.n - 1);
	if (u)
		vec_release(&u->thread);
	free(u);
}

static void
allow_descriptors(struct taskusage *u)
{
	struct rlimit files;

	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
		if (!getrlimit(RLIMIT_NOFILE, &files)) /* the rest is for counters and rings */
			u->kept_below = files.rlim_cur > 65536 ? 65536 : (int)files.rlim_cur / 2;
	}
}

/* The kernel opens them as events that never occur: this gives them ids. */
void
usage_events(struct taskusage *u, struct eventlist *list)
{
	allow_descriptors(u);
	for (size_t i = 0; i < USAGE_COUNTERS; i++) {
		if (!u->has[i])
			continue;
		u->event[i] = list->at.n;
		struct collect_event *v = eventlist_push(list);
		v->name = mem_dup(usage_columns[i].name, strlen(usage_columns[i].name));
		v->attr.type = PERF_TYPE_SOFTWARE;
		v->attr.config = PERF_COUNT_SW_DUMMY;
		v->attr.sample_period = 1;
	}
}

static struct usage_thread *
add_thread(struct taskusage *u, pid_t pid, pid_t tid, uint64_t since)
{
	struct usage_thread *t = vec_push(&u->thread);

	*t = (struct usage_thread){.pid = pid, .tid = tid, .fd = -1, .since = since};
	return t;
}

/* ---- counters ---- */

/* Returns the number after "NAME: " in a text; 0 if it is not there. */
static uint64_t
named_number(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

/* Returns field 42 of a line of /proc/PID/stat in ticks.  Field 2, the name, may have any bytes; it
 * ends at the last parenthesis. */
static uint64_t
blocked_ticks(const char *text)
{
	const char *at = strrchr(text, ')');

	for (int field = 2; at && field < 42; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at, NULL, 10) : 0;
}

/* Reads the counters that change only while the thread runs. */
static void
read_others(const struct taskusage *u, const struct usage_thread *t, uint64_t count[USAGE_COUNTERS])
{
	char text[USAGE_TEXT];

	if (u->has[USAGE_BLOCKED] && usage_read_task(t->tid, "stat", text))
		count[USAGE_BLOCKED] = blocked_ticks(text) * u->tick_ns;
	if (u->has[USAGE_IO] && usage_read_task(t->tid, "io", text))
		count[USAGE_IO] = named_number(text, "\nread_bytes: ") +
				  named_number(text, "\nwrite_bytes: ");
}

/* Reads ns on a CPU and ns without one.  Returns false if the thread has ended. */
static bool
read_schedstat(const struct taskusage *u, struct usage_thread *t, uint64_t *ran, uint64_t *waited)
{
	char text[USAGE_TEXT], path[64];
	char *end;
	int fd = t->fd;

	*ran = *waited = 0;
	if (fd < 0) {
		snprintf(path, sizeof path, "/proc/%d/schedstat", (int)t->tid);
		fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (fd < 0)
		return errno == ENOENT && !u->has[USAGE_WAITING] && !kill(t->tid, 0);
	bool good = usage_read(fd, text);
	if (t->fd < 0 && good && fd < u->kept_below)
		t->fd = fd;
	else if (t->fd < 0)
		close(fd);
	if (good) {
		*ran = strtoull(text, &end, 10);
		*waited = strtoull(end, NULL, 10);
	}
	return good;
}

static void
put_usage(const struct taskusage *u, const struct eventlist *list, const struct usage_thread *t,
	  enum usage_counter which, uint64_t value, uint64_t now, struct buf *out)
{
	const struct collect_event *v = &list->at.at[u->event[which]];
	uint64_t kind = v->attr.sample_type, none = 0;
	uint32_t raw[2] = {sizeof raw - sizeof *raw, 0};
	struct record_sample s = {.id = v->ids.n ? v->ids.at[0] : 0,
				  .pid = (uint32_t)t->pid,
				  .tid = (uint32_t)t->tid,
				  .time = now,
				  .cpu = UINT32_MAX,
				  .period = value};
	size_t at = record_begin(out, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_CPUMODE_UNKNOWN);

	buf_add(out, &s.id, sizeof s - sizeof s.header);
	if (kind & PERF_SAMPLE_CALLCHAIN)
		buf_add(out, &none, sizeof none);
	if (kind & PERF_SAMPLE_RAW)
		buf_add(out, raw, sizeof raw);
	if (kind & PERF_SAMPLE_REGS_USER)
		buf_add(out, &none, sizeof none);
	if (kind & PERF_SAMPLE_STACK_USER)
		buf_add(out, &none, sizeof none);
	if (kind & PERF_SAMPLE_CGROUP)
		buf_add(out, &none, sizeof none);
	record_end(out, at);
}

/* Samples what a thread gained.  A counter that fell is that of a thread which took over this
 * number by exec(2): it counts from now on. */
static bool
look_at_thread(const struct taskusage *u, const struct eventlist *list, struct usage_thread *t,
	       bool ends, struct buf *out)
{
	uint64_t now = record_now(), until = t->ended ? t->ended : now, ran, count[USAGE_COUNTERS];

	memcpy(count, t->count, sizeof count);
	bool lives = read_schedstat(u, t, &ran, &count[USAGE_WAITING]);
	if (!lives && !t->ended && !t->gone && !ends) {
		t->gone = true; /* until the next look */
		return true;
	}
	if (lives && (ran != t->ran || !u->has[USAGE_WAITING] || !t->begun))
		read_others(u, t, count);
	for (size_t i = 0; i < USAGE_EXISTS && t->begun; i++)
		if (u->has[i] && count[i] > t->count[i])
			put_usage(u, list, t, (enum usage_counter)i, count[i] - t->count[i], now,
				  out);
	if (!lives || ends || now - t->since >= USAGE_EXIST_NS) {
		if (until > t->since)
			put_usage(u, list, t, USAGE_EXISTS, until - t->since, now, out);
		t->since = now;
	}
	memcpy(t->count, count, sizeof count);
	t->ran = ran;
	t->begun = true;
	return lives;
}

/* ---- which threads ---- */

void
usage_add(struct taskusage *u, pid_t pid)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *dir = opendir(path);
	for (struct dirent *d; dir && (d = readdir(dir));) {
		if (!isdigit((unsigned char)*d->d_name))
			continue;
		struct usage_thread *t = add_thread(u, pid, atoi(d->d_name), record_now());
		if (!read_schedstat(u, t, &t->ran, &t->count[USAGE_WAITING])) {
			forget_thread(u, u->thread.n - 1);
			continue;
		}
		read_others(u, t, t->count);
		t->begun = true;
	}
	if (dir)
		closedir(dir);
	u->listed_at = record_now();
}

/* Returns the last thread that got this number; NULL if there is none. */
static struct usage_thread *
usage_thread_of(const struct taskusage *u, pid_t tid)
{
	for (size_t i = u->thread.n; i-- > 0;)
		if (u->thread.at[i].tid == tid)
			return &u->thread.at[i];
	return NULL;
}

/* u32 pid, ppid, tid, ptid; u64 time */
void
usage_take(struct taskusage *u, const struct perf_event_header *record)
{
	uint32_t id[4];
	uint64_t time;

	bool ends = record->type == PERF_RECORD_EXIT;
	if ((record->type != PERF_RECORD_FORK && !ends) ||
	    record->size < sizeof *record + sizeof id + 8)
		return;
	memcpy(id, record + 1, sizeof id);
	memcpy(&time, (const uint8_t *)(record + 1) + sizeof id, sizeof time);
	struct usage_thread *known = usage_thread_of(u, (pid_t)id[2]);
	/* threads that began while running ones were added may be among these */
	if (!ends && known && !known->ended && time <= u->listed_at)
		return;
	if (!known || (!ends && known->ended <= time))
		known = add_thread(u, (pid_t)id[0], (pid_t)id[2], time);
	*(ends ? &known->ended : &known->since) = time;
	known->begun = true;
}

static uint64_t
used_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void
usage_look(struct taskusage *u, const struct eventlist *list, bool ends, struct buf *out)
{
	uint64_t now = record_now(), used;

	if (!ends && now < u->next_at)
		return;
	used = used_ns();
	size_t n = u->thread.n, portion = ends || n < USAGE_PORTION ? n : USAGE_PORTION;
	/* from the end to the beginning, since the last thread takes the place of an ended one */
	for (size_t i = 0; i < portion; i++) {
		u->next = ends ? portion - 1 - i : u->next && u->next <= u->thread.n ? u->next - 1
								    : u->thread.n - 1;
		if (!look_at_thread(u, list, &u->thread.at[u->next], ends, out))
			forget_thread(u, u->next);
	}
	uint64_t pause = n ? USAGE_ROUND_NS * (uint64_t)portion / n : USAGE_ROUND_NS;
	used = (used_ns() - used) * USAGE_SHARE;
	u->next_at = now + (used > pause ? used : pause);
}

void
usage_say(const struct taskusage *u, struct buf *out)
{
	size_t before = out->len;

	for (size_t i = 0; i < USAGE_COUNTERS; i++)
		if (!u->has[i])
			buf_addf(out, "%sno %s: %s", out->len > before ? "; " : "",
				 usage_columns[i].name, usage_columns[i].lacks);
}
