#include "model/picture/layout.h"
#include "model/picture/points.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/build/builder.h"
#include "model/calls/callstats.h"
#include "model/fold/fold.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* Compares drawn steps, samples and points with plain loops over the same events; slices with the
 * calls from which the test made them; and the calls of one function with callstats_compute(),
 * which the known numbers of the samples check. */

#define MADE 6000
#define DEPTH 12
#define FUNCTIONS 5

/* A slice that was made: a call from its entry to its exit. */
struct made_slice {
	unsigned depth;
	function_id function;
	int64_t start, end;
};

struct made {
	struct profile *p;
	struct builder *b;
	struct series *s;
	track_id track;
	struct fold *fold;
	struct lens lens;
	struct layout l;
	frame_id frame[FUNCTIONS];
	function_id function[FUNCTIONS];
	int64_t time[MADE];
	stack_id stack[MADE];
	unsigned n;
	struct made_slice slice[MADE];
	unsigned n_slices;
	int64_t end;
};

static struct made *
made_new(void)
{
	struct made *m = mem_zalloc(1, sizeof *m);

	m->p = profile_new();
	m->b = builder_new(m->p, "test", "test");
	builder_metric(m->b, "time", UNIT_NS, ROLE_TIME);
	builder_calls_metric(m->b, builder_metric(m->b, "calls", UNIT_CALLS, ROLE_CALLS));
	m->track = builder_track(m->b, "main", 4, TRACK_THREAD);
	m->s = builder_steps(m->b, m->track);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		char name[2] = {(char)('a' + i), '\0'};
		m->function[i] = builder_function_named(m->b, name, 1);
		m->frame[i] = builder_frame(m->b, m->function[i], line_unknown());
	}
	lens_init(&m->lens);
	m->fold = fold_new();
	layout_init(&m->l);
	return m;
}

static void
made_step(struct made *m, int64_t time, stack_id stack, uint32_t flags)
{
	struct err e;

	err_init(&e);
	ck_assert_uint_lt(m->n, MADE);
	ck_assert(builder_step(m->b, m->s, time, stack, flags, 0, &e));
	m->time[m->n] = time;
	m->stack[m->n++] = stack;
}

static stack_id
child(struct made *m, stack_id parent, unsigned function)
{
	return builder_child(m->b, parent, m->frame[function]);
}

static void
made_look(struct made *m)
{
	struct err e;

	err_init(&e);
	builder_finish(m->b, &e);
	ck_assert(fold_update(m->fold, m->p, &m->lens, NULL, &e));
	layout_look(&m->l, m->p, m->fold->tree);
	m->end = m->s->end_time;
}

static void
made_free(struct made *m)
{
	layout_release(&m->l);
	fold_free(m->fold);
	lens_release(&m->lens);
	builder_free(m->b);
	profile_free(m->p);
	free(m);
}

/* Calls and returns by chance; some tasks are suspended between. */
static struct made *
made_by_chance(uint64_t seed, unsigned n)
{
	struct made *m = made_new();
	struct chance c;
	stack_id way[DEPTH + 1] = {STACK_EMPTY};
	unsigned open[DEPTH + 1], depth = 0;
	int64_t now = (int64_t)(seed % 7) * 1000;

	chance_init(&c, seed);
	made_step(m, now, STACK_EMPTY, 0);
	while (m->n + 3 < n) {
		now += 1 + chance_below(&c, 20);
		if (depth < DEPTH && (!depth || chance_below(&c, 9) < 5)) {
			unsigned f = chance_below(&c, FUNCTIONS);
			way[depth + 1] = child(m, way[depth], f);
			open[++depth] = m->n_slices;
			m->slice[m->n_slices++] =
				(struct made_slice){depth, m->function[f], now, -1};
			made_step(m, now, way[depth], STEP_CALL);
		} else if (chance_one_in(&c, 4)) {
			made_step(m, now, STACK_EMPTY, 0);
			now += 1 + chance_below(&c, 5);
			made_step(m, now, way[depth], 0);
		} else {
			m->slice[open[depth--]].end = now;
			if (depth && chance_one_in(&c, 2)) {
				made_step(m, now, STACK_EMPTY, STEP_RETURN);
				now += 1 + chance_below(&c, 3);
				made_step(m, now, way[depth], 0);
			} else {
				made_step(m, now, way[depth], STEP_RETURN);
			}
		}
	}
	now += 5;
	for (; depth; depth--)
		m->slice[open[depth]].end = now;
	made_step(m, now, STACK_EMPTY, 0);
	made_look(m);
	return m;
}

