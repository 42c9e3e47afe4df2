#include "model/picture/layout.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/wide.h"
#include "model/build/builder.h"
#include "model/fold/fold.h"
#include "model/picture/cells.h"
#include "tests/lib/unit.h"

/* How long a sample lasts where it is drawn, and which columns have how much of it. */

struct drawn {
	struct profile *p;
	struct builder *b;
	stack_id stack; /* of every sample */
	struct lens lens;
	struct fold *fold;
	struct layout l;
};

static struct drawn *
drawn_new(void)
{
	struct drawn *m = mem_zalloc(1, sizeof *m);

	m->p = profile_new();
	m->b = builder_new(m->p, "test", "test");
	m->stack = builder_child(
		m->b, STACK_EMPTY,
		builder_frame(m->b, builder_function_named(m->b, "a", 1), line_unknown()));
	lens_init(&m->lens);
	m->fold = fold_new();
	layout_init(&m->l);
	return m;
}

static void
drawn_look(struct drawn *m)
{
	struct err e;

	err_init(&e);
	builder_finish(m->b, &e);
	ck_assert(fold_update(m->fold, m->p, &m->lens, NULL, &e));
	layout_look(&m->l, m->p, m->fold->tree);
}

static void
drawn_free(struct drawn *m)
{
	layout_release(&m->l);
	fold_free(m->fold);
	lens_release(&m->lens);
	builder_free(m->b);
	profile_free(m->p);
	free(m);
}

static struct series *
samples_on(struct drawn *m, const char *track, const metric_id *metrics, unsigned n)
{
	track_id t = builder_track(m->b, track, strlen(track), TRACK_THREAD);
	return builder_samples(m->b, t, metrics, n);
}

static void
sample(struct drawn *m, struct series *s, int64_t time, const int64_t *value)
{
	struct err e;

	err_init(&e);
	ck_assert(builder_sample(m->b, s, time, m->stack, value, 0, &e));
}

/* Columns narrower than a sample is long: each has the share of the sample that lies in it, so
 * that no column looks idle beside a slice that lasts; wide ones have whole samples. */
START_TEST(test_bins)
{
	struct drawn *m = drawn_new();
	metric_id one = builder_metric(m->b, "samples", UNIT_SAMPLES, ROLE_EVENTS);
	struct series *s = samples_on(m, "io", &one, 1);
	struct layout_lane lane = {.series = s};
	static const int64_t at[] = {0, 10, 20, 1000, 1013, 1900};
	double bin[500];

	builder_sample_interval(s, 10);
	for (int i = 0; i < 6; i++)
		sample(m, s, at[i], NULL);
	drawn_look(m);
	layout_lane_look(&m->l, m->p, &lane, one);
	layout_bins(&lane, 0, 0, 2000, 500, bin);
	for (int k = 0; k < 500; k++) {
		double share = 0;
		for (int i = 0; i < 6; i++)
			for (int64_t t = at[i]; t < at[i] + 10; t++)
				share += t / 4 == k ? 0.1 : 0;
		ck_assert(bin[k] > share - 1e-9 && bin[k] < share + 1e-9);
	}
	layout_bins(&lane, 0, 0, 2000, 1, bin);
	ck_assert(bin[0] == 6);
	layout_lane_release(&lane);
	drawn_free(m);
}
END_TEST

/* Busy and sleepy tracks of one event: a sample lasts as long as the busy ones say. */
START_TEST(test_samples)
{
	struct drawn *m = drawn_new();
	metric_id one = builder_metric(m->b, "samples", UNIT_SAMPLES, ROLE_EVENTS);
	struct series *busy = samples_on(m, "cpu", &one, 1);
	struct series *s = samples_on(m, "io", &one, 1);
	struct layout_lane lane = {.series = s};
	struct layout_slice got;

	for (int i = 0; i < 200; i++)
		sample(m, busy, i * 10, NULL);
	for (int i = 0; i < 6; i++) /* 0, 10, 20, 1000, 1010, 1900 */
		sample(m, s, (int[]){0, 10, 20, 1000, 1010, 1900}[i], NULL);
	drawn_look(m);
	layout_lane_look(&m->l, m->p, &lane, one);
	ck_assert_int_eq(lane.hold, 10);
	ck_assert_uint_eq(lane.weight, 0);
	ck_assert(layout_slice(&m->l, &lane, 5, 1, &got));
	ck_assert(got.shown);
	ck_assert_int_eq(got.start, 0);
	ck_assert_int_eq(got.end, 30);
	ck_assert(layout_slice(&m->l, &lane, 500, 1, &got));
	ck_assert(!got.shown);
	ck_assert_int_eq(got.start, 30);
	ck_assert_int_eq(got.end, 1000);
	ck_assert(layout_slice(&m->l, &lane, 1905, 1, &got));
	ck_assert(got.shown);
	ck_assert_int_eq(got.start, 1900);
	ck_assert_int_eq(got.end, 1910);
	layout_lane_release(&lane);
	drawn_free(m);
}
END_TEST

