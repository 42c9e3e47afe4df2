#include "model/profile/series.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/build/builder.h"
#include "model/build/builder_load.h"
#include "model/fold/tally.h"
#include "model/profile/profile.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* Columns: values of every width and order are read as they were written.  Bins: the sums of
 * each column of a screen, compared with a walk over all events.  Sums: an event that makes a
 * sum exceed 2^63 is refused as a whole. */

enum { EVENTS = 6000 };

static int64_t
any_value(struct chance *c, unsigned style)
{
	switch (style) {
	case 0:
		return 5;
	case 1:
		return chance_below(c, 200);
	case 2:
		return (int64_t)chance_below(c, 60000) - 30000;
	case 3:
		return (int64_t)chance_below(c, UINT32_MAX) + 1000000;
	case 4:
		return (int64_t)(chance_bits(c) >> chance_below(c, 64));
	case 5:
		return (int64_t)chance_bits(c);
	case 6:
		return chance_one_in(c, 2) ? INT64_MAX : INT64_MIN;
	default: /* small at first, then larger and larger */
		return (int64_t)(chance_bits(c) >> 1 >> chance_below(c, 63)) *
		       (chance_one_in(c, 2) ? -1 : 1);
	}
}

/* A time that is not before the last one: mostly near, so that times come in groups. */
static int64_t
later(struct chance *c, int64_t last, unsigned style)
{
	static const uint32_t far[] = {3, 200, 3000, 60000, 10000000};

	if (chance_one_in(c, 500))
		return last + chance_below(c, UINT32_MAX);
	return last + (style % 2 ? chance_below(c, far[style % 5]) : far[style % 5]);
}

/* Points keep every value as it is: nothing is added up. */
START_TEST(test_columns)
{
	struct chance c;
	int64_t *time = mem_alloc(EVENTS, sizeof *time);
	int64_t *value = mem_alloc(EVENTS, sizeof *value);

	chance_init(&c, 12 + (uint64_t)_i);
	for (unsigned times = 0; times < 18; times++) {
		struct series *s = series_new(SERIES_POINTS);
		struct event e;
		for (int i = 0; i < EVENTS; i++) {
			time[i] = times < 8 ? any_value(&c, times)
					    : later(&c, i ? time[i - 1] : -7, times);
			value[i] =
				any_value(&c, i < 300 ? (unsigned)_i / 2 : (unsigned)_i);
			series_add_point(s, time[i], value[i], i);
		}
		ck_assert_uint_eq(s->n, EVENTS);
		for (int i = 0; i < EVENTS; i++)
			if (!series_event(s, (uint64_t)i, &e) || e.time != time[i] ||
			    e.value != value[i])
				ck_abort_msg("event %d of styles %u, %d", i, times, _i);
		ck_assert(!series_event(s, EVENTS, &e));
		/* sorted, and those of one time as they came */
		struct series_scratch x = {0};
		series_sort(s, &x);
		ck_assert(s->sorted);
		int64_t before = INT64_MIN;
		for (int i = 0; i < EVENTS; i++) {
			ck_assert(series_event(s, (uint64_t)i, &e));
			if (e.time < before)
				ck_abort_msg("event %d is out of order", i);
			before = e.time;
		}
		if (times == 0)
			for (int i = 0; i < EVENTS; i++)
				if (!series_event(s, (uint64_t)i, &e) ||
				    e.value != value[i])
					ck_abort_msg("event %d has moved", i);
		series_scratch_release(&x);
		series_free(s);
	}
	free(time);
	free(value);
}
END_TEST

START_TEST(test_find)
{
	struct series *s = series_new(SERIES_POINTS);
	struct chance c;
	int64_t time = -1000, all[EVENTS];

	chance_init(&c, 13);
	for (int i = 0; i < EVENTS; i++) {
		time += chance_one_in(&c, 3) ? 0 : chance_below(&c, 5);
		all[i] = time;
		series_add_point(s, time, i, i);
	}
	for (int64_t t = -1003; t < time + 3; t++) {
		uint64_t expected = 0;
		while (expected < EVENTS && all[expected] < t)
			expected++;
		if (series_find(s, t) != expected)
			ck_abort_msg("%lld", (long long)t);
	}
	ck_assert_uint_eq(series_find(s, INT64_MIN), 0);
	ck_assert_uint_eq(series_find(s, INT64_MAX), EVENTS);
	series_free(s);
}
END_TEST

