#include "model/fold/fold.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/build/builder.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* Folds of shapes that random profiles do not reach: cut off at a depth, deep, wide, refused.
 * fold.c compares all numbers of a fold with naive.h. */

/* [node of few] the node of all with the same path. */
static node_id *
same_nodes(const struct projection *few, const struct projection *all)
{
	node_id *same = mem_zalloc(few->n, sizeof *same);

	for (node_id i = 1; i < few->n; i++) {
		node_id c = all->first_child[same[few->parent[i]]];
		while (c != NODE_NONE && all->key[c] != few->key[i])
			c = all->next_sibling[c];
		ck_assert_uint_ne(c, NODE_NONE);
		same[i] = c;
	}
	return same;
}

/* The nodes of a partial fold have the numbers of the whole one. */
static void
compare_numbers(const struct fold *few, const struct fold *all, const node_id *same)
{
	for (node_id i = 0; i < few->tree->n; i++) {
		ck_assert_int_eq(few->now.total[i], all->now.total[same[i]]);
		ck_assert_uint_eq(few->now.present[i], all->now.present[same[i]]);
		ck_assert_uint_eq(few->tree->outermost[i], all->tree->outermost[same[i]]);
		if (i && few->now.calls)
			ck_assert_int_eq(few->now.calls[i], all->now.calls[same[i]]);
	}
}

/* Appends the shown nodes below a node, in preorder. */
static void
list_rows(const struct fold *f, const struct profile *p, node_id at, node_id *row, uint32_t *n)
{
	uint32_t children = fold_children(f, p, at, NULL, 0);
	node_id *child = mem_alloc(children + 1u, sizeof *child);

	fold_children(f, p, at, child, children);
	for (uint32_t i = 0; i < children; i++) {
		row[(*n)++] = child[i];
		list_rows(f, p, child[i], row, n);
	}
	free(child);
}

/* A fold of the first rows has these rows, with the numbers and in the order of the whole one, and
 * its whole first level. */
START_TEST(test_first_rows)
{
	unsigned cut = 0, unshown = 0;

	for (uint64_t seed = 0; seed < unit_rounds(2500); seed++) {
		struct random_profile *r = random_profile_new(seed);
		struct fold *few = fold_new(), *all = fold_new();
		struct naive_lens ignored;
		struct lens lens;
		struct err e;
		err_init(&e);
		random_profile_grow(r, 60);
		random_profile_finish(r);
		random_lens(r, &ignored, &lens);
		lens.invert = true;
		few->few = true;
		few->first.rows = seed % 7 ? chance_below(&r->chance, 60) : UINT32_MAX;
		few->first.counts = seed % 2;
		ck_assert(fold_update(few, r->model, &lens, NULL, &e));
		ck_assert(fold_update(all, r->model, &lens, NULL, &e));
		/* values below 0 are ordered by amounts, which a whole tree alone has */
		ck_assert(few->partial == few->tree->few && !(few->tree->few && all->now.area));
		uint32_t n = 0, n_few = 0, first = few->first.rows;
		node_id *same = same_nodes(few->tree, all->tree);
		node_id *row = mem_alloc(all->tree->n, sizeof *row);
		node_id *row_few = mem_alloc(few->tree->n, sizeof *row);
		compare_numbers(few, all, same);
		list_rows(all, r->model, NODE_ROOT, row, &n);
		list_rows(few, r->model, NODE_ROOT, row_few, &n_few);
		ck_assert_uint_ge(n_few, n < first ? n : first);
		for (uint32_t i = 0; i < n && i < first; i++)
			ck_assert_uint_eq(same[row_few[i]], row[i]);
		ck_assert_uint_eq(fold_children(few, r->model, NODE_ROOT, NULL, 0),
				  fold_children(all, r->model, NODE_ROOT, NULL, 0));
		if (few->tree->few && few->first.counts)
			ck_assert_uint_eq(few->tree->n_shown, n);
		cut += few->tree->n < all->tree->n;
		unshown += n + 1 < all->tree->n;
		free_all(same, row, row_few);
		lens_release(&lens);
		fold_free(few);
		fold_free(all);
		random_profile_free(r);
	}
	ck_assert_uint_gt(cut, 20);
	ck_assert_uint_gt(unshown, 20);
}
END_TEST

