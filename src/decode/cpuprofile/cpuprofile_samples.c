/* Samples in time.
 *
 * V8's ticks come from two threads, so a sample may be older than the one before it.  Samples
 * are sorted by time, and each lasts until the next.  Few samples come late: only these are
 * sorted, and merged while the others are read. */
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
cpuprofile_by_time(const void *a, const void *b)
{
	const struct v8_sample *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static stack_id
stack_closer(struct cpuprofile *c, uint64_t id)
{
	uint32_t node = idmap_get(&c->nodes.of, id);

	if (node != IDMAP_NONE) {
		stack_id stack = v8_nodes_stack(&c->nodes, node);
		if (stack != STACK_NONE)
			v8_nodes_known(&c->nodes, id, stack);
		return stack;
	}
	c->unknown++;
	function_id f = builder_function_unknown(c->b);
	return builder_child(c->b, STACK_EMPTY, builder_frame(c->b, f, line_unknown()));
}

static inline stack_id
cpuprofile_stack_of(struct cpuprofile *c, uint64_t id)
{
	stack_id known = v8_nodes_stack_of(&c->nodes, id);

	return known != V8_NO_STACK ? known : stack_closer(c, id);
}

/* The samples to be sorted. */
struct v8_order {
	struct series *series;
	VEC(struct v8_sample) late;
	int64_t last; /* of all times */
	bool waits;   /* there is a previous sample, which lasts until the next one */
	struct v8_sample before;
};

/* A reader of the samples in the order of the file. */
struct turns {
	struct packed_reader sample, delta;
	const struct cpuprofile *of;
	int64_t time; /* of the last sample read; initially the origin of the first difference */
};

static bool
first_time(const struct cpuprofile *c, int64_t *time)
{
	*time = 0;
	return c->are_times || !c->start.len || decimal_scaled(c->start.at, c->start.len, 3, time);
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

/* Reports progress: sorting needs two passes over all samples if some are late. */
static void
breathe(const struct cpuprofile *c, size_t done, size_t all)
{
	input_later_done(c->in, done, all);
	input_breathe(c->in);
}

/* Collects and sorts the samples that are older than one before them.  False: a time exceeds
 * 2^63. */
static bool
find_late(struct cpuprofile *c, int64_t first, size_t n, struct v8_order *o)
{
	struct turns t = turns_of(c, first);
	struct v8_sample s;

	if (!c->falls && n && n == c->delta.n &&
	    !__builtin_add_overflow(c->are_times ? 0 : first, c->lasts, &o->last)) {
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
		qsort(o->late.at, o->late.n, sizeof *o->late.at, cpuprofile_by_time);
	return true;
}

/* Returns the end of the last sample.  Times of samples are in us, the stated end is in
 * seconds. */
static int64_t
end_of(const struct cpuprofile *c, int64_t last)
{
	int64_t end = last;

	if (err_is_set(c->e))
		return last;
	if (c->are_times && c->delta.n > c->sample.n)
		end = packed_at(&c->delta, c->sample.n) * (c->sample.n < c->fine_from ? 1000 : 1);
	else if (!c->end.len ||
		 !decimal_scaled(c->end.at, c->end.len, c->are_times ? 9 : 3, &end))
		end = last;
	return end > last ? end : last;
}

/* Writes the previous sample, which lasts until this one. */
static bool
put_before(struct cpuprofile *c, struct v8_order *o, int64_t until)
{
	int64_t lasts;

	if (!o->waits)
		return true;
	stack_id stack = cpuprofile_stack_of(c, o->before.node);
	if (__builtin_sub_overflow(until, o->before.time, &lasts) || stack == STACK_EMPTY)
		lasts = 0;
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

/* Writes n samples in order, and the late ones between them. */
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
		while (good && late < o->late.n && cpuprofile_by_time(&o->late.at[late], &s) < 0)
			good = put_one(c, o, &o->late.at[late++]);
		good = good && put_one(c, o, &s);
	}
	return good;
}

bool
cpuprofile_put_samples(struct cpuprofile *c, track_id track)
{
	metric_id metric[] = {builder_metric(c->b, "time", UNIT_NS, ROLE_VALUE),
			      builder_metric(c->b, "samples", UNIT_SAMPLES, ROLE_EVENTS)};
	struct v8_order o = {.series = builder_samples(c->b, track, metric, 2)};
	size_t all = c->sample.n, n = all < c->delta.n ? all : c->delta.n;
	int64_t first;

	builder_default_metric(c->b, metric[0]);
	bool good = first_time(c, &first) && find_late(c, first, n, &o);
	if (!good)
		err_damage(c->e, 0, "times exceed 2^63");
	int64_t end = n && good ? end_of(c, o.last) : 0;
	good = good && put_all(c, &o, first, n) && put_before(c, &o, end);
	if (n && good)
		builder_track_end(c->b, track, end);
	if (n < all)
		builder_warn(c->b, "%zu samples have no time, left out", all - n);
	vec_release(&o.late);
	return good;
}
