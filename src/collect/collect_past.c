/* Describes the state before the first record, in records of the same form. */
#include "src/collect/collect_inside.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/collect/record.h"

#define DRAIN_NS (NS / 100) /* minimum distance: each time adds a round to the file */

/* Records a process with its threads; returns false if it is gone.  Threads have names also where
 * the maps of their process may not be read. */
static bool
past_write_process(struct buf *out, pid_t pid, struct buildids *ids)
{
	struct record_task t = {(uint32_t)pid, (uint32_t)pid, 0};

	bool lives = record_process(out, t, NULL, ids);
	record_threads(out, t);
	return lives;
}

/* Records all running tasks; kernel threads have a name and no maps.  Drains the rings meanwhile:
 * on a busy machine this takes longer than they last. */
static bool
past_write_system(struct collect *c, struct buf *out, const struct collect_sink *sink,
		  struct err *e)
{
	DIR *dir = opendir("/proc");
	uint64_t drained = record_now();
	bool good = true;

	for (struct dirent *d; good && dir && (d = readdir(dir));) {
		if (atoi(d->d_name) <= 0)
			continue;
		past_write_process(out, atoi(d->d_name), c->ids);
		if (c->owners)
			owners_put(c->owners, atoi(d->d_name), 0, out);
		if (c->usage)
			usage_add(c->usage, atoi(d->d_name));
		good = collect_give(out, sink, e);
		buf_reset(out);
		if (good && record_now() - drained > DRAIN_NS) {
			good = collect_drain(c, sink, e);
			drained = record_now();
		}
	}
	if (dir)
		closedir(dir);
	return good;
}

bool
collect_write_past(struct collect *c, const struct collect_sink *sink, struct err *e)
{
	struct buf out = BUF_INIT;
	bool good = true;

	if (c->result.kernel)
		record_kernel(&out);
	if (c->options.system)
		cgroup_names(&out);
	if (c->options.system)
		good = past_write_system(c, &out, sink, e);
	for (size_t i = 0; good && c->target.runs && i < c->target.n; i++)
		good = past_write_process(&out, record_process_of(c->target.pid[i]), c->ids) ||
		       record_task_runs(c->target.pid[i]) || /* its maps may not be read */
		       err_refuse(e, "process %d: %s", (int)c->target.pid[i], strerror(ESRCH));
	good = good && collect_give(&out, sink, e);
	buf_release(&out);
	return good;
}