/* Returns the step at a time. */
static int
running_at(const struct made *m, int64_t t)
{
	int at = -1;

	for (unsigned i = 0; i < m->n && m->time[i] <= t; i++)
		at = (int)i;
	return at;
}

/* Checks the gap at t: from the last moment at which something ran to the next, or to the ends
 * of the run, where the lane has no more events. */
static void
check_gap(const struct made *m, const struct layout_lane *lane, int64_t t, int at,
	  const struct layout_slice *got)
{
	unsigned next = (unsigned)(at + 1);
	for (; at >= 0 && m->stack[at] == STACK_EMPTY; at--)
		;
	for (; next < m->n && m->stack[next] == STACK_EMPTY; next++)
		;
	ck_assert(!got->shown && got->start_known && got->end_known);
	ck_assert_int_eq(got->start, at < 0 ? lane->start : m->time[at + 1]);
	ck_assert_int_eq(got->end, next == m->n ? lane->end : m->time[next]);
	ck_assert_int_le(got->start, t);
	ck_assert_int_gt(got->end, t);
}

START_TEST(test_slices)
{
	struct made *m = made_by_chance((uint64_t)_i + 1, 3000);
	struct layout_lane lane = {.series = m->s, .hold = INT64_MAX,
				   .start = m->time[0] - 500, .end = m->end + 500};
	struct chance c;

	chance_init(&c, 77);
	for (unsigned k = 0; k < 400; k++) {
		int64_t t = lane.start +
			    (int64_t)chance_below(&c, (uint32_t)(lane.end - lane.start));
		int at = running_at(m, t);
		struct layout_slice got;
		for (unsigned i = 0; i < m->n_slices; i++) {
			const struct made_slice *s = &m->slice[i];
			if (t < s->start || t >= s->end || m->stack[at] == STACK_EMPTY)
				continue;
			ck_assert(layout_slice(&m->l, &lane, t, s->depth,
					       &got));
			ck_assert(got.shown && got.start_known && got.end_known);
			ck_assert_int_eq(got.start, s->start);
			ck_assert_int_eq(got.end, s->end);
			ck_assert_uint_eq(m->fold->tree->key[got.node], s->function);
		}
		if (at >= 0 && m->stack[at] != STACK_EMPTY)
			continue;
		ck_assert(layout_slice(&m->l, &lane, t, 0, &got));
		check_gap(m, &lane, t, at, &got);
	}
	layout_lane_release(&lane);
	made_free(m);
}
END_TEST

/* Stepping at a depth stops where its slices begin, in both directions. */
START_TEST(test_stepping)
{
	struct made *m = made_by_chance((uint64_t)_i + 100, 3000);
	struct layout_lane lane = {.series = m->s, .hold = INT64_MAX};

	for (unsigned depth = 1; depth <= 4; depth++) {
		uint64_t i = UINT64_MAX;
		bool ended;
		for (unsigned k = 0; k < m->n_slices; k++) {
			if (m->slice[k].depth != depth)
				continue;
			ck_assert(layout_step(&m->l, &lane, 1, depth,
					      NULL, &i, &ended));
			ck_assert_int_eq(m->time[i], m->slice[k].start);
		}
		ck_assert(!layout_step(&m->l, &lane, 1, depth, NULL, &i,
				       &ended));
		ck_assert(ended);
		i = m->n;
		for (unsigned k = m->n_slices; k-- > 0;) {
			if (m->slice[k].depth != depth)
				continue;
			ck_assert(layout_step(&m->l, &lane, -1, depth,
					      NULL, &i, &ended));
			ck_assert_int_eq(m->time[i], m->slice[k].start);
		}
	}
	layout_lane_release(&lane);
	made_free(m);
}
END_TEST

/* Every change stops a step at the deepest frame: none of these events repeats the one
 * before, so each is a stop. */
START_TEST(test_replaying)
{
	struct made *m = made_by_chance(5, 500);
	struct layout_lane lane = {.series = m->s, .hold = INT64_MAX};
	uint64_t i = 0;
	bool ended;

	for (unsigned k = 1; k < m->n; k++) {
		ck_assert(layout_step(&m->l, &lane, 1, 0, NULL, &i,
				      &ended));
		ck_assert_uint_eq(i, k);
	}
	layout_lane_release(&lane);
	made_free(m);
}
END_TEST