/* A sample's own weight says it better, and so does the interval of its event; neither
 * lasts beyond the next sample. */
START_TEST(test_weights_and_intervals)
{
	struct drawn *m = drawn_new();
	metric_id time = builder_metric(m->b, "task-clock", UNIT_NS, ROLE_VALUE);
	metric_id cycles = builder_metric(m->b, "cycles", UNIT_COUNT, ROLE_VALUE);
	struct series *timed = samples_on(m, "timed", &time, 1);
	struct series *told = samples_on(m, "told", &cycles, 1);
	struct layout_slice got;
	const int64_t when[] = {100, 300, 350}, weight[] = {40, 90, 7}, many = 99999;
	const int64_t ends[2][3] = {{140, 350, 357}, {160, 350, 410}};

	builder_sample_interval(told, 60);
	for (int i = 0; i < 3; i++) {
		sample(m, timed, when[i], &weight[i]);
		sample(m, told, when[i], &many);
	}
	drawn_look(m);
	for (int k = 0; k < 2; k++) {
		struct layout_lane lane = {.series = k ? told : timed};
		layout_lane_look(&m->l, m->p, &lane, k ? cycles : time);
		for (int i = 0; i < 3; i++) {
			struct event e;
			ck_assert(series_event(lane.series, (uint64_t)i, &e));
			ck_assert_int_eq(layout_event_end(&lane, (uint64_t)i, &e),
					 ends[k][i]);
		}
		ck_assert(layout_slice(&m->l, &lane, 100, 1, &got));
		ck_assert_int_eq(got.end - got.start, k ? 60 : 40);
		layout_lane_release(&lane);
	}
	drawn_free(m);
}
END_TEST

#define MANY_STACKS 20000u
#define MANY_EVENTS 60000u
#define MANY_MOST 512u

struct held_got {
	int64_t part[MANY_STACKS + 8];
	uint32_t n;
};

static void
got_part(void *ctx, stack_id s, int64_t part)
{
	struct held_got *got = ctx;

	got->part[s] = part;
	got->n++;
}

#define HELD_STACKS 7
#define HELD_EVENTS 9000
#define HELD_COLS 90u

/* Memory that is held: what each column shows is the sum of all changes before its end, also if the
 * columns are read from the right to the left, and shares of it are those of its stacks. */
