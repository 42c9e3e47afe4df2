#include "model/calls/callstats.h"

#include <check.h>
#include <stdlib.h>

#include "model/fold/fold.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* Two parts of the model compute how long functions ran: the fold adds up the cost of each
 * stack, the per-call statistics replay the steps.  Net must be self, gross must be total (both
 * count recursion once), calls must be calls, whatever the steps, the range and the tracks.
 * Nothing of one is used by the other. */

struct sums {
	int64_t net, gross, calls;
};

static void
compare(struct random_profile *r, struct fold *f, const struct lens *l, uint64_t seed)
{
	struct sums *sum = calloc(r->model->frames.n_functions, sizeof *sum);
	struct callstats calls = {0};
	struct rows rows = {0};
	struct err e;

	err_init(&e);
	ck_assert_msg(fold_update(f, r->model, l, NULL, &e), "%s", e.text);
	struct slice slice = {f->metric, f->whole, f->from, f->to, f->tracks};
	callstats_compute(r->model, &slice, &calls, NULL);
	for (uint32_t i = 0; i < calls.n; i++) {
		const struct callstats_row *row = &calls.at[i];
		sum[row->function].net += row->value[CALL_NET][CALL_TOTAL];
		sum[row->function].gross += row->value[CALL_GROSS][CALL_TOTAL];
		sum[row->function].calls += row->calls;
	}
	fold_rows(f, &rows);
	for (uint32_t i = 0; i < rows.n; i++) {
		struct row row = rows_get(&rows, i);
		struct sums *s = &sum[row.key];
		if (s->net != row.self || s->gross != row.total ||
		    s->calls != row.calls)
			ck_abort_msg(
				"profile %llu, [%lld, %lld), function %u: net %lld and self "
				"%lld, gross %lld and total %lld, calls %lld and %lld",
				(unsigned long long)seed, (long long)f->from,
				(long long)f->to, row.key, (long long)s->net,
				(long long)row.self, (long long)s->gross,
				(long long)row.total, (long long)s->calls,
				(long long)row.calls);
		*s = (struct sums){0};
	}
	/* a function that no row speaks of has nothing */
	for (function_id i = 0; i < r->model->frames.n_functions; i++)
		if (sum[i].net || sum[i].gross || sum[i].calls)
			ck_abort_msg("profile %llu: function %u has no row",
				     (unsigned long long)seed, i);
	callstats_release(&calls);
	rows_release(&rows);
	free(sum);
}

/* Minimum, average and maximum of complete calls are within each other. */
START_TEST(test_net_is_self)
{
	for (uint64_t seed = 0; seed < 1500; seed++) {
		struct random_profile *r = random_profile_new(seed);
		struct fold *f = fold_new();
		if (r->metric[NAIVE_CALLS] == METRIC_NONE || r->both_calls) {
			fold_free(f);
			random_profile_free(r);
			continue; /* the column `calls` is something else */
		}
		random_profile_grow(r, 300);
		random_profile_finish(r);
		for (int look = 0; look < 6; look++) {
			struct lens l;
			lens_init(&l);
			lens_set_metric(&l, "time");
			enum moment_kind kind =
				r->naive.ordinal ? MOMENT_ORDINAL : MOMENT_NS;
			bool timed = r->model->group[0].has_time;
			if (timed && look)
				l.from = (struct moment){
					.kind = kind, .value = chance_below(&r->chance, 80)};
			if (timed && look & 1)
				l.to = (struct moment){
					.kind = kind, .value = chance_below(&r->chance, 200)};
			compare(r, f, &l, seed);
			lens_release(&l);
		}
		fold_free(f);
		random_profile_free(r);
	}
}
END_TEST

UNIT(callstats_fold)
{
	Suite *suite = suite_create("callstats and fold");
	TCase *cases = tcase_create("agreement");

	tcase_set_timeout(cases, 60);
	tcase_add_test(cases, test_net_is_self);
	suite_add_tcase(suite, cases);
	return suite;
}