/* Returns the amount of a metric that event i has in [from, to). */
static int64_t
part_of(const struct series *s, unsigned m, const struct event *e, int64_t from,
	int64_t to)
{
	int64_t a = e->time < from ? from : e->time, b = e->end > to ? to : e->end;
	bool begins = e->time >= from && e->time < to;

	switch ((enum metric_role)s->role[m]) {
	case ROLE_VALUE:
		return begins ? e->value : 0;
	case ROLE_EVENTS:
		return begins;
	case ROLE_TIME:
	case ROLE_WALL:
		return b > a && (e->stack & STEP_STACK) ? b - a : 0;
	case ROLE_CALLS:
		return begins && (e->stack & STEP_CALL);
	case ROLE_LINES:
		return begins && (e->stack & STEP_LINE);
	}
	return 0;
}

static void
compare_bins(const struct series *s, struct chance *c)
{
	int64_t first = -50, bins[64];

	for (int round = 0; round < 25; round++) {
		unsigned n = 1 + chance_below(c, 64), m = chance_below(c, s->n_metrics);
		int64_t from = first + chance_below(c, 20000),
			to = from + chance_below(c, 9000);
		series_bins(s, m, from, to, n, bins);
		for (unsigned i = 0; i < n; i++) {
			/* moments are whole: part i begins at the first one in it */
			int64_t span = to - from;
			int64_t a = from + (span * i + n - 1) / n, sum = 0;
			int64_t b = from + (span * (i + 1) + n - 1) / n;
			struct event e;
			for (uint64_t k = 0; series_event(s, k, &e); k++)
				sum += part_of(s, m, &e, a, b);
			if (sum != bins[i])
				ck_abort_msg(
					"metric %u, [%lld, %lld), bin %u of %u: %lld, should "
					"be %lld",
					m, (long long)from, (long long)to, i, n,
					(long long)bins[i], (long long)sum);
		}
	}
}

START_TEST(test_bins)
{
	struct chance c;
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "bins", "test");
	struct err e;

	err_init(&e);
	chance_init(&c, 14);
	builder_metric(b, "time", UNIT_NS, ROLE_TIME);
	builder_metric(b, "calls", UNIT_CALLS, ROLE_CALLS);
	builder_metric(b, "lines", UNIT_ENTRIES, ROLE_LINES);
	metric_id m = builder_metric(b, "bytes", UNIT_BYTES, ROLE_VALUE);
	track_id t = builder_track(b, "main", 4, TRACK_THREAD);
	struct series *steps = builder_steps(b, t),
		      *samples = builder_samples(b, t, &m, 1);
	stack_id stack = builder_child(
		b, STACK_EMPTY,
		builder_frame(b, builder_function_named(b, "f", 1), line_unknown()));
	int64_t time = -30;
	for (int i = 0; i < EVENTS; i++) {
		int64_t value = (int64_t)chance_below(&c, 100) - 20;
		uint32_t flags = chance_one_in(&c, 2) ? 0 : STEP_CALL | STEP_LINE;
		time += chance_one_in(&c, 3) ? 0 : chance_below(&c, 8);
		bool idle = chance_one_in(&c, 4);
		ck_assert(builder_step(b, steps, time, idle ? STACK_EMPTY : stack,
				       idle ? 0 : flags, 0, &e));
		ck_assert(builder_sample(b, samples, time, stack, &value, 0, &e));
	}
	builder_track_end(b, t, time + 500);
	compare_bins(steps, &c);
	compare_bins(samples, &c);
	builder_finish(b, &e);
	compare_bins(steps, &c);
	builder_free(b);
	profile_free(p);
}
END_TEST

/* A sum that exceeds 2^63, of one stack or of all, with either sign, is damage at its record;
 * everything before it is kept. */
