/* around.c - callers and callees of one function.
 *
 * First a profile small enough to be counted by hand, then profiles by chance against the
 * plainest reading of around.h: each recorded stack is cut at its first frame of the
 * function, and every line of either tree is the sum of the stacks that begin with its
 * way. */
#include "model/fold/around.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/build/builder.h"
#include "tests/lib/unit.h"

#define FRAMES_MAX 12

struct written {
	struct profile *p;
	struct builder *b;
	metric_id m;
	struct series *s;
	struct {
		function_id frame[FRAMES_MAX]; /* root first */
		unsigned n;
		int64_t value;
	} stack[400];
	unsigned n;
};

static void
begin(struct written *w)
{
	memset(w, 0, sizeof *w);
	w->p = profile_new();
	w->b = builder_new(w->p, "around", "test");
	w->m = builder_metric(w->b, "bytes", UNIT_BYTES, ROLE_VALUE);
	w->s = builder_totals(w->b, builder_track(w->b, "main", 4, TRACK_THREAD), &w->m, 1);
}

/* A letter is a function. */
static void
add(struct written *w, const char *letters, int64_t value)
{
	struct err e;
	stack_id stack = STACK_EMPTY;
	err_init(&e);
	w->stack[w->n].value = value;
	for (; *letters; letters++) {
		function_id f = builder_function_named(w->b, letters, 1);
		w->stack[w->n].frame[w->stack[w->n].n++] = f;
		stack = builder_child(w->b, stack,
				      builder_frame(w->b, f, line_unknown()));
	}
	ck_assert(builder_total(w->b, w->s, stack, (int64_t[]){value}, 0, &e));
	w->n++;
}

static struct fold *
end(struct written *w)
{
	struct fold *f = fold_new();
	struct lens l;
	struct err e;
	err_init(&e);
	builder_finish(w->b, &e);
	builder_free(w->b);
	lens_init(&l);
	ck_assert(fold_update(f, w->p, &l, NULL, &e));
	lens_release(&l);
	return f;
}

static function_id
named(const struct profile *p, char letter)
{
	for (function_id f = 0; f < p->frames.n_functions; f++)
		if (*names_get(&p->names, p->frames.function.name[f]).at == letter)
			return f;
	ck_abort_msg("no function %c", letter);
	return 0;
}

/* Walks a tree and writes it as "name total self(children)". */
static void
write_tree(struct around *a, around_id i, struct buf *out)
{
	const struct around_node n = *around_get(a, i);
	if (n.key == KEY_NONE)
		buf_adds(out, "-");
	else
		buf_adds(out, names_get(&a->profile->names,
					a->profile->frames.function.name[n.key])
				      .at);
	buf_addf(out, " %lld %lld", (long long)n.total, (long long)n.self);
	bool has = around_has(a, i);
	around_id c = around_first(a, i);
	ck_assert_int_eq(has, c != AROUND_NONE);
	if (c == AROUND_NONE)
		return;
	buf_adds(out, "(");
	for (around_id before = AROUND_NONE; c != AROUND_NONE; c = around_next(a, c)) {
		ck_assert_uint_eq(around_get(a, c)->parent, i);
		ck_assert_uint_eq(around_prev(a, c), before);
		if (before != AROUND_NONE)
			buf_adds(out, ", ");
		write_tree(a, c, out);
		before = c;
	}
	buf_adds(out, ")");
}

static void
check_trees(struct around *a, const char *callers, const char *callees)
{
	struct buf text = BUF_INIT;
	write_tree(a, AROUND_CALLERS, &text);
	ck_assert_str_eq(buf_str(&text), callers);
	buf_reset(&text);
	write_tree(a, AROUND_CALLEES, &text);
	ck_assert_str_eq(buf_str(&text), callees);
	buf_release(&text);
}

