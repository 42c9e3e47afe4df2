#include "ui/view/timeline/timeline.h"

#include <check.h>
#include <string.h>

#include "tests/lib/stage.h"
#include "tests/lib/unit.h"

/* The timeline of a profile that grows while it is displayed. It must draw the current fold,
 * although the profile is always ahead of it, and although a new tree may lie in the memory of the
 * freed one. */

/* Freed memory comes back at once, as in a build without sanitizers. */
const char *__asan_default_options(void);
const char *
__asan_default_options(void)
{
	return "quarantine_size_mb=0:thread_local_quarantine_size_kb=0";
}

struct live {
	struct stage st;
	struct series *s;
	int64_t now;
	unsigned named;
};

static void
live_init(struct live *l)
{
	*l = (struct live){.now = 0};
	stage_init(&l->st, &timeline_view);
	builder_metric(l->st.b, "time", UNIT_NS, ROLE_TIME);
	l->s = builder_steps(l->st.b, builder_track(l->st.b, "main", 4, TRACK_THREAD));
}

/* `steps` more, each in a function of its own below those of its turn. */
static void
live_grow(struct live *l, unsigned steps)
{
	struct err e;
	bool good = true;
	err_init(&e);
	for (unsigned i = 0; i < steps; i++) {
		stack_id stack = STACK_EMPTY;
		for (unsigned d = 0; d <= l->named % 7; d++) {
			struct buf name = BUF_INIT;
			buf_addf(&name, "f%u_%u", l->named, d);
			function_id f = builder_function_named(l->st.b, buf_str(&name),
							       name.len);
			stack = builder_child(l->st.b, stack,
					      builder_frame(l->st.b, f, line_unknown()));
			buf_release(&name);
		}
		l->named++;
		l->now += 100;
		good &= builder_step(l->st.b, l->s, l->now, stack, 0, 0, &e);
	}
	ck_assert(good);
}

/* The layout is of this very tree: every depth, and every node of a column.  One assert for
 * all of them: each writes down that it was reached, and Check reads that back slowly. */
static void
live_check(const struct live *l)
{
	const struct timeline *v = l->st.view;
	const struct projection *t = l->st.fold->tree;
	unsigned wrong = 0;
	for (node_id i = 1; i < t->n; i++)
		wrong += v->layout.depth[i] != v->layout.depth[t->parent[i]] + 1;
	ck_assert_uint_eq(v->lanes.n, 1);
	const struct lane *lane = &v->lanes.at[0];
	ck_assert_uint_eq(lane->cells->shown.n, (unsigned)v->cols);
	for (unsigned x = 0; x < lane->cells->shown.n; x++)
		for (unsigned row = 0; row <= lane->cells->shown.rows; row++) {
			node_id node = cells_at(&lane->cells->shown, x, row).node;
			wrong += node != NODE_NONE && node >= t->n;
		}
	ck_assert_uint_eq(wrong, 0);
}

START_TEST(test_behind_the_fold)
{
	struct live l;
	live_init(&l);
	live_grow(&l, 3);
	stage_fold(&l.st);
	timeline_view.arrange(l.st.view, &l.st.scene, stage_screen);
	for (unsigned round = 0; round < 40; round++) {
		live_grow(&l, 5);
		stage_fold(&l.st);
		/* the profile is ahead of the fold when the view looks at it */
		live_grow(&l, 40);
		timeline_view.arrange(l.st.view, &l.st.scene, stage_screen);
		stage_fold(&l.st);
		timeline_view.arrange(l.st.view, &l.st.scene, stage_screen);
		live_check(&l);
		timeline_view.act(l.st.view, &l.st.scene, ACTION_LAST);
		timeline_view.arrange(l.st.view, &l.st.scene, stage_screen);
		live_check(&l);
	}
	stage_release(&l.st);
}
END_TEST

/* The line at the cursor shows the text of a mark, without its number. */
START_TEST(test_marks_say_their_text)
{
	struct live l;
	struct buf text = BUF_INIT;
	struct err e;
	err_init(&e);
	live_init(&l);
	live_grow(&l, 3);
	track_id t = builder_track(l.st.b, "marks", 5, TRACK_MARKS);
	struct series *marks = builder_points(l.st.b, t, false);
	builder_track_value(l.st.b, t, 7, builder_name(l.st.b, "collected 12 pages", 18));
	ck_assert(builder_point(l.st.b, marks, 150, 7, 0, &e));
	ck_assert(builder_point(l.st.b, marks, 250, 8, 0, &e));
	stage_fold(&l.st);
	timeline_view.arrange(l.st.view, &l.st.scene, stage_screen);
	timeline_view.act(l.st.view, &l.st.scene, ACTION_PAGE_DOWN);
	timeline_view.act(l.st.view, &l.st.scene, ACTION_STEP_ON);
	timeline_view.arrange(l.st.view, &l.st.scene, stage_screen);
	stage_draw(&l.st, &text);
	ck_assert_ptr_nonnull(strstr(buf_str(&text), " collected 12 pages \xc2\xb7 "));
	ck_assert_ptr_null(strstr(buf_str(&text), "(7)"));
	ck_assert_uint_eq(l.st.scene.say.len, 0);

	/* the last one has no text; on from it is nowhere, and that is said */
	timeline_view.act(l.st.view, &l.st.scene, ACTION_STEP_ON);
	ck_assert_uint_eq(l.st.scene.say.len, 0);
	timeline_view.act(l.st.view, &l.st.scene, ACTION_STEP_ON);
	ck_assert_str_eq(buf_str(&l.st.scene.say), "no later point");
	timeline_view.arrange(l.st.view, &l.st.scene, stage_screen);
	buf_reset(&text);
	stage_draw(&l.st, &text);
	ck_assert_ptr_nonnull(strstr(buf_str(&text), " 8 at "));
	buf_release(&text);
	stage_release(&l.st);
}
END_TEST

UNIT_ALONE(timeline)
{
	Suite *suite = suite_create("timeline");
	TCase *live = tcase_create("live");

	tcase_add_test(live, test_behind_the_fold);
	tcase_add_test(live, test_marks_say_their_text);
	suite_add_tcase(suite, live);
	return suite;
}
