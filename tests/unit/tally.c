#include "model/fold/tally.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/build/builder.h"
#include "model/build/builder_load.h"
#include "model/fold/fold.h"
#include "model/picture/curve.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* Series that are long enough to have checkpoints.  All events are written down beside the
 * profile, in plain arrays; a range of time is then added up by walking all of them.  The
 * model must say the same, and must not have walked many. */

#define STACKS 700
#define EVENTS 600000

struct truth {
	struct profile *p;
	struct builder *b;
	struct series *s;
	stack_id stack[STACKS];
	metric_id metric[4]; /* steps: time, calls, lines; samples: bytes, ops */
	bool steps;
	uint32_t n;
	int64_t *time;
	uint32_t *of; /* index in stack[], STACKS: nothing runs */
	uint32_t *flags;
	int64_t *value[2];
	int64_t end;
	int64_t hold; /* the interval of samples; 0: not stated */
};

static void
truth_init(struct truth *t, bool steps, bool lines)
{
	memset(t, 0, sizeof *t);
	t->steps = steps;
	t->p = profile_new();
	t->b = builder_new(t->p, "long", "test");
	t->time = mem_alloc(EVENTS, sizeof *t->time);
	t->of = mem_alloc(EVENTS, sizeof *t->of);
	t->flags = mem_zalloc(EVENTS, sizeof *t->flags);
	for (int v = 0; v < 2; v++)
		t->value[v] = mem_alloc(EVENTS, sizeof *t->value[v]);
	builder_metric(t->b, "samples", UNIT_SAMPLES, ROLE_EVENTS);
	if (steps) {
		t->metric[0] = builder_metric(t->b, "time", UNIT_NS, ROLE_TIME);
		t->metric[1] = builder_metric(t->b, "calls", UNIT_CALLS, ROLE_CALLS);
		if (lines)
			t->metric[2] =
				builder_metric(t->b, "line", UNIT_ENTRIES, ROLE_LINES);
	} else {
		t->metric[0] = builder_metric(t->b, "bytes", UNIT_BYTES, ROLE_VALUE);
		t->metric[1] = builder_metric(t->b, "ops", UNIT_OPS, ROLE_VALUE);
		builder_calls_metric(t->b, t->metric[1]);
	}
	track_id track = builder_track(t->b, "main", 4, TRACK_THREAD);
	t->s = steps ? builder_steps(t->b, track)
		     : builder_samples(t->b, track, t->metric, 2);
	for (uint32_t i = 0; i < STACKS; i++) {
		char name[8] = {'f', (char)('a' + i % 26), (char)('a' + i / 26), 0};
		frame_id f = builder_frame(t->b, builder_function_named(t->b, name, 3),
					   line_unknown());
		t->stack[i] = builder_child(t->b, i ? t->stack[i / 2] : STACK_EMPTY, f);
	}
}

static void
truth_release(struct truth *t)
{
	builder_free(t->b);
	profile_free(t->p);
	free(t->time);
	free(t->of);
	free(t->flags);
	free(t->value[0]);
	free(t->value[1]);
}

/* One event; the stacks that may appear become more as the series grows. */
static void
truth_add(struct truth *t, struct chance *c, int64_t time)
{
	uint32_t i = t->n++, most = 2 + i / 400 < STACKS ? 2 + i / 400 : STACKS;
	struct err e;

	err_init(&e);
	t->time[i] = time;
	t->of[i] = t->steps && chance_one_in(c, 9) ? STACKS : chance_below(c, most);
	if (t->steps) {
		if (t->of[i] < STACKS && chance_one_in(c, 3))
			t->flags[i] = STEP_CALL;
		if (t->of[i] < STACKS && chance_one_in(c, 3))
			t->flags[i] |= STEP_LINE;
		if (!builder_step(t->b, t->s, time,
				  t->of[i] < STACKS ? t->stack[t->of[i]] : STACK_EMPTY,
				  t->flags[i], 0, &e))
			ck_abort_msg("%s", e.text);
		return;
	}
	t->value[0][i] = (int64_t)(chance_bits(c) >> (20 + chance_below(c, 44)));
	t->value[1][i] = (int64_t)chance_below(c, 20) - 5;
	int64_t values[] = {t->value[0][i], t->value[1][i]};
	if (!builder_sample(t->b, t->s, time, t->stack[t->of[i]], values, 0, &e))
		ck_abort_msg("%s", e.text);
}