START_TEST(test_held)
{
	struct drawn *m = drawn_new();
	metric_id live = builder_metric(m->b, "live", UNIT_BYTES, ROLE_VALUE);
	struct series *s = samples_on(m, "main", &live, 1);
	stack_id stack[HELD_STACKS];
	int64_t *change = mem_zalloc(HELD_EVENTS, sizeof *change);
	struct held_got *got = mem_zalloc(1, sizeof *got);
	int64_t held[HELD_STACKS] = {0}, most = 1, sum = 0;
	unsigned random = 1;
	struct err e;

	err_init(&e);
	for (unsigned i = 0; i < HELD_STACKS; i++) {
		char name[2] = {(char)('b' + i), '\0'};
		stack[i] = builder_child(m->b, m->stack,
					 builder_frame(m->b, builder_function_named(m->b, name, 1),
						       line_unknown()));
	}
	for (unsigned i = 0; i < HELD_EVENTS; i++) {
		random = random * 1103515245u + 12345u;
		unsigned at = i % HELD_STACKS;
		change[i] = random >> 31 && held[at] ? -held[at] : (int64_t)(random >> 20 & 1023);
		held[at] += change[i];
		sum += change[i];
		most = sum > most ? sum : most;
		ck_assert(builder_sample(m->b, s, 10 * (int64_t)i, stack[at], &change[i], 0, &e));
	}
	drawn_look(m);
	struct layout_lane lane = {.series = s};
	layout_lane_look(&m->l, m->p, &lane, live);
	ck_assert_uint_eq(lane.held, 1);
	ck_assert_int_eq(layout_held_most(&m->l, &lane), most);
	double bin[HELD_COLS];
	int64_t end = 10 * HELD_EVENTS;
	layout_bins(&lane, 0, end / 9, end, HELD_COLS, bin);
	for (unsigned turn = 0; turn < 2 * HELD_COLS; turn++) {
		unsigned x = turn < HELD_COLS ? turn : 2 * HELD_COLS - 1 - turn;
		int64_t to = wide_part_up(end / 9, end, HELD_COLS, x + 1), all = 0;
		int64_t want[HELD_STACKS] = {0};
		for (unsigned i = 0; 10 * (int64_t)i < to && i < HELD_EVENTS; i++) {
			want[i % HELD_STACKS] += change[i];
			all += change[i];
		}
		ck_assert_int_eq((int64_t)bin[x], all);
		ck_assert_int_eq(layout_held_at(s, 0, to), all);
		memset(got, 0, sizeof *got);
		layout_held_parts(&m->l, &lane, to, HELD_STACKS, got_part, got);
		for (unsigned i = 0; i < HELD_STACKS; i++)
			ck_assert_int_eq(got->part[stack[i]], want[i]);
	}
	struct event last;
	ck_assert(series_event(s, HELD_EVENTS - 1, &last)); /* held until the end of the file */
	ck_assert_int_eq(layout_event_end(&lane, HELD_EVENTS - 1, &last), last.time + 1);
	layout_lane_release(&lane);
	free(got);
	free(change);
	drawn_free(m);
}
END_TEST

/* Parts of what is held: those at equal distances of the running sum, whatever was read before,
 * and without a look at all stacks. */
START_TEST(test_held_parts)
{
	static const unsigned moments[] = {100, 30000, 30001, 59000, 20000, 60000, 45000, 300};
	struct drawn *m = drawn_new();
	metric_id live = builder_metric(m->b, "live", UNIT_BYTES, ROLE_VALUE);
	struct series *s = samples_on(m, "main", &live, 1);
	stack_id *at = mem_zalloc(MANY_EVENTS, sizeof *at);
	stack_id *stack = mem_zalloc(MANY_STACKS, sizeof *stack);
	int64_t *change = mem_zalloc(MANY_EVENTS, sizeof *change);
	int64_t *held = mem_zalloc(MANY_STACKS + 8, sizeof *held);
	struct held_got *got = mem_zalloc(1, sizeof *got);
	unsigned random = 1;
	struct err e;

	err_init(&e);
	for (unsigned i = 0; i < MANY_STACKS; i++) {
		char name[16];
		size_t len = (size_t)snprintf(name, sizeof name, "f%u", i);
		function_id f = builder_function_named(m->b, name, len);
		stack[i] = builder_child(m->b, m->stack, builder_frame(m->b, f, line_unknown()));
	}
	for (unsigned i = 0; i < MANY_EVENTS; i++) {
		random = random * 1103515245u + 12345u;
		at[i] = stack[(random >> 8) % MANY_STACKS];
		change[i] = (int64_t)(random >> 20 & 1023) - 300; /* some hold less than nothing */
		ck_assert(builder_sample(m->b, s, i, at[i], &change[i], 0, &e));
	}
	drawn_look(m);
	struct layout_lane lane = {.series = s};
	layout_lane_look(&m->l, m->p, &lane, live);
	for (size_t k = 0; k < sizeof moments / sizeof *moments; k++) {
		int64_t all = 0, ran = 0, each = 1;
		uint32_t holding = 0, n = 0;
		memset(held, 0, (MANY_STACKS + 8) * sizeof *held);
		memset(got, 0, sizeof *got);
		for (unsigned i = 0; i < moments[k]; i++)
			held[at[i]] += change[i];
		for (stack_id i = 0; i < MANY_STACKS + 8; i++) {
			holding += held[i] > 0;
			all += held[i] > 0 ? held[i] : 0;
		}
		each = holding > MANY_MOST ? all / MANY_MOST + 1 : 1;
		uint64_t reads = layout_held_parts(&m->l, &lane, moments[k], MANY_MOST,
						   got_part, got);
		for (stack_id i = 0; i < MANY_STACKS + 8; i++) {
			int64_t own = held[i] > 0 ? held[i] : 0;
			int64_t want = ((ran + own) / each - ran / each) * each;
			ck_assert_int_eq(got->part[i], want);
			ran += own;
			n += want > 0;
		}
		ck_assert_uint_eq(got->n, n);
		ck_assert_uint_lt(reads, MANY_STACKS);
	}
	layout_lane_release(&lane);
	free(at);
	free(stack);
	free(change);
	free(held);
	free(got);
	drawn_free(m);
}
END_TEST

