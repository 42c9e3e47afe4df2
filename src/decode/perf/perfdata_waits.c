/* Finds where threads wait.
 *
 * A recording with switch records has the times at which a thread left its CPU and came back. If it
 * also samples each switch (the event context-switches, with a period of one), it has the stack:
 * the kernel takes that sample just before the record. The time between becomes a sample of the
 * metric `off-cpu`, or, if the thread still had work to do, of `runnable`: at the time when it
 * left, in ns.
 *
 * Without permission to sample the kernel there are no such samples. Then the recorder may have
 * examined the threads itself (src/collect/waits.c): such a sample comes while the thread is away,
 * and has only a stack. A wait with neither has the stack `[unknown]`, and a warning. The
 * scheduler's own frames, in which every thread leaves its CPU, are omitted. Without the event,
 * switches are ignored: such recordings were made for other purposes. */
#include "src/decode/perf/perfdata_inside.h"

#include <inttypes.h>

#include "src/decode/common/words.h"

#define TYPE_SOFTWARE 1u
#define CONTEXT_SWITCHES 3u

bool
perfdata_of_switches(const struct perfdata_event *v)
{
	return v->attr.type == TYPE_SOFTWARE && v->attr.config == CONTEXT_SWITCHES &&
	       v->attr.period == 1 && !perfdata_flag(&v->attr, PERFDATA_FREQ);
}

static bool
has_waits(const struct perfdata *p)
{
	for (size_t i = 0; i < p->events.event.n; i++)
		if (perfdata_of_switches(&p->events.event.at[i]))
			return true;
	return false;
}

static struct perfdata_wait *
wait_of(struct perfdata *p, uint32_t thread)
{
	while (p->waits.of.n <= thread)
		*vec_push(&p->waits.of) = (struct perfdata_wait){0};
	return &p->waits.of.at[thread];
}

bool
perfdata_waits_here(struct perfdata *p, uint32_t event, uint32_t thread, stack_id stack)
{
	const struct perfdata_attr *a = &p->events.event.at[event].attr;

	if (!perfdata_of_switches(&p->events.event.at[event]))
		return false;
	bool looked = perfdata_flag(a, PERFDATA_EXCLUDE_KERNEL);
	if (thread == UINT32_MAX)
		return looked;
	struct perfdata_wait *w = wait_of(p, thread);
	if (looked && !w->out)
		return true;
	w->seen = true;
	w->stack = stack;
	return looked;
}

static struct series *
series_of_waits(struct perfdata *p, struct perfdata_track *t, bool runnable)
{
	if (!t->waits[runnable]) {
		metric_id m = builder_metric(p->b, runnable ? "runnable" : "off-cpu",
					     UNIT_NS, ROLE_VALUE);
		t->waits[runnable] = builder_samples(p->b, t->track, &m, 1);
		builder_derived(t->waits[runnable]);
		builder_labelled(p->b, t->waits[runnable]);
	}
	return t->waits[runnable];
}

static stack_id
unknown_stack(struct perfdata *p)
{
	function_id f = builder_function_named(p->b, "[unknown]", 9);

	return builder_child(p->b, STACK_EMPTY, builder_frame(p->b, f, line_unknown()));
}

static bool
is_scheduler(const struct perfdata *p, frame_id frame)
{
	struct function fn = builder_function_get(p->b, builder_frame_get(p->b, frame).function);
	struct name name = builder_name_get(p->b, fn.name);

	return fn.kind == KIND_SYSTEM &&
	       (name_is(name, "schedule") || name_is(name, "__schedule"));
}

/* Every wait ends in the scheduler; the caller of the scheduler shows where the thread waits. */
static stack_id
without_scheduler(const struct perfdata *p, stack_id stack)
{
	frame_id leaf;

	while (stack != STACK_EMPTY) {
		stack_id parent = builder_stack_parent(p->b, stack, &leaf);
		if (parent == STACK_EMPTY || !is_scheduler(p, leaf))
			break;
		stack = parent;
	}
	return stack;
}

