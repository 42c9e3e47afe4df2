#include "ui/view/timeline.h"

#include <check.h>
#include <string.h>

#include "model/builder.h"
#include "model/mem.h"
#include "tests/lib/run_suite.h"
#include "ui/part/slowest.h"
#include "ui/view/view.h"

/* The timeline of a profile that grows while it is looked at.  What it draws must be of
 * the fold that is there now, though the profile is always ahead of it, and though the
 * memory of a tree that went may be that of the tree that came. */

/* Freed memory comes back at once, as in a build without sanitizers. */
const char *__asan_default_options(void);
const char *
__asan_default_options(void)
{
	return "quarantine_size_mb=0:thread_local_quarantine_size_kb=0";
}

struct live {
	struct profile *p;
	struct builder *b;
	struct series *s;
	struct lens lens;
	struct outline outline;
	struct nav nav;
	struct search search;
	struct view_facts facts;
	struct slowest slowest;
	struct fold *fold;
	struct scene scene;
	void *view;
	int64_t now;
	unsigned named;
};

static const struct area screen = {0, 0, 24, 80};

static void
live_init(struct live *l)
{
	*l = (struct live){.p = profile_new(), .fold = fold_new()};
	l->b = builder_new(l->p, "live", "test");
	builder_metric(l->b, "time", UNIT_NS, ROLE_TIME);
	l->s = builder_steps(l->b, builder_track(l->b, "main", 4, TRACK_THREAD));
	lens_init(&l->lens);
	outline_init(&l->outline);
	nav_init(&l->nav);
	search_init(&l->search);
	slowest_init(&l->slowest);
	l->scene = (struct scene){
		.p = l->p,
		.fold = l->fold,
		.lens = &l->lens,
		.outline = &l->outline,
		.nav = &l->nav,
		.search = &l->search,
		.facts = &l->facts,
		.calls = &l->slowest,
	};
	l->view = timeline_view.create();
}

static void
live_release(struct live *l)
{
	timeline_view.destroy(l->view);
	buf_release(&l->scene.say);
	slowest_release(&l->slowest);
	search_release(&l->search);
	nav_release(&l->nav);
	outline_release(&l->outline);
	lens_release(&l->lens);
	fold_free(l->fold);
	builder_free(l->b);
	profile_free(l->p);
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
			function_id f = builder_function_named(l->b, buf_str(&name),
							       name.len);
			stack = builder_child(l->b, stack,
					      builder_frame(l->b, f, line_unknown()));
			buf_release(&name);
		}
		l->named++;
		l->now += 100;
		good &= builder_step(l->b, l->s, l->now, stack, 0, 0, &e);
	}
	ck_assert(good);
}

static void
live_fold(struct live *l)
{
	struct err e;
	err_init(&e);
	ck_assert(fold_update(l->fold, l->p, &l->lens, NULL, &e));
	l->scene.folds++;
	outline_reset(&l->outline, l->fold, l->p);
	nav_settle(&l->nav, l->fold, l->p);
	search_update(&l->search, l->fold, l->p);
}

/* The layout is of this very tree: every depth, and every node of a column.  One assert for
 * all of them: each writes down that it was reached, and Check reads that back slowly. */
static void
live_check(const struct live *l)
{
	const struct timeline *v = l->view;
	const struct projection *t = l->fold->tree;
	unsigned wrong = 0;
	for (node_id i = 1; i < t->n; i++)
		wrong += v->layout.depth[i] != v->layout.depth[t->parent[i]] + 1;
	ck_assert_uint_eq(v->lanes.n, 1);
	const struct lane *lane = &v->lanes.at[0];
	ck_assert_uint_eq(lane->cells.n, (unsigned)v->cols);
	for (unsigned x = 0; x < lane->cells.n; x++)
		for (unsigned row = 0; row <= lane->cells.rows; row++) {
			node_id node = cells_at(&lane->cells, x, row).node;
			wrong += node != NODE_NONE && node >= t->n;
		}
	ck_assert_uint_eq(wrong, 0);
}

START_TEST(test_behind_the_fold)
{
	struct live l;
	live_init(&l);
	live_grow(&l, 3);
	live_fold(&l);
	timeline_view.arrange(l.view, &l.scene, screen);
	for (unsigned round = 0; round < 40; round++) {
		live_grow(&l, 5);
		live_fold(&l);
		/* the profile is ahead of the fold when the view looks at it */
		live_grow(&l, 40);
		timeline_view.arrange(l.view, &l.scene, screen);
		live_fold(&l);
		timeline_view.arrange(l.view, &l.scene, screen);
		live_check(&l);
		timeline_view.act(l.view, &l.scene, ACTION_LAST);
		timeline_view.arrange(l.view, &l.scene, screen);
		live_check(&l);
	}
	live_release(&l);
}
END_TEST

/* Marks say their text at the cursor, without the number that stands for it. */
START_TEST(test_marks_say_their_text)
{
	struct live l;
	struct canvas c;
	struct buf text = BUF_INIT;
	struct err e;
	err_init(&e);
	live_init(&l);
	live_grow(&l, 3);
	track_id t = builder_track(l.b, "marks", 5, TRACK_MARKS);
	struct series *marks = builder_points(l.b, t, false);
	builder_track_value(l.b, t, 7, builder_name(l.b, "collected 12 pages", 18));
	ck_assert(builder_point(l.b, marks, 150, 7, 0, &e));
	ck_assert(builder_point(l.b, marks, 250, 8, 0, &e));
	live_fold(&l);
	canvas_init(&c, screen.w, screen.h, false);
	timeline_view.arrange(l.view, &l.scene, screen);
	timeline_view.act(l.view, &l.scene, ACTION_PAGE_DOWN);
	timeline_view.act(l.view, &l.scene, ACTION_STEP_ON);
	timeline_view.arrange(l.view, &l.scene, screen);
	timeline_view.draw(l.view, &l.scene, &c, screen);
	canvas_write(&c, &text);
	ck_assert_ptr_nonnull(strstr(buf_str(&text), " collected 12 pages at "));
	ck_assert_ptr_null(strstr(buf_str(&text), "(7)"));
	ck_assert_uint_eq(l.scene.say.len, 0);

	/* the last one has no text; on from it is nowhere, and that is said */
	timeline_view.act(l.view, &l.scene, ACTION_STEP_ON);
	ck_assert_uint_eq(l.scene.say.len, 0);
	timeline_view.act(l.view, &l.scene, ACTION_STEP_ON);
	ck_assert_str_eq(buf_str(&l.scene.say), "no later point");
	timeline_view.arrange(l.view, &l.scene, screen);
	timeline_view.draw(l.view, &l.scene, &c, screen);
	buf_reset(&text);
	canvas_write(&c, &text);
	ck_assert_ptr_nonnull(strstr(buf_str(&text), " 8 at "));
	buf_release(&text);
	canvas_release(&c);
	live_release(&l);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("timeline");
	TCase *live = tcase_create("live");

	tcase_add_test(live, test_behind_the_fold);
	tcase_add_test(live, test_marks_say_their_text);
	suite_add_tcase(suite, live);
	return run_suite(suite);
}
