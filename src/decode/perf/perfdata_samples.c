/* Handles samples of a perf.data file when their turn has come.
 *
 * Samples wait for their stacks (stack_queue.h), at most until another record arrives.
 *
 * Values that a sample read from counters (PERF_SAMPLE_READ) are totals; the difference to the
 * previous value is a sample of its own.
 *
 * A damaged sample is omitted, and those that were collected with it are kept; the second one
 * ends the file. */
#include "src/decode/perf/perfdata_inside.h"

#include "src/decode/common/perf_unit.h"

#define NS_PER_S 1000000000u

/* ---- metrics ---- */

/* Returns true if the weight of a sample is known: it has a period, or all have the same. */
static bool
has_period(const struct perfdata_attr *a)
{
	return a->sample_type & (PERFDATA_HAS_PERIOD | PERFDATA_HAS_READ) ||
	       !perfdata_flag(a, PERFDATA_FREQ);
}

static metric_id
perfdata_metric_of(struct perfdata *p, uint32_t event)
{
	struct perfdata_event *e = &p->events.event.at[event];
	if (e->metric != METRIC_NONE)
		return e->metric;
	struct name name =
		builder_name_get(p->b, perfdata_event_name(&p->events, p->b, event));
	enum unit unit = has_period(&e->attr) ? perf_unit(name.at, name.len) : UNIT_SAMPLES;
	e->metric = builder_metric(p->b, name.at, unit, ROLE_VALUE);
	if (!has_period(&e->attr) || perfdata_is_sched(p, event) || perfdata_of_switches(e))
		return e->metric;
	if (event < p->preferred.event) {
		p->preferred.event = event;
		builder_default_metric(p->b, e->metric);
	}
	name_id first = perfdata_event_name(&p->events, p->b, p->preferred.event);
	hybrid_event(&p->preferred.hybrid, p->b, perfdata_event_name(&p->events, p->b, event),
		     e->metric, first, p->samples);
	return e->metric;
}

static struct series *
perfdata_samples_series_of(struct perfdata *p, uint32_t track, uint32_t event)
{
	struct perfdata_track *t = &p->track.at[track];
	for (size_t i = 0; i < t->sampled.n; i++)
		if (t->sampled.at[i].event == event)
			return t->sampled.at[i].series;
	metric_id metrics[2] = {p->samples, perfdata_metric_of(p, event)};
	struct series *s = builder_samples(p->b, t->track, metrics, 2);
	builder_labelled(p->b, s);
	const struct perfdata_attr *a = &p->events.event.at[event].attr;
	if (p->timed && perfdata_flag(a, PERFDATA_FREQ) && a->period &&
	    a->period <= NS_PER_S)
		builder_sample_interval(s, (int64_t)(NS_PER_S / a->period));
	*vec_push(&t->sampled) = (struct sampled){event, s};
	return s;
}

/* ---- samples ---- */

static bool
perfdata_samples_add_sample(struct perfdata *p, const struct perfdata_turn *turn, uint32_t event,
			    uint32_t track, stack_id stack, uint64_t period)
{
	int64_t value = (int64_t)period;
	int64_t time = p->timed ? turn->time : (int64_t)p->counts.samples;
	if (period > INT64_MAX)
		return err_damage(p->e, turn->offset, "a period exceeds 2^63");
	p->counts.samples++;
	struct series *s = perfdata_samples_series_of(p, track, event);
	builder_next_labels(p->b, s, p->labels.next);
	if (!builder_sample(p->b, s, time, stack, &value, turn->offset, p->e))
		return false;
	p->events.event.at[event].samples++;
	return true;
}

/* Adds a sample for each counter that was read together with this one. */
static bool
perfdata_samples_add_values(struct perfdata *p, const struct perfdata_turn *turn,
			    const struct perfdata_asked *q, uint32_t track, stack_id stack)
{
	for (uint32_t i = 0; i < q->s.n_values; i++) {
		uint64_t value, id;
		perfdata_value(&q->s, q->a, p->file.big_endian, i, &value, &id);
		uint32_t event = idmap_get(&p->events.id, id);
		if (event == IDMAP_NONE) {
			p->counts.unknown_ids++;
			continue;
		}
		uint64_t step = perfdata_counter_step(&p->events, id, value);
		if (step && !perfdata_samples_add_sample(p, turn, event, track, stack, step))
			return false;
	}
	return true;
}

static bool
perfdata_samples_add(struct perfdata *p, const struct perfdata_turn *turn,
		     const struct perfdata_asked *q, stack_id stack)
{
	if (perfdata_waits_here(p, turn->event, turn->thread, stack))
		return true;
	uint32_t track = perfdata_track_of(p, turn->thread, q->s.tid);
	if (!turn->completed)
		perfdata_sched(p, turn, q);
	p->labels.next = perfdata_labels_all(&p->labels, p->b, turn->thread,
					     perfdata_comm_of(p, turn->thread), &q->s,
					     &p->events.fields, q->a, p->file.big_endian);
	if (q->a->sample_type & PERFDATA_HAS_READ)
		return perfdata_samples_add_values(p, turn, q, track, stack);
	return perfdata_samples_add_sample(p, turn, turn->event, track, stack, q->s.period);
}

static bool
perfdata_samples_path(void *owner, uint32_t i)
{
	struct perfdata *p = owner;

	perfdata_path(&p->turns.queue, &p->frames, &p->tasks, &p->turns.asked[i],
		      p->file.big_endian);
	return true;
}

