/* Samples in time.
 *
 * V8's ticks come from two threads, and a sample may be older than the one before it: samples
 * are put in order of time, and each lasts to the next.  Those that come too late are few; they
 * are sorted alone, and go in between while the others are read. */
#include "src/decode/cpuprofile/cpuprofile_inside.h"

#include <stdlib.h>

#include "src/input/decimal.h"

#define BREATHE 8192u /* samples */

struct v8_sample {
	int64_t time;
	uint64_t order;
	uint64_t node; /* its id */
};

static int
by_time(const void *a, const void *b)
{
	const struct v8_sample *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static stack_id
stack_of(struct cpuprofile *c, uint64_t id)
{
	uint32_t node = idmap_get(&c->nodes.of, id);

	if (node != IDMAP_NONE)
		return v8_nodes_stack(&c->nodes, node);
	c->unknown++;
	function_id f = builder_function_unknown(c->b);
	return builder_child(c->b, STACK_EMPTY, builder_frame(c->b, f, line_unknown()));
}

/* What is put in order. */
struct v8_order {
	track_id track;
	struct series *series;
	VEC(struct v8_sample) late;
	int64_t last; /* of all times */
	bool in_order; /* none is late, and no time far */
	bool waits;   /* there is one before, and how long it lasts is told by the next */
	struct v8_sample before;
};

/* Samples one after the other, as the file has them. */
struct turns {
	struct packed_reader sample, delta;
	const struct cpuprofile *of;
	int64_t time; /* of the last one; before the first where that counts from */
};

static bool
first_time(const struct cpuprofile *c, int64_t *time)
{
	*time = 0;
	return c->are_times || !c->start_len || decimal_scaled(c->start, c->start_len, 3, time);
}

/* False where its time passes 2^63. */
static bool
turn_next(struct turns *t, struct v8_sample *out)
{
	int64_t delta = packed_next(&t->delta);

	if (t->sample.at < t->of->fine_from)
		delta *= 1000;
	out->order = t->sample.at;
	out->node = (uint64_t)packed_next(&t->sample);
	if (t->of->are_times)
		t->time = delta;
	else if (__builtin_add_overflow(t->time, delta, &t->time))
		return false;
	out->time = t->time;
	return true;
}

static struct turns
turns_of(struct cpuprofile *c, int64_t first)
{
	return (struct turns){.sample = {.of = &c->sample},
			      .delta = {.of = &c->delta},
			      .of = c,
			      .time = first};
}

/* Samples are put in order when all is read, in two rounds over all of them where some are
 * late: so much is done. */
static void
breathe(const struct cpuprofile *c, size_t done, size_t all)
{
	input_later_done(c->in, done, all);
	input_breathe(c->in);
}

/* Those that are older than one before them, in order.  False: a time passes 2^63. */
static bool
find_late(struct cpuprofile *c, int64_t first, size_t n, struct v8_order *o)
{
	struct turns t = turns_of(c, first);
	struct v8_sample s;

	if (!c->falls && n && n == c->delta.n &&
	    !__builtin_add_overflow(c->are_times ? 0 : first, c->lasts, &o->last)) {
		o->in_order = true;
		return true;
	}
	o->last = INT64_MIN;
	for (size_t i = 0; i < n; i++) {
		if (!turn_next(&t, &s))
			return false;
		if (s.time < o->last)
			*vec_push(&o->late) = s;
		else
			o->last = s.time;
		if (i % BREATHE == BREATHE - 1)
			breathe(c, i, 2 * n);
	}
	if (o->late.n)
		qsort(o->late.at, o->late.n, sizeof *o->late.at, by_time);
	return true;
}

/* When the last sample ends.  Beside times of samples, in us, stands an end in seconds. */
static int64_t
end_of(const struct cpuprofile *c, int64_t last)
{
	int64_t end = last;

	if (err_is_set(c->e))
		return last;
	if (c->are_times && c->delta.n > c->sample.n)
		end = packed_at(&c->delta, c->sample.n) * (c->sample.n < c->fine_from ? 1000 : 1);
	else if (!c->end_len || !decimal_scaled(c->end, c->end_len, c->are_times ? 9 : 3, &end))
		end = last;
	return end > last ? end : last;
}

/* The sample before has lasted until this one. */
static bool
put_before(struct cpuprofile *c, struct v8_order *o, int64_t until)
{
	int64_t lasts;

	if (!o->waits)
		return true;
	stack_id stack = stack_of(c, o->before.node);
	if (__builtin_sub_overflow(until, o->before.time, &lasts) || stack == STACK_EMPTY)
		lasts = 0;
	builder_track_event(c->b, o->track);
	return builder_sample(c->b, o->series, o->before.time, stack, &lasts, 0, c->e);
}

static bool
put_one(struct cpuprofile *c, struct v8_order *o, const struct v8_sample *s)
{
	bool good = put_before(c, o, s->time);

	o->before = *s;
	o->waits = true;
	return good;
}

/* n samples in order: those that were not late, with the others between them. */
static bool
put_all(struct cpuprofile *c, struct v8_order *o, int64_t first, size_t n)
{
	struct turns t = turns_of(c, first);
	int64_t reached = INT64_MIN;
	size_t late = 0;
	bool good = true;

	t.sample.drops = t.delta.drops = true;
	for (size_t i = 0; i < n && good; i++) {
		struct v8_sample s;
		if (!turn_next(&t, &s) || s.time < reached)
			continue;
		reached = s.time;
		if (i % BREATHE == BREATHE - 1)
			breathe(c, n + i, 2 * n);
		while (good && late < o->late.n && by_time(&o->late.at[late], &s) < 0)
			good = put_one(c, o, &o->late.at[late++]);
		good = good && put_one(c, o, &s);
	}
	return good;
}

/* ---- those that come in order ---- */

/* The next ones, at most as many as a run takes, all of one run of what is kept: their times, and
 * behind them that of the sample behind, or `end`. */
static size_t
times_next(struct turns *t, int64_t end, int64_t time[EVENT_RUN_MAX + 1])
{
	const struct cpuprofile *c = t->of;
	size_t n, from = t->delta.at;
	const int64_t *delta = packed_some(&t->delta, EVENT_RUN_MAX, &n);
	int64_t sum = c->are_times ? 0 : t->time;

	for (size_t i = 0; i < n; i++) {
		int64_t v = delta[i] * (from + i < c->fine_from ? 1000 : 1);
		sum = c->are_times ? v : sum + v;
		time[i] = sum;
	}
	t->time = time[n - 1];
	time[n] = end;
	if (t->delta.at < c->sample.n && t->delta.at < c->delta.n) {
		int64_t v = packed_peek(&t->delta) * (t->delta.at < c->fine_from ? 1000 : 1);
		time[n] = c->are_times ? v : t->time + v;
	}
	return n;
}

/* Writes a run; a sample at a time where the builder does not take it whole. */
static bool
put_run(struct cpuprofile *c, const struct v8_order *o, struct event_run *run)
{
	bool good = true;

	if (run->n && builder_sample_run(c->b, o->series, run, run->time[0], run->time[run->n - 1]))
		builder_track_events(c->b, o->track, run->n);
	else
		for (uint32_t i = 0; i < run->n && good; i++) {
			builder_track_event(c->b, o->track);
			good = builder_sample(c->b, o->series, run->time[i], run->stack[i],
					      &run->value[0][i], 0, c->e);
		}
	run->n = 0;
	return good;
}

/* A sample of a stack that nobody has asked for.  What waits is written before it is made, so
 * that a fault is told by this one. */
static bool
put_first(struct cpuprofile *c, const struct v8_order *o, struct event_run *run, uint64_t id,
	  int64_t time, int64_t lasts)
{
	if (!put_run(c, o, run))
		return false;
	stack_id stack = stack_of(c, id);
	if (stack == STACK_EMPTY)
		lasts = 0;
	if (stack != STACK_NONE)
		v8_nodes_known(&c->nodes, id, stack);
	builder_track_event(c->b, o->track);
	return builder_sample(c->b, o->series, time, stack, &lasts, 0, c->e);
}

/* n samples, of which none is late, as columns; `end` is that of the last. */
static bool
put_in_order(struct cpuprofile *c, struct v8_order *o, int64_t first, size_t n, int64_t end)
{
	struct turns t = turns_of(c, first);
	int64_t time[EVENT_RUN_MAX + 1];
	struct event_run run;
	bool good = true;

	run.n = 0;
	t.sample.drops = t.delta.drops = true;
	for (size_t done = 0, some; done < n && good; done += some) {
		some = times_next(&t, end, time);
		const int64_t *id = packed_some(&t.sample, some, &some);
		for (size_t i = 0; i < some && good; i++) {
			int64_t lasts = time[i + 1] - time[i];
			stack_id stack = v8_nodes_stack_of(&c->nodes, (uint64_t)id[i]);
			if (stack == V8_NO_STACK) {
				good = put_first(c, o, &run, (uint64_t)id[i], time[i], lasts);
				continue;
			}
			run.time[run.n] = time[i];
			run.stack[run.n] = stack;
			run.value[0][run.n++] = stack == STACK_EMPTY ? 0 : lasts;
		}
		good = good && put_run(c, o, &run);
		if (done / BREATHE != (done + some) / BREATHE)
			breathe(c, done + some, n);
	}
	return good;
}

bool
cpuprofile_put_samples(struct cpuprofile *c, track_id track)
{
	metric_id metric[] = {builder_metric(c->b, "time", UNIT_NS, ROLE_VALUE),
			      builder_metric(c->b, "samples", UNIT_SAMPLES, ROLE_EVENTS)};
	struct v8_order o = {.track = track, .series = builder_samples(c->b, track, metric, 2)};
	size_t all = c->sample.n, n = all < c->delta.n ? all : c->delta.n;
	int64_t first;

	builder_default_metric(c->b, metric[0]);
	bool good = first_time(c, &first) && find_late(c, first, n, &o);
	if (!good)
		err_damage(c->e, 0, "times pass 2^63");
	int64_t end = n && good ? end_of(c, o.last) : 0;
	int64_t lasts;
	if (good && n && o.in_order && !__builtin_sub_overflow(end, o.last, &lasts))
		good = put_in_order(c, &o, first, n, end);
	else
		good = good && put_all(c, &o, first, n) && put_before(c, &o, end);
	if (n && good)
		builder_track_end(c->b, track, end);
	if (n < all)
		builder_warn(c->b, "%zu samples have no time, left out", all - n);
	vec_release(&o.late);
	return good;
}