static void
truth_finish(struct truth *t)
{
	struct err e;

	err_init(&e);
	if (t->steps) {
		t->end = t->time[t->n - 1] + 1234;
		builder_track_end(t->b, 0, t->end);
	}
	builder_finish(t->b, &e);
	ck_assert_msg(profile_check(t->p, &e), "%s", e.text);
	if (t->n > BLOCK_EVENTS)
		ck_assert_uint_gt(t->s->n_checkpoints, 3);
}

/* Computes the sum for [from, to), times on the file's own clock, naively. */
static void
truth_sum(const struct truth *t, metric_id m, int64_t from, int64_t to, int64_t *value,
	  int64_t *calls, int64_t *lines, uint8_t *present)
{
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t s = t->of[i];
		int64_t a = t->time[i], b = i + 1 < t->n ? t->time[i + 1] : t->end;
		bool begins = a >= from && a < to;
		if (s == STACKS)
			continue;
		a = a < from ? from : a;
		b = b > to ? to : b;
		present[s] |= begins || (t->steps && b > a);
		if (t->steps && m == t->metric[0])
			value[s] += b > a ? b - a : 0;
		if (!begins)
			continue;
		calls[s] += t->steps ? (t->flags[i] & STEP_CALL) != 0 : t->value[1][i];
		lines[s] += (t->flags[i] & STEP_LINE) != 0;
		if (m == t->p->events_metric)
			value[s]++;
		else if (t->steps && m == t->metric[1])
			value[s] += (t->flags[i] & STEP_CALL) != 0;
		else if (!t->steps)
			value[s] += t->value[m == t->metric[1]][i];
	}
}

static void
compare(const struct truth *t, struct tally *tally, const struct slice *slice)
{
	int64_t value[STACKS] = {0}, calls[STACKS] = {0}, lines[STACKS] = {0};
	uint8_t present[STACKS] = {0};
	int64_t from = INT64_MIN, to = INT64_MAX, sum = 0;

	if (!slice->whole) {
		from = t->time[0] + slice->from;
		to = slice->to == INT64_MAX ? slice->to : t->time[0] + slice->to;
	}
	truth_sum(t, slice->metric, from, to, value, calls, lines, present);
	tally_count(tally, t->p, slice);
	for (uint32_t i = 0; i < STACKS; i++)
		sum += value[i];
	/* it also counts samples on which nothing runs */
	if (slice->metric != t->p->events_metric)
		ck_assert_int_eq(tally_track(t->p, 0, slice), sum);
	for (uint32_t i = 0; i < STACKS; i++) {
		stack_id s = t->stack[i];
		if (tally->cell[s].value != value[i] || tally->calls[s] != calls[i] ||
		    (tally->cell[s].hits != 0) != present[i] ||
		    (tally->lines && tally->lines[s] != lines[i]))
			ck_abort_msg("stack %u in [%lld, %lld): %lld, should be %lld", i,
				     (long long)slice->from, (long long)slice->to,
				     (long long)tally->cell[s].value, (long long)value[i]);
	}
}

/* Random ranges.  Reading event by event is limited to the events between two checkpoints at
 * either end; 700 stacks give one for every chunk or two. */
static void
compare_ranges(const struct truth *t, struct chance *c, int ranges)
{
	struct tally tally;
	int64_t length = t->time[t->n - 1] - t->time[0];

	tally_init(&tally);
	for (int i = 0; i < ranges; i++) {
		struct slice slice = {.metric = t->metric[0], .whole = i == 0};
		int64_t a = (int64_t)(chance_bits(c) % (uint64_t)(length + 2000));
		int64_t b = (int64_t)(chance_bits(c) % (uint64_t)(length + 2000));
		slice.from = a < b ? a : b;
		slice.to = chance_one_in(c, 10) ? INT64_MAX : a < b ? b : a;
		if (chance_one_in(c, 4)) /* at the very event */
			slice.from = t->time[chance_below(c, t->n)] - t->time[0];
		if (chance_one_in(c, 3))
			slice.metric = t->metric[1];
		if (chance_one_in(c, 6))
			slice.metric = t->p->events_metric;
		compare(t, &tally, &slice);
		ck_assert_uint_le(tally.events, 4 * 65536);
	}
	tally_release(&tally);
}