/* Only matches of the search stop a step that seeks one. */
START_TEST(test_hits)
{
	struct made *m = made_by_chance(9, 3000);
	struct layout_lane lane = {.series = m->s, .hold = INT64_MAX};
	const struct projection *t = m->fold->tree;
	uint8_t *hit = mem_zalloc(t->n, 1), seen[60] = {0};
	uint64_t i = UINT64_MAX;
	bool ended;

	for (node_id n = 1; n < t->n; n++) {
		hit[n] = hit[t->parent[n]] & 1;
		if (t->key[n] == m->function[3])
			hit[n] = 3;
	}
	for (unsigned k = 0; k < m->n_slices; k++) {
		if (m->slice[k].function != m->function[3])
			continue;
		ck_assert(layout_step(&m->l, &lane, 1, 0, hit, &i,
				      &ended));
		ck_assert_int_eq(m->time[i], m->slice[k].start);
	}
	/* 3000 events in 60 columns: each is read in full */
	layout_hits(&m->l, m->s, hit, m->time[0], m->end, 60, seen);
	for (unsigned x = 0; x < 60; x++) {
		int64_t a = m->time[0] + (m->end - m->time[0]) * x / 60;
		int64_t b = m->time[0] + (m->end - m->time[0]) * (x + 1) / 60;
		bool want = false;
		for (unsigned k = 0; k + 1 < m->n; k++) {
			stack_id s = m->stack[k];
			bool in = m->time[k + 1] > a && m->time[k] < b;
			want |= in && s != STACK_EMPTY && hit[t->node_of[s]];
		}
		ck_assert_int_eq(seen[x], want);
	}
	free(hit);
	layout_lane_release(&lane);
	made_free(m);
}
END_TEST

/* Zoomed out: rare matches are marked although no block belongs to them. */
START_TEST(test_blocks)
{
	struct made *m = made_new();
	struct err e;
	uint8_t *hit, seen[40] = {0};
	int64_t now = 0, whole;
	stack_id stack[FUNCTIONS];

	err_init(&e);
	for (unsigned f = 0; f < FUNCTIONS; f++)
		stack[f] = child(m, STACK_EMPTY, f);
	for (unsigned quarter = 0; quarter < 4; quarter++)
		for (unsigned i = 0; i < 100000; i++) {
			ck_assert(
				builder_step(m->b, m->s, now, stack[quarter], 0, 0, &e));
			now += 9;
			ck_assert(builder_step(m->b, m->s, now, stack[4], 0, 0, &e));
			now += 1;
		}
	builder_step(m->b, m->s, now, STACK_EMPTY, 0, 0, &e);
	made_look(m);
	whole = now;
	/* a filter that leaves the rare one */
	ck_assert(lens_add(&m->lens, VERB_INCLUDE, "e", 1, &e));
	ck_assert(fold_update(m->fold, m->p, &m->lens, NULL, &e));
	layout_look(&m->l, m->p, m->fold->tree);
	hit = mem_alloc(m->fold->tree->n, 1);
	memset(hit, 1, m->fold->tree->n);
	layout_hits(&m->l, m->s, hit, 0, whole, 40, seen);
	ck_assert(!memchr(seen, 0, 40));
	free(hit);
	made_free(m);
}
END_TEST

/* A slice that exceeds the patience of the search: the result reaches at least that far, and a
 * second search finds all of it. */
START_TEST(test_long_slice)
{
	struct made *m = made_new();
	struct err e;
	struct layout_lane lane = {.series = m->s, .hold = INT64_MAX};
	struct layout_slice got;
	stack_id root = child(m, STACK_EMPTY, 0), leaf = child(m, root, 1);
	int64_t now = 0;
	unsigned asked = 0;

	err_init(&e);
	builder_step(m->b, m->s, now, root, STEP_CALL, 0, &e);
	for (unsigned i = 0; i < 3000000; i++, now++)
		builder_step(m->b, m->s, now, i & 1 ? root : leaf,
			     i & 1 ? STEP_RETURN : STEP_CALL, 0, &e);
	builder_step(m->b, m->s, now, STACK_EMPTY, STEP_RETURN, 0, &e);
	made_look(m);
	do {
		ck_assert(layout_slice(&m->l, &lane, 1500000, 1, &got));
		ck_assert(got.shown && got.start <= 1500000 && got.end > 1500000);
	} while ((!got.start_known || !got.end_known) && ++asked < 100);
	ck_assert_uint_gt(asked, 0);
	ck_assert(got.start_known && got.end_known);
	ck_assert_int_eq(got.start, 0);
	ck_assert_int_eq(got.end, now);
	layout_lane_release(&lane);
	made_free(m);
}
END_TEST

