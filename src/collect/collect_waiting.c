/* Finds threads that may wait already when sampling begins: those of running processes, of a
 * control group, of the whole system, or of a command whose delay is over.  The kernel reports a
 * thread when it leaves its CPU or returns to one.  A thread that waits from before the start to
 * after the end would be missing in the recording.
 *
 * With chosen CPUs nothing is examined: a waiting thread is on no CPU. */
#include "src/collect/collect_inside.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/collect/record.h"

static void
begin_process(struct waits *w, pid_t pid, uint64_t since, struct buf *out)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *dir = opendir(path);
	for (struct dirent *d; dir && (d = readdir(dir));)
		if (atoi(d->d_name) > 0)
			waits_begin(w, (uint32_t)pid, (uint32_t)atoi(d->d_name), since, out);
	if (dir)
		closedir(dir);
}

/* Adds all processes except the recorder itself. */
static void
begin_system(struct waits *w, uint64_t since, struct buf *out)
{
	DIR *dir = opendir("/proc");

	for (struct dirent *d; dir && (d = readdir(dir));)
		if (atoi(d->d_name) > 0 && atoi(d->d_name) != getpid())
			begin_process(w, atoi(d->d_name), since, out);
	if (dir)
		closedir(dir);
}

/* Adds the processes of a control group and of its descendants. */
static void
begin_cgroup(struct waits *w, const char *folder, uint64_t since, struct buf *out)
{
	char path[PATH_MAX];
	int pid;

	if ((size_t)snprintf(path, sizeof path, "%s/cgroup.procs", folder) >= sizeof path)
		return;
	FILE *f = fopen(path, "re");
	while (f && fscanf(f, "%d", &pid) == 1)
		begin_process(w, pid, since, out);
	if (f)
		fclose(f);
	DIR *dir = opendir(folder);
	for (struct dirent *d; dir && (d = readdir(dir));)
		if (d->d_type == DT_DIR && d->d_name[0] != '.') {
			snprintf(path, sizeof path, "%s/%s", folder, d->d_name);
			begin_cgroup(w, path, since, out);
		}
	if (dir)
		closedir(dir);
}

static void
begin_tasks(struct waits *w, const struct sampler_target *t, uint64_t since, struct buf *out)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->threads)
			waits_begin(w, (uint32_t)record_process_of(t->pid[i]),
				    (uint32_t)t->pid[i], since, out);
		else
			begin_process(w, t->pid[i], since, out);
}

bool
collect_begin_waits(struct collect *c, uint64_t since, const struct collect_sink *sink,
		    struct err *e)
{
	struct buf out = BUF_INIT;

	if (!c->waits || c->target.cpus)
		return true;
	if (!c->target.runs)
		waits_begin_known(c->waits, since, &out);
	else if (c->options.cgroup)
		begin_cgroup(c->waits, c->options.cgroup, since, &out);
	else if (!c->target.pid)
		begin_system(c->waits, since, &out);
	else
		begin_tasks(c->waits, &c->target, since, &out);
	bool good = collect_give(&out, sink, e);
	buf_release(&out);
	return good;
}
