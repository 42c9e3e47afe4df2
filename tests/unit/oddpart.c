#include "model/answer/oddpart.h"

#include <check.h>
#include <stdlib.h>

#include "model/build/builder.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* Tests oddpart.h with invented programs: ten functions by fixed chances, sampled or traced, and in
 * one part of the run another function, or nothing.  The part must be found; programs without one
 * must have none. */

#define MS 1000000
#define FUNCTIONS 10u
#define TICKS 20000u

enum plan { SLOW, HANG, PLAIN };

struct odd_world {
	struct profile *p;
	struct fold *fold;
	struct lens lens;
	function_id slow;
	unsigned from, to; /* of the planted part, in ticks */
};

static void
plant(struct odd_world *w, enum plan plan, bool traced, uint64_t seed)
{
	struct chance c;
	struct err e;

	err_init(&e);
	chance_init(&c, seed);
	w->p = profile_new();
	struct builder *b = builder_new(w->p, "odd", "toy");
	metric_id metric = traced ? builder_metric(b, "time", UNIT_NS, ROLE_TIME)
				  : builder_metric(b, "samples", UNIT_SAMPLES, ROLE_EVENTS);
	track_id track = builder_track(b, "main", 4, TRACK_THREAD);
	struct series *s = traced ? builder_steps(b, track)
				  : builder_samples(b, track, &metric, 1);
	stack_id stack[FUNCTIONS + 1];
	for (unsigned i = 0; i <= FUNCTIONS; i++) {
		char name[] = {'f', (char)('a' + i), '\0'};
		function_id f = builder_function_named(b, name, 2);
		frame_id frame = builder_frame(b, f, line_unknown());
		stack[i] = builder_stack(b, &frame, 1);
		w->slow = f;
	}
	unsigned length = TICKS / (12 + chance_below(&c, 60));
	w->from = chance_below(&c, TICKS - length);
	w->to = plan == PLAIN ? w->from : w->from + length;
	for (unsigned i = 0; i < TICKS; i++) {
		bool odd = i >= w->from && i < w->to && chance_below(&c, 10) < 8;
		unsigned f = chance_below(&c, FUNCTIONS) * chance_below(&c, 10) / 9;
		stack_id at = !odd ? stack[f] : plan == SLOW ? stack[FUNCTIONS] : STACK_EMPTY;
		if (traced)
			builder_step(b, s, (int64_t)i * MS, at, 0, 0, &e);
		else if (at != STACK_EMPTY)
			builder_sample(b, s, (int64_t)i * MS, at, NULL, 0, &e);
	}
	if (traced)
		builder_step(b, s, (int64_t)TICKS * MS, STACK_EMPTY, 0, 0, &e);
	builder_finish(b, &e);
	builder_free(b);
	lens_init(&w->lens);
	w->fold = fold_new();
	ck_assert(fold_update(w->fold, w->p, &w->lens, NULL, &e));
}

static void
odd_world_release(struct odd_world *w)
{
	fold_free(w->fold);
	lens_release(&w->lens);
	profile_free(w->p);
}

/* Returns the common part of both spans divided by the span of both. */
static double
agreement(const struct odd_world *w, const struct oddpart *part)
{
	double from = (double)w->from * MS, to = (double)w->to * MS;
	double low = from > (double)part->from ? from : (double)part->from;
	double high = to < (double)part->to ? to : (double)part->to;
	double first = from < (double)part->from ? from : (double)part->from;
	double last = to > (double)part->to ? to : (double)part->to;

	return high > low ? (high - low) / (last - first) : 0;
}

START_TEST(test_found)
{
	unsigned found = 0, rounds = unit_rounds(80);
	enum plan plan = _i & 1 ? HANG : SLOW;

	for (unsigned k = 0; k < rounds; k++) {
		struct odd_world w;
		struct oddparts odd;
		plant(&w, plan, _i & 2, k + 1);
		oddparts_find(&odd, w.p, w.fold, NULL);
		ck_assert(odd.complete);
		for (unsigned i = 1; i < odd.n; i++)
			ck_assert(odd.at[i].from >= odd.at[0].to ||
				  odd.at[i].to <= odd.at[0].from);
		if (odd.n && agreement(&w, &odd.at[0]) >= 0.6) {
			ck_assert_int_eq(odd.at[0].idle, plan == HANG);
			ck_assert(plan == HANG ||
				  w.p->frames.function.name[odd.at[0].key] ==
					  w.p->frames.function.name[w.slow]);
			ck_assert(odd.at[0].now > 0.5 && odd.at[0].beside < 0.3);
			found++;
		}
		odd_world_release(&w);
	}
	ck_assert_msg(found * 20 >= rounds * 19, "%u of %u", found, rounds);
}
END_TEST

/* Chance alone is no odd part. */
START_TEST(test_plain)
{
	unsigned found = 0, rounds = unit_rounds(80);

	for (unsigned k = 0; k < rounds; k++) {
		struct odd_world w;
		struct oddparts odd;
		plant(&w, PLAIN, _i, k + 1);
		oddparts_find(&odd, w.p, w.fold, NULL);
		found += odd.n > 0;
		odd_world_release(&w);
	}
	ck_assert_msg(found * 20 <= rounds, "%u of %u", found, rounds);
}
END_TEST

/* Functions by chance in samples of a time.  With few samples each part has other ones than the
 * rest; where samples are heavy, a part has more time, but not of other work.  None is odd. */
START_TEST(test_weights)
{
	unsigned n = _i ? 4000 : 108, found = 0, rounds = unit_rounds(80);

	for (unsigned k = 0; k < rounds; k++) {
		struct odd_world w = {.p = profile_new()};
		struct builder *b = builder_new(w.p, "odd", "toy");
		metric_id metric = builder_metric(b, "time", UNIT_NS, ROLE_TIME);
		struct series *s = builder_samples(b, builder_track(b, "main", 4, TRACK_THREAD),
						   &metric, 1);
		struct oddparts odd;
		struct chance c;
		struct err e;
		err_init(&e);
		chance_init(&c, k + 1);
		for (unsigned i = 0; i < n; i++) {
			char name[] = {'f', (char)('a' + chance_below(&c, FUNCTIONS)), '\0'};
			frame_id frame = builder_frame(
				b, builder_function_named(b, name, 2), line_unknown());
			bool heavy = _i && i >= 1000 && i < 1300;
			int64_t weight = heavy ? 50 * MS : _i ? MS : 10 * MS;
			builder_sample(b, s, (int64_t)i * (_i ? MS : 10 * MS),
				       builder_stack(b, &frame, 1), &weight, 1, &e);
		}
		builder_finish(b, &e);
		builder_free(b);
		lens_init(&w.lens);
		w.fold = fold_new();
		ck_assert(fold_update(w.fold, w.p, &w.lens, NULL, &e));
		oddparts_find(&odd, w.p, w.fold, NULL);
		found += odd.n > 0;
		odd_world_release(&w);
	}
	ck_assert_msg(found * 20 <= rounds, "%u of %u", found, rounds);
}
END_TEST

UNIT(oddpart)
{
	Suite *suite = suite_create("oddpart");
	TCase *t = tcase_create("oddpart");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, test_found, 0, 4);
	tcase_add_loop_test(t, test_plain, 0, 2);
	tcase_add_loop_test(t, test_weights, 0, 2);
	suite_add_tcase(suite, t);
	return suite;
}