START_TEST(test_points)
{
	struct made *m = made_new();
	struct series *s = builder_points(
		m->b, builder_track(m->b, "heap", 4, TRACK_COUNTER), false);
	static int64_t value[20000];
	struct point_column col[37];
	struct chance c;
	struct err e;
	double low, high;
	int64_t low_at;

	err_init(&e);
	chance_init(&c, 3);
	for (int i = 0; i < 20000; i++) {
		value[i] = (int64_t)chance_below(&c, 2000000) - 1000000;
		ck_assert(builder_point(m->b, s, 10 + i * 3, value[i], 0, &e));
	}
	made_look(m);
	points_columns(s, 0, 70000, 37, col);
	for (int x = 0; x < 37; x++) {
		int64_t a = 70000 * x / 37, b = 70000 * (x + 1) / 37, n = 0;
		int64_t min = INT64_MAX, max = INT64_MIN, last = 0;
		for (int i = 0; i < 20000; i++) {
			int64_t t = 10 + i * 3;
			bool holds = t < a && (i + 1 == 20000 || t + 3 > a);
			if (t >= b || (t < a && !holds))
				continue;
			min = value[i] < min ? value[i] : min;
			max = value[i] > max ? value[i] : max;
			last = value[i];
			n += t >= a;
		}
		/* of two points that hold before the column the later one counts */
		ck_assert_int_eq((int64_t)col[x].events, n);
		ck_assert(col[x].has == (min <= max));
		if (!col[x].has)
			continue;
		ck_assert(col[x].max >= col[x].min);
		ck_assert_int_eq((int64_t)col[x].last, last);
		if (n > 1) {
			ck_assert_int_eq((int64_t)col[x].min, min);
			ck_assert_int_eq((int64_t)col[x].max, max);
		}
	}
	for (int high_one = 0; high_one < 2; high_one++)
		for (int64_t from = 0; from < 60000; from += 5300) {
			int64_t want = -1, best = 0, when = -1;
			for (int i = 0; i < 20000; i++) {
				int64_t t = 10 + i * 3, v = high_one ? value[i] : -value[i];
				if (t >= from + 7000 || t + 3 <= from) /* it holds up to the next */
					continue;
				if (want < 0 || v > best) {
					best = v;
					want = t < from ? from : t;
				}
			}
			ck_assert(points_find_extreme(s, from, from + 7000, high_one, &when));
			ck_assert_int_eq(when, want);
		}
	ck_assert(!points_find_extreme(s, 0, 5, true, &low_at));
	ck_assert(points_extremes(s, &low, &high));
	ck_assert(low >= -1000000 && high < 1000000 && low < high);
	made_free(m);
}
END_TEST

/* ---- the calls of one function ---- */

START_TEST(test_watch)
{
	struct made *m = made_by_chance((uint64_t)_i + 200, 3000);
	struct callstats all = {0};
	struct slice range = {.whole = true};

	if (_i % 2) { /* a part of the run, whose ends cut calls */
		range.whole = false;
		range.from = 500;
		range.to = (m->end - m->time[0]) / 2;
	}
	callstats_compute(m->p, &range, &all, NULL);
	for (uint32_t i = 0; i < all.n; i++) {
		const struct callstats_row *want = &all.at[i];
		struct callwatch *w = callwatch_new(m->p, &range, NULL, want->function);
		while (!callwatch_run(w, 7))
			continue;
		ck_assert_uint_eq(callwatch_rows(w), 2);
		for (uint32_t k = 0; k < 2; k++) {
			struct callstats_row got = callwatch_row(w, k);
			track_id track;
			int64_t from, to;
			ck_assert_int_eq(got.calls, want->calls);
			ck_assert_uint_eq(got.has, want->has);
			for (unsigned t = 0; t < CALL_TIMES; t++)
				for (unsigned n = 0; n < CALL_NUMBERS; n++)
					if (got.has & CALLSTATS_BIT(t, n))
						ck_assert_int_eq(got.value[t][n],
								 want->value[t][n]);
			/* the longest call is one that was made */
			bool found = !callwatch_longest(w, k, CALL_CALL, &track, &from, &to);
			for (unsigned s = 0; s < m->n_slices; s++)
				found |= m->slice[s].start - m->time[0] == from &&
					 m->slice[s].end - m->time[0] == to &&
					 m->slice[s].function == want->function;
			ck_assert(found);
		}
		callwatch_free(w);
	}
	callstats_release(&all);
	made_free(m);
}
END_TEST

