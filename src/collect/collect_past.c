/* What was there before the first record, in the records' own words. */
#include "src/collect/collect_inside.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/collect/record.h"

bool
collect_give(const struct buf *records, const struct collect_sink *sink, struct err *e)
{
	for (size_t at = 0; at < records->len;) {
		struct perf_event_header h;
		memcpy(&h, records->at + at, sizeof h);
		/* buf's memory is aligned as malloc's, records are whole words */
		const void *rec = records->at + at;
		if (!sink->take(sink->ctx, rec, e))
			return false;
		at += h.size;
	}
	return true;
}

/* A process with its threads; false when it has gone. */
static bool
tell_process(struct buf *out, pid_t pid)
{
	struct record_task t = {(uint32_t)pid, (uint32_t)pid, 0};

	if (!record_process(out, t, NULL))
		return false;
	record_threads(out, t);
	return true;
}

/* All that run now; those of the kernel have a name and no maps. */
static bool
tell_system(struct buf *out, const struct collect_sink *sink, struct err *e)
{
	DIR *dir = opendir("/proc");
	bool good = true;

	for (struct dirent *d; good && dir && (d = readdir(dir));)
		if (atoi(d->d_name) > 0) {
			tell_process(out, atoi(d->d_name));
			good = collect_give(out, sink, e);
			buf_reset(out);
		}
	if (dir)
		closedir(dir);
	return good;
}

bool
collect_tell_past(struct collect *c, const struct collect_sink *sink, struct err *e)
{
	struct buf out = BUF_INIT;
	bool good = true;

	if (c->result.kernel)
		record_kernel(&out);
	if (!c->target.pid)
		good = tell_system(&out, sink, e);
	for (size_t i = 0; good && c->target.runs && i < c->target.n; i++)
		good = tell_process(&out, record_process_of(c->target.pid[i])) ||
		       err_refuse(e, "process %d: %s", (int)c->target.pid[i],
				  strerror(ESRCH));
	good = good && collect_give(&out, sink, e);
	buf_release(&out);
	return good;
}
