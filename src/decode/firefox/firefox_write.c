/* Converts the tables: a track for the samples of each thread, one for its allocations
 * (firefox_samples.c), one for its markers (firefox_marks.c), one for each counter. */
#include "src/decode/firefox/firefox_inside.h"

#include <string.h>

#include "model/base/wide.h"
#include "src/decode/common/words.h"


/* ---- counters ---- */

/* Returns a count in millionths. */
static wide
amount_of(const struct firefox *f, int64_t v)
{
	if (ff_is_large(f, v))
		return wide_mul(wide_of(f->large.at[v - FF_LARGE]), wide_of(FF_MILLION));
	return wide_of(v);
}

static bool
counter_write(struct firefox *f, const struct ff_counter *c)
{
	struct name category = builder_name_get(f->b, c->category);
	bool own = c->own.track != NAME_EMPTY &&
		   (c->own.kind == TRACK_COUNTER || c->own.kind == TRACK_STATE);
	uint32_t track = cast_add(&f->cast, own ? ff_own_track(f, &c->own)
						: ff_track(f, c->pid, c->name, TRACK_COUNTER));
	struct series *points = cast_points(&f->cast, track, true, false);
	struct ff_clock clock = {.shift = ff_shift(f, c->profile)};
	wide sum = wide_of(0);
	int64_t time;
	bool good = true;

	if (name_is(category, "Memory"))
		builder_track_unit(f->b, cast_made(&f->cast, track), "bytes", 5);
	for (size_t i = 0; good && i < c->table.column[COUNT_COUNT].n; i++) {
		int64_t count = c->table.column[COUNT_COUNT].at[i];
		bool timed = ff_clock_next(&clock, ff_at(&c->table, COUNT_TIME, (int64_t)i),
					   ff_at(&c->table, COUNT_DELTA, (int64_t)i), &time);
		if (count != FF_NULL)
			sum = wide_add(sum, amount_of(f, count));
		if (!timed)
			continue;
		double value = (double)wide_real(sum) / FF_MILLION;
		good = builder_point_double(f->b, points, time, value, 0, f->e);
	}
	return good;
}

/* ---- all ---- */

/* Returns the metric of `threadCPUDelta`, which depends on the unit that the file states. */
static metric_id
cpu_metric(struct firefox *f)
{
	struct name unit = builder_name_get(f->b, f->profile.at[0].cpu_unit);
	static const char micro[] = "\xC2\xB5s", mu[] = "\xCE\xBCs",
			  cycles[] = "variable CPU cycles";

	f->is.cpu_per_ns = FF_MILLION;
	if (unit.len == sizeof cycles - 1 && !memcmp(unit.at, cycles, unit.len))
		return builder_metric(f->b, "cycles", UNIT_COUNT, ROLE_VALUE);
	if ((unit.len == 3 && (!memcmp(unit.at, micro, 3) || !memcmp(unit.at, mu, 3))) ||
	    name_is(unit, "us"))
		f->is.cpu_per_ns = 1000;
	else if (!unit.len)
		builder_info(f->b, "assumed", "threadCPUDelta is in ns");
	return builder_metric(f->b, "cpu", UNIT_NS, ROLE_VALUE);
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
		live |= t->native.column[SAMPLE_ADDRESS].n != 0;
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
	if (async)
		is->async = builder_time(f->b, "async");
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

	ff_cast(f);
	metrics_declare(f);
	ff_stacks_bind(f);
	for (size_t i = 0; good && i < f->thread.n; i++) {
		struct ff_thread *t = &f->thread.at[i];
		good = ff_samples_write(f, t) && ff_allocations_write(f, t) &&
		       ff_marks_write(f, t);
	}
	for (size_t i = 0; good && i < f->counter.n; i++)
		good = counter_write(f, &f->counter.at[i]);
	cast_rename(&f->cast);
	flows_write(&f->marks.flows, &f->cast);
	return good;
}