/* Calls that last 1, 2, ... n, in an order by chance. */
static struct callwatch *
watch_lengths(struct made *m, unsigned n)
{
	stack_id a = child(m, STACK_EMPTY, 0);
	unsigned *length = mem_alloc(n, sizeof *length);
	struct slice range = {.whole = true};
	struct chance c;
	struct err e;
	int64_t now = 0;

	err_init(&e);
	chance_init(&c, n);
	for (unsigned i = 0; i < n; i++)
		length[i] = i + 1;
	for (unsigned i = n; i-- > 1;) {
		unsigned k = chance_below(&c, i + 1), swap = length[i];
		length[i] = length[k];
		length[k] = swap;
	}
	for (unsigned i = 0; i < n; i++) {
		builder_step(m->b, m->s, now, a, STEP_CALL, 0, &e);
		now += length[i];
		builder_step(m->b, m->s, now, STACK_EMPTY, STEP_RETURN, 0, &e);
		now += 1;
	}
	made_look(m);
	struct callwatch *w = callwatch_new(m->p, &range, NULL, m->function[0]);
	while (!callwatch_run(w, 1000))
		continue;
	free(length);
	return w;
}

static void
check_percentile(const struct callstats_line *line, int64_t got, int64_t want)
{
	if (line->exact)
		ck_assert_int_eq(got, want);
	else
		ck_assert(got * 1000 <= want * 1016 && got * 1016 >= want * 1000);
}

START_TEST(test_percentiles)
{
	static const unsigned counts[] = {1, 2, 99, 100, 101, 4096, 4097, 50000};
	unsigned n = counts[_i];
	struct made *m = made_new();
	struct callwatch *w = watch_lengths(m, n);
	struct call_bar bar[12];
	uint64_t sum = 0;

	struct callstats_row row = callwatch_row(w, 0);
	struct callstats_line line = callwatch_line(w, 0, &row, CALL_CALL);
	ck_assert(line.exact == (n <= 4096));
	check_percentile(&line, line.p50, ((int64_t)n * 50 + 99) / 100);
	check_percentile(&line, line.p99, ((int64_t)n * 99 + 99) / 100);
	bool octaves;
	uint32_t bars = callwatch_histogram(w, 0, CALL_CALL, bar, 12, &octaves);
	ck_assert(bars >= 1 && bars <= 12);
	for (uint32_t i = 0; i < bars; i++) {
		/* lengths 1..n once each: as many as the bar is wide */
		int64_t from = bar[i].from > 1 ? bar[i].from : 1;
		int64_t to = bar[i].to < (int64_t)n + 1 ? bar[i].to : (int64_t)n + 1;
		ck_assert_int_eq((int64_t)bar[i].n, to - from);
		ck_assert(!i || bar[i].from == bar[i - 1].to);
		/* all of one width: as a difference, or as a ratio */
		if (octaves && bar[i].from && bar[0].from)
			ck_assert_int_eq(bar[i].to / bar[i].from, bar[0].to / bar[0].from);
		else if (!octaves)
			ck_assert_int_eq(bar[i].to - bar[i].from, bar[0].to - bar[0].from);
		sum += bar[i].n;
	}
	ck_assert_uint_eq(sum, n);
	callwatch_free(w);
	made_free(m);
}
END_TEST

UNIT(layout)
{
	Suite *suite = suite_create("layout");
	TCase *drawn = tcase_create("drawn"), *calls = tcase_create("calls");

	tcase_set_timeout(drawn, 60);
	tcase_add_loop_test(drawn, test_slices, 0, 12);
	tcase_add_loop_test(drawn, test_stepping, 0, 12);
	tcase_add_test(drawn, test_replaying);
	tcase_add_test(drawn, test_hits);
	tcase_add_test(drawn, test_blocks);
	tcase_add_test(drawn, test_long_slice);
	tcase_add_test(drawn, test_points);
	tcase_add_loop_test(calls, test_watch, 0, 12);
	tcase_add_loop_test(calls, test_percentiles, 0, 8);
	suite_add_tcase(suite, drawn);
	suite_add_tcase(suite, calls);
	return suite;
}
