/* What the tables become: a track for the samples of each thread, one for its allocations, one
 * for its markers (firefox_marks.c), one for each counter. */
#include "src/decode/firefox/firefox_inside.h"

#include <stdlib.h>
#include <string.h>

#define MILLION 1000000

/* ---- tracks ---- */

static void
add_name(struct firefox *f, name_id id)
{
	struct name n = builder_name_get(f->b, id);

	buf_add(&f->text, n.at, n.len);
}

/* The process of this number, new or known. */
static struct ff_process *
process_of(struct firefox *f, name_id pid, name_id name)
{
	for (size_t i = 0; i < f->process.n; i++)
		if (f->process.at[i].pid == pid)
			return &f->process.at[i];
	buf_reset(&f->text);
	if (name != NAME_EMPTY)
		add_name(f, name);
	else
		buf_adds(&f->text, "process");
	buf_addc(&f->text, ' ');
	add_name(f, pid);
	*vec_push(&f->process) = (struct ff_process){
		.pid = pid,
		.name = builder_name(f->b, buf_str(&f->text), f->text.len),
		.process = builder_process(f->b, buf_str(&f->text), f->text.len),
	};
	return &f->process.at[f->process.n - 1];
}

static void
processes_find(struct firefox *f)
{
	for (size_t i = 0; i < f->thread.n; i++)
		if (f->thread.at[i].pid != NAME_EMPTY && f->thread.at[i].own.track == NAME_EMPTY)
			process_of(f, f->thread.at[i].pid, f->thread.at[i].process);
	for (size_t i = 0; i < f->counter.n; i++)
		if (f->counter.at[i].pid != NAME_EMPTY && f->counter.at[i].own.track == NAME_EMPTY)
			process_of(f, f->counter.at[i].pid, NAME_EMPTY);
}

track_id
ff_own_track(struct firefox *f, const struct ff_own *own)
{
	struct name name = builder_name_get(f->b, own->track);
	track_id t = builder_track(f->b, name.at, name.len, (enum track_kind)own->kind);
	size_t i = 0;

	if (own->process == NAME_EMPTY)
		return t;
	while (i < f->process.n && f->process.at[i].name != own->process)
		i++;
	if (i == f->process.n) {
		name = builder_name_get(f->b, own->process);
		*vec_push(&f->process) = (struct ff_process){
			.name = own->process,
			.process = builder_process(f->b, name.at, name.len),
		};
	}
	builder_track_under(f->b, t, f->process.at[i].process);
	return t;
}

track_id
ff_track(struct firefox *f, name_id pid, const char *name, size_t len, enum track_kind kind)
{
	const struct ff_process *p = pid != NAME_EMPTY ? process_of(f, pid, NAME_EMPTY) : NULL;
	struct buf own = BUF_INIT;

	buf_add(&own, name, len);
	buf_reset(&f->text);
	if (p && f->process.n > 1) {
		add_name(f, p->name);
		buf_adds(&f->text, " / ");
	}
	buf_add(&f->text, buf_str(&own), own.len);
	buf_release(&own);
	track_id t = builder_track(f->b, buf_str(&f->text), f->text.len, kind);
	if (p)
		builder_track_under(f->b, t, p->process);
	return t;
}

track_id
ff_thread_track(struct firefox *f, const struct ff_thread *t, const char *behind,
		enum track_kind kind)
{
	struct buf own = BUF_INIT;
	struct name tid = builder_name_get(f->b, t->tid);

	if (t->own.track != NAME_EMPTY && t->own.kind < TRACK_COUNTER && !*behind)
		return ff_own_track(f, &t->own);
	buf_reset(&f->text);
	if (t->name != NAME_EMPTY)
		add_name(f, t->name);
	else
		buf_adds(&f->text, "thread");
	if (tid.len)
		buf_addc(&f->text, ' ');
	buf_add(&f->text, tid.at, tid.len);
	buf_adds(&f->text, behind);
	buf_add(&own, buf_str(&f->text), f->text.len);
	track_id made = ff_track(f, t->pid, buf_str(&own), own.len, kind);
	buf_release(&own);
	return made;
}

/* ---- times ---- */

int64_t
ff_shift(const struct firefox *f, uint32_t profile)
{
	int64_t outer = f->profile.at[0].start, inner = f->profile.at[profile].start, shift;

	if (outer == FF_NULL || inner == FF_NULL ||
	    __builtin_sub_overflow(inner, outer, &shift))
		return 0;
	return shift;
}

/* Half away from zero. */
static int64_t
rounded(int64_t n, int64_t by)
{
	int64_t rest = n % by;

	return n / by + (rest >= by - by / 2 ? 1 : rest <= -(by - by / 2) ? -1 : 0);
}

