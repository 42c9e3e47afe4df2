/* The scheduler's tracepoints: states of threads, wake-ups, and the tracks of processors.
 *
 * Their samples also remain samples of their own metric.  Every sample proves that its thread
 * runs on its CPU at that time (sched.h). */
#include "src/decode/perf/perfdata_inside.h"

#include <string.h>

/* Flags of a tracepoint's context, the third raw byte: hard and soft interrupt. */
#define FLAGS_AT 2u
#define FLAGS_INTERRUPT (0x08u | 0x10u)

bool
perfdata_is_sched(struct perfdata *p, uint32_t event)
{
	struct name name = builder_name_get(p->b, perfdata_event_name(&p->events, p->b, event));

	return name.len > 6 && !memcmp(name.at, "sched:", 6);
}

static bool
number(struct perfdata *p, const struct perfdata_asked *q, const char *key, int64_t *out)
{
	return perfdata_field_number(&p->events.fields, p->b, q->a, &q->s, p->file.big_endian, key,
				     out);
}

/* Notes the name of a thread, if the sample has it. */
static void
named(struct perfdata *p, const struct perfdata_asked *q, const char *key, int64_t tid,
      int64_t time_ns)
{
	struct name comm;

	if (perfdata_field_text(&p->events.fields, p->b, q->a, &q->s, p->file.big_endian, key,
				&comm))
		sched_named(&p->tasks.sched, tid, comm.at, comm.len, time_ns);
}

static void
perfdata_switched(struct perfdata *p, const struct perfdata_asked *q, int64_t time_ns)
{
	int64_t prev, next, state;

	if (!number(p, q, "prev_pid", &prev) || !number(p, q, "next_pid", &next) ||
	    !number(p, q, "prev_state", &state))
		return;
	named(p, q, "prev_comm", prev, time_ns);
	named(p, q, "next_comm", next, time_ns);
	sched_switch(&p->tasks.sched, q->s.cpu, prev, sched_left_by((uint64_t)state), next,
		     time_ns);
}

void
perfdata_sched(struct perfdata *p, const struct perfdata_turn *turn,
	       const struct perfdata_asked *q)
{
	struct name event =
		builder_name_get(p->b, perfdata_event_name(&p->events, p->b, turn->event));
	enum sched_woken how;
	int64_t tid;

	if (!p->timed || q->s.cpu == UINT32_MAX || turn->thread == UINT32_MAX)
		return;
	if ((int32_t)q->s.tid >= 0) /* an ending thread does not have a number any more */
		sched_runs(&p->tasks.sched, q->s.cpu, q->s.tid, turn->time);
	if (!q->s.raw || event.len < 7 || memcmp(event.at, "sched:", 6) != 0)
		return;
	if (!strcmp(event.at, "sched:sched_switch"))
		perfdata_switched(p, q, turn->time);
	if (!sched_text_wakes(event.at + 6, event.len - 6, &how) || !number(p, q, "pid", &tid))
		return;
	bool interrupts = q->s.raw_len > FLAGS_AT && q->s.raw[FLAGS_AT] & FLAGS_INTERRUPT;
	int64_t waker = interrupts || (int32_t)q->s.tid < 0 ? SCHED_NOBODY : (int64_t)q->s.tid;
	sched_wake(&p->tasks.sched, q->s.cpu, tid, waker, how, turn->time);
	named(p, q, "comm", tid, turn->time);
}

static void
perfdata_describe(void *context, int64_t tid, struct sched_thread *out)
{
	struct perfdata *p = context;
	uint32_t thread = idmap_get(&p->tasks.tid, (uint64_t)tid);
	uint32_t track = thread == IDMAP_NONE ? NO_TRACK : p->tasks.thread.at[thread].track;

	struct name comm = builder_name_get(p->b, thread == IDMAP_NONE
							 ? NAME_EMPTY
							 : p->tasks.thread.at[thread].comm);

	sched_named_last(&p->tasks.sched, tid, comm.at, comm.len);
	sched_describe(&p->tasks.sched, tid, out);
	if (track != NO_TRACK)
		out->track = p->track.at[track].track;
	else if (thread != IDMAP_NONE && perfdata_outside(&p->tasks, thread))
		out->under = perfdata_process_made(p, thread);
}

void
perfdata_sched_end(struct perfdata *p)
{
	bool others = false;

	if (!p->tasks.sched.any)
		return;
	for (uint32_t i = 0; i < p->events.event.n; i++)
		others |= p->events.event.at[i].samples && !perfdata_is_sched(p, i);
	p->tasks.sched.outside = others && p->tasks.commanded;
	sched_write(&p->tasks.sched, p->last_time, perfdata_describe, p);
	if (!others && p->tasks.sched.cpu_metric != METRIC_NONE)
		builder_default_metric(p->b, p->tasks.sched.cpu_metric);
}
