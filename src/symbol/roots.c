/* roots.c - see roots.h.
 *
 * /proc/PID/root leads to a process's root, also into other mount namespaces. Processes of one
 * container have the same root directory, so one of them is enough. */
#include "src/symbol/roots.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/base/buf.h"
#include "model/base/mem.h"
#include "model/base/vec.h"

#define ROOTS_MOST 1000u

struct symbol_root {
	int pid;
	dev_t device;
	ino_t inode;
};

struct symbol_roots {
	VEC(struct symbol_root) root; /* the first one is our own */
	bool listed;
};

struct symbol_roots *
symbol_roots_new(void)
{
	return mem_zalloc(1, sizeof(struct symbol_roots));
}

void
symbol_roots_free(struct symbol_roots *r)
{
	if (r)
		vec_release(&r->root);
	free(r);
}

/* Adds the root of a process if it is a new one. */
static void
add_root(struct symbol_roots *r, int pid)
{
	char path[64];
	struct stat s;

	snprintf(path, sizeof path, "/proc/%d/root", pid);
	if (stat(path, &s))
		return;
	for (size_t i = 0; i < r->root.n; i++)
		if (r->root.at[i].device == s.st_dev && r->root.at[i].inode == s.st_ino)
			return;
	*vec_push(&r->root) = (struct symbol_root){pid, s.st_dev, s.st_ino};
}

static void
list_roots(struct symbol_roots *r)
{
	DIR *dir = opendir("/proc");

	r->listed = true;
	add_root(r, getpid());
	for (struct dirent *d; dir && r->root.n && r->root.n < ROOTS_MOST && (d = readdir(dir));)
		if (atoi(d->d_name) > 0)
			add_root(r, atoi(d->d_name));
	if (dir)
		closedir(dir);
}

bool
symbol_roots_find(struct symbol_roots *r, const char *path, symbol_take *take, void *ctx)
{
	struct buf there = BUF_INIT;
	bool found = false;

	if (!r || path[0] != '/')
		return false;
	if (!r->listed)
		list_roots(r);
	for (size_t i = 1; i < r->root.n && !found; i++) {
		buf_reset(&there);
		buf_addf(&there, "/proc/%d/root%s", r->root.at[i].pid, path);
		found = take(ctx, buf_str(&there));
	}
	buf_release(&there);
	return found;
}

bool
symbol_roots_jit(unsigned pid, char path[ROOTS_PATH_MOST])
{
	unsigned number = 0;
	char line[256];

	snprintf(path, ROOTS_PATH_MOST, "/proc/%u/status", pid);
	FILE *f = fopen(path, "re");
	while (f && !number && fgets(line, sizeof line, f))
		if (!strncmp(line, "NSpid:\t", 7)) /* from the outermost namespace to its own */
			number = (unsigned)strtoul(strrchr(line, '\t'), NULL, 10);
	if (f)
		fclose(f);
	snprintf(path, ROOTS_PATH_MOST, "/proc/%u/root/tmp/perf-%u.map", pid, number);
	return number != 0;
}