START_TEST(test_by_hand)
{
	struct written w;
	struct around a;
	begin(&w);
	add(&w, "mlp", 30);    /* p called by l */
	add(&w, "mlpvp", 6);   /* and calling itself, by way of v */
	add(&w, "mrdp", 4);
	add(&w, "p", 5);       /* it has no callers */
	add(&w, "mr", 9);      /* nothing to do with it */
	struct fold *f = end(&w);
	around_init(&a);
	ck_assert(around_look(&a, f, w.p, named(w.p, 'p'), NULL));
	check_trees(&a, "p 45 39(l 36 30(m 36 30), - 5 5, d 4 4(r 4 4(m 4 4)))",
		    "p 45 39(v 6 0(p 6 6))");
	ck_assert(around_is_caller(&a, around_first(&a, AROUND_CALLERS)));
	ck_assert(!around_is_caller(&a, around_first(&a, AROUND_CALLEES)));
	/* A root frame alone has no callers at all. */
	ck_assert(around_look(&a, f, w.p, named(w.p, 'm'), NULL));
	check_trees(&a, "m 49 0", "m 49 0(l 36 0(p 36 30(v 6 0(p 6 6))), "
				  "r 13 9(d 4 0(p 4 4)))");
	ck_assert(!around_look(&a, f, w.p, KEY_NONE, NULL));
	around_release(&a);
	fold_free(f);
	profile_free(w.p);
}
END_TEST

/* ---- by chance ---- */

/* Gets the frame of stack i above (dir < 0) or below its first frame of the function, the nearest
 * first; -1 if there is none. */
static int
side_of(const struct written *w, unsigned i, function_id fn, int dir, function_id *out)
{
	unsigned at = 0, n = 0;
	while (at < w->stack[i].n && w->stack[i].frame[at] != fn)
		at++;
	if (at == w->stack[i].n)
		return -1;
	if (dir < 0)
		while (at > 0)
			out[n++] = w->stack[i].frame[--at];
	else
		for (at++; at < w->stack[i].n; at++)
			out[n++] = w->stack[i].frame[at];
	return (int)n;
}

/* Checks the node against all stacks that begin with its way, and its children too. */
static void
check_node(struct around *a, const struct written *w, around_id i, const function_id *way,
	   unsigned depth)
{
	const struct around_node n = *around_get(a, i);
	int dir = around_is_caller(a, i) ? -1 : 1;
	int64_t total = 0, self = 0, below = 0;
	for (unsigned k = 0; k < w->n; k++) {
		function_id side[FRAMES_MAX], other[FRAMES_MAX];
		int len = side_of(w, k, a->key, dir, side);
		if (len < (int)depth || memcmp(side, way, depth * sizeof *way))
			continue;
		total += w->stack[k].value;
		/* of callers: spent in the function itself; of callees: in the callee */
		if (dir < 0 ? side_of(w, k, a->key, 1, other) == 0 : len == (int)depth)
			self += w->stack[k].value;
	}
	ck_assert_int_eq(n.total, total);
	ck_assert_int_eq(n.self, self);
	ck_assert_uint_eq(n.depth, depth);
	int64_t last = INT64_MAX;
	for (around_id c = around_first(a, i); c != AROUND_NONE; c = around_next(a, c)) {
		function_id next[FRAMES_MAX];
		below += around_get(a, c)->total;
		ck_assert_int_le(around_get(a, c)->total, last);
		last = around_get(a, c)->total;
		if (around_get(a, c)->key == KEY_NONE)
			continue;
		memcpy(next, way, depth * sizeof *way);
		next[depth] = around_get(a, c)->key;
		check_node(a, w, c, next, depth + 1);
	}
	if (dir > 0)
		ck_assert_int_eq(below, n.total - n.self);
	else if (around_has(a, i))
		ck_assert_int_eq(below, n.total);
}