/* How long samples last: as stated, or the median distance of all. */
static int64_t
truth_hold(const struct truth *t)
{
	int64_t gap[300];
	size_t n = 0;

	if (t->hold)
		return t->hold;
	ck_assert_uint_le(t->n, 300);
	for (uint32_t i = 0; i + 1 < t->n; i++)
		if (t->time[i + 1] > t->time[i])
			gap[n++] = t->time[i + 1] - t->time[i];
	for (size_t i = 0; i < n; i++) {
		size_t less = 0, same = 0;
		for (size_t k = 0; k < n; k++) {
			less += gap[k] < gap[i];
			same += gap[k] == gap[i];
		}
		if (less <= n / 2 && n / 2 < less + same)
			return gap[i];
	}
	return 1;
}

/* Each sample counts in all columns that it lasts over, by its share.  Columns of many samples
 * begin at whole units. */
static void
compare_samples(const struct truth *t, metric_id m, const uint8_t *in, const struct curve *curve,
		int64_t end, bool rare)
{
	double width = (double)end / curve->cols;
	int64_t hold = truth_hold(t);

	for (unsigned k = 0; k < curve->cols; k++) {
		double want = 0, whole = 0, most = 1;
		double begin = rare ? k * width : ceil(k * width);
		double behind = rare ? (k + 1) * width : ceil((k + 1) * width);
		for (uint32_t i = 0; i < t->n; i++) {
			double a = (double)(t->time[i] - t->time[0]), b = a + (double)hold;
			if (i + 1 < t->n && t->time[i + 1] < t->time[i] + hold)
				b = (double)(t->time[i + 1] - t->time[0]);
			if (b <= a) /* another at the same moment */
				b = a + 1;
			double from = a > begin ? a : begin, to = b < behind ? b : behind;
			double value = m == t->p->events_metric ? 1
				       : (double)t->value[m == t->metric[1]][i];
			double part = to > from ? value * (to - from) / (b - a) : 0;
			whole += part;
			want += in[t->stack[t->of[i]]] ? part : 0;
			most += part < 0 ? -part : part;
		}
		ck_assert_double_eq_tol(curve->value[k], want, most * 1e-6);
		ck_assert_double_eq_tol(curve->whole[k], whole, most * 1e-6);
	}
}

/* Curves of some stacks, column by column, against all events: with few columns they come
 * from checkpoints, with many event by event. */
static void
compare_curve(const struct truth *t, struct chance *c, metric_id m, unsigned cols)
{
	struct curve curve;
	uint8_t *in = mem_zalloc(t->p->stacks.n, 1), track = 1;
	int64_t start = t->time[0], last = t->steps ? t->end : t->time[t->n - 1];
	struct layout layout;
	struct curve_of of = {&layout, m, in, t->p->stacks.n, &track, 1, last - start + 1, cols,
			      false};
	bool rare = !t->steps && t->n < cols * 4;

	for (uint32_t i = 0; i < STACKS; i++)
		in[t->stack[i]] = chance_one_in(c, 3);
	layout_init(&layout);
	curve_init(&curve);
	curve_begin(&curve, t->p, &of);
	while (!curve_go_on(&curve, 1 + chance_below(c, 300000)))
		;
	if (!t->steps)
		compare_samples(t, m, in, &curve, of.end, rare);
	for (unsigned k = 0; t->steps && k < cols; k++) {
		int64_t value[STACKS] = {0}, calls[STACKS] = {0}, lines[STACKS] = {0};
		double want = 0, whole = 0;
		uint8_t present[STACKS] = {0};
		/* column k holds the times t with floor(t * cols / end) == k */
		int64_t from = (of.end * k + cols - 1) / cols,
			to = (of.end * (k + 1) + cols - 1) / cols;
		truth_sum(t, m, start + from, start + to, value, calls, lines, present);
		for (uint32_t i = 0; i < STACKS; i++) {
			whole += (double)value[i];
			want += in[t->stack[i]] ? (double)value[i] : 0;
		}
		if (m == t->p->events_metric) /* steps on which nothing runs, too */
			whole = curve.whole[k];
		ck_assert_msg(fabs(curve.value[k] - want) <= fabs(whole) * 1e-12 &&
				      fabs(curve.whole[k] - whole) <= fabs(whole) * 1e-12,
			      "column %u of %u: %f of %f, should be %f of %f", k, cols,
			      curve.value[k], curve.whole[k], want, whole);
	}
	/* never more than all of them, and with few columns much less */
	ck_assert_uint_le(curve.events, cols < 4 ? EVENTS / 2 : EVENTS);
	curve_release(&curve);
	layout_release(&layout);
	free(in);
}