/* A clock over the rows of a table: times, or what lies between them. */
struct clock {
	const struct ff_table *table;
	unsigned time, delta;
	int64_t at, shift; /* the first in units of 10^-12 s */
};

static bool
clock_next(struct clock *c, int64_t row, int64_t *ns)
{
	int64_t time = ff_at(c->table, c->time, row), delta = ff_at(c->table, c->delta, row);

	if (time == FF_NULL && delta != FF_NULL) {
		if (__builtin_add_overflow(c->at, delta, &c->at))
			return false;
		time = rounded(c->at, 1000);
	}
	return time != FF_NULL && !__builtin_add_overflow(time, c->shift, ns);
}

/* ---- samples ---- */

static labels_id
category_label(struct firefox *f, uint32_t profile, int32_t category)
{
	name_id name = ff_category(f, profile, category);

	if (name == NAME_EMPTY)
		return LABELS_NONE;
	label_id id = builder_label_text(f->b, builder_name(f->b, "category", 8), name);
	return builder_labels(f->b, &id, 1);
}

struct sampler {
	struct firefox *f;
	const struct ff_thread *t;
	track_id track;
	struct series *series;
	bool weighs, cpu;
};

static bool
has_cpu(const struct ff_thread *t)
{
	for (size_t i = 0; i < t->samples.column[SAMPLE_CPU].n; i++)
		if (t->samples.column[SAMPLE_CPU].at[i] != FF_NULL)
			return true;
	return false;
}

static bool
sample(struct sampler *s, int64_t row, int64_t time, const struct ff_tables *tables)
{
	struct firefox *f = s->f;
	const struct ff_table *table = &s->t->samples;
	int64_t weight = ff_at(table, SAMPLE_WEIGHT, row), cpu = ff_at(table, SAMPLE_CPU, row);
	int64_t value[3] = {1};
	unsigned n = 1;
	int32_t category;
	stack_id stack;

	if (!ff_stack(f, tables, ff_at(table, SAMPLE_STACK, row), &stack, &category))
		return true;
	if (table->weight == FF_WEIGHT_SAMPLES && weight != FF_NULL)
		value[0] = rounded(weight, MILLION);
	if (s->weighs)
		value[n++] = weight == FF_NULL                      ? 0
			     : table->weight == FF_WEIGHT_TIME ? weight
							       : rounded(weight, MILLION);
	if (s->cpu)
		value[n++] = cpu == FF_NULL ? 0 : rounded(cpu, f->cpu_per_ns);
	if (stack == STACK_EMPTY)
		memset(value, 0, sizeof value);
	builder_track_event(f->b, s->track);
	if (s->t->own.sums)
		return builder_total(f->b, s->series, stack, value, 0, f->e);
	builder_next_labels(f->b, s->series, category_label(f, s->t->profile, category));
	return builder_sample(f->b, s->series, time, stack, value, 0, f->e);
}

static void
own_extent(struct firefox *f, const struct ff_own *own, track_id t)
{
	if (own->start != FF_NULL)
		builder_track_end(f->b, t, own->start);
	if (own->end != FF_NULL)
		builder_track_end(f->b, t, own->end);
}

static bool
samples_write(struct firefox *f, struct ff_thread *t)
{
	struct sampler s = {.f = f, .t = t, .cpu = has_cpu(t)};
	const struct ff_tables *tables = ff_tables_of(f, t);
	struct clock clock = {.table = &t->samples,
			      .time = SAMPLE_TIME,
			      .delta = SAMPLE_DELTA,
			      .shift = ff_shift(f, t->profile)};
	metric_id metric[3] = {f->is.samples};
	unsigned n = 1;
	int64_t time, interval = f->profile.at[t->profile].interval;
	bool good = true;

	if (t->own.track != NAME_EMPTY && t->own.kind == TRACK_MARKS)
		return true;
	s.track = ff_thread_track(f, t, "", TRACK_THREAD);
	if (!t->samples.column[SAMPLE_STACK].n) {
		own_extent(f, &t->own, s.track);
		return true;
	}
	s.weighs = t->samples.weight != FF_WEIGHT_SAMPLES;
	if (s.weighs)
		metric[n++] =
			t->samples.weight == FF_WEIGHT_TIME ? f->is.time : f->is.bytes;
	if (s.cpu)
		metric[n++] = f->is.cpu;
	s.series = (t->own.sums ? builder_totals : builder_samples)(f->b, s.track, metric, n);
	if (!t->own.sums)
		builder_labelled(f->b, s.series);
	if (interval > 0 && !t->own.sums)
		builder_sample_interval(s.series, interval);
	for (size_t i = 0; good && i < t->samples.column[SAMPLE_STACK].n; i++) {
		if (clock_next(&clock, (int64_t)i, &time))
			good = sample(&s, (int64_t)i, time, tables);
		else
			builder_warn(f->b, "samples without a time, left out");
	}
	own_extent(f, &t->own, s.track);
	return good;
}