/* Columns between two changes are alike: each is what it is alone. */
START_TEST(test_held_columns)
{
	static const int64_t change[] = {70, 20, -20, 50};
	struct drawn *m = drawn_new();
	metric_id live = builder_metric(m->b, "live", UNIT_BYTES, ROLE_VALUE);
	struct series *s = samples_on(m, "main", &live, 1);
	struct cells all, one;

	for (int i = 0; i < 4; i++)
		sample(m, s, 10 * (int64_t)i, &change[i]);
	drawn_look(m);
	struct layout_lane lane = {.series = s};
	layout_lane_look(&m->l, m->p, &lane, live);
	cells_init(&all);
	cells_init(&one);
	cells_begin(&all, NULL);
	for (int x = 0; x < 40; x++)
		cells_column(&all, &m->l, &lane, x, x + 1);
	for (int x = 0; x < 40; x++) {
		cells_begin(&one, NULL);
		cells_column(&one, &m->l, &lane, x, x + 1);
		for (unsigned row = 0; row < 3; row++) {
			struct time_cell a = cells_at(&all, (unsigned)x, row);
			struct time_cell b = cells_at(&one, 0, row);
			ck_assert_uint_eq(a.node, b.node);
			ck_assert_uint_eq(a.fill, b.fill);
			ck_assert_int_eq(a.whole, b.whole);
		}
		int64_t held = x < 10 ? 70 : x < 20 ? 90 : x < 30 ? 70 : 120;
		ck_assert_int_eq(cells_at(&all, (unsigned)x, 1).whole, held);
	}
	cells_release(&all);
	cells_release(&one);
	layout_lane_release(&lane);
	drawn_free(m);
}
END_TEST

/* A layout sees several profiles: the series of the next may lie where one of the last was. */
START_TEST(test_held_anew)
{
	struct drawn *m[2];
	struct series *s[2];
	struct layout_lane lane[2];
	struct held_got *got = mem_zalloc(1, sizeof *got);

	for (int k = 0; k < 2; k++) {
		int64_t bytes = k ? 70 : 5;
		m[k] = drawn_new();
		metric_id live = builder_metric(m[k]->b, "live", UNIT_BYTES, ROLE_VALUE);
		s[k] = samples_on(m[k], "main", &live, 1);
		sample(m[k], s[k], 0, &bytes);
		drawn_look(m[k]);
		lane[k] = (struct layout_lane){.series = s[k]};
		layout_lane_look(&m[k]->l, m[k]->p, &lane[k], live);
	}
	struct layout *l = &m[0]->l;
	layout_held_parts(l, &lane[0], 1, 1, got_part, got);
	ck_assert_int_eq(got->part[m[0]->stack], 5);
	ck_assert_int_eq(layout_held_most(l, &lane[0]), 5);
	layout_look(l, m[1]->p, m[1]->fold->tree);
	l->held_of.series = l->most_of.series = s[1]; /* as if the first had been freed */
	layout_held_parts(l, &lane[1], 1, 1, got_part, got);
	ck_assert_int_eq(got->part[m[1]->stack], 70);
	ck_assert_int_eq(layout_held_most(l, &lane[1]), 70);
	for (int k = 0; k < 2; k++) {
		layout_lane_release(&lane[k]);
		drawn_free(m[k]);
	}
	free(got);
}
END_TEST

UNIT(layout_samples)
{
	Suite *suite = suite_create("layout_samples");
	TCase *samples = tcase_create("samples");

	tcase_add_test(samples, test_samples);
	tcase_add_test(samples, test_bins);
	tcase_add_test(samples, test_held);
	tcase_add_test(samples, test_held_parts);
	tcase_add_test(samples, test_held_columns);
	tcase_add_test(samples, test_held_anew);
	tcase_add_test(samples, test_weights_and_intervals);
	suite_add_tcase(suite, samples);
	return suite;
}