/* The nodes of a partial fold equal those of the whole one; a cancelled fold stays partial. */
START_TEST(test_partial)
{
	unsigned partial = 0;

	for (uint64_t seed = 0; seed < 600; seed++) {
		struct random_profile *r = random_profile_new(seed);
		struct fold *few = fold_new(), *all = fold_new();
		struct naive_lens ignored;
		struct lens lens;
		struct err e;
		err_init(&e);
		random_profile_grow(r, 60);
		random_profile_finish(r);
		random_lens(r, &ignored, &lens);
		lens.invert = true;
		few->at_once = 1 + (uint32_t)seed % 40;
		ck_assert(fold_update(few, r->model, &lens, NULL, &e));
		ck_assert(fold_update(all, r->model, &lens, NULL, &e));
		partial += few->partial;
		ck_assert(few->partial == (few->tree->depth_cut != 0));
		ck_assert(few->partial || few->tree->n == all->tree->n);
		if (seed % 5 == 0)
			fold_settle(few);
		node_id *same = same_nodes(few->tree, all->tree);
		compare_numbers(few, all, same);
		free(same);
		lens_release(&lens);
		fold_free(few);
		fold_free(all);
		random_profile_free(r);
	}
	ck_assert_uint_gt(partial, 100);
}
END_TEST

/* The outermost occurrence of a key is also found in deep trees, without a walk up to the root. */
START_TEST(test_outermost)
{
	enum { DEEP = 6000, FUNCTIONS = 3000 };
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "deep", "test");
	frame_id *frame = mem_alloc(DEEP, sizeof *frame);
	struct fold *f = fold_new();
	struct lens l;
	struct err e;

	err_init(&e);
	lens_init(&l);
	metric_id m = builder_metric(b, "samples", UNIT_SAMPLES, ROLE_EVENTS);
	track_id t = builder_track(b, "t", 1, TRACK_THREAD);
	struct series *s = builder_samples(b, t, &m, 1);
	for (unsigned i = 0; i < DEEP; i++) {
		char name[16];
		int len = snprintf(name, sizeof name, "f%u", i % FUNCTIONS);
		frame[i] = builder_frame(
			b, builder_function_named(b, name, (size_t)len), line_unknown());
	}
	ck_assert(builder_sample(b, s, 0, builder_stack_leaf_first(b, frame, DEEP), NULL, 0,
				 &e));
	builder_finish(b, &e);
	for (int turned = 0; turned < 2; turned++) {
		l.invert = turned;
		ck_assert(fold_update(f, p, &l, NULL, &e));
		ck_assert_uint_eq(f->tree->n, DEEP + 1);
		for (node_id i = 1; i < f->tree->n; i++)
			ck_assert_uint_eq(f->tree->outermost[i], i <= FUNCTIONS);
	}
	free(frame);
	lens_release(&l);
	fold_free(f);
	builder_free(b);
	profile_free(p);
}
END_TEST

/* main calls `n` functions, the i-th of which takes i. */
static struct profile *
wide_profile(uint32_t n)
{
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "wide", "test");
	metric_id m = builder_metric(b, "bytes", UNIT_BYTES, ROLE_VALUE);
	track_id t = builder_track(b, "main", 4, TRACK_THREAD);
	struct series *s = builder_totals(b, t, &m, 1);
	stack_id top = builder_child(
		b, STACK_EMPTY,
		builder_frame(b, builder_function_named(b, "main", 4), line_unknown()));
	struct err e;

	err_init(&e);
	for (uint32_t i = 0; i < n; i++) {
		char name[16];
		int len = snprintf(name, sizeof name, "f%u", i);
		function_id f = builder_function_named(b, name, (size_t)len);
		stack_id child =
			builder_child(b, top, builder_frame(b, f, line_unknown()));
		ck_assert(builder_total(b, s, child, (int64_t[]){i / 2}, 0, &e));
	}
	builder_finish(b, &e);
	builder_free(b);
	return p;
}