START_TEST(test_overflow)
{
	static const int64_t half = INT64_MAX / 2 + 1;
	static const int64_t cases[][2] = {
		{half, half},   {INT64_MAX, 1}, {-half, -half},
		{1, INT64_MIN}, {half, -half},
	};
	for (unsigned kind = 0; kind < 2; kind++) {
		struct profile *p = profile_new();
		struct builder *b = builder_new(p, "large", "test");
		metric_id m = builder_metric(b, "bytes", UNIT_BYTES, ROLE_VALUE);
		track_id t = builder_track(b, "main", 4, TRACK_THREAD);
		struct series *s =
			kind ? builder_samples(b, t, &m, 1) : builder_totals(b, t, &m, 1);
		stack_id stack =
			builder_child(b, STACK_EMPTY,
				      builder_frame(b, builder_function_named(b, "f", 1),
						    line_unknown()));
		struct err e;
		err_init(&e);
		ck_assert(kind ? builder_sample(b, s, 0, stack, &cases[_i][0], 1, &e)
			       : builder_total(b, s, stack, &cases[_i][0], 1, &e));
		ck_assert(!(kind ? builder_sample(b, s, 1, stack, &cases[_i][1], 2, &e)
				 : builder_total(b, s, stack, &cases[_i][1], 2, &e)));
		ck_assert_int_eq(e.class, ERR_DAMAGED);
		ck_assert_uint_eq(e.offset, 2);
		ck_assert_uint_eq(s->n, 1);
		builder_finish(b, &e);
		err_init(&e);
		ck_assert_msg(profile_check(p, &e), "%s", e.text);
		builder_free(b);
		profile_free(p);
	}
}
END_TEST

/* The call that appends an event refuses it, also if events before it are buffered; these stay. */
START_TEST(test_refused_behind_others)
{
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "refused", "test");
	metric_id m = builder_metric(b, "bytes", UNIT_BYTES, ROLE_VALUE);
	track_id t = builder_track(b, "t", 1, TRACK_THREAD);
	struct series *s = builder_samples(b, t, &m, 1);
	static const int64_t refused[] = {INT64_MIN, INT64_MAX - 20};
	struct err e;
	int64_t v = 1;

	err_init(&e);
	for (int64_t i = 0; i < 40; i++)
		ck_assert(builder_sample(b, s, i, STACK_EMPTY, &v, 0, &e));
	for (unsigned i = 0; i < 2; i++) {
		int64_t value = refused[i];
		ck_assert(!builder_sample(b, s, 40, STACK_EMPTY, &value, 7 + i, &e));
		ck_assert(e.class == ERR_DAMAGED && e.offset == 7 + i);
		err_init(&e);
	}
	ck_assert(!builder_sample(b, s, 40, STACK_NONE, &v, 9, &e));
	ck_assert(e.class == ERR_DAMAGED && e.offset == 9);
	err_init(&e);
	ck_assert(!builder_sample(b, s, INT64_MIN, STACK_EMPTY, &v, 10, &e));
	ck_assert(e.class == ERR_DAMAGED && e.offset == 10);
	v = INT64_C(1) << 62; /* fits, and the next does not */
	ck_assert(builder_sample(b, s, 40, STACK_EMPTY, &v, 0, &e));
	v--;
	ck_assert(!builder_sample(b, s, 41, STACK_EMPTY, &v, 11, &e));
	v = INT64_C(1) << 48;
	for (int64_t i = 41; i < 300; i++)
		ck_assert(builder_sample(b, s, i, STACK_EMPTY, &v, 0, &e));
	builder_settle(b);
	ck_assert_uint_eq(s->n, 300);
	ck_assert_uint_eq(p->track[t].events, 300);
	ck_assert_int_eq(s->sum[0], 40 + (INT64_C(1) << 62) + 259 * v);
	ck_assert(p->track[t].start == 0 && p->track[t].end == 299);
	builder_free(b);
	profile_free(p);
}
END_TEST

