/* series_parts.c - metrics that are parts of columns, against sums of the numbers themselves. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/wide.h"
#include "model/build/builder.h"
#include "model/build/builder_load.h"
#include "model/profile/profile.h"
#include "src/decode/decoder.h"
#include "src/input/input.h"
#include "tests/lib/encode_bsprof.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

enum { EVENTS = 150000, LEAVES = 40, METRICS = 4, BINS = 7 };

static const uint8_t columns[METRICS] = {0, 1, 1, 0};
static const enum value_part parts[METRICS] = {PART_GAIN, PART_BIT_0, PART_BIT_1, PART_ALL};

/* The appended events, and the resulting value of each event for each metric. */
struct truth {
	int64_t time[EVENTS], value[EVENTS][METRICS];
	uint8_t leaf[EVENTS];
	stack_id stack[LEAVES];
};

/* An allocation, a free, the subtraction of a free, or nothing: as three plain numbers. */
static void
event_by_chance(struct chance *c, struct truth *t, uint32_t i, int64_t *number)
{
	int64_t size = chance_below(c, chance_one_in(c, 500) ? 1u << 31 : 600);
	unsigned kind = chance_below(c, 4);

	t->time[i] = (i ? t->time[i - 1] : 100) + chance_below(c, 3);
	t->leaf[i] = (uint8_t)chance_below(c, LEAVES);
	number[0] = kind == 0 ? size : kind == 1 ? -size : 0;
	number[1] = kind == 0 ? 1 : kind == 2 ? 2 : 0;
	t->value[i][0] = kind == 0 ? size : 0;
	t->value[i][1] = kind == 0;
	t->value[i][2] = kind == 2;
	t->value[i][3] = number[0];
}

static void
append(struct builder *b, struct series *s, struct chance *c, struct truth *t)
{
	struct err e;

	err_init(&e);
	for (uint32_t i = 0; i < EVENTS; i++) {
		int64_t number[2];
		event_by_chance(c, t, i, number);
		ck_assert(builder_sample(b, s, t->time[i], t->stack[t->leaf[i]], number, 0, &e));
		if (chance_one_in(c, 500))
			builder_settle(b);
	}
}

static void
ck_blocks(const struct series *s, const struct truth *t)
{
	int64_t sum[METRICS] = {0}, most = INT64_MIN;
	stack_id longest = STACK_NONE;

	for (uint32_t i = 0; i < EVENTS; i++) {
		uint32_t block = i / BLOCK_EVENTS;
		if (i % BLOCK_EVENTS == 0)
			most = INT64_MIN;
		for (unsigned m = 0; m < METRICS; m++) {
			if (i % BLOCK_EVENTS == 0)
				ck_assert_int_eq(s->block_sum[block * s->n_metrics + m], sum[m]);
			sum[m] += t->value[i][m];
		}
		if (t->value[i][0] > most) { /* the first metric of a sample is its weight */
			most = t->value[i][0];
			longest = t->stack[t->leaf[i]];
		}
		if (i % BLOCK_EVENTS == BLOCK_EVENTS - 1)
			ck_assert_uint_eq(s->block[block].dominant, longest);
	}
	for (unsigned m = 0; m < METRICS; m++)
		ck_assert_int_eq(s->sum[m], sum[m]);
}

static void
ck_checkpoints(const struct series *s, const struct truth *t)
{
	ck_assert_uint_gt(s->n_checkpoints, 0);
	for (uint32_t k = 0; k < s->n_checkpoints; k++)
		for (unsigned m = 0; m < METRICS; m++) {
			int64_t want[LEAVES] = {0}, is[LEAVES] = {0};
			for (uint64_t i = 0; i < s->checkpoint[k].events; i++)
				want[t->leaf[i]] += t->value[i][m];
			series_checkpoint_add(s, k, m, 0, s->n_seen, 1, is);
			for (uint32_t i = 0; i < s->n_seen; i++)
				for (unsigned l = 0; l < LEAVES; l++)
					if (t->stack[l] == s->seen[i])
						ck_assert_int_eq(is[i], want[l]);
		}
}

static void
ck_events(const struct series *s, const struct truth *t)
{
	struct event e;

	for (uint32_t k = 0, i = 0; k < s->n_chunks; k++)
		for (uint32_t at = 0, n; at < s->chunk[k].n; at += n) {
			int64_t v[100];
			n = s->chunk[k].n - at < 100 ? s->chunk[k].n - at : 100;
			for (unsigned m = 0; m < METRICS; m++) {
				chunk_adds(s, &s->chunk[k], at, n, m, 0, v);
				for (uint32_t j = 0; j < n; j++)
					if (v[j] != t->value[i + j][m] ||
					    series_number(s, &s->chunk[k], at + j, m) != v[j])
						ck_abort_msg("metric %u of event %u", m, i + j);
			}
			for (uint32_t j = 0; j < n; j++, i++)
				ck_assert(series_event(s, i, &e) && e.time == t->time[i] &&
					  e.value == t->value[i][0]);
		}
}

