#include "model/fold/project.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/build/builder.h"
#include "model/fold/fold.h"
#include "tests/lib/unit.h"

/* Small trees, computed by hand from pnav(1), one for each effect of an entry; fold.c compares
 * all combinations.  A profile is written as folded stacks; `*` after a frame marks a recorded
 * call. The result is written in the same way: each path with its self, and the calls after a
 * slash. */

struct written {
	struct profile *p;
	struct lens l;
};

static struct written
written(const char *const *stacks)
{
	struct written w = {.p = profile_new()};
	struct builder *b = builder_new(w.p, "written", "test");
	metric_id m[2] = {builder_metric(b, "bytes", UNIT_BYTES, ROLE_VALUE),
			  builder_metric(b, "calls", UNIT_CALLS, ROLE_VALUE)};
	struct series *s =
		builder_totals(b, builder_track(b, "main", 4, TRACK_THREAD), m, 2);
	struct err e;

	builder_calls_metric(b, m[1]);
	builder_default_metric(b, m[0]);
	err_init(&e);
	lens_init(&w.l);
	for (; *stacks; stacks++) {
		stack_id stack = STACK_EMPTY;
		const char *at = *stacks;
		bool call = false;
		while (*at != ' ') {
			size_t n = strcspn(at, ";* ");
			function_id f = builder_function_named(b, at, n);
			stack = builder_child(b, stack,
					      builder_frame(b, f, line_unknown()));
			at += n;
			call = *at == '*';
			at += call;
			at += *at == ';';
		}
		ck_assert(builder_total(b, s, stack, (int64_t[]){atoi(at), call}, 0, &e));
	}
	builder_finish(b, &e);
	builder_free(b);
	return w;
}

static void
written_release(struct written *w)
{
	lens_release(&w->l);
	profile_free(w->p);
}

/* Preorder, children by name: "main 1/1;main;f 2/0;". */
static void
write_node(const struct fold *f, const struct profile *p, node_id node, const char *path,
	   struct buf *out)
{
	node_id child[16];
	uint32_t n = fold_children(f, p, node, child, 16);

	for (uint32_t left = n; left > 0; left--) {
		uint32_t least = 0;
		struct buf own = BUF_INIT;
		for (uint32_t i = 1; i < n; i++)
			if (child[i] != NODE_NONE &&
			    (child[least] == NODE_NONE ||
			     projection_compare_keys(f->tree, p, f->tree->key[child[i]],
					       f->tree->key[child[least]], false) < 0))
				least = i;
		node_id c = child[least];
		child[least] = NODE_NONE;
		buf_addf(&own, "%s%s%s", path, *path ? ";" : "",
			 names_get(&p->names,
				   projection_key_name(f->tree, p, f->tree->key[c]))
				 .at);
		buf_addf(out, "%s%s %d/%d", out->len ? "  " : "", buf_str(&own),
			 (int)f->now.self[c], (int)f->now.calls[c]);
		write_node(f, p, c, buf_str(&own), out);
		buf_release(&own);
	}
}

static void
shows(struct written *w, const char *expected)
{
	struct fold *f = fold_new();
	struct buf out = BUF_INIT;
	struct err e;

	err_init(&e);
	ck_assert_msg(fold_update(f, w->p, &w->l, NULL, &e), "%s", e.text);
	write_node(f, w->p, NODE_ROOT, "", &out);
	ck_assert_str_eq(buf_str(&out), expected);
	buf_release(&out);
	fold_free(f);
}

static void
entry(struct written *w, enum verb verb, const char *pattern)
{
	struct err e;

	err_init(&e);
	ck_assert_msg(lens_add(&w->l, verb, pattern, strlen(pattern), &e), "%s", e.text);
}

static const char *const program[] = {
	"main* 1",      "main;f* 2", "main;f;g* 4", "main;f;f* 8",
	"main;h;g* 16", "g* 32",     NULL,
};

static const struct {
	enum verb verb;
	const char *pattern, *expected;
} one[] = {
	{VERB_INCLUDE, "",
	 "g 32/1  main 1/1  main;f 2/1  main;f;f 8/1  main;f;g 4/1  "
	 "main;h 0/0  main;h;g 16/1"},
	{VERB_INCLUDE, "f", "main 0/0  main;f 2/1  main;f;f 8/1  main;f;g 4/1"},
	{VERB_EXCLUDE, "f", "g 32/1  main 1/1  main;h 0/0  main;h;g 16/1"},
	{VERB_INCLUDE_SELF, "g",
	 "g 32/1  main 0/0  main;f 0/0  main;f;g 4/1  main;h 0/0  "
	 "main;h;g 16/1"},
	{VERB_EXCLUDE_SELF, "g", "main 1/1  main;f 2/1  main;f;f 8/1"},
	/* cost goes to the caller, calls go nowhere; `g` alone loses all its frames */
	{VERB_HIDE, "g", "main 1/1  main;f 6/1  main;f;f 8/1  main;h 16/0"},
	/* children of two hidden frames become one node */
	{VERB_HIDE, "[fh]", "g 32/1  main 11/1  main;g 20/2"},
	{VERB_SHOW, "main", "main 31/1"},
	{VERB_SHOW, "[fg]", "f 2/1  f;f 8/1  f;g 4/1  g 48/2"},
	/* named by its root-most; the calls of the others are hidden with their frames */
	{VERB_COLLAPSE, "f",
	 "g 32/1  main 1/1  main;f 10/1  main;f;g 4/1  main;h 0/0  "
	 "main;h;g 16/1"},
	{VERB_COLLAPSE, "", "g 32/1  main 31/1"},
	{VERB_COLLAPSE, "!main", "g 32/1  main 1/1  main;f 14/1  main;h 16/0"},
	{VERB_ROOT, "f", "f 2/1  f;f 8/1  f;g 4/1"},
	{VERB_ROOT, "g", "g 52/3"},
	{VERB_HIDE, "nothing",
	 "g 32/1  main 1/1  main;f 2/1  main;f;f 8/1  main;f;g 4/1  "
	 "main;h 0/0  main;h;g 16/1"},
	{VERB_INCLUDE, "nothing", ""},
	{VERB_HIDE, "", ""},
};