/* Times that are farther apart than 2^63, and times that fall. */
START_TEST(test_times)
{
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "times", "test");
	struct err e;

	err_init(&e);
	builder_metric(b, "time", UNIT_NS, ROLE_TIME);
	track_id t = builder_track(b, "main", 4, TRACK_THREAD);
	struct series *s = builder_steps(b, t), *points = builder_points(b, t, false);
	ck_assert(builder_step(b, s, -5, STACK_EMPTY, 0, 1, &e));
	ck_assert(builder_step(b, s, -5, STACK_EMPTY, 0, 2, &e));
	ck_assert(!builder_step(b, s, -6, STACK_EMPTY, 0, 3, &e));
	ck_assert(e.class == ERR_DAMAGED && e.offset == 3);
	err_init(&e);
	ck_assert(!builder_step(b, s, INT64_MAX - 2, STACK_EMPTY, 0, 4, &e));
	ck_assert(e.class == ERR_DAMAGED && e.offset == 4);
	err_init(&e);
	ck_assert(!builder_point(b, points, INT64_MAX, 0, 5, &e));
	ck_assert(e.class == ERR_DAMAGED && e.offset == 5);
	err_init(&e);
	ck_assert(builder_point(b, points, -100, 0, 6, &e));
	ck_assert(builder_point(b, points, -200, 0, 7, &e));
	ck_assert_int_eq(p->group[0].start, -200);
	builder_finish(b, &e);
	ck_assert_msg(profile_check(p, &e), "%s", e.text);
	builder_free(b);
	profile_free(p);
}
END_TEST

/* A refused event changes nothing: steps of two tracks whose times together exceed 2^63, and the
 * end of the second, which would make its open step as long. */
START_TEST(test_refused_steps)
{
	static const int64_t most = 5000000000000000000;
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "times", "test");
	struct tally tally;
	struct err e;
	struct slice whole = {.whole = true};

	err_init(&e);
	whole.metric = builder_metric(b, "time", UNIT_NS, ROLE_TIME);
	stack_id f = builder_child(
		b, STACK_EMPTY,
		builder_frame(b, builder_function_named(b, "f", 1), line_unknown()));
	for (int i = 0; i < 2; i++) {
		track_id t = builder_track(b, "core", 4, TRACK_CORE);
		struct series *s = builder_steps(b, t);
		ck_assert(builder_step(b, s, 0, f, 0, 1, &e));
		ck_assert(builder_step(b, s, most, f, 0, 2, &e) == (i == 0));
		builder_track_end(b, t, most);
		ck_assert_int_eq(s->end_time, i ? 0 : most);
		ck_assert_uint_eq(s->n, i ? 1 : 2);
	}
	ck_assert(e.class == ERR_DAMAGED && e.offset == 2);
	builder_finish(b, &e);
	tally_init(&tally);
	tally_count(&tally, p, &whole);
	ck_assert_int_eq(tally.cell[f].value, most);
	tally_release(&tally);
	builder_free(b);
	profile_free(p);
}
END_TEST

/* Sums of stacks in any order are those of the stacks, and pages before the first that has any take
 * no memory: each of many tracks may have a few of very many stacks. */
START_TEST(test_totals_far_apart)
{
	enum { STACKS = 300 * TOTALS_PAGE, STEP = 7 * TOTALS_PAGE + 3 };
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "totals", "test");
	struct slice whole = {.whole = true};
	struct tally tally;
	stack_id stack = 0;
	struct err e;

	err_init(&e);
	metric_id m = whole.metric = builder_metric(b, "time", UNIT_NS, ROLE_VALUE);
	function_id f = builder_function_named(b, "f", 1);
	for (int i = 1; i < STACKS; i++)
		builder_child(b, STACK_EMPTY, builder_frame(b, f, line_numbered(i)));
	struct series *s = builder_totals(b, builder_track(b, "t", 1, TRACK_THREAD), &m, 1);
	for (stack_id i = 0; i < STACKS; i++) { /* from the middle back, or in large steps */
		stack = _i ? (stack + STEP) % STACKS : (STACKS * 3u / 2 - i) % STACKS;
		if (stack != STACK_EMPTY && stack % 3 == 0)
			ck_assert(builder_total(b, s, stack, &(int64_t){stack}, 1, &e));
	}
	struct series *few = builder_totals(b, builder_track(b, "u", 1, TRACK_THREAD), &m, 1);
	ck_assert(builder_total(b, few, STACKS - 1, &(int64_t){7}, 1, &e));
	ck_assert(builder_total(b, few, STACKS - 3 * TOTALS_PAGE, &(int64_t){8}, 1, &e));
	builder_finish(b, &e);
	ck_assert_uint_le(few->n_pages, 32);
	tally_init(&tally);
	tally_count(&tally, p, &whole);
	for (stack = 1; stack < STACKS; stack++)
		ck_assert_int_eq(tally.cell[stack].value,
				 (stack % 3 ? 0 : (int64_t)stack) +
					 (stack == STACKS - 1 ? 7 : 0) +
					 (stack == STACKS - 3 * TOTALS_PAGE ? 8 : 0));
	tally_release(&tally);
	builder_free(b);
	profile_free(p);
}
END_TEST

