#include "model/fold/phases.h"

#include <check.h>
#include <math.h>

#include "model/build/builder.h"
#include "model/fold/fold.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* Finds phases in invented recordings of a sample a millisecond, whose truth is known. */

#define SAMPLES 10000u
#define MS 1000000

static struct {
	struct profile *p;
	struct builder *b;
	struct series *series;
	stack_id stack[4];
} made;

static void
begin(void)
{
	made.p = profile_new();
	made.b = builder_new(made.p, "recording", "test");
	metric_id m = builder_metric(made.b, "samples", UNIT_SAMPLES, ROLE_VALUE);
	made.series = builder_samples(made.b, builder_track(made.b, "t", 1, TRACK_THREAD), &m, 1);
	for (unsigned i = 0; i < 4; i++) {
		const char name[2] = {(char)('a' + i), 0};
		function_id f = builder_function_named(made.b, name, 1);
		made.stack[i] = builder_child(made.b, STACK_EMPTY,
					      builder_frame(made.b, f, line_unknown()));
	}
}

static void
sample(unsigned at, unsigned of)
{
	int64_t one = 1;
	struct err e;

	err_init(&e);
	ck_assert(builder_sample(made.b, made.series, (int64_t)at * MS, made.stack[of], &one, at,
				 &e));
}

/* Ends the recording, finds its phases, and frees it. */
static struct phases
found(bool idle)
{
	struct fold *f = fold_new();
	struct phases out;
	struct lens l;
	struct err e;

	err_init(&e);
	builder_finish(made.b, &e);
	builder_free(made.b);
	lens_init(&l);
	ck_assert(fold_update(f, made.p, &l, NULL, &e));
	phases_find(&out, &(struct phases_asks){.p = made.p,
						.tree = f->tree,
						.numbers = &f->now,
						.slice = {.metric = f->metric},
						.to = (int64_t)SAMPLES * MS,
						.windows = PHASES_WINDOWS,
						.stretches = 10,
						.idle = idle});
	lens_release(&l);
	fold_free(f);
	profile_free(made.p);
	return out;
}

/* Two works take turns; a tenth of the samples is of a third one. */
START_TEST(test_turns)
{
	static const unsigned turns[] = {5000, 3333, 2500, 2000, 1500, 1250, 1000, 777};
	struct chance c;

	chance_init(&c, 1);
	for (size_t t = 0; t < sizeof turns / sizeof *turns; t++) {
		unsigned turn = turns[t], changes = (SAMPLES - 1) / turn;
		begin();
		for (unsigned i = 0; i < SAMPLES; i++)
			sample(i, chance_one_in(&c, 10) ? 2 : i / turn % 2);
		struct phases x = found(false);
		if (SAMPLES - changes * turn < SAMPLES / 20)
			changes--; /* the last turn is no phase */
		ck_assert_uint_eq(x.n, changes);
		for (unsigned i = 0; i < x.n; i++)
			ck_assert_double_le(fabs((double)x.cut[i] / MS - (i + 1.0) * turn), 25);
	}
}
END_TEST

/* A mix that stays, of stretches of several lengths. */
START_TEST(test_none)
{
	static const unsigned lengths[] = {1, 5, 20, 50};
	struct chance c;

	chance_init(&c, 2);
	for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
		unsigned wrong = 0;
		for (unsigned k = 0; k < unit_rounds(100); k++) {
			unsigned of = 0;
			begin();
			for (unsigned i = 0; i < SAMPLES; i++) {
				if (!i || chance_one_in(&c, lengths[l]))
					of = (unsigned)chance_below(&c, 4);
				sample(i, of);
			}
			wrong += found(false).n > 0;
		}
		ck_assert_uint_le(wrong, 1 + unit_rounds(100) / 25);
	}
}
END_TEST

/* The same within half of each period, which is not a whole number of windows. */
START_TEST(test_none_by_periods)
{
	static const unsigned periods[] = {555, 568, 640};
	unsigned wrong = 0;
	struct chance c;

	chance_init(&c, 3);
	for (unsigned k = 0; k < unit_rounds(400); k++) {
		unsigned of = 0, period = periods[k % 3];
		begin();
		for (unsigned i = 0; i < SAMPLES; i++) {
			if (!i || chance_one_in(&c, 50))
				of = (unsigned)chance_below(&c, 4);
			if (i % period < period * 2 / 5)
				sample(i, of);
		}
		wrong += found(false).n > 0;
	}
	ck_assert_uint_le(wrong, 1 + unit_rounds(400) / 10);
}
END_TEST

/* A work at the begin or the end is a phase from a twentieth of the run on. */
START_TEST(test_short)
{
	static const unsigned lengths[] = {150, 250, 330, 400, 520, 700, 1000};

	for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
		for (int end = 0; end < 2; end++) {
			unsigned cut = end ? SAMPLES - lengths[l] : lengths[l];
			begin();
			for (unsigned i = 0; i < SAMPLES; i++)
				sample(i, (i < cut) == end);
			struct phases x = found(false);
			ck_assert_uint_eq(x.n, lengths[l] > SAMPLES / 20);
			if (x.n)
				ck_assert_double_le(fabs((double)x.cut[0] / MS - cut), 25);
		}
}
END_TEST

/* Half of the run is idle, which is a phase if idle time counts. */
START_TEST(test_idle)
{
	for (int idle = 0; idle < 2; idle++) {
		begin();
		for (unsigned i = 0; i < SAMPLES; i += i < SAMPLES / 2 ? 1 : 100)
			sample(i, i % 3);
		struct phases x = found(idle);
		ck_assert_uint_eq(x.n, idle);
		if (idle)
			ck_assert_double_le(fabs((double)x.cut[0] / MS - SAMPLES / 2.0), 25);
	}
}
END_TEST

UNIT(phases)
{
	Suite *s = suite_create("phases");
	TCase *t = tcase_create("phases");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, test_turns);
	tcase_add_test(t, test_none);
	tcase_add_test(t, test_none_by_periods);
	tcase_add_test(t, test_short);
	tcase_add_test(t, test_idle);
	suite_add_tcase(s, t);
	return s;
}