/* Samples after the first damaged one are kept until the second. */
static bool
perfdata_samples_take(void *owner, uint32_t i, stack_id stack)
{
	struct perfdata *p = owner;

	p->turns.faults += !perfdata_samples_add(p, &p->turns.at[i], &p->turns.asked[i], stack);
	return p->turns.faults < 2;
}

void
perfdata_samples_init(struct perfdata *p)
{
	static const struct stack_queue_ops ops = {
		.path = perfdata_samples_path,
		.take = perfdata_samples_take,
	};

	p->turns.queue = (struct stack_queue){.b = p->b, .ops = &ops, .owner = p};
}

bool
perfdata_samples_end(struct perfdata *p)
{
	uint32_t faults = p->turns.faults;

	return stack_queue_flush(&p->turns.queue) && p->turns.faults == faults;
}

/* The first sample decides the unit of the axis. */
static void
perfdata_samples_begin(struct perfdata *p, bool timed)
{
	p->any_sample = true;
	p->timed = timed;
	if (!timed)
		builder_axis(p->b, UNIT_SAMPLES);
}

/* Maps reused code up to a time, before the samples that follow. */
static bool
map_until(struct perfdata *p, uint64_t time)
{
	if (p->frames.reuses.done >= p->frames.reuses.at.n)
		return true;
	bool ok = perfdata_samples_end(p);
	perfdata_jit_until(&p->frames, &p->tasks, time);
	return ok;
}

/* Counts samples in programs whose chain has the address of the program alone: without frame
 * pointers the kernel finds no caller, or a word that is none. */
static void
count_callers(struct perfdata *p, const struct perfdata_asked *q, uint32_t thread)
{
	const struct perfdata_sample *s = &q->s;

	if (q->mode != PERFDATA_USER_MODE || !s->chain || s->user.stack ||
	    perfdata_flag(q->a, PERFDATA_CHAIN_WITHOUT_USER) ||
	    (thread != UINT32_MAX && perfdata_outside(&p->tasks, thread)))
		return;
	p->frames.chains.in_user++;
	/* a marker and the address */
	p->frames.chains.alone +=
		s->n_chain + s->calls.n <= 2 ||
		(!s->calls.n && perfdata_no_code(&p->tasks, q->process,
						 perfdata_word(s->chain, 2, p->file.big_endian)));
}

/* A thread that ends loses its number, -1 from then on, before it leaves its CPU for the last time.
 * Tracepoints still know the thread. */
static void
thread_of_event(const struct perfdata *p, const struct perfdata_attr *a,
		struct perfdata_sample *s)
{
	uint32_t tid = perfdata_field_thread(a, s, p->file.big_endian);
	uint32_t thread = tid == UINT32_MAX ? IDMAP_NONE : idmap_get(&p->tasks.tid, tid);

	if (s->tid != UINT32_MAX || thread == IDMAP_NONE)
		return;
	s->tid = tid;
	s->pid = p->tasks.thread.at[thread].pid;
}

/* Parses a sample whose turn has come into the next item of p->turns, which it returns; NULL: the
 * sample counts for nothing. *ok becomes false if the file ends here. */
static struct perfdata_asked *
turn_of(struct perfdata *p, const struct perfdata_record *rec, bool completed,
	struct perfdata_turn *turn, bool *ok)
{
	uint32_t event = perfdata_event_of(&p->events, rec, p->file.big_endian);
	struct perfdata_sample s;

	/* Events in between may have changed the owner of the sample. */
	*ok = event == UINT32_MAX || p->turns.faults <= 1;
	if (event == UINT32_MAX || !*ok)
		return NULL;
	const struct perfdata_attr *a = &p->events.event.at[event].attr;
	if (!perfdata_sample(rec, a, p->file.big_endian, &s))
		return NULL;
	*ok = !s.has_time || map_until(p, s.time);
	if (!p->any_sample)
		perfdata_samples_begin(p, s.has_time);
	*turn = (struct perfdata_turn){event, UINT32_MAX, p->last_time, rec->offset, completed};
	if (s.has_time && s.time != PERFDATA_NO_TIME)
		turn->time = (int64_t)s.time;
	if (!completed)
		p->last_time = turn->time;
	thread_of_event(p, a, &s);
	if (a->sample_type & PERFDATA_HAS_TID)
		turn->thread = perfdata_thread(&p->tasks, s.pid, s.tid);
	if (!has_period(a))
		s.period = 1;
	struct perfdata_asked *q = &p->turns.asked[stack_queue_next(&p->turns.queue)];
	q->a = a;
	q->s = s;
	q->mode = rec->misc & PERFDATA_MODE;
	q->process = turn->thread != UINT32_MAX ? p->tasks.thread.at[turn->thread].process
						: UINT32_MAX;
	return q;
}

bool
perfdata_look_at_sample(struct perfdata *p, const struct perfdata_record *rec)
{
	struct perfdata_turn turn;
	bool done = perfdata_samples_end(p), ok;
	const struct perfdata_asked *q = turn_of(p, rec, false, &turn, &ok);

	if (q)
		perfdata_sched(p, &turn, q);
	return done && ok;
}

bool
perfdata_take_sample(struct perfdata *p, const struct perfdata_record *rec, const uint32_t *own)
{
	struct perfdata_turn turn;
	bool ok;
	struct perfdata_asked *q = turn_of(p, rec, own, &turn, &ok);

	if (!q)
		return ok;
	q->s.n_own = own ? *own : 0;
	count_callers(p, q, turn.thread);
	p->turns.at[stack_queue_next(&p->turns.queue)] = turn;
	uint32_t faults = p->turns.faults;
	return perfdata_ask(&p->turns.queue, &p->frames, &p->tasks, q) &&
	       p->turns.faults == faults && ok;
}
