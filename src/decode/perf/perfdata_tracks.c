/* The tracks of threads. */
#include "model/base/buf.h"
#include "src/decode/perf/perfdata_inside.h"

#include <inttypes.h>

static uint32_t
track_named(struct perfdata *p, const struct buf *name)
{
	struct cast_track like = {.process = CAST_NONE, .thread = CAST_NONE, .kind = TRACK_THREAD,
				  .prefix = PREFIX_NEVER,
				  .name = builder_name(p->b, name->at, name->len)};
	uint32_t i = cast_track(&p->cast, like);

	if (i == p->track.n)
		*vec_push(&p->track) = (struct perfdata_track){.track = cast_made(&p->cast, i)};
	return i;
}

process_id
perfdata_process_made(struct perfdata *p, uint32_t thread)
{
	int32_t pid = (int32_t)p->tasks.thread.at[thread].pid;
	bool outside = perfdata_outside(&p->tasks, thread);

	/* Neither the idle task nor threads that have ended (-1) have a process; outside the
	 * command they get one. */
	if (pid < 1 && !outside)
		return PROCESS_NONE;
	uint32_t i = cast_process(&p->cast, pid);
	struct cast_process *process = &p->cast.process.at[i];
	/* Of two processes with one number, one of the command makes both visible. */
	process->outside = outside && (process->made == PROCESS_NONE || process->outside);
	return cast_process_made(&p->cast, i);
}

/* perf names a thread with an unknown name by its number. */
uint32_t
perfdata_track_of(struct perfdata *p, uint32_t thread, uint32_t tid)
{
	uint32_t *track = thread == UINT32_MAX ? &p->nobodys_track
					       : &p->tasks.thread.at[thread].track;
	struct buf name = BUF_INIT;
	if (*track != NO_TRACK)
		return *track;
	if (thread == UINT32_MAX) {
		buf_adds(&name, "all");
	} else {
		struct name comm =
			builder_name_get(p->b, p->tasks.thread.at[thread].comm);
		if (comm.len)
			buf_add(&name, comm.at, comm.len);
		else if (tid)
			buf_addf(&name, ":%" PRId32, (int32_t)tid);
		else
			buf_adds(&name, "swapper");
		buf_addf(&name, " %" PRId32, (int32_t)tid);
	}
	*track = track_named(p, &name);
	if (thread != UINT32_MAX) {
		process_id process = perfdata_process_made(p, thread);
		if (process != PROCESS_NONE)
			builder_track_under(p->b, p->track.at[*track].track, process);
	}
	buf_release(&name);
	return *track;
}
