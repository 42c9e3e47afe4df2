#include "ui/view/timeline.h"

#include <check.h>
#include <string.h>

#include "model/builder.h"
#include "model/mem.h"
#include "tests/lib/run_suite.h"
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
	l->scene = (struct scene){
		.p = l->p,
		.fold = l->fold,
		.lens = &l->lens,
		.outline = &l->outline,
		.nav = &l->nav,
		.search = &l->search,
		.facts = &l->facts,
	};
	l->view = timeline_view.create();
}

static void
live_release(struct live *l)
{
	timeline_view.destroy(l->view);
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
		ck_assert(builder_step(l->b, l->s, l->now, stack, 0, 0, &e));
	}
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

/* The layout is of this very tree: every depth, and every node of a column. */
static void
live_check(const struct live *l)
{
	const struct timeline *v = l->view;
	const struct projection *t = l->fold->tree;
	for (node_id i = 1; i < t->n; i++)
		ck_assert_uint_eq(v->layout.depth[i], v->layout.depth[t->parent[i]] + 1);
	ck_assert_uint_eq(v->lanes.n, 1);
	const struct lane *lane = &v->lanes.at[0];
	for (int i = 0; i < v->cols; i++)
		if (lane->column[i].node != NODE_NONE)
			ck_assert_uint_lt(lane->column[i].node, t->n);
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

int
main(void)
{
	Suite *suite = suite_create("timeline");
	TCase *live = tcase_create("live");

	tcase_add_test(live, test_behind_the_fold);
	suite_add_tcase(suite, live);
	return run_suite(suite);
}
