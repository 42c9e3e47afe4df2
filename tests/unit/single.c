#include "model/fold/single.h"

#include <check.h>
#include <stdlib.h>

#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* The numbers of one track counted alone equal those of a fold of this track: for random profiles
 * through random lenses, all tracks in turn, all metrics, twice. */

static unsigned compared;

/* Nodes that are not listed have nothing; the branches are those that are listed, in order. */
static void
compare(const struct single *x, const struct fold *f)
{
	size_t listed = 0;

	for (node_id v = 1; v < f->tree->n; v++) {
		bool is = listed < x->node.n && x->node.at[listed] == v;
		listed += is;
		ck_assert_int_eq(x->self[v], f->now.self[v]);
		ck_assert_uint_eq(x->present[v], f->now.present[v]);
		ck_assert(is || (!x->self[v] && !x->present[v]));
		ck_assert((x->calls == NULL) == (f->now.calls == NULL));
		if (x->calls)
			ck_assert_int_eq(x->calls[v], f->now.calls[v]);
		compared += x->self[v] != 0;
	}
	ck_assert_uint_eq(listed, x->node.n);
	for (struct walk w = walk_begin(); walk_on(&x->tree, &w);) {
		node_id next = x->tree.next_sibling[w.node];
		listed -= w.enters;
		ck_assert(next == NODE_NONE || next > w.node);
	}
	ck_assert_uint_eq(listed, 0);
}

static void
count_tracks(struct random_profile *r, struct single *x, struct lens *lens)
{
	const struct profile *p = r->model;
	struct fold *one = fold_new();
	struct err e;

	err_init(&e);
	for (unsigned turn = 0; turn < 2 * p->n_tracks; turn++) {
		one->only_track = turn % p->n_tracks;
		single_track(x, one->only_track);
		for (metric_id m = 0; m < p->n_metrics; m++) {
			struct name name = names_get(&p->names, p->metric[m].name);
			struct buf text = BUF_INIT;
			buf_add(&text, name.at, name.len);
			lens_set_metric(lens, buf_str(&text));
			buf_release(&text);
			if (!fold_update(one, p, lens, NULL, &e) || one->metric != m ||
			    !fold_has_track(one, one->only_track))
				continue;
			single_count(x, m);
			compare(x, one);
		}
	}
	fold_free(one);
}

START_TEST(test_tracks)
{
	for (uint64_t seed = 0; seed < unit_rounds(300); seed++) {
		struct random_profile *r = random_profile_new(seed);
		struct fold *all = fold_new();
		struct naive_lens ignored;
		struct single x;
		struct lens lens;
		struct err e;
		err_init(&e);
		random_profile_grow(r, 80);
		random_profile_finish(r);
		random_lens(r, &ignored, &lens);
		ck_assert(fold_update(all, r->model, &lens, NULL, &e));
		single_init(&x, r->model, all);
		count_tracks(r, &x, &lens);
		single_release(&x);
		fold_free(all);
		lens_release(&lens);
		random_profile_free(r);
	}
	ck_assert_uint_gt(compared, unit_rounds(10000));
}
END_TEST

UNIT(single)
{
	Suite *suite = suite_create("single");
	TCase *tracks = tcase_create("tracks");

	tcase_set_timeout(tracks, 60);
	tcase_add_test(tracks, test_tracks);
	suite_add_tcase(suite, tracks);
	return suite;
}