START_TEST(test_one)
{
	struct written w = written(program);

	entry(&w, one[_i].verb, one[_i].pattern);
	shows(&w, one[_i].expected);
	written_release(&w);
}
END_TEST

/* Each applies to the result of the one before. */
START_TEST(test_order)
{
	struct written w = written(program);

	entry(&w, VERB_HIDE, "g");
	entry(&w, VERB_INCLUDE_SELF, "h"); /* h is a leaf now */
	shows(&w, "main 0/0  main;h 16/0");
	lens_move(&w.l, 0, 1);
	shows(&w, ""); /* and was none before */
	lens_remove(&w.l, 0);
	entry(&w, VERB_INCLUDE, "g"); /* nothing is left that matches */
	shows(&w, "");
	lens_move(&w.l, 0, 1);
	shows(&w, "main 0/0  main;f 4/0  main;h 16/0");
	w.l.entries.at[1].off = true;
	shows(&w,
	      "g 32/1  main 0/0  main;f 0/0  main;f;g 4/1  main;h 0/0  main;h;g 16/1");
	written_release(&w);
}
END_TEST

/* Two runs that a hidden frame kept apart become one run. */
START_TEST(test_runs)
{
	static const char *const apart[] = {"a;x1;y;x2;b* 5", NULL};
	struct written w = written(apart);

	entry(&w, VERB_COLLAPSE, "x");
	shows(&w, "a 0/0  a;x1 0/0  a;x1;y 0/0  a;x1;y;x2 0/0  a;x1;y;x2;b 5/1");
	entry(&w, VERB_HIDE, "y");
	shows(&w, "a 0/0  a;x1 0/0  a;x1;x2 0/0  a;x1;x2;b 5/1");
	lens_move(&w.l, 0, 1);
	shows(&w, "a 0/0  a;x1 0/0  a;x1;b 5/1");
	written_release(&w);
}
END_TEST

START_TEST(test_inverted)
{
	struct written w = written(program);

	w.l.invert = true;
	entry(&w, VERB_INCLUDE_SELF, "g");
	shows(&w, "g 32/3  g;f 0/1  g;f;main 4/1  g;h 0/1  g;h;main 16/1");
	written_release(&w);
}
END_TEST

/* Entries that match nothing are reported, so that the user learns of them. */
START_TEST(test_unmatched)
{
	struct written w = written(program);
	struct projection *t;

	entry(&w, VERB_HIDE, "g");
	entry(&w, VERB_HIDE, "nobody");
	entry(&w, VERB_TRACK, "nobody");
	entry(&w, VERB_INCLUDE, "!main");
	t = projection_paced(w.p, &w.l, NULL, 0, NULL, NULL);
	ck_assert(!projection_unmatched(t, 0) && projection_unmatched(t, 1));
	projection_free(t);
	w.l.entries.at[1].off = true;
	t = projection_paced(w.p, &w.l, NULL, 0, NULL, NULL);
	ck_assert(!projection_unmatched(t, 0) && !projection_unmatched(t, 1));
	projection_free(t);
	written_release(&w);
}
END_TEST

/* Each node with a key, and no other, wherever one begins and ends. */
START_TEST(test_find)
{
	key_id key[40];
	const struct projection t = {.key = key, .n = 40};

	for (node_id i = 0; i < t.n; i++)
		key[i] = i % 7 == 3 ? 5 : i % 11 == 0 ? KEY_NONE : 1u << 31 | i;
	for (node_id from = 0; from <= t.n; from++)
		for (node_id end = from; end <= t.n; end++) {
			node_id five = from, none = from;
			while (five < end && five % 7 != 3)
				five++;
			while (none < end && (none % 7 == 3 || none % 11))
				none++;
			ck_assert_uint_eq(projection_find(&t, from, end, 5), five);
			ck_assert_uint_eq(projection_find(&t, from, end, KEY_NONE), none);
			ck_assert_uint_eq(projection_find(&t, from, end, 6), end);
		}
}
END_TEST

UNIT(project)
{
	Suite *suite = suite_create("project");
	TCase *cases = tcase_create("project");

	tcase_add_loop_test(cases, test_one, 0, (int)(sizeof one / sizeof *one));
	tcase_add_test(cases, test_order);
	tcase_add_test(cases, test_runs);
	tcase_add_test(cases, test_inverted);
	tcase_add_test(cases, test_unmatched);
	tcase_add_test(cases, test_find);
	suite_add_tcase(suite, cases);
	return suite;
}
