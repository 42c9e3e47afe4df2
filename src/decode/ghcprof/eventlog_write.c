/* Writes what is known only after all events: who ran on each capability, the states of threads. */
#include <inttypes.h>

#include "model/base/buf.h"
#include "src/decode/common/by_time.h"
#include "src/decode/ghcprof/eventlog.h"

#define TYPES_SHOWN 64u /* of events that are only counted */

/* Appends `LABEL THREAD`, or `thread THREAD` without a label. */
static void
thread_text(const struct eventlog *l, uint32_t thread, struct buf *out)
{
	uint32_t label = idmap_get(&l->label_of, thread);

	if (label == IDMAP_NONE) {
		buf_adds(out, "thread");
	} else {
		struct name name = builder_name_get(l->out.b, label);
		buf_add(out, name.at, name.len);
	}
	buf_addf(out, " %" PRIu32, thread);
}

static void
thread_describe(void *log, int64_t thread, struct sched_thread *out)
{
	thread_text(log, (uint32_t)thread, out->name);
}

static stack_id
turn_stack(struct eventlog *l, uint32_t what, struct buf *text)
{
	uint32_t stack = what ? idmap_get(&l->stack_of, what) : STACK_EMPTY;

	if (stack != IDMAP_NONE)
		return stack;
	buf_reset(text);
	if (what == EVENTLOG_GC)
		buf_adds(text, "[GC]");
	else
		thread_text(l, what, text);
	struct function f = {
		.name = builder_name(l->out.b, buf_str(text), text->len),
		.kind = what == EVENTLOG_GC ? KIND_SYSTEM : KIND_USER,
	};
	stack = builder_child(l->out.b, STACK_EMPTY, builder_frame_of(l->out.b, f, 0));
	idmap_put(&l->stack_of, what, stack);
	return stack;
}

static bool
cap_write(struct eventlog *l, struct eventlog_cap *c, metric_id cpu, struct buf *text)
{
	track_id t = builder_trackf(l->out.b, TRACK_CORE, "cap %" PRId64, c->number);
	struct series *s = builder_turns(l->out.b, t, cpu);
	struct timed_reader turns;
	int64_t time_ns;
	uint32_t what[TIMED_NUMBERS];
	bool good = true;

	timed_read(&turns, &c->turn);
	while (good && timed_next(&turns, &time_ns, what)) {
		stack_id stack = turn_stack(l, *what, text);
		if (*what)
			builder_track_event(l->out.b, t);
		good = builder_step(l->out.b, s, time_ns, stack, 0, 0, l->out.e);
	}
	timed_read_end(&turns);
	return good && (!c->what || builder_step(l->out.b, s, l->last_ns, STACK_EMPTY, 0, 0,
						 l->out.e));
}

static bool
caps_write(struct eventlog *l)
{
	metric_id cpu = METRIC_NONE;
	struct buf text = BUF_INIT;
	bool good = true;

	if (l->cap.n)
		l->cap.at = rows_by_time(l->cap.at, l->cap.n, sizeof *l->cap.at); /* by number */
	for (size_t i = 0; i < l->cap.n && good; i++) {
		if (!l->cap.at[i].turn.run.n)
			continue;
		if (cpu == METRIC_NONE)
			cpu = builder_metric(l->out.b, "cpu", UNIT_NS, ROLE_TIME);
		good = cap_write(l, &l->cap.at[i], cpu, &text);
	}
	if (!l->has_samples && cpu != METRIC_NONE)
		builder_default_metric(l->out.b, cpu);
	else if (!l->has_samples && l->has_heap)
		builder_default_metric(l->out.b, l->heap.live);
	buf_release(&text);
	return good;
}

/* Names the counters of capabilities after these if there are several. */
static void
counters_rename(struct eventlog *l)
{
	unsigned n = 0;

	for (size_t i = 0; i < l->points.n; i++)
		n += l->points.at[i].type == EVENTLOG_ALLOCATED;
	for (size_t i = 0; i < l->points.n && n > 1; i++) {
		const struct eventlog_points *p = &l->points.at[i];
		if (p->type != EVENTLOG_ALLOCATED)
			continue;
		name_id name = builder_namef(l->out.b, "heap allocated (cap %" PRIu32 ")", p->cap);
		struct name shown = builder_name_get(l->out.b, name);
		builder_track_rename(l->out.b, p->track, shown.at, shown.len);
	}
}

static void
facts_write(struct eventlog *l)
{
	unsigned shown = 0;

	for (size_t i = 0; i < l->type.n && shown < TYPES_SHOWN; i++) {
		const struct eventlog_type *t = &l->type.at[i];
		if (!t->count)
			continue;
		builder_info(l->out.b, "not shown", "%" PRIu64 " events %s", t->count, t->name);
		shown++;
	}
	builder_warn_count(l->out.b, l->malformed,
			   "event without all fields of its type was ignored",
			   "events without all fields of their type were ignored");
	if (l->has_samples && !l->tick_ns)
		builder_warn(l->out.b, "the file does not say how long a tick of the profiler is: "
				       "there are no times");
}

bool
eventlog_write(struct eventlog *l)
{
	bool good = caps_write(l);

	sched_write(&l->sched, l->last_ns, thread_describe, l);
	if (l->has_heap)
		good = ghc_bands_end(&l->heap) && good;
	counters_rename(l);
	facts_write(l);
	return good;
}