/* ---- allocations ---- */

struct live {
	stack_id stack;
	int64_t bytes; /* 0: freed */
};

struct allocations {
	struct firefox *f;
	track_id track;
	struct series *series;
	struct idmap of; /* address -> live */
	VEC(struct live) live;
	bool addressed;
};

static bool
allocation(struct allocations *a, int64_t time, stack_id stack, int64_t bytes, int64_t address)
{
	int64_t value[4] = {bytes > 0 ? bytes : 0, bytes > 0, 0, 0};
	uint32_t known = address == FF_NULL ? IDMAP_NONE : idmap_get(&a->of, (uint64_t)address);

	builder_track_event(a->f->b, a->track);
	if (bytes > 0 && address != FF_NULL) {
		value[2] = bytes;
		value[3] = 1;
		idmap_put(&a->of, (uint64_t)address, (uint32_t)a->live.n);
		*vec_push(&a->live) = (struct live){stack, bytes};
	} else if (bytes <= 0) {
		/* what is freed goes where it was allocated */
		if (known == IDMAP_NONE || !a->live.at[known].bytes)
			return true;
		stack = a->live.at[known].stack;
		value[2] = -a->live.at[known].bytes;
		value[3] = -1;
		a->live.at[known].bytes = 0;
	}
	return builder_sample(a->f->b, a->series, time, stack, value, 0, a->f->e);
}

static bool
allocations_of(struct allocations *a, struct ff_thread *t, const struct ff_table *table)
{
	struct clock clock = {.table = table,
			      .time = SAMPLE_TIME,
			      .delta = SAMPLE_DELTA,
			      .shift = ff_shift(a->f, t->profile)};
	size_t n = table->column[SAMPLE_STACK].n;
	bool good = true;

	for (size_t i = 0; good && i < n; i++) {
		int64_t row = (int64_t)i, weight = ff_at(table, SAMPLE_WEIGHT, row), time;
		int32_t category;
		stack_id stack;
		if (weight == FF_NULL || !clock_next(&clock, row, &time) ||
		    !ff_stack(a->f, ff_tables_of(a->f, t), ff_at(table, SAMPLE_STACK, row),
			      &stack, &category))
			continue;
		good = allocation(a, time, stack, rounded(weight, MILLION),
				  ff_at(table, SAMPLE_ADDRESS, row));
	}
	return good;
}

static bool
allocations_write(struct firefox *f, struct ff_thread *t)
{
	struct allocations a = {.f = f};
	metric_id metric[] = {f->is.alloc, f->is.allocs, f->is.live, f->is.lives};

	if (!t->js.column[SAMPLE_STACK].n && !t->native.column[SAMPLE_STACK].n)
		return true;
	a.track = ff_thread_track(f, t, " (allocations)", TRACK_THREAD);
	a.series = builder_samples(f->b, a.track, metric, f->is.live == METRIC_NONE ? 2 : 4);
	bool good = allocations_of(&a, t, &t->js) && allocations_of(&a, t, &t->native);
	idmap_release(&a.of);
	vec_release(&a.live);
	return good;
}

/* ---- counters ---- */

static bool
counter_write(struct firefox *f, const struct ff_counter *c)
{
	struct name name = builder_name_get(f->b, c->name);
	struct name category = builder_name_get(f->b, c->category);
	struct name unit = builder_name_get(f->b, c->own.unit);
	bool own = c->own.track != NAME_EMPTY &&
		   (c->own.kind == TRACK_COUNTER || c->own.kind == TRACK_STATE);
	track_id track = own
				 ? ff_own_track(f, &c->own)
				 : ff_track(f, c->pid, name.at, name.len, TRACK_COUNTER);
	struct series *points = builder_points(f->b, track, true);
	struct clock clock = {.table = &c->table,
			      .time = COUNT_TIME,
			      .delta = COUNT_DELTA,
			      .shift = ff_shift(f, c->profile)};
	int64_t sum = 0, time;
	bool good = true;

	if (category.len == 6 && !memcmp(category.at, "Memory", 6))
		builder_track_unit(f->b, track, "bytes", 5);
	if (own && unit.len)
		builder_track_unit(f->b, track, unit.at, unit.len);
	for (size_t i = 0; good && i < c->table.column[COUNT_COUNT].n; i++) {
		int64_t count = c->table.column[COUNT_COUNT].at[i];
		bool timed = clock_next(&clock, (int64_t)i, &time);
		if (count != FF_NULL && __builtin_add_overflow(sum, count, &sum))
			return err_damage(f->e, 0, "a counter passes 2^63");
		if (!timed)
			continue;
		builder_track_event(f->b, track);
		good = builder_point_double(f->b, points, time, (double)sum / MILLION, 0, f->e);
	}
	return good;
}

