#include "model/derive/wall.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/build/builder_load.h"
#include "model/derive/derived.h"
#include "model/fold/tally.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* The clock that runs slower while more tracks run, and profiles derived with it. tests/wall.t
 * compares the numbers with another computation. */

enum { PROFILES = 60, CHANGES = 400, TIMES = 2000 };

/* Returns the reading as a fraction of ns / ONES. */
#define ONES 27720 /* divisible by 1 to 12 */

START_TEST(test_clock)
{
	struct wall_clock c = {.n = 0};
	struct chance chance;
	int64_t exact[CHANGES], at[CHANGES], now = -5000;
	unsigned running[CHANGES];

	chance_init(&chance, 7);
	for (int i = 0; i < CHANGES; i++) {
		now += chance_below(&chance, 40);
		at[i] = now;
		running[i] = chance_below(&chance, 13);
		exact[i] = !i || !running[i - 1]
				   ? (i ? exact[i - 1] : 0)
				   : exact[i - 1] + (at[i] - at[i - 1]) * ONES / running[i - 1];
		wall_clock_change(&c, now, running[i]);
	}
	for (int k = 0; k < TIMES; k++) {
		int64_t time = -5100 + (int64_t)chance_below(&chance, (uint32_t)(now + 5300));
		uint32_t n = 0, near = chance_below(&chance, CHANGES + 2);
		while (n < CHANGES && at[n] <= time)
			n++;
		ck_assert_uint_eq(wall_clock_find(&c, time, near), n);
		int64_t reading = n ? exact[n - 1] : 0;
		if (n && running[n - 1])
			reading += (time - at[n - 1]) * ONES / running[n - 1];
		ck_assert_int_eq(wall_clock_at(&c, time, &near), reading / ONES);
		ck_assert_uint_eq(near, n);
	}
	wall_clock_release(&c);
}
END_TEST

/* Times at both ends of what a file can say. */
START_TEST(test_clock_far)
{
	struct wall_clock c = {.n = 0};

	wall_clock_change(&c, INT64_MIN, 3);
	wall_clock_change(&c, INT64_MAX, WALL_RUNNING_MAX + 9ull);
	ck_assert_int_eq(wall_clock_between(&c, INT64_MIN, INT64_MAX), INT64_MAX / 3);
	ck_assert_int_eq(wall_clock_mean(&c, INT64_MIN, INT64_MAX), 1);
	ck_assert_uint_eq(c.change[1].running, WALL_RUNNING_MAX);
	wall_clock_release(&c);
}
END_TEST

static int64_t
whole(const struct profile *p, metric_id m)
{
	const struct slice all = {.metric = m, .whole = true};
	int64_t sum = 0;

	for (track_id t = 0; t < p->n_tracks; t++)
		sum += tally_track(p, t, &all);
	return sum;
}

/* Profiles derived for the metric, the label and both keep every invariant and all that was
 * recorded. */
START_TEST(test_derived)
{
	unsigned computed = 0;

	for (uint64_t seed = 1; seed <= PROFILES; seed++) {
		struct random_profile *r = random_profile_new(seed);
		struct derived *d = derived_new();
		struct lens l;
		struct err e;
		err_init(&e);
		random_profile_grow(r, 400);
		random_profile_finish(r);
		builder_compute_metrics(r->model);
		const struct metric *last = &r->model->metric[r->model->n_metrics - 1];
		lens_init(&l);
		if (seed % 3 != 1)
			ck_assert(lens_add(&l, VERB_LABEL, WALL_LABEL_NAME,
					   strlen(WALL_LABEL_NAME), &e));
		if (seed % 3 != 2 && last->computed)
			lens_set_metric(&l, names_get(&r->model->names, last->name).at);
		computed += last->computed;
		const struct profile *p = derived_look(d, r->model, &l, false, NULL, &e);
		ck_assert(p != NULL);
		ck_assert_msg(profile_check(p, &e), "seed %u: %s", (unsigned)seed, e.text);
		for (metric_id m = 0; m < p->n_metrics; m++)
			if (!p->metric[m].computed && m != p->events_metric)
				ck_assert_int_eq(whole(p, m), whole(r->model, m));
		lens_release(&l);
		derived_free(d);
		random_profile_free(r);
	}
	ck_assert_uint_gt(computed, PROFILES / 4);
}
END_TEST

UNIT(wall)
{
	Suite *suite = suite_create("wall");
	TCase *c = tcase_create("wall");

	tcase_add_test(c, test_clock);
	tcase_add_test(c, test_clock_far);
	tcase_add_test(c, test_derived);
	suite_add_tcase(suite, c);
	return suite;
}