/* fold_children() returns the first `max` of all children, and their number. */
START_TEST(test_children_first)
{
	struct profile *p = wide_profile(3000);
	struct fold *f = fold_new();
	struct lens l;
	struct err e;
	node_id all[3000], some[3000], top;

	err_init(&e);
	lens_init(&l);
	ck_assert(fold_update(f, p, &l, NULL, &e));
	ck_assert_uint_eq(fold_children(f, p, NODE_ROOT, &top, 1), 1);
	ck_assert_uint_eq(fold_children(f, p, top, all, 3000), 3000);
	for (uint32_t max = 0; max <= 3000; max += 1 + max / 3) {
		memset(some, 0xFF, sizeof some);
		ck_assert_uint_eq(fold_children(f, p, top, some, max), 3000);
		ck_assert(!memcmp(all, some, max * sizeof *all));
		if (max < 3000)
			ck_assert_uint_eq(some[max], NODE_NONE);
	}
	for (uint32_t i = 1; i < 3000; i++)
		ck_assert_int_ge(f->now.total[all[i - 1]], f->now.total[all[i]]);
	ck_assert_int_eq(f->now.total[all[0]], 1499);
	lens_release(&l);
	fold_free(f);
	profile_free(p);
}
END_TEST

/* A stack of 100,000 frames, upright and turned over: no recursion, no square. */
START_TEST(test_deep)
{
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "deep", "test");
	metric_id m = builder_metric(b, "bytes", UNIT_BYTES, ROLE_VALUE);
	struct series *s =
		builder_totals(b, builder_track(b, "main", 4, TRACK_THREAD), &m, 1);
	frame_id f =
		builder_frame(b, builder_function_named(b, "down", 4), line_unknown());
	stack_id stack = STACK_EMPTY;
	struct fold *fold = fold_new();
	struct rows rows = {0};
	struct lens l;
	struct err e;

	err_init(&e);
	lens_init(&l);
	for (int i = 0; i < 100000; i++)
		stack = builder_child(b, stack, f);
	ck_assert(builder_total(b, s, stack, (int64_t[]){7}, 0, &e));
	builder_finish(b, &e);
	for (int invert = 0; invert < 2; invert++) {
		l.invert = invert;
		ck_assert(fold_update(fold, p, &l, NULL, &e));
		ck_assert_uint_eq(fold->tree->n, 100001);
		ck_assert_int_eq(fold->now.total[NODE_ROOT], 7);
		fold_rows(fold, &rows);
		ck_assert_uint_eq(rows.n, 1);
		ck_assert_int_eq(rows_get(&rows, 0).self, 7);
		ck_assert_int_eq(rows_get(&rows, 0).total, 7);
	}
	l.invert = false;
	ck_assert(lens_add(&l, VERB_COLLAPSE_RECURSION, "", 0, &e));
	ck_assert(fold_update(fold, p, &l, NULL, &e));
	ck_assert_uint_eq(fold->tree->n, 2);
	ck_assert_int_eq(fold->now.self[1], 7);
	lens_remove(&l, 0);
	ck_assert(lens_add(&l, VERB_COLLAPSE, "=down", 5, &e));
	ck_assert(fold_update(fold, p, &l, NULL, &e));
	ck_assert_uint_eq(fold->tree->n, 2);
	ck_assert_int_eq(fold->now.self[1], 7);
	rows_release(&rows);
	lens_release(&l);
	fold_free(fold);
	builder_free(b);
	profile_free(p);
}
END_TEST

