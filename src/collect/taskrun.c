/* taskrun.c - see taskrun.h.
 *
 *	/proc/PID/task/TID/schedstat   ns on a CPU, ns ready to run, times on a CPU
 *	/proc/PID/task/TID/syscall     "running", or the system call in which it waits
 *	/proc/PID/task/TID/stat        TID (NAME) STATE and numbers; field 39: its CPU
 *	/proc/PID/task/TID/sched       lines; se.exec_start : MS.NNNNNN
 *
 * All but stat stay open: opening them between a tick and a stop would miss the start of a
 * burst. */
#include "src/collect/taskrun.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TICK_NS 10000000u

static int
task_open(const struct taskrun *run, const char *name)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)run->pid, (int)run->tid,
		 name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

void
taskrun_open(struct taskrun *run, pid_t pid, pid_t tid)
{
	*run = (struct taskrun){.pid = pid, .tid = tid};
	run->call = task_open(run, "syscall");
	run->usage = task_open(run, "schedstat");
	run->sched = -1;
}

void
taskrun_close(struct taskrun *run)
{
	if (run->call >= 0)
		close(run->call);
	if (run->usage >= 0)
		close(run->usage);
	if (run->sched >= 0)
		close(run->sched);
}

/* Reads a file of the thread as a text; "" if the thread is gone.  `open`: the file, or -1. */
static const char *
task_text(const struct taskrun *run, int open, const char *name, char *text, size_t max)
{
	int fd = open < 0 ? task_open(run, name) : open;
	ssize_t n = fd < 0 ? 0 : pread(fd, text, max - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	if (fd >= 0 && fd != open)
		close(fd);
	return text;
}

/* Returns its file stat from STATE on; the name before it may contain anything.  Slow: a tenth of a
 * short burst of work. */
static const char *
task_state(const struct taskrun *run, char *text, size_t max)
{
	const char *end = strrchr(task_text(run, -1, "stat", text, max), ')');
	return end && end[1] ? end + 2 : "";
}

static struct taskrun_usage
usage_by_ticks(const struct taskrun *run)
{
	char text[1024];
	unsigned long long user = 0, kernel = 0;
	sscanf(task_state(run, text, sizeof text),
	       "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user, &kernel);
	return (struct taskrun_usage){.cpu_ns = (user + kernel) * TICK_NS};
}

struct taskrun_usage
taskrun_usage(const struct taskrun *run)
{
	char text[128];
	unsigned long long cpu = 0, waited = 0, slices = 0;
	if (sscanf(task_text(run, run->usage, "schedstat", text, sizeof text),
		   "%llu %llu %llu", &cpu, &waited, &slices) != 3)
		return usage_by_ticks(run);
	return (struct taskrun_usage){cpu, slices, waited};
}

/* If the file of its system call is readable, "running" there decides at once. */
bool
taskrun_runs(const struct taskrun *run)
{
	char text[1024];
	const char *call = task_text(run, run->call, "syscall", text, sizeof text);
	return *call ? *call == 'r' : *task_state(run, text, sizeof text) == 'R';
}

int
taskrun_cpu(const struct taskrun *run)
{
	enum { BEFORE = 36 }; /* fields from STATE to the one before */
	char text[1024];
	const char *at = task_state(run, text, sizeof text);

	for (int i = 0; i < BEFORE && at; i++)
		at = strchr(at + (i > 0), ' ');
	return at && *at ? atoi(at) : -1;
}

uint64_t
taskrun_left(struct taskrun *run)
{
	static const char key[] = "\nse.exec_start";
	char text[512];
	unsigned long long ms, ns;

	if (run->sched < 0)
		run->sched = task_open(run, "sched");
	const char *at =
		strstr(task_text(run, run->sched, "sched", text, sizeof text), key);
	if (!at || sscanf(at + sizeof key - 1, " : %llu.%6llu", &ms, &ns) != 2)
		return 0;
	return ms * 1000000u + ns;
}

pid_t
taskrun_status(pid_t tid, const char *key)
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
