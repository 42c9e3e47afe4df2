/* The tracks of threads. */
#include "model/base/buf.h"
#include "src/decode/common/processes.h"
#include "src/decode/perf/perfdata_inside.h"

#include <inttypes.h>

static uint32_t
track_named(struct perfdata *p, const struct buf *name)
{
	name_id id = builder_name(p->b, name->at, name->len);
	uint64_t hash = (uint64_t)id * 0x9E3779B97F4A7C15u;
	uint32_t slot = map_first(&p->track_map, hash), i;
	while (map_probe(&p->track_map, &slot, hash, &i))
		if (p->track.at[i].name == id)
			return i;
	*vec_push(&p->track) = (struct perfdata_track){
		.name = id,
		.track = builder_track(p->b, name->at, name->len, TRACK_THREAD),
	};
	i = (uint32_t)p->track.n - 1;
	map_insert(&p->track_map, hash, i);
	return i;
}

/* perf calls a thread whose name it was not told by its number. */
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
	if (thread != UINT32_MAX)
		processes_put(&p->processes, p->b,
				   (int32_t)p->tasks.thread.at[thread].pid,
				   p->track.at[*track].track);
	buf_release(&name);
	return *track;
}
