/* What the tables become: a track for the samples of each thread, one for its allocations
 * (firefox_samples.c), one for its markers (firefox_marks.c), one for each counter. */
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

void
ff_own_extent(struct firefox *f, const struct ff_own *own, track_id t)
{
	if (own->start != FF_NULL)
		builder_track_end(f->b, t, own->start);
	if (own->end != FF_NULL)
		builder_track_end(f->b, t, own->end);
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
	struct ff_clock clock = {.shift = ff_shift(f, c->profile)};
	int64_t sum = 0, time;
	bool good = true;

	if (category.len == 6 && !memcmp(category.at, "Memory", 6))
		builder_track_unit(f->b, track, "bytes", 5);
	if (own && unit.len)
		builder_track_unit(f->b, track, unit.at, unit.len);
	for (size_t i = 0; good && i < c->table.column[COUNT_COUNT].n; i++) {
		int64_t count = c->table.column[COUNT_COUNT].at[i];
		bool timed = ff_clock_next(&clock, ff_at(&c->table, COUNT_TIME, (int64_t)i),
					   ff_at(&c->table, COUNT_DELTA, (int64_t)i), &time);
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
	static const char micro[] = "\xC2\xB5s", mu[] = "\xCE\xBCs",
			  cycles[] = "variable CPU cycles";

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
has_addresses(const struct ff_samples *t)
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
		struct ff_thread *t = &f->thread.at[i];
		bool samples = ff_samples_n(&t->samples) != 0;
		any |= samples;
		weight[t->samples.weight] |= samples;
		cpu |= ff_has_cpu(t);
		alloc |= ff_samples_n(&t->js) || ff_samples_n(&t->native);
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
		good = ff_samples_write(f, t) && ff_allocations_write(f, t) &&
		       ff_marks_write(f, t);
	}
	for (size_t i = 0; good && i < f->counter.n; i++)
		good = counter_write(f, &f->counter.at[i]);
	return good;
}