START_TEST(test_by_chance)
{
	uint64_t state = 1;
	for (unsigned round = 0; round < 300; round++) {
		struct written w;
		struct around a;
		begin(&w);
		for (unsigned k = 0; k < 40; k++) {
			char letters[FRAMES_MAX + 1] = "";
			state = state * 6364136223846793005u + 1442695040888963407u;
			unsigned n = 1 + (state >> 33) % (FRAMES_MAX - 1);
			for (unsigned i = 0; i < n; i++) {
				state = state * 6364136223846793005u + 1442695040888963407u;
				letters[i] = (char)('a' + (state >> 40) % 5);
			}
			add(&w, letters, (int64_t)(1 + (state >> 50) % 9));
		}
		struct fold *f = end(&w);
		around_init(&a);
		for (function_id fn = 0; fn < w.p->frames.n_functions; fn++) {
			ck_assert(around_look(&a, f, w.p, fn, NULL));
			function_id way[FRAMES_MAX] = {0};
			check_node(&a, &w, AROUND_CALLERS, way, 0);
			check_node(&a, &w, AROUND_CALLEES, way, 0);
		}
		around_release(&a);
		fold_free(f);
		profile_free(w.p);
	}
}
END_TEST

/* Very many callees of one function, and very many callers of another: all of them, from the
 * heaviest, and from the lightest. */
#define MANY (AROUND_WIDE + 1500)

struct weighed {
	const struct fold *f;
	const struct profile *p;
	key_id key;
	int64_t total;
};

static int
by_weight(const void *a, const void *b)
{
	const struct weighed *x = a, *y = b;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return projection_compare_keys(x->f->tree, x->p, x->key, y->key, false);
}

static void
check_wide(struct around *a, around_id of, const struct weighed *is)
{
	unsigned n = 0;
	for (around_id c = around_first(a, of); c != AROUND_NONE; c = around_next(a, c), n++) {
		ck_assert_uint_lt(n, MANY);
		ck_assert_uint_eq(around_get(a, c)->key, is[n].key);
		ck_assert_int_eq(around_get(a, c)->total, is[n].total);
	}
	ck_assert_uint_eq(n, MANY);
	for (around_id c = around_last(a, of); c != AROUND_NONE; c = around_prev(a, c))
		ck_assert_uint_eq(around_get(a, c)->key, is[--n].key);
	ck_assert_uint_eq(n, 0);
}

START_TEST(test_wide)
{
	static struct weighed is[MANY];
	struct written w;
	struct err e;
	uint32_t chance = 7;
	err_init(&e);
	begin(&w);
	frame_id a = builder_frame(w.b, builder_function_named(w.b, "a", 1), line_unknown()),
		 z = builder_frame(w.b, builder_function_named(w.b, "z", 1), line_unknown());
	for (unsigned i = 0; i < MANY; i++) {
		char name[16];
		chance = chance * 1664525u + 1013904223u;
		int len = snprintf(name, sizeof name, "%08x", chance);
		function_id f = builder_function_named(w.b, name, (size_t)len);
		is[i].total = 1 + (chance >> 16) % 9;
		is[i].key = f;
		stack_id s = builder_child(w.b, builder_child(w.b, STACK_EMPTY, a),
					   builder_frame(w.b, f, line_unknown()));
		ck_assert(builder_total(w.b, w.s, builder_child(w.b, s, z),
					(int64_t[]){is[i].total}, 0, &e));
	}
	struct fold *f = end(&w);
	struct around x;
	for (unsigned i = 0; i < MANY; i++)
		is[i] = (struct weighed){f, w.p, is[i].key, is[i].total};
	qsort(is, MANY, sizeof *is, by_weight);
	around_init(&x);
	ck_assert(around_look(&x, f, w.p, named(w.p, 'a'), NULL));
	check_wide(&x, AROUND_CALLEES, is);
	ck_assert(around_look(&x, f, w.p, named(w.p, 'z'), NULL));
	check_wide(&x, AROUND_CALLERS, is);
	around_release(&x);
	fold_free(f);
	profile_free(w.p);
}
END_TEST

UNIT(around)
{
	Suite *suite = suite_create("around");
	TCase *t = tcase_create("around");
	tcase_set_timeout(t, 120);
	tcase_add_test(t, test_by_hand);
	tcase_add_test(t, test_by_chance);
	tcase_add_test(t, test_wide);
	suite_add_tcase(suite, t);
	return suite;
}
