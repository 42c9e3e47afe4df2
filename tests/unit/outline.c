/* outline.c - the children of nodes with few and with very many, against fold_children(). */
#include "ui/part/outline.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/base/mem.h"
#include "model/build/builder.h"
#include "model/build/builder_load.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

static struct profile *p;
static struct fold *f;
static struct outline o;
static struct chance chance;

/* Makes main with n children; each third has a child, and each fifth belongs to another track than
 * the displayed one. */
static void
begin(uint32_t n)
{
	struct lens l;
	struct err e;
	err_init(&e);
	chance_init(&chance, n);
	p = profile_new();
	struct builder *b = builder_new(p, "outline", "test");
	metric_id m = builder_metric(b, "bytes", UNIT_BYTES, ROLE_VALUE);
	track_id track = builder_track(b, "main", 4, TRACK_THREAD);
	struct series *s = builder_totals(b, track, &m, 1),
		      *other = builder_totals(b, builder_track(b, "x", 1, TRACK_THREAD), &m, 1);
	stack_id root = builder_child(
		b, STACK_EMPTY,
		builder_frame(b, builder_function_named(b, "main", 4), line_unknown()));
	for (uint32_t i = 0; i < n; i++) {
		char name[32];
		int len = snprintf(name, sizeof name, "f%u", chance_below(&chance, 1u << 30));
		frame_id frame = builder_frame(b, builder_function_named(b, name, (size_t)len),
					       line_unknown());
		stack_id c = builder_child(b, root, frame);
		if (chance_below(&chance, 3) == 0)
			c = builder_child(b, c, frame);
		/* many of the same weight: the order of their names */
		ck_assert(builder_total(b, i % 5 ? s : other, c,
					(int64_t[]){chance_below(&chance, 20)}, 0, &e));
	}
	builder_finish(b, &e);
	builder_free(b);
	f = fold_new();
	f->only_track = track;
	lens_init(&l);
	ck_assert(fold_update(f, p, &l, NULL, &e));
	lens_release(&l);
	outline_init(&o);
	outline_reset(&o, f, p);
}

static void
end(void)
{
	outline_release(&o);
	fold_free(f);
	profile_free(p);
}

static void
check_children(node_id n)
{
	uint32_t all = fold_children(f, p, n, NULL, 0), k = 0;
	node_id *is = mem_alloc((size_t)all + 1, sizeof *is);
	fold_children(f, p, n, is, all);
	ck_assert(outline_has(&o, n) == (all > 0));
	ck_assert_uint_eq(outline_first(&o, n), all ? is[0] : NODE_NONE);
	ck_assert(outline_has(&o, n) == (all > 0));
	ck_assert_uint_eq(outline_last(&o, n), all ? is[all - 1] : NODE_NONE);
	for (unsigned i = 0; all && i < 7; i++) {
		k = chance_below(&chance, all);
		ck_assert_uint_eq(outline_prev(&o, is[k]), k ? is[k - 1] : NODE_NONE);
		ck_assert_uint_eq(outline_next(&o, is[k]), k + 1 < all ? is[k + 1] : NODE_NONE);
	}
	k = 0;
	for (node_id c = outline_first(&o, n); c != NODE_NONE; c = outline_next(&o, c))
		ck_assert_uint_eq(c, is[k++]);
	ck_assert_uint_eq(k, all);
	for (node_id c = outline_last(&o, n); c != NODE_NONE; c = outline_prev(&o, c))
		ck_assert_uint_eq(c, is[--k]);
	ck_assert_uint_eq(k, 0);
	free(is);
}

START_TEST(test_children)
{
	begin(_i ? OUTLINE_WIDE + 2000 : 300);
	for (node_id n = 0; n < 300 && n < f->tree->n; n++)
		check_children(n);
	end();
}
END_TEST

/* A node without numbers is not shown and has no neighbours in the outline. */
START_TEST(test_alone)
{
	begin(OUTLINE_WIDE + 500);
	unsigned alone = 0;
	node_id main_node = f->tree->first_child[NODE_ROOT];
	for (node_id c = f->tree->first_child[main_node]; c != NODE_NONE;
	     c = f->tree->next_sibling[c])
		if (!fold_shows(f, c)) {
			alone++;
			ck_assert_uint_eq(outline_next(&o, c), NODE_NONE);
			ck_assert_uint_eq(outline_prev(&o, c), NODE_NONE);
		}
	ck_assert_uint_gt(alone, 0);
	end();
}
END_TEST

/* ---- while more is read ---- */

static struct builder *growing;
static struct series *series;
static stack_id stacks[3];

static void
grow(const int64_t *more)
{
	struct lens l;
	struct err e;
	err_init(&e);
	for (unsigned i = 0; i < 3; i++)
		ck_assert(builder_total(growing, series, stacks[i], &more[i], 0, &e));
	builder_settle(growing);
	lens_init(&l);
	ck_assert(fold_update(f, p, &l, NULL, &e));
	lens_release(&l);
}

/* "abc": the children of main in the order of the outline. */
static void
check_order(struct outline *of, const char *is)
{
	node_id c = outline_first(of, f->tree->first_child[NODE_ROOT]);
	for (; *is; is++, c = outline_next(of, c)) {
		struct name name =
			names_get(&p->names, projection_key_name(f->tree, p, f->tree->key[c]));
		ck_assert_int_eq(name.at[0], *is);
	}
	ck_assert_uint_eq(c, NODE_NONE);
}

/* The next picture, after the visible one. */
static void
make_next(bool steady)
{
	struct outline next;
	outline_init(&next);
	outline_make(&next, f, p, false, steady ? &o : NULL, NULL);
	outline_release(&o);
	o = next;
}

/* A node overtakes the previous one when it is heavier by an eighth; in a complete file the
 * order is by weight. */
START_TEST(test_steady)
{
	p = profile_new();
	f = fold_new();
	outline_init(&o);
	growing = builder_new(p, "outline", "test");
	metric_id m = builder_metric(growing, "bytes", UNIT_BYTES, ROLE_VALUE);
	series = builder_totals(growing, builder_track(growing, "main", 4, TRACK_THREAD), &m, 1);
	stack_id root = STACK_EMPTY;
	for (unsigned i = 0; i < 4; i++) {
		frame_id frame = builder_frame(
			growing, builder_function_named(growing, &"mabc"[i], 1), line_unknown());
		*(i ? &stacks[i - 1] : &root) = builder_child(growing, root, frame);
	}
	grow((int64_t[]){100, 99, 50});
	make_next(true);
	check_order(&o, "abc");
	grow((int64_t[]){1, 5, 0}); /* 101, 104, 50 */
	make_next(true);
	check_order(&o, "abc");
	grow((int64_t[]){0, 16, 0}); /* 101, 120, 50 */
	make_next(true);
	check_order(&o, "bac");
	grow((int64_t[]){25, 0, 70}); /* 126, 120, 120 */
	make_next(true);
	check_order(&o, "bac");
	make_next(false);
	check_order(&o, "abc");
	builder_free(growing);
	end();
}
END_TEST

UNIT(outline)
{
	Suite *suite = suite_create("outline");
	TCase *outline = tcase_create("outline");

	tcase_set_timeout(outline, 120);
	tcase_add_loop_test(outline, test_children, 0, 2);
	tcase_add_test(outline, test_alone);
	tcase_add_test(outline, test_steady);
	suite_add_tcase(suite, outline);
	return suite;
}