/* If the second of two values is too large, the sum of the first does not keep its value. */
START_TEST(test_refused_values)
{
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "values", "test");
	struct err e;
	metric_id m[2] = {builder_metric(b, "bytes", UNIT_BYTES, ROLE_VALUE),
			  builder_metric(b, "ops", UNIT_OPS, ROLE_VALUE)};
	track_id t = builder_track(b, "main", 4, TRACK_THREAD);
	struct series *s = builder_samples(b, t, m, 2);

	err_init(&e);
	ck_assert(builder_sample(b, s, 5, STACK_EMPTY, (int64_t[]){7, 8}, 1, &e));
	ck_assert(!builder_sample(b, s, 9, STACK_EMPTY, (int64_t[]){INT64_MAX - 7, INT64_MAX},
				  2, &e));
	ck_assert_int_eq(p->weight[m[0]], 7);
	ck_assert_int_eq(p->track[t].end, 5);
	ck_assert_int_eq(s->sum[0], 7);
	builder_free(b);
	profile_free(p);
}
END_TEST

/* Fractions that come when the sums are too large for them: no sum is multiplied, not even
 * of the series before the large one. */
START_TEST(test_refused_decimals)
{
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "values", "test");
	struct err e;
	metric_id m = builder_metric(b, "samples", UNIT_SAMPLES, ROLE_VALUE);
	const int64_t values[] = {5, INT64_MAX / 1000000};
	struct series *s[2];

	err_init(&e);
	stack_id f = builder_child(
		b, STACK_EMPTY,
		builder_frame(b, builder_function_named(b, "f", 1), line_unknown()));
	for (int i = 0; i < 2; i++) {
		s[i] = builder_totals(b, builder_track(b, "t", 1, TRACK_THREAD), &m, 1);
		ck_assert(builder_total(b, s[i], f, &values[i], 1, &e));
	}
	ck_assert(!builder_metric_decimals(b, m, 2, &e));
	ck_assert(e.class == ERR_DAMAGED && e.offset == 2);
	ck_assert_int_eq(s[0]->sum[0], 5);
	ck_assert_int_eq(s[1]->sum[0], INT64_MAX / 1000000);
	ck_assert_int_eq(p->metric[m].decimals, 0);
	builder_free(b);
	profile_free(p);
}
END_TEST

UNIT(series)
{
	Suite *suite = suite_create("series");
	TCase *cases = tcase_create("series");

	tcase_set_timeout(cases, 60);
	tcase_add_loop_test(cases, test_columns, 0, 8);
	tcase_add_test(cases, test_find);
	tcase_add_test(cases, test_bins);
	tcase_add_loop_test(cases, test_overflow, 0, 5);
	tcase_add_test(cases, test_refused_behind_others);
	tcase_add_test(cases, test_times);
	tcase_add_test(cases, test_refused_steps);
	tcase_add_loop_test(cases, test_totals_far_apart, 0, 2);
	tcase_add_test(cases, test_refused_values);
	tcase_add_test(cases, test_refused_decimals);
	suite_add_tcase(suite, cases);
	return suite;
}
