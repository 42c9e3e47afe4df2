/* series_runs.c - buffered events that are written in runs equal events written singly: series side
 * by side, more of them than there are buffers, in turn and one for long. */
#include <check.h>

#include "model/build/builder.h"
#include "model/build/builder_load.h"
#include "model/profile/profile.h"
#include "model/profile/series.h"
#include "tests/lib/chance.h"
#include "tests/lib/unit.h"

enum { SIDE = 40, RUNS = 90000, LEAVES = 50 };

static struct series *
like(const struct series *s)
{
	struct series *own = series_new((enum series_kind)s->kind);

	for (unsigned m = 0; m < s->n_metrics; m++)
		series_add_metric(own, s->metric[m], (enum metric_role)s->role[m]);
	own->n_columns = s->n_columns;
	own->valued = s->valued;
	own->labelled = s->labelled;
	return own;
}

static void
ck_alike(const struct series *a, const struct series *b)
{
	struct event x, y;

	ck_assert_uint_eq(a->n, b->n);
	ck_assert_int_eq(a->last_time, b->last_time);
	ck_assert_int_eq(a->end_time, b->end_time);
	ck_assert_int_eq(a->sorted, b->sorted);
	ck_assert_uint_eq(a->n_blocks, b->n_blocks);
	for (unsigned m = 0; m < a->n_metrics; m++)
		ck_assert_int_eq(a->sum[m], b->sum[m]);
	for (uint32_t i = 0; i < a->n_blocks; i++) {
		ck_assert_int_eq(a->block[i].time, b->block[i].time);
		ck_assert_uint_eq(a->block[i].dominant, b->block[i].dominant);
		for (unsigned m = 0; m < a->n_metrics; m++)
			ck_assert_int_eq(a->block_sum[i * a->n_metrics + m],
					 b->block_sum[i * b->n_metrics + m]);
	}
	for (uint64_t i = 0; i < a->n; i++)
		if (!series_event(a, i, &x) || !series_event(b, i, &y) || x.time != y.time ||
		    x.end != y.end || x.stack != y.stack || x.value != y.value ||
		    x.labels != y.labels)
			ck_abort_msg("event %llu", (unsigned long long)i);
}

START_TEST(test_runs)
{
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "runs", "test");
	struct series *s[SIDE], *own[SIDE];
	struct series_scratch x = {0};
	int64_t clock[SIDE], from[SIDE], to[SIDE];
	stack_id leaf[LEAVES];
	struct chance c;
	struct err e;

	err_init(&e);
	chance_init(&c, 21 + (uint64_t)_i);
	builder_beside(b, _i ? 20 : 0); /* with and without the thread */
	builder_metric(b, "time", UNIT_NS, ROLE_TIME);
	builder_metric(b, "calls", UNIT_CALLS, ROLE_CALLS);
	metric_id value[] = {builder_metric(b, "bytes", UNIT_BYTES, ROLE_VALUE),
			     builder_metric(b, "ops", UNIT_OPS, ROLE_VALUE)};
	label_id label = builder_label_number(b, builder_name(b, "n", 1), 7, NAME_EMPTY);
	labels_id set = builder_labels(b, &label, 1);
	for (int i = 0; i < LEAVES; i++)
		leaf[i] = builder_child(b, i ? leaf[chance_below(&c, (uint32_t)i)] : STACK_EMPTY,
					builder_frame(b,
						      builder_function_named(b, &"abcde"[i % 5], 1),
						      line_plain((uint32_t)i)));
	for (int i = 0; i < SIDE; i++) {
		track_id t = builder_track(b, "t", 1, TRACK_THREAD);
		s[i] = i % 4 == 0   ? builder_steps(b, t)
		       : i % 4 == 1 ? builder_steps_valued(b, t)
				    : builder_samples(b, t, value, 2);
		if (i % 8 > 5)
			builder_labelled(b, s[i]);
		own[i] = like(s[i]);
		clock[i] = from[i] = to[i] = 1000 * i;
	}
	for (int n = 0, k = 0; n < RUNS; n++) {
		/* one for long, all in turn, any */
		k = n / 30000 == 0 ? (chance_one_in(&c, 500) ? (k + 1) % SIDE : k)
		    : n / 30000 == 1 ? n % SIDE
				     : (int)chance_below(&c, SIDE);
		bool steps = s[k]->kind == SERIES_STEPS;
		clock[k] += chance_below(&c, 1u << chance_below(&c, 20));
		int64_t time = clock[k],
			v[] = {chance_below(&c, 1000), -(int64_t)chance_below(&c, 9)};
		if (!steps && k % 5 == 0 && chance_one_in(&c, 3))
			time -= chance_below(&c, 100000); /* those need not be in order */
		stack_id at = chance_one_in(&c, 9) ? STACK_EMPTY : leaf[chance_below(&c, LEAVES)];
		uint32_t flags = chance_one_in(&c, 2) ? STEP_CALL : 0;
		bool aside = !steps && chance_one_in(&c, 10);
		if (s[k]->labelled && chance_one_in(&c, 2)) {
			builder_next_labels(b, s[k], set);
			own[k]->next_labels = set;
		}
		if (!aside) {
			from[k] = !own[k]->n || time < from[k] ? time : from[k];
			to[k] = !own[k]->n || time > to[k] ? time : to[k];
		} else if (!own[k]->n) {
			continue; /* the first is of the track, for from[] and to[] */
		}
		if (steps) {
			int64_t shown = s[k]->valued ? v[0] : 0;
			ck_assert(builder_step_valued(b, s[k], time, at, flags, shown, 0, &e));
			series_add_step(own[k], &x, time, at | flags, shown);
		} else {
			ck_assert((aside ? builder_sample_aside : builder_sample)(
				b, s[k], time, at, v, 0, &e));
			series_add_sample(own[k], &x, time, at, v);
		}
		if (chance_one_in(&c, 20000)) {
			builder_settle(b);
			ck_alike(s[k], own[k]);
		}
	}
	ck_assert(!builder_step(b, s[0], clock[0] - 1, leaf[0], 0, 0, &e));
	builder_settle(b);
	for (int i = 0; i < SIDE; i++) {
		ck_alike(s[i], own[i]);
		ck_assert_int_eq(p->track[i].start, from[i]);
		ck_assert_int_eq(p->track[i].end, to[i]);
		series_free(own[i]);
	}
	err_init(&e);
	builder_finish(b, &e);
	ck_assert_msg(profile_check(p, &e), "%s", e.text);
	series_scratch_release(&x);
	builder_free(b);
	profile_free(p);
}
END_TEST

UNIT(series_runs)
{
	Suite *suite = suite_create("series_runs");
	TCase *cases = tcase_create("series_runs");

	tcase_set_timeout(cases, 60);
	tcase_add_loop_test(cases, test_runs, 0, 2);
	suite_add_tcase(suite, cases);
	return suite;
}
