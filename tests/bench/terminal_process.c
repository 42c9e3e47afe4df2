/* The kernel reports the system call in which a thread waits, with its arguments.  The browser's
 * loop calls poll() for two files, the terminal and the pipe that wakes it, without a limit, or
 * until it draws the parts that follow a held key.  The library calls poll() for one file, for the
 * rest of a key.
 *
 * A key that was just written may be on its way to the browser, which still waits for it.  So the
 * browser must have run since.  Its output may be on its way back.  So all of it must have arrived.
 *
 * The functions report "unknown" on machines without such a call or file. */
#include "tests/bench/terminal_process.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#define PATH_BYTES 512

double
process_ms(pid_t pid)
{
	struct timespec ran;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &ran))
		return -1;
	return (double)ran.tv_sec * 1e3 + (double)ran.tv_nsec / 1e6;
}

bool
process_waits(pid_t pid)
{
	char path[PATH_BYTES], state = 'S';
	bool waits = true;
	const struct dirent *task;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *tasks = opendir(path);
	while (tasks && (task = readdir(tasks))) {
		snprintf(path, sizeof path, "/proc/%d/task/%s/stat", (int)pid, task->d_name);
		FILE *f = *task->d_name == '.' ? NULL : fopen(path, "r");
		if (f && fscanf(f, "%*d (%*[^)]) %c", &state) == 1)
			waits &= state != 'R' && state != 'D';
		if (f)
			fclose(f);
	}
	if (tasks)
		closedir(tasks);
	return waits;
}

/* Reads a file of its first thread; false if there is none. */
static bool
read_drawer(pid_t pid, const char *name, char text[PATH_BYTES])
{
	char path[PATH_BYTES];

	snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)pid, (int)pid, name);
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, PATH_BYTES - 1, f) : 0;
	text[n] = '\0';
	if (f)
		fclose(f);
	return n > 0;
}

void
process_drawer_ms(pid_t pid, double *ran, double *waited)
{
	char text[PATH_BYTES];

	if (!read_drawer(pid, "schedstat", text) || sscanf(text, "%lf %lf", ran, waited) != 2)
		*ran = *waited = 0;
	*ran /= 1e6;
	*waited /= 1e6;
}

void
process_mark(pid_t pid, struct process_mark *mark)
{
	char text[PATH_BYTES], path[PATH_BYTES];

	snprintf(path, sizeof path, "/proc/%d/io", (int)pid);
	FILE *f = fopen(path, "r");
	mark->known = f && fscanf(f, "rchar: %*u wchar: %" SCNu64, &mark->written) == 1 &&
		      read_drawer(pid, "schedstat", text) &&
		      sscanf(text, "%*u %*u %" SCNu64, &mark->turns) == 1;
	if (f)
		fclose(f);
}

/* Returns true if its first thread waits for the terminal, for more than `more_ms`. */
static bool
drawer_waits(pid_t pid, int more_ms)
{
#ifdef SYS_poll
	char text[PATH_BYTES];
	unsigned long files, wait;
	long call;

	if (!read_drawer(pid, "syscall", text) ||
	    sscanf(text, "%ld %*x %lx %lx", &call, &files, &wait) != 3)
		return false;
	return call == SYS_poll && files == 2 && ((int)wait < 0 || (int)wait > more_ms);
#else
	(void)pid;
	(void)more_ms;
	return false;
#endif
}

bool
process_rests(pid_t pid, const struct process_mark *mark, uint64_t received, int more_ms)
{
	struct process_mark now;

	if (!mark->known || !drawer_waits(pid, more_ms))
		return false;
	process_mark(pid, &now);
	return now.known && now.turns != mark->turns &&
	       now.written - mark->written <= received && process_waits(pid);
}
