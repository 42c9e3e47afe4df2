/* Threads, processors, counters and marks of a trace. */
#include "src/decode/ftrace/ftrace.h"

#include <inttypes.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/chars.h"

#define COUNTED_MAX 256u

metric_id
ftrace_time(struct ftrace *f, const char *name, bool calls)
{
	metric_id time = builder_metric(f->b, name, f->ticks ? UNIT_ENTRIES : UNIT_NS, ROLE_TIME);

	if (calls)
		builder_metric(f->b, "calls", UNIT_CALLS, ROLE_CALLS);
	return time;
}

struct ftrace_cpu *
ftrace_processor(struct ftrace *f, int64_t cpu)
{
	uint32_t i;

	if (idmap_add(&f->processor_of, (uint64_t)cpu, f->processor.n, &i))
		*vec_push(&f->processor) = (struct ftrace_cpu){
			.first_ns = INT64_MIN, .graph = CAST_NONE};
	return &f->processor.at[i];
}

uint32_t
ftrace_task(struct ftrace *f, int64_t tid)
{
	uint32_t track = cast_thread(&f->cast, CAST_NONE, tid);
	struct cast_track *t = &f->cast.track.at[track];

	t->prefix = PREFIX_NEVER;
	if (!tid && t->name == NAME_EMPTY)
		t->name = builder_name(f->b, "<idle>", 6);
	return track;
}

void
ftrace_describe(void *context, int64_t tid, struct sched_thread *out)
{
	struct ftrace *f = context;
	uint32_t track = ftrace_task(f, tid);
	const struct cast_track *t = &f->cast.track.at[track];

	buf_reset(out->name);
	cast_owner_text(out->name, f->b, t->name, tid, "thread");
	if (t->made)
		out->track = t->track;
}

uint32_t
ftrace_thread(struct ftrace *f, int64_t tid)
{
	uint32_t track = ftrace_task(f, tid);

	cast_made(&f->cast, track);
	return track;
}

void
ftrace_comm(struct ftrace *f, int64_t tid, int64_t time_ns, const char *at, size_t len)
{
	if (tid <= 0 || !len || *at == '<')
		return;
	uint32_t track = ftrace_task(f, tid);
	name_id name = f->cast.track.at[track].name;
	struct name last = builder_name_get(f->b, name);
	if (last.len != len || memcmp(last.at, at, len) != 0) /* else the same as nearly always */
		name = builder_name(f->b, at, len);
	f->cast.track.at[track].name = name;
	comms_named(&f->sched.comms, tid, time_ns, name);
}

frame_id
ftrace_frame(struct ftrace *f, const char *at, size_t len, bool system)
{
	struct function fn = {
		.name = builder_name(f->b, at, len),
		.kind = (uint8_t)(system ? KIND_SYSTEM : kind_of_name(at, len)),
	};

	return builder_frame_of(f->b, fn, 0);
}

frame_id
ftrace_symbol(struct ftrace *f, const char *at, const char *end)
{
	struct function fn = {.kind = KIND_SYSTEM};
	const char *stop = at, *close;

	while (stop < end && (*stop > '<' || (*stop != '+' && *stop != '(' && *stop != '<' &&
					      !is_blank(*stop)))) /* letters come first */
		stop++;
	if (stop == at)
		stop = word_end(at, end);
	const char *open = stop < end && *stop == '+' ? word_end(stop, end) : stop;
	open = skip_blanks(open, end);
	if (stop - at > 1 && stop[-1] == '[') { /* the file of a program, and an offset in it */
		fn.module = builder_name(f->b, at, (size_t)(stop - at) - 1);
		fn.kind = KIND_USER;
		at = stop + 1;
		close = memchr(at, ']', (size_t)(end - at));
		stop = close ? close : end;
	} else if (open < end && *open == '[') {
		close = memchr(open, ']', (size_t)(end - open));
		close = close ? close : end;
		fn.module = builder_name(f->b, open + 1, (size_t)(close - open) - 1);
	}
	fn.name = builder_name(f->b, at, (size_t)(stop - at));
	return builder_frame_of(f->b, fn, 0);
}

bool
ftrace_point(struct ftrace *f, const char *name, size_t len, enum track_kind kind,
	     int64_t time_ns, int64_t value)
{
	struct cast_track like = {.process = CAST_NONE, .thread = CAST_NONE, .kind = (uint8_t)kind,
				  .name = builder_name(f->b, name, len)};
	struct series *points = cast_points(&f->cast, cast_track(&f->cast, like), false, false);

	return builder_point(f->b, points, time_ns, value, f->offset, f->e);
}

bool
ftrace_cpu_point(struct ftrace *f, int64_t cpu, const char *what, int64_t time_ns, int64_t value)
{
	struct buf name = BUF_INIT;

	buf_addf(&name, "cpu %" PRId64 " %s", cpu, what);
	bool good = ftrace_point(f, buf_str(&name), name.len, TRACK_COUNTER, time_ns, value);
	buf_release(&name);
	return good;
}

void
ftrace_counted(struct ftrace *f, const char *at, size_t len)
{
	name_id name = builder_name(f->b, at, len);
	uint32_t i = idmap_get(&f->counted.of, name);

	if (i == IDMAP_NONE) {
		if (f->counted.at.n == COUNTED_MAX)
			return;
		i = (uint32_t)f->counted.at.n;
		idmap_put(&f->counted.of, name, i);
		*vec_push(&f->counted.at) = (struct ftrace_count){name, 0};
	}
	f->counted.at.at[i].n++;
}

void
ftrace_learn(struct ftrace *f, const struct ftrace_line *l)
{
	struct ftrace_cpu *cpu = ftrace_processor(f, l->cpu);

	if (!f->any && l->ticks) {
		f->ticks = true;
		builder_axis(f->b, UNIT_ENTRIES);
	}
	if (cpu->first_ns == INT64_MIN)
		cpu->first_ns = cpu->last_ns = l->time_ns;
	if (l->time_ns > cpu->last_ns)
		cpu->last_ns = l->time_ns;
	if (!f->any || l->time_ns > f->last_ns)
		f->last_ns = l->time_ns;
	f->any = true;
	sched_runs(&f->sched, l->cpu, l->pid, l->time_ns);
	uint32_t task = ftrace_task(f, l->pid);
	cast_reach(&f->cast, task, l->time_ns);
	if (!l->cut || f->cast.track.at[task].name == NAME_EMPTY)
		ftrace_comm(f, l->pid, l->time_ns, l->comm, (size_t)(l->comm_end - l->comm));
	if (l->tgid < 0 || f->cast.track.at[task].process != CAST_NONE)
		return;
	uint32_t process = cast_process(&f->cast, l->tgid);
	f->cast.track.at[task].process = process;
	cast_use(&f->cast, process);
}
