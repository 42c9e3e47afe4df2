/* Threads, processors, counters and marks of a trace. */
#include "src/decode/ftrace/ftrace.h"

#include "src/decode/common/processes.h"

#define COUNTED_MAX 256u

struct ftrace_cpu *
ftrace_processor(struct ftrace *f, int64_t cpu)
{
	uint32_t i = idmap_get(&f->processor_of, (uint64_t)cpu);

	if (i == IDMAP_NONE) {
		i = (uint32_t)f->processor.n;
		idmap_put(&f->processor_of, (uint64_t)cpu, i);
		*vec_push(&f->processor) = (struct ftrace_cpu){
			.first_ns = INT64_MIN, .graph = TIMELINES_NONE};
	}
	return &f->processor.at[i];
}

static void
thread_name(struct ftrace *f, int64_t tid, struct buf *out)
{
	uint32_t comm = idmap_get(&f->comm_of, (uint64_t)tid);

	buf_reset(out);
	if (tid)
		thread_text(out, f->b, comm == IDMAP_NONE ? NAME_EMPTY : comm, tid);
	else
		buf_adds(out, "<idle> 0");
}

void
ftrace_describe(void *context, int64_t tid, struct sched_thread *out)
{
	struct ftrace *f = context;
	uint32_t lane = timelines_find(&f->threads, (uint64_t)tid);

	thread_name(f, tid, out->name);
	if (lane != TIMELINES_NONE)
		out->track = f->threads.lane.at[lane].track;
}

uint32_t
ftrace_thread(struct ftrace *f, int64_t tid)
{
	uint32_t lane = timelines_find(&f->threads, (uint64_t)tid);
	struct buf name = BUF_INIT;

	if (lane != TIMELINES_NONE)
		return lane;
	thread_name(f, tid, &name);
	lane = timelines_add(&f->threads, (uint64_t)tid, buf_str(&name), name.len, TRACK_THREAD);
	*vec_push(&f->samples) = NULL;
	buf_release(&name);
	return lane;
}

void
ftrace_comm(struct ftrace *f, int64_t tid, const char *at, size_t len)
{
	uint32_t lane = timelines_find(&f->threads, (uint64_t)tid);
	struct buf name = BUF_INIT;

	if (tid <= 0 || !len || *at == '<')
		return;
	name_id comm = builder_name(f->b, at, len);
	if (idmap_get(&f->comm_of, (uint64_t)tid) == comm)
		return;
	idmap_put(&f->comm_of, (uint64_t)tid, comm);
	if (lane == TIMELINES_NONE)
		return;
	thread_name(f, tid, &name);
	timelines_rename(&f->threads, lane, buf_str(&name), name.len);
	buf_release(&name);
}

frame_id
ftrace_frame(struct ftrace *f, const char *at, size_t len, bool system)
{
	struct function fn = {
		.name = builder_name(f->b, at, len),
		.kind = (uint8_t)(system ? KIND_SYSTEM : kind_of_name(at, len)),
	};

	return builder_frame(f->b, builder_function(f->b, fn), line_unknown());
}

bool
ftrace_point(struct ftrace *f, const char *name, size_t len, enum track_kind kind,
	     int64_t time_ns, int64_t value)
{
	uint64_t key = (uint64_t)builder_name(f->b, name, len) << 8 | (uint64_t)kind;
	uint32_t i = idmap_get(&f->points_of, key);

	if (i == IDMAP_NONE) {
		track_id track = builder_track(f->b, name, len, kind);
		i = (uint32_t)f->points.n;
		idmap_put(&f->points_of, key, i);
		*vec_push(&f->points) = builder_points(f->b, track, false);
	}
	return builder_point(f->b, f->points.at[i], time_ns, value, f->offset, f->e);
}

void
ftrace_counted(struct ftrace *f, const char *at, size_t len)
{
	name_id name = builder_name(f->b, at, len);
	uint32_t i = idmap_get(&f->counted_of, name);

	if (i == IDMAP_NONE) {
		if (f->counted.n == COUNTED_MAX)
			return;
		i = (uint32_t)f->counted.n;
		idmap_put(&f->counted_of, name, i);
		*vec_push(&f->counted) = (struct ftrace_count){name, 0};
	}
	f->counted.at[i].n++;
}