/* ---- all ---- */

/* The metric of `threadCPUDelta`, by the unit that the file says. */
static metric_id
cpu_metric(struct firefox *f)
{
	struct name unit = builder_name_get(f->b, f->profile.at[0].cpu_unit);
	static const char micro[] = "\xC2\xB5s", mu[] = "\xCE\xBCs", cycles[] = "variable CPU cycles";

	f->cpu_per_ns = MILLION;
	if (unit.len == sizeof cycles - 1 && !memcmp(unit.at, cycles, unit.len))
		return builder_metric(f->b, "cycles", UNIT_COUNT, ROLE_VALUE);
	if ((unit.len == 3 && (!memcmp(unit.at, micro, 3) || !memcmp(unit.at, mu, 3))) ||
	    (unit.len == 2 && !memcmp(unit.at, "us", 2)))
		f->cpu_per_ns = 1000;
	else if (!unit.len)
		builder_info(f->b, "assumed", "threadCPUDelta is in ns");
	return builder_metric(f->b, "cpu", UNIT_NS, ROLE_VALUE);
}

static bool
has_addresses(const struct ff_table *t)
{
	return t->column[SAMPLE_ADDRESS].n != 0;
}

static void
metrics_declare(struct firefox *f)
{
	struct ff_metrics *is = &f->is;
	bool any = false, weight[3] = {false}, cpu = false, alloc = false, live = false;

	*is = (struct ff_metrics){METRIC_NONE, METRIC_NONE, METRIC_NONE, METRIC_NONE, METRIC_NONE,
				  METRIC_NONE, METRIC_NONE, METRIC_NONE, METRIC_NONE};
	for (size_t i = 0; i < f->thread.n; i++) {
		const struct ff_thread *t = &f->thread.at[i];
		bool samples = t->samples.column[SAMPLE_STACK].n;
		any |= samples;
		weight[t->samples.weight] |= samples;
		cpu |= has_cpu(t);
		alloc |= t->js.column[SAMPLE_STACK].n || t->native.column[SAMPLE_STACK].n;
		live |= has_addresses(&t->native);
	}
	bool async = ff_marks_last(f);
	if (any || (!alloc && !async))
		is->samples = builder_metric(f->b, "samples", UNIT_SAMPLES, ROLE_VALUE);
	if (weight[FF_WEIGHT_TIME])
		is->time = builder_metric(f->b, "time", UNIT_NS, ROLE_VALUE);
	if (weight[FF_WEIGHT_BYTES])
		is->bytes = builder_metric(f->b, "bytes", UNIT_BYTES, ROLE_VALUE);
	if (cpu)
		is->cpu = cpu_metric(f);
	if (alloc) {
		is->alloc = builder_metric(f->b, "alloc", UNIT_BYTES, ROLE_VALUE);
		is->allocs = builder_metric(f->b, "allocs", UNIT_COUNT, ROLE_VALUE);
	}
	if (alloc && live) {
		is->live = builder_metric(f->b, "live", UNIT_BYTES, ROLE_VALUE);
		is->lives = builder_metric(f->b, "lives", UNIT_COUNT, ROLE_VALUE);
	}
	if (async) {
		is->async = builder_metric(f->b, "async", UNIT_NS, ROLE_TIME);
		builder_metric(f->b, "calls", UNIT_CALLS, ROLE_CALLS);
	}
	const metric_id order[] = {is->time, is->bytes, is->samples, is->alloc, is->async};
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		if (order[i] != METRIC_NONE) {
			builder_default_metric(f->b, order[i]);
			break;
		}
}

bool
ff_write(struct firefox *f)
{
	bool good = true;

	processes_find(f);
	metrics_declare(f);
	ff_stacks_bind(f);
	for (size_t i = 0; good && i < f->thread.n; i++) {
		struct ff_thread *t = &f->thread.at[i];
		good = samples_write(f, t) && allocations_write(f, t) && ff_marks_write(f, t);
	}
	for (size_t i = 0; good && i < f->counter.n; i++)
		good = counter_write(f, &f->counter.at[i]);
	return good;
}