static void
ck_bins(const struct series *s, const struct truth *t)
{
	int64_t from = t->time[0] + 777, to = t->time[EVENTS - 1] - 555, bin[BINS];

	for (unsigned m = 0; m < METRICS; m++) {
		int64_t want[BINS] = {0};
		for (unsigned k = 0; k < BINS; k++) {
			int64_t begin = wide_part_up(from, to, BINS, k);
			int64_t end = wide_part_up(from, to, BINS, k + 1);
			for (uint32_t i = 0; i < EVENTS; i++)
				want[k] += t->time[i] >= begin && t->time[i] < end
						   ? t->value[i][m]
						   : 0;
		}
		series_bins(s, m, from, to, BINS, bin);
		ck_assert_mem_eq(bin, want, sizeof bin);
	}
}

START_TEST(sums)
{
	struct truth *t = mem_alloc(1, sizeof *t);
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "parts", "test");
	metric_id metric[METRICS];
	struct chance c;
	struct err e;

	err_init(&e);
	chance_init(&c, 3);
	for (unsigned m = 0; m < METRICS; m++)
		metric[m] = builder_metric(b, (const char *[]){"gain", "in", "out", "all"}[m],
					   UNIT_BYTES, ROLE_VALUE);
	for (unsigned i = 0; i < LEAVES; i++)
		t->stack[i] = builder_child(b, STACK_EMPTY,
					    builder_frame(b, builder_function_named(b, "f", 1),
							  line_plain(i)));
	track_id track = builder_track(b, "t", 1, TRACK_THREAD);
	struct series *s = builder_samples_parts(b, track, metric, columns, parts, METRICS);
	ck_assert_uint_eq(s->n_columns, 2);
	append(b, s, &c, t);
	builder_finish(b, &e);
	ck_assert_uint_eq(s->n, EVENTS);
	ck_blocks(s, t);
	ck_checkpoints(s, t);
	ck_events(s, t);
	ck_bins(s, t);
	ck_assert_msg(profile_check(p, &e), "%s", e.text);
	builder_free(b);
	profile_free(p);
	free(t);
}
END_TEST

/* A number of 0 may be all there is of a metric whose column holds others. */
START_TEST(nothing)
{
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "parts", "test");
	metric_id m[] = {builder_metric(b, "in", UNIT_OPS, ROLE_VALUE),
			 builder_metric(b, "out", UNIT_OPS, ROLE_VALUE)};
	int64_t number = 1;
	struct err e;

	err_init(&e);
	struct series *s = builder_samples_parts(b, builder_track(b, "t", 1, TRACK_THREAD), m,
						 (const uint8_t[]){0, 0}, parts + 1, 2);
	ck_assert(builder_sample(b, s, 5, STACK_EMPTY, &number, 0, &e));
	builder_metric_unused(b, m[0]);
	builder_metric_unused(b, m[1]);
	ck_assert(!p->metric[m[0]].unused);
	ck_assert(p->metric[m[1]].unused);
	builder_finish(b, &e);
	builder_free(b);
	profile_free(p);
}
END_TEST

static int64_t
total(const struct profile *p, const char *name)
{
	metric_id metric = profile_metric(p, name, strlen(name));
	int64_t sum = 0;

	for (uint32_t t = 0; t < p->n_tracks; t++)
		for (uint32_t i = 0; i < p->track[t].n_series; i++)
			for (unsigned m = 0; m < p->track[t].series[i]->n_metrics; m++)
				if (p->track[t].series[i]->metric[m] == metric)
					sum += series_whole(p->track[t].series[i], m);
	return sum;
}

/* A file before has given `allocs` decimals, which then no bit can have. */
START_TEST(decimals)
{
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "one", "test");
	metric_id allocs = builder_metric(b, "allocs", UNIT_OPS, ROLE_VALUE);
	int64_t half = 500000;
	struct buf out = BUF_INIT;
	struct err e;

	err_init(&e);
	ck_assert(builder_metric_decimals(b, allocs, 0, &e));
	track_id t = builder_track(b, "t", 1, TRACK_THREAD);
	ck_assert(builder_total(b, builder_totals(b, t, &allocs, 1), STACK_EMPTY, &half, 0, &e));
	builder_finish(b, &e);
	builder_free(b);

	b = builder_new(p, "two", "test");
	bsprof_header(&out, false, true, 0);
	bsprof_string(&out, 1, "main");
	bsprof_module(&out, 1, 1);
	bsprof_root(&out, 1, 1, 1, 10, 1);
	for (uint64_t i = 0; i < 400; i++)
		bsprof_alloc(&out, 1, 0, i * 16, i);
	for (uint64_t i = 0; i < 100; i++)
		bsprof_free(&out, 1, 0, 1, i * 16);
	bsprof_end(&out, 0);
	struct input *in = input_open_bytes(buf_str(&out), out.len, "two");
	ck_assert(decoder_named("bsprof")->decode(in, b, &e));
	input_close(in);
	builder_finish(b, &e);
	builder_free(b);
	ck_assert_msg(profile_check(p, &e), "%s", e.text);
	ck_assert_int_eq(total(p, "allocs"), 400500000);
	ck_assert_int_eq(total(p, "frees"), 100);
	ck_assert_int_eq(total(p, "alloc"), 400 * 399 / 2);
	ck_assert_int_eq(total(p, "live"), 400 * 399 / 2 - 100 * 99 / 2);
	buf_release(&out);
	profile_free(p);
}
END_TEST

UNIT(series_parts)
{
	Suite *suite = suite_create("series_parts");
	TCase *tcase = tcase_create("parts");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, sums);
	tcase_add_test(tcase, nothing);
	tcase_add_test(tcase, decimals);
	suite_add_tcase(suite, tcase);
	return suite;
}