/* From w->since to `until`. */
static bool
add_wait(struct perfdata *p, uint32_t thread, uint64_t until, uint64_t offset)
{
	struct perfdata_wait w = p->waits.of.at[thread];
	int64_t value = (int64_t)(until - w.since);

	p->waits.of.at[thread] = (struct perfdata_wait){0};
	if (until <= w.since || until > INT64_MAX)
		return true;
	if (!w.runnable) {
		p->waits.n++;
		p->waits.ns += (uint64_t)value;
		p->waits.seen += w.seen;
		p->waits.seen_ns += w.seen ? (uint64_t)value : 0;
	}
	uint32_t track = perfdata_track_of(p, thread, w.tid);
	struct series *s = series_of_waits(p, &p->track.at[track], w.runnable);
	struct perfdata_sample who = {.pid = p->tasks.thread.at[thread].pid, .tid = w.tid,
				      .cpu = w.cpu};
	builder_next_labels(p->b, s,
			    perfdata_labels_of(&p->labels, p->b, thread,
					       perfdata_comm_of(p, thread), &who));
	return builder_sample(p->b, s, (int64_t)w.since,
			      w.seen ? without_scheduler(p, w.stack) : unknown_stack(p), &value,
			      offset, p->e);
}

/* The record is empty, or has u32 pid and tid of the other thread; its own thread is in the
 * trailer. */
bool
perfdata_take_switch(struct perfdata *p, const struct perfdata_record *rec)
{
	const struct perfdata_attr *a =
		perfdata_event_trailer(&p->events, rec, p->file.big_endian);
	struct perfdata_sample s;

	if (!a || !has_waits(p))
		return true;
	perfdata_trailer(rec, a, p->file.big_endian, &s);
	if (!s.has_time || !s.has_tid || (p->any_sample && !p->timed))
		return true;
	/* also the idle task, and the record of the end, which pnav writes and which has no
	 * thread */
	p->waits.last_switch = s.time;
	if (!s.tid)
		return true;
	p->any_sample = p->timed = true;
	uint32_t thread = perfdata_thread(&p->tasks, s.pid, s.tid);
	struct perfdata_wait *w = wait_of(p, thread);
	if (!(rec->misc & PERFDATA_SWITCH_OUT))
		return !w->out || add_wait(p, thread, s.time, rec->offset);
	/* a thread that has ended leaves for good */
	w->out = p->tasks.thread.at[thread].alive;
	w->runnable = rec->misc & PERFDATA_SWITCH_PREEMPTED;
	w->since = s.time;
	w->tid = s.tid;
	w->cpu = s.cpu;
	return true;
}

static void
say_waits(struct perfdata *p)
{
	if (p->waits.seen < p->waits.n)
		builder_info(p->b, "waits",
			     "%" PRIu64 " of %" PRIu64
			     " were observed, %.1f %% of the time waited; the stacks of the "
			     "others are [unknown]",
			     p->waits.seen, p->waits.n,
			     p->waits.ns ? 100 * (double)p->waits.seen_ns /
						   (double)p->waits.ns
					 : 100.0);
}

/* Where nothing but switches was sampled, what one looks for is the time that threads waited; if
 * that is unknown, the number of switches. */
static void
prefer_waits(struct perfdata *p)
{
	for (uint32_t i = 0; i < p->events.event.n; i++)
		if (perfdata_of_switches(&p->events.event.at[i]) &&
		    p->events.event.at[i].metric != METRIC_NONE)
			builder_default_metric(p->b, p->events.event.at[i].metric);
	if (p->waits.n)
		builder_default_metric(p->b, builder_metric(p->b, "off-cpu", UNIT_NS, ROLE_VALUE));
}

bool
perfdata_waits_end(struct perfdata *p)
{
	uint64_t end = p->waits.last_switch;

	if (p->last_time > 0 && (uint64_t)p->last_time > end)
		end = (uint64_t)p->last_time;
	for (uint32_t i = 0; i < p->waits.of.n; i++)
		if (p->waits.of.at[i].out && !add_wait(p, i, end, 0))
			return false;
	if (p->waits.n && end <= INT64_MAX)
		builder_run_end(p->b, (int64_t)end);
	say_waits(p);
	if (p->preferred.event == UINT32_MAX)
		prefer_waits(p);
	return true;
}
