/* Counters of a task start again in each child: a child shorter than a period is never sampled, and
 * longer ones are sampled at multiples of it.  Counters of a control group continue from task to
 * task.
 *
 * The group lies below the recorder's own, so the limits of that one still hold for the command; no
 * controller is enabled in it.  Perf events use the version 1 hierarchy of the controller
 * perf_event if it is mounted, otherwise that of version 2.
 *
 * The recorder holds a lock on the directory.  The kernel releases it when the recorder ends in any
 * way, and the next recorder removes directories that it can lock. */
#include "src/collect/cgroup.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/base/buf.h"
#include "model/base/mem.h"

#define PREFIX "pnav-"
#define LINE_MAX_BYTES (PATH_MAX + 512)
#define MOVES_MAX 10 /* rounds: processes fork while they are moved */

struct cgroup {
	int parent, fd;
	char name[32];
};

/* ---- where ---- */

/* True if a list with commas contains this word. */
static bool
has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (; *list; list += strcspn(list, ","), list += *list == ',')
		if (strcspn(list, ",\n") == n && !strncmp(list, word, n))
			return true;
	return false;
}

/* Returns the path of our group, from a line of /proc/self/cgroup: number:controllers:path. */
static bool
find_group(bool *old, char *path, size_t max)
{
	char line[LINE_MAX_BYTES];
	bool found = false;
	FILE *f = fopen("/proc/self/cgroup", "re");

	*old = false;
	while (f && !*old && fgets(line, sizeof line, f)) {
		char *controllers = strchr(line, ':');
		char *at = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!at)
			continue;
		*at++ = '\0';
		*old = has_word(controllers + 1, "perf_event");
		if (*old || !strncmp(line, "0:", 2)) {
			at[strcspn(at, "\n")] = '\0';
			snprintf(path, max, "%s", at);
			found = true;
		}
	}
	if (f)
		fclose(f);
	return found;
}

/* Finds the mount of that hierarchy, a line of /proc/self/mountinfo: id parent device root point
 * options ... - type source options.  Appends the directory that `path` names in it. */
static bool
find_directory(bool old, const char *path, struct buf *out)
{
	char line[LINE_MAX_BYTES], root[PATH_MAX], point[PATH_MAX], type[32], options[256];
	bool found = false;
	FILE *f = fopen("/proc/self/mountinfo", "re");

	while (f && !found && fgets(line, sizeof line, f)) {
		const char *rest = strstr(line, " - ");
		if (!rest || sscanf(line, "%*s %*s %*s %4095s %4095s", root, point) != 2 ||
		    sscanf(rest, " - %31s %*s %255s", type, options) != 2)
			continue;
		size_t below = strcmp(root, "/") ? strlen(root) : 0;
		found = !strcmp(type, old ? "cgroup" : "cgroup2") &&
			(!old || has_word(options, "perf_event")) && !strncmp(path, root, below);
		if (found)
			buf_addf(out, "%s%s", point, path + below);
	}
	if (f)
		fclose(f);
	return found;
}

bool
cgroup_top(struct buf *out)
{
	char path[PATH_MAX];
	bool old;

	return find_group(&old, path, sizeof path) && find_directory(old, "", out);
}

static int
open_parent(void)
{
	char path[PATH_MAX];
	struct buf at = BUF_INIT;
	bool old;
	int fd = -1;

	if (find_group(&old, path, sizeof path) && find_directory(old, path, &at))
		fd = open(buf_str(&at), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	buf_release(&at);
	return fd;
}

/* ---- moving ---- */

/* Moves a process to the group of this directory. */
static bool
cgroup_move(int group, pid_t pid)
{
	char text[16];
	int n = snprintf(text, sizeof text, "%d", (int)pid);
	int fd = openat(group, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 && write(fd, text, (size_t)n) == n;

	if (fd >= 0)
		close(fd);
	return good;
}

/* Moves all processes of one group to another; returns true while there were some. */
static bool
move_all(int from, int to)
{
	int fd = openat(from, "cgroup.procs", O_RDONLY | O_CLOEXEC);
	FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
	bool any = false;
	int pid;

	while (f && fscanf(f, "%d", &pid) == 1)
		any |= cgroup_move(to, (pid_t)pid);
	if (f)
		fclose(f);
	else if (fd >= 0)
		close(fd);
	return any;
}

static void
remove_group(int parent, int fd, const char *name)
{
	for (int i = 0; i < MOVES_MAX && move_all(fd, parent); i++)
		;
	unlinkat(parent, name, AT_REMOVEDIR);
}

/* Removes the groups of recorders that have ended. */
static void
remove_stale(int parent)
{
	int again = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = again >= 0 ? fdopendir(again) : NULL;

	for (struct dirent *d; dir && (d = readdir(dir));) {
		int fd = strncmp(d->d_name, PREFIX, strlen(PREFIX))
				 ? -1
				 : openat(parent, d->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB))
			remove_group(parent, fd, d->d_name);
		if (fd >= 0)
			close(fd);
	}
	if (dir)
		closedir(dir);
	else if (again >= 0)
		close(again);
}

/* ---- the group ---- */

struct cgroup *
cgroup_new(pid_t pid)
{
	struct cgroup *g = mem_zalloc(1, sizeof *g);

	g->fd = -1;
	g->parent = open_parent();
	snprintf(g->name, sizeof g->name, PREFIX "%d", (int)getpid());
	if (g->parent >= 0) {
		remove_stale(g->parent);
		if (!mkdirat(g->parent, g->name, 0755))
			g->fd = openat(g->parent, g->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	/* before the lock was taken, another recorder may have removed it: then no process can be
	 * moved into it */
	if (g->fd >= 0 && !flock(g->fd, LOCK_EX | LOCK_NB) && cgroup_move(g->fd, pid))
		return g;
	cgroup_free(g);
	return NULL;
}

int
cgroup_fd(const struct cgroup *g)
{
	return g->fd;
}

void
cgroup_free(struct cgroup *g)
{
	if (!g)
		return;
	if (g->fd >= 0) {
		remove_stale(g->fd);
		remove_group(g->parent, g->fd, g->name);
		close(g->fd);
	}
	if (g->parent >= 0)
		close(g->parent);
	free(g);
}