/* A lens that does not fit leaves the fold as it was. */
START_TEST(test_refusal)
{
	struct profile *p = wide_profile(5);
	struct fold *f = fold_new();
	struct lens good, bad;
	struct err e;

	err_init(&e);
	lens_init(&good);
	ck_assert(fold_update(f, p, &good, NULL, &e));
	int64_t all = f->now.total[NODE_ROOT];
	lens_init(&bad);
	bad.invert = true;
	lens_set_metric(&bad, "weight");
	ck_assert(!fold_update(f, p, &bad, NULL, &e));
	ck_assert_int_eq(e.class, ERR_USAGE);
	ck_assert(!f->tree->inverted);
	ck_assert_int_eq(f->now.total[NODE_ROOT], all);
	err_init(&e);
	lens_set_metric(&bad, NULL);
	bad.from = (struct moment){.kind = MOMENT_NS, .value = 1};
	ck_assert(!fold_update(f, p, &bad, NULL, &e));
	ck_assert_int_eq(e.class, ERR_USAGE);
	lens_release(&good);
	lens_release(&bad);
	fold_free(f);
	profile_free(p);
}
END_TEST

/* Every tree has a new serial number. So what was cached for one is never used for another, even at
 * the same address or with the same history. */
START_TEST(test_serials)
{
	struct builder *b;
	struct profile *p = profile_new();
	struct fold *seen = fold_new(), *other = fold_new();
	struct lens plain, one, two;
	struct err e;
	uint64_t had[4];
	err_init(&e);
	b = builder_new(p, "serials", "steps");
	metric_id m = builder_metric(b, "samples", UNIT_SAMPLES, ROLE_EVENTS);
	struct series *s = builder_samples(b, builder_track(b, "t", 1, TRACK_THREAD), &m, 1);
	function_id f = builder_function_named(b, "f", 1);
	stack_id stack = builder_child(b, STACK_EMPTY, builder_frame(b, f, line_unknown()));
	ck_assert(builder_sample(b, s, 1, stack, NULL, 0, &e));
	builder_finish(b, &e);
	builder_free(b);
	lens_init(&plain);
	lens_init(&one);
	lens_init(&two);
	ck_assert(lens_add(&one, VERB_INCLUDE, "f", 1, &e));
	ck_assert(lens_add(&two, VERB_EXCLUDE, "f", 1, &e));
	ck_assert(fold_update(seen, p, &plain, NULL, &e));
	had[0] = seen->tree->serial;
	fold_begin_with(other, seen);
	ck_assert_uint_eq(other->tree->serial, had[0]);
	ck_assert(fold_update(other, p, &one, NULL, &e));
	had[1] = other->tree->serial;
	/* back to the first, and on by another way */
	fold_begin_with(other, seen);
	ck_assert(fold_update(other, p, &two, NULL, &e));
	had[2] = other->tree->serial;
	fold_swap(seen, other);
	ck_assert_uint_eq(seen->tree->serial, had[2]);
	ck_assert(fold_update(seen, p, &plain, NULL, &e));
	had[3] = seen->tree->serial;
	for (unsigned i = 0; i < 4; i++)
		for (unsigned k = 0; k < i; k++)
			ck_assert_uint_ne(had[i], had[k]);
	lens_release(&plain);
	lens_release(&one);
	lens_release(&two);
	fold_free(seen);
	fold_free(other);
	profile_free(p);
}
END_TEST

UNIT(fold_shapes)
{
	Suite *suite = suite_create("fold_shapes");
	TCase *shapes = tcase_create("shapes");

	tcase_set_timeout(shapes, 60);
	tcase_add_test(shapes, test_partial);
	tcase_add_test(shapes, test_first_rows);
	tcase_add_test(shapes, test_outermost);
	tcase_add_test(shapes, test_children_first);
	tcase_add_test(shapes, test_deep);
	tcase_add_test(shapes, test_refusal);
	tcase_add_test(shapes, test_serials);
	suite_add_tcase(suite, shapes);
	return suite;
}
