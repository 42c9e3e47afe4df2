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
	uint32_t near = 0;

	wall_clock_change(&c, INT64_MIN, 3);
	wall_clock_change(&c, INT64_MAX, WALL_RUNNING_MAX + 9ull);
	ck_assert_int_eq(wall_clock_between(&c, INT64_MIN, INT64_MAX), INT64_MAX / 3);
	ck_assert_int_eq(wall_clock_mean(&c, INT64_MIN, INT64_MAX, &near), 1);
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

/* Returns a profile of samples on three threads that pause, one of them for very long samples. */
static struct profile *
many_samples(struct chance *chance)
{
	enum { SAMPLES = 60000 };
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "many", "test");
	metric_id m = builder_metric(b, "time", UNIT_NS, ROLE_VALUE);
	frame_id frame = builder_frame_named(b, builder_name(b, "f", 1));
	stack_id stack = builder_stack_leaf_first(b, &frame, 1);
	struct err e;

	err_init(&e);
	for (unsigned t = 0; t < 3; t++) {
		char name[2] = {(char)('a' + t), '\0'};
		track_id track = builder_track(b, name, 1, TRACK_THREAD);
		struct series *s = builder_samples(b, track, &m, 1);
		unsigned apart = t == 2 ? 8000 : 40;
		int64_t time = 0;
		for (unsigned i = 0; i < (t == 2 ? SAMPLES / 200 : SAMPLES); i++) {
			int64_t lasts = 1 + (int64_t)chance_below(chance, apart);
			ck_assert(builder_sample(b, s, time, stack, &lasts, 0, &e));
			time += 1 + (int64_t)chance_below(chance, apart);
		}
	}
	builder_finish(b, &e);
	builder_free(b);
	return p;
}

/* Returns the number in the only label of a set; -1: the set is empty. */
static int64_t
running_of(const struct profile *p, labels_id set)
{
	uint32_t n;
	const label_id *id = labels_get(&p->labels, set, &n);

	return n ? p->labels.label[id[0]].number : -1;
}

/* The label is the same on each event if clocks are only known in parts. */
START_TEST(test_parts)
{
	struct chance chance;
	chance_init(&chance, 1);
	struct profile *p = many_samples(&chance);
	struct wall all, parts;
	uint64_t compared = 0, above = 0;
	struct err e;

	err_init(&e);
	wall_make(p, WALL_LABEL, NULL, &all);
	wall_make(p, WALL_LABEL | WALL_ANY_ORDER, NULL, &parts);
	ck_assert_uint_gt(all.clocks.at[0].n, 100000);
	ck_assert_uint_lt(parts.clocks.at[0].n, all.clocks.at[0].n);
	ck_assert_msg(profile_check(parts.p, &e), "%s", e.text);
	for (track_id t = 0; t < p->n_tracks; t++)
		for (uint32_t k = 0; k < p->track[t].n_series; k++) {
			const struct series *x = all.p->track[t].series[k];
			const struct series *y = parts.p->track[t].series[k];
			struct event a, b;
			ck_assert_uint_eq(x->n, y->n);
			for (uint64_t i = 0; i < x->n; i++) {
				series_event(x, i, &a);
				series_event(y, i, &b);
				ck_assert_int_eq(a.time, b.time);
				ck_assert_int_eq(a.end, b.end);
				ck_assert_int_eq(running_of(all.p, a.labels),
						 running_of(parts.p, b.labels));
				compared++;
				above += running_of(all.p, a.labels) > 1;
			}
		}
	ck_assert(above > compared / 4 && above < compared);
	wall_release(&all);
	wall_release(&parts);
	profile_free(p);
}
END_TEST

UNIT(wall)
{
	Suite *suite = suite_create("wall");
	TCase *c = tcase_create("wall");

	tcase_add_test(c, test_clock);
	tcase_add_test(c, test_clock_far);
	tcase_add_test(c, test_derived);
	tcase_add_test(c, test_parts);
	suite_add_tcase(suite, c);
	return suite;
}