static void
compare_curves(const struct truth *t, struct chance *c)
{
	compare_curve(t, c, t->metric[0], 1);
	compare_curve(t, c, t->metric[0], 3);
	compare_curve(t, c, t->metric[0], 97);
	compare_curve(t, c, t->metric[1], 14);
	compare_curve(t, c, t->p->events_metric, 2);
}

START_TEST(test_steps)
{
	struct chance c;
	struct truth t;
	int64_t time = -123456789;

	chance_init(&c, 1);
	truth_init(&t, true, _i);
	for (uint32_t i = 0; i < EVENTS; i++) {
		truth_add(&t, &c, time);
		if (!chance_one_in(&c, 5))
			time += chance_below(&c, 1000);
		if (chance_one_in(&c, 50000))
			time += INT64_C(5000000000000);
	}
	truth_finish(&t);
	compare_ranges(&t, &c, 120);
	compare_curves(&t, &c);
	truth_release(&t);
}
END_TEST

/* Fewer samples than columns, some at one moment, some far apart. */
START_TEST(test_few_samples)
{
	struct chance c;
	struct truth t;
	int64_t time = -5000;

	chance_init(&c, 7 + (unsigned)_i);
	truth_init(&t, false, false);
	for (uint32_t i = 0; i < 1 + 20 * (uint32_t)_i; i++) {
		truth_add(&t, &c, time);
		time += chance_one_in(&c, 9) ? 1 + chance_below(&c, 100000) : chance_below(&c, 40);
	}
	truth_finish(&t);
	compare_curves(&t, &c);
	compare_curve(&t, &c, t.metric[1], 300);
	truth_release(&t);
}
END_TEST

START_TEST(test_samples)
{
	struct chance c;
	struct truth t;
	int64_t time = 77;

	chance_init(&c, 2);
	truth_init(&t, false, false);
	t.hold = 1500; /* some end before the next, some with it */
	builder_sample_interval(t.s, t.hold);
	for (uint32_t i = 0; i < EVENTS; i++) {
		truth_add(&t, &c, time);
		time += chance_below(&c, 3) * 1000;
	}
	truth_finish(&t);
	compare_ranges(&t, &c, 120);
	compare_curves(&t, &c);
	truth_release(&t);
}
END_TEST

/* Out of order: each event is visible while the file loads, and sorted afterwards. */
START_TEST(test_disorder)
{
	struct chance c;
	struct truth t;
	struct tally tally;

	chance_init(&c, 3);
	truth_init(&t, false, false);
	tally_init(&tally);
	truth_add(&t, &c, 0);
	for (uint32_t i = 1; i < EVENTS; i++)
		truth_add(&t, &c, chance_below(&c, 50000000));
	ck_assert(!t.s->sorted);
	builder_settle(t.b);
	for (int finished = 0; finished < 2; finished++) {
		for (int i = 0; i < 20; i++) {
			struct slice slice = {.metric = t.metric[i & 1],
					      .whole = i == 19};
			slice.from = chance_below(&c, 50000000);
			slice.to = slice.from + chance_below(&c, 50000000);
			compare(&t, &tally, &slice);
		}
		if (!finished)
			truth_finish(&t);
	}
	ck_assert(t.s->sorted);
	tally_release(&tally);
	truth_release(&t);
}
END_TEST

/* A fold over a range of a long series costs its stacks and two ends. */
START_TEST(test_fold_cost)
{
	struct chance c;
	struct truth t;
	struct fold *f = fold_new();
	struct lens l;
	struct err e;

	chance_init(&c, 4);
	err_init(&e);
	truth_init(&t, false, false);
	for (uint32_t i = 0; i < EVENTS; i++)
		truth_add(&t, &c, i * INT64_C(1000));
	truth_finish(&t);
	lens_init(&l);
	ck_assert(moment_parse("10%", &l.from, &e));
	ck_assert(moment_parse("90%", &l.to, &e));
	ck_assert(fold_update(f, t.p, &l, NULL, &e));
	ck_assert_uint_le(f->events, 4 * 65536);
	lens_release(&l);
	fold_free(f);
	truth_release(&t);
}
END_TEST

UNIT(tally)
{
	Suite *suite = suite_create("tally");
	TCase *cases = tcase_create("long series");

	tcase_set_timeout(cases, 120);
	tcase_add_loop_test(cases, test_steps, 0, 2);
	tcase_add_test(cases, test_samples);
	tcase_add_loop_test(cases, test_few_samples, 0, 5);
	tcase_add_test(cases, test_disorder);
	tcase_add_test(cases, test_fold_cost);
	suite_add_tcase(suite, cases);
	return suite;
}
