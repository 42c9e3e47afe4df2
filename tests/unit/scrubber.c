/* scrubber.c - the curve of the selection while a profile grows: the last one stays until the
 * next is whole, that of another selection never does; against sums that are known. */
#include "ui/part/scrubber.h"

#include <check.h>

#include "model/build/builder_load.h"
#include "tests/lib/stage.h"
#include "tests/lib/unit.h"

#define SAMPLES 300000u /* more than are read for a curve in one go */
#define SCREEN_H 40
#define WORK_ON_A 3 /* of a sample; b has 1 */

static const struct area lines = {1, 0, 5, 80};

struct growing {
	struct stage st;
	struct series *series;
	stack_id a, b;
	function_id function[2];
	uint32_t n;
};

static void
grow(struct growing *g)
{
	struct err e;
	err_init(&e);
	for (uint32_t to = g->n + SAMPLES; g->n < to; g->n++) {
		int64_t value = g->n % 2 ? 1 : WORK_ON_A;
		ck_assert(builder_sample(g->st.b, g->series, (int64_t)g->n * 1000,
					 g->n % 2 ? g->b : g->a, &value, 0, &e));
	}
	builder_settle(g->st.b);
	stage_fold(&g->st);
}

static void
begin(struct growing *g)
{
	*g = (struct growing){.n = 0};
	stage_init(&g->st, view_named("tree"));
	struct builder *b = g->st.b;
	metric_id cycles = builder_metric(b, "cycles", UNIT_COUNT, ROLE_VALUE);
	g->series = builder_samples(b, builder_track(b, "main", 4, TRACK_THREAD), &cycles, 1);
	for (unsigned i = 0; i < 2; i++) {
		g->function[i] = builder_function_named(b, i ? "b" : "a", 1);
		frame_id frame = builder_frame(b, g->function[i], line_unknown());
		*(i ? &g->b : &g->a) = builder_stack_leaf_first(b, &frame, 1);
	}
	grow(g);
}

/* The key of a (0) or b. */
static key_id
key_of(const struct growing *g, unsigned i)
{
	const struct projection *t = g->st.fold->tree;
	for (node_id n = 1; n < t->n; n++)
		if (projection_key_function(t, g->st.p, t->key[n]) == g->function[i])
			return t->key[n];
	ck_abort_msg("it is not shown");
	return KEY_NONE;
}

static void
arrange(struct scrubber *sc, struct growing *g)
{
	g->st.scene.again = false;
	scrubber_arrange(sc, &g->st.scene, lines, SCREEN_H);
}

static double
sum_of(const struct curve *c)
{
	double sum = 0;
	for (unsigned i = 0; i < c->cols; i++)
		sum += c->value[i];
	return sum;
}

START_TEST(test_curve_stays)
{
	struct growing g;
	struct scrubber sc;
	begin(&g);
	scrubber_init(&sc);
	g.st.nav.key = key_of(&g, 0);
	do
		arrange(&sc, &g);
	while (g.st.scene.again);
	ck_assert_ptr_nonnull(scrubber_curve(&sc));
	ck_assert_double_eq_tol(sum_of(scrubber_curve(&sc)), SAMPLES / 2. * WORK_ON_A, 0.5);
	/* more is read: it takes portions again, and meanwhile the last one is seen */
	grow(&g);
	g.st.nav.key = key_of(&g, 0);
	arrange(&sc, &g);
	ck_assert(g.st.scene.again);
	ck_assert_ptr_nonnull(scrubber_curve(&sc));
	ck_assert_double_eq_tol(sum_of(scrubber_curve(&sc)), SAMPLES / 2. * WORK_ON_A, 0.5);
	while (g.st.scene.again)
		arrange(&sc, &g);
	ck_assert_double_eq_tol(sum_of(scrubber_curve(&sc)), SAMPLES * WORK_ON_A, 0.5);
	/* of another selection that of the first would be a lie */
	g.st.nav.key = key_of(&g, 1);
	arrange(&sc, &g);
	ck_assert(g.st.scene.again);
	ck_assert_ptr_null(scrubber_curve(&sc));
	while (g.st.scene.again)
		arrange(&sc, &g);
	/* the last sample ends after the run */
	ck_assert_double_eq_tol(sum_of(scrubber_curve(&sc)), SAMPLES - 1, 0.5);
	scrubber_release(&sc);
	stage_release(&g.st);
}
END_TEST

UNIT(scrubber)
{
	Suite *suite = suite_create("scrubber");
	TCase *tests = tcase_create("scrubber");

	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, test_curve_stays);
	suite_add_tcase(suite, tests);
	return suite;
}
