#include "model/fold/fold.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/build/builder.h"
#include "model/build/builder_load.h"
#include "model/fold/labelsum.h"
#include "model/lens/regroup.h"
#include "tests/lib/naive.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* The whole way from events to numbers, against naive.h: thousands of profiles by chance,
 * each looked at through lenses by chance, by one fold that is used again and again, as a
 * browser does.  Half of the looks happen while the profile still grows.
 *
 * Everything that a fold says is compared: nodes, their parents and keys, self, total,
 * calls, lines, presence; rows; the order of children; the sums of all. */

#define PROFILES 2500
#define LOOKS 5

struct looking {
	struct random_profile *r;
	const struct profile *p;         /* its model, perhaps regrouped */
	struct naive_profile *naive;     /* the same, written out */
	struct regroup *regroup;
	bool grows;
	struct naive_lens lens;
	struct naive_fold *truth;
	struct fold *fold, *spare;
	uint64_t seed;
	unsigned look;
};

#define SAME(l, what, a, b)                                                              \
	do {                                                                             \
		if ((a) != (b))                                                          \
			ck_abort_msg(                                                    \
				"profile %llu, look %u: %s is %lld, should be %lld",     \
				(unsigned long long)(l)->seed, (l)->look, what,          \
				(long long)(a), (long long)(b));                         \
	} while (0)

/* Returns true if the key of the model is that of this frame. */
static bool
key_is(const struct looking *l, key_id key, const struct naive_frame *f)
{
	const struct profile *p = l->p;
	const struct projection *t = l->fold->tree;
	struct name name = names_get(&p->names, projection_key_name(t, p, key));
	function_id id = projection_key_function(t, p, key);

	if (l->lens.by == BY_FILE || l->lens.by == BY_MODULE)
		return id == UINT32_MAX &&
		       !strcmp(name.at, l->lens.by == BY_FILE ? f->file : f->module);
	struct function fn = profile_function(p, id);
	struct naive_frame own = {
		.name = name.at,
		.file = names_get(&p->names, fn.file).at,
		.module = names_get(&p->names, fn.module).at,
		.defined = fn.line,
		.kind = (enum kind)fn.kind,
		.line = projection_key_line(t, p, key),
		.address = projection_key_address(t, p, key),
	};
	return naive_same_key(l->lens.by, &own, f);
}

static unsigned
key_of(const struct looking *l, key_id key)
{
	for (unsigned i = 0; i < l->naive->n_frames; i++)
		if (l->truth->key_of[i] == i && key_is(l, key, &l->naive->frame[i]))
			return i;
	ck_abort_msg("profile %llu, look %u: a key that is none",
		     (unsigned long long)l->seed, l->look);
	return 0;
}

static void
compare_node(const struct looking *l, node_id n, const struct naive_numbers *x)
{
	const struct fold_numbers *now = &l->fold->now;

	SAME(l, "presence of a node", now->present[n] != 0, x->present);
	SAME(l, "self of a node", now->self[n], x->self);
	SAME(l, "total of a node", now->total[n], x->total);
	SAME(l, "calls are counted", now->calls != NULL, l->naive->has_calls);
	SAME(l, "lines are counted", now->lines != NULL, l->naive->has_lines);
	if (now->calls && n != NODE_ROOT)
		SAME(l, "calls of a node", now->calls[n], x->calls);
	if (now->lines && n != NODE_ROOT)
		SAME(l, "lines of a node", now->lines[n], x->lines);
}

static int
compare_bytes(struct name a, struct name b)
{
	int order = memcmp(a.at, b.at, a.len < b.len ? a.len : b.len);

	return order ? order : (int)a.len - (int)b.len;
}

/* Returns the sum of the amounts at and below a node: its total, unless some are below 0. */
static int64_t
amounts(const struct looking *l, node_id node)
{
	const struct projection *t = l->fold->tree;
	int64_t sum = 0;

	for (node_id i = node; i < t->n; i++) {
		node_id up = i;
		while (up > node)
			up = t->parent[up];
		sum += up == node ? llabs(l->fold->now.self[i]) : 0;
	}
	return sum;
}

/* By amounts falling, then name. */
static void
compare_order(const struct looking *l, node_id before, node_id after)
{
	const struct profile *p = l->p;
	const struct projection *t = l->fold->tree;
	int64_t a = amounts(l, before), b = amounts(l, after);

	struct name x = names_get(&p->names, projection_key_name(t, p, t->key[before]));
	struct name y = names_get(&p->names, projection_key_name(t, p, t->key[after]));

	SAME(l, "the order of children", a > b || (a == b && compare_bytes(x, y) <= 0),
	     true);
}

static unsigned
truth_child(const struct looking *l, unsigned parent, unsigned key)
{
	for (unsigned i = 1; i < l->truth->n_nodes; i++)
		if (l->truth->node[i].parent == parent && l->truth->node[i].key == key)
			return i;
	ck_abort_msg("profile %llu, look %u: a node that is not there",
		     (unsigned long long)l->seed, l->look);
	return 0;
}

static void
compare_tree(const struct looking *l)
{
	const struct projection *t = l->fold->tree;
	unsigned *truth = mem_zalloc(t->n, sizeof *truth), shown = 1;
	node_id *children = mem_alloc(t->n, sizeof *children);

	compare_node(l, NODE_ROOT, &l->truth->node[0].x);
	for (node_id i = 0; i < t->n; i++) {
		if (i && !truth[i])
			continue; /* not shown */
		uint32_t n = fold_children(l->fold, l->p, i, children, t->n);
		for (uint32_t k = 0; k < n; k++) {
			node_id c = children[k];
			SAME(l, "the parent of a node", t->parent[c], i);
			SAME(l, "a child's id is greater", c > i, true);
			truth[c] = truth_child(l, truth[i], key_of(l, t->key[c]));
			compare_node(l, c, &l->truth->node[truth[c]].x);
			if (k)
				compare_order(l, children[k - 1], c);
			shown++;
		}
	}
	SAME(l, "the number of nodes", shown, l->truth->n_nodes);
	free(truth);
	free(children);
}

static void
compare_rows(const struct looking *l, struct rows *rows)
{
	unsigned n = 0;

	fold_rows(l->fold, rows);
	for (uint32_t i = 0; i < rows->n; i++) {
		struct row row = rows_get(rows, i);
		const struct naive_numbers *x = &l->truth->row[key_of(l, row.key)];
		SAME(l, "presence of a row", true, x->present);
		SAME(l, "self of a row", row.self, x->self);
		SAME(l, "total of a row", row.total, x->total);
		SAME(l, "calls of a row", row.calls,
		     l->naive->has_calls ? x->calls : -1);
		SAME(l, "lines of a row", row.lines,
		     l->naive->has_lines ? x->lines : -1);
	}
	for (unsigned i = 0; i < NAIVE_KEYS; i++)
		n += l->truth->row[i].present;
	SAME(l, "the number of rows", rows->n, n);
}

/* An inversion that began with its first levels has the others after the next update. */
static void
deepen(struct looking *l, const struct lens *lens)
{
	struct err e;

	err_init(&e);
	if (!l->fold->partial)
		return;
	uint32_t at_once = l->fold->at_once;
	l->fold->at_once = 0;
	ck_assert(fold_update(l->fold, l->p, lens, NULL, &e));
	l->fold->at_once = at_once;
	ck_assert(!l->fold->partial);
	SAME(l, "levels", l->fold->tree->depth_cut, 0);
}

/* Rests as often as can be, and gives up after `left` of them. */
struct resting {
	struct pace pace;
	unsigned left;
};

static bool
rest_now(struct pace *p)
{
	struct resting *x = (struct resting *)p;

	return x->left-- > 0;
}

/* A fold that is made beside the displayed one replaces it, or is cancelled, which changes nothing.
 * Repeats all with the cancelled one. */
static void
update(struct looking *l, const struct lens *lens, struct err *e)
{
	struct resting x = {{rest_now, 1 + chance_below(&l->r->chance, 30), 0, false},
			    chance_below(&l->r->chance, 60)};

	fold_begin_with(l->spare, l->fold);
	l->spare->pace = &x.pace;
	bool done = fold_update(l->spare, l->p, lens, NULL, e);
	l->spare->pace = NULL;
	ck_assert(done != x.pace.over && !err_is_set(e));
	ck_assert(done || !l->spare->tree);
	if (!done && chance_one_in(&l->r->chance, 2))
		fold_begin_with(l->spare, l->fold);
	ck_assert_msg(done || fold_update(l->spare, l->p, lens, NULL, e), "%s", e->text);
	fold_swap(l->spare, l->fold);
}

/* Compares the sums of all tracks: the same without filters. */
static void
compare_recorded(struct looking *l)
{
	struct naive_lens all = l->lens;

	all.n_entries = 0;
	naive_fold(l->naive, &all, l->truth);
	SAME(l, "what was recorded", fold_recorded(l->fold, l->p),
	     l->truth->everything);
}

static void
look(struct looking *l, struct rows *rows)
{
	struct lens lens;
	struct err e;

	err_init(&e);
	random_lens(l->r, &l->lens, &lens);
	/* now and then the same lens again, on a profile that has grown */
	for (int again = 0; again < 2; again++) {
		if (again)
			random_profile_grow(l->r, 1 + chance_below(&l->r->chance, 8));
		l->p = regroup_look(l->regroup, l->r->model, &lens, l->grows, NULL);
		naive_regroup(&l->r->naive, &l->lens, l->naive);
		naive_fold(l->naive, &l->lens, l->truth);
		update(l, &lens, &e);
		deepen(l, &lens);
		SAME(l, "everything", l->fold->now.everything, l->truth->everything);
		compare_tree(l);
		compare_rows(l, rows);
		compare_recorded(l);
		if (!chance_one_in(&l->r->chance, 3) || l->look > LOOKS / 2)
			break;
	}
	err_init(&e);
	ck_assert_msg(l->p == l->r->model || profile_check(l->p, &e), "profile %llu: %s",
		      (unsigned long long)l->seed, e.text);
	lens_release(&lens);
}

START_TEST(test_against_naive)
{
	struct naive_fold *truth = mem_alloc(1, sizeof *truth);
	struct naive_profile *naive = mem_alloc(1, sizeof *naive);
	struct rows rows = {0};
	struct err e;

	for (uint64_t seed = 0; seed < unit_rounds(PROFILES); seed++) {
		struct looking l = {.seed = seed, .truth = truth, .naive = naive};
		l.r = random_profile_new(seed);
		l.r->asks_labels = seed % 2;
		l.regroup = regroup_new();
		l.fold = fold_new();
		l.spare = fold_new();
		l.fold->at_once = seed % 2 ? 1 + chance_below(&l.r->chance, 30) : 0;
		for (l.look = 0; l.look < LOOKS; l.look++) {
			if (l.look <= LOOKS / 2)
				random_profile_grow(l.r, chance_below(&l.r->chance, 60));
			if (l.look == LOOKS / 2)
				random_profile_finish(l.r);
			l.grows = l.look <= LOOKS / 2 || chance_one_in(&l.r->chance, 4);
			look(&l, &rows);
		}
		err_init(&e);
		ck_assert_msg(profile_check(l.r->model, &e), "profile %llu: %s",
			      (unsigned long long)seed, e.text);
		fold_free(l.fold);
		regroup_free(l.regroup);
		fold_free(l.spare);
		random_profile_free(l.r);
	}
	free(truth);
	free(naive);
	rows_release(&rows);
}
END_TEST

/* The list of labels has the same values of a key as the root frames of that key. */
static void
compare_labels(const struct looking *l, const struct lens *lens, const char *key,
	       const struct labelsum *sum)
{
	struct regroup *g = regroup_new();
	struct fold *f = fold_new();
	struct lens grouped;
	struct err e;

	err_init(&e);
	lens_copy(&grouped, lens);
	grouped.by = BY_FUNCTION;
	grouped.invert = false;
	ck_assert(lens_add(&grouped, VERB_LABEL, key, strlen(key), &e));
	const struct profile *p = regroup_look(g, l->r->model, &grouped, false, NULL);
	ck_assert(fold_update(f, p, &grouped, NULL, &e));
	for (uint32_t i = 0; i < sum->n; i++) {
		const struct label *label = &p->labels.label[sum->at[i].label];
		struct buf name = BUF_INIT;
		int64_t total = 0;
		if (strcmp(names_get(&p->names, label->key).at, key))
			continue;
		buf_addf(&name, "%s=", key);
		label_write_value(&name, &p->names, label);
		name_id id = names_find(&p->names, buf_str(&name), name.len);
		for (node_id n = f->tree->first_child[NODE_ROOT]; n != NODE_NONE;
		     n = f->tree->next_sibling[n])
			if (projection_key_name(f->tree, p, f->tree->key[n]) == id)
				total += f->now.total[n];
		if (total != sum->at[i].self)
			ck_abort_msg("profile %llu: %s has %lld, should have %lld",
				     (unsigned long long)l->seed, buf_str(&name),
				     (long long)sum->at[i].self, (long long)total);
		buf_release(&name);
	}
	lens_release(&grouped);
	fold_free(f);
	regroup_free(g);
}

/* Of lenses that choose tracks, a range and a metric, and include by name. */
START_TEST(test_labels)
{
	unsigned rows = 0;

	for (uint64_t seed = 0; seed < 300; seed++) {
		struct looking l = {.seed = seed, .r = random_profile_new(seed)};
		struct fold *f = fold_new();
		struct naive_lens ignored;
		struct labelsum sum;
		struct lens lens;
		struct err e;
		err_init(&e);
		random_profile_grow(l.r, 80);
		random_profile_finish(l.r);
		random_lens(l.r, &ignored, &lens);
		while (lens.entries.n)
			lens_remove(&lens, lens.entries.n - 1);
		ck_assert(lens_add(&lens, VERB_EXCLUDE, "beta", 4, &e));
		ck_assert(lens_add(&lens, VERB_TRACK, "o", 1, &e));
		ck_assert(fold_update(f, l.r->model, &lens, NULL, &e));
		labelsum_make(l.r->model, f, NULL, &sum);
		rows += sum.n;
		for (unsigned k = 0; k < NAIVE_KEYS_OF_LABELS; k++)
			compare_labels(&l, &lens, naive_labels[k].key, &sum);
		labelsum_release(&sum);
		lens_release(&lens);
		fold_free(f);
		random_profile_free(l.r);
	}
	ck_assert_uint_gt(rows, 500);
}
END_TEST

/* The row of one key is that of the table, and the hottest of them is found without it. */
static void
check_rows_one_by_one(const struct fold *f, const struct rows *rows)
{
	key_id hottest = KEY_NONE;
	int64_t most = 0;
	for (uint32_t i = 0; i < rows->n; i++) {
		struct row is = rows_get(rows, i);
		struct row got = fold_row_of(f, is.key);
		ck_assert(got.key == is.key && got.self == is.self &&
			  got.total == is.total && got.calls == is.calls &&
			  got.lines == is.lines && got.base_self == is.base_self &&
			  got.base_total == is.base_total);
		if (is.self > most) {
			most = is.self;
			hottest = is.key;
		}
	}
	ck_assert_uint_eq(fold_hottest(f), hottest);
	struct row none = fold_row_of(f, KEY_NONE);
	ck_assert(!none.self && !none.total && none.calls == -1 && none.lines == -1);
}

/* A node is chance where neither it nor anything below it is sure; gives how many are sure. */
static unsigned
check_chance(const struct fold *f)
{
	bool *sure = mem_zalloc(f->tree->n, sizeof *sure);
	unsigned n = 0, left_out = 0;

	for (node_id i = 1; i < f->tree->n; i++) {
		if (fold_sure(f, i) != SURE_YES)
			continue;
		n++;
		for (node_id at = i; at != NODE_ROOT; at = f->tree->parent[at])
			sure[at] = true;
	}
	for (node_id i = 1; i < f->tree->n && f->changes.chance; i++) {
		ck_assert(fold_is_chance(f, i) == !sure[i]);
		left_out += !sure[i] && fold_shows(f, i);
	}
	ck_assert_uint_eq(f->changes.n_chance, left_out);
	ck_assert(f->changes.chance || !n);
	free(sure);
	return n;
}

/* Two looks at once: the second is the base of the first. */
/* A base that is a range of another length counts as if it were as long. */
static void
ck_scaled(const struct fold *f, int64_t base, int64_t alone)
{
	if (!f->changes.rates)
		ck_assert_int_eq(base, alone);
	else
		ck_assert_double_le(fabs((double)base - (double)alone * f->changes.scale), 0.5001);
}

START_TEST(test_against_base)
{
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct random_profile *r = random_profile_new(seed);
		struct fold *both = fold_new(), *alone = fold_new();
		struct naive_lens ignored;
		struct lens now, base;
		struct rows a = {0}, b = {0};
		struct err e;
		err_init(&e);
		random_profile_grow(r, 60);
		random_profile_finish(r);
		random_lens(r, &ignored, &now);
		lens_copy(&base, &now);
		if (base.to.kind != MOMENT_OPEN)
			base.to.value /= 2;
		ck_assert(fold_update(both, r->model, &now, &base, &e));
		ck_assert(both->compares);
		check_chance(both);
		ck_assert(fold_update(alone, r->model, &base, NULL, &e));
		ck_assert_uint_eq(both->tree->n, alone->tree->n);
		for (node_id i = 0; i < alone->tree->n; i++) {
			ck_scaled(both, both->base.self[i], alone->now.self[i]);
			ck_scaled(both, both->base.total[i], alone->now.total[i]);
		}
		fold_rows(both, &a);
		fold_rows(alone, &b);
		check_rows_one_by_one(both, &a);
		check_rows_one_by_one(alone, &b);
		for (uint32_t i = 0, k; i < b.n; i++) {
			for (k = 0; k < a.n && a.key[k] != b.key[i]; k++)
				;
			ck_assert_uint_lt(k, a.n);
			if (both->changes.rates)
				continue; /* sums of rounded values */
			ck_assert_int_eq(rows_get(&a, k).base_self, rows_get(&b, i).self);
			ck_assert_int_eq(rows_get(&a, k).base_total, rows_get(&b, i).total);
		}
		lens_release(&now);
		lens_release(&base);
		rows_release(&a);
		rows_release(&b);
		fold_free(both);
		fold_free(alone);
		random_profile_free(r);
	}
}
END_TEST

/* A random tree of samples on two tracks, some frames of which run more on one of them. */
static void
grow_two(struct builder *b, struct chance *chance)
{
	struct err e;
	metric_id m = builder_metric(b, "samples", UNIT_SAMPLES, ROLE_VALUE);
	struct series *s[2];
	stack_id at[60] = {STACK_EMPTY};

	err_init(&e);
	for (int i = 0; i < 2; i++)
		s[i] = builder_totals(b, builder_track(b, i ? "now" : "old", 3, TRACK_THREAD), &m,
				      1);
	for (unsigned i = 1; i < 60; i++) {
		char name[2] = {(char)('a' + chance_below(chance, 26)), 0};
		function_id fn = builder_function_named(b, name, 1);
		at[i] = builder_child(b, at[chance_below(chance, i)],
				      builder_frame(b, fn, line_unknown()));
		int64_t value = chance_below(chance, 30);
		int64_t more = chance_below(chance, 6) ? chance_below(chance, 5) : 60;
		ck_assert(builder_total(b, s[0], at[i], &value, 0, &e));
		value += more;
		ck_assert(builder_total(b, s[1], at[i], &value, 0, &e));
	}
	builder_finish(b, &e);
	builder_settle(b);
}

START_TEST(test_chance)
{
	unsigned sure = 0, nodes = 0;

	for (uint64_t seed = 0; seed < 30; seed++) {
		struct chance chance;
		struct profile *p = profile_new();
		struct builder *b = builder_new(p, "chance", "test");
		struct fold *f = fold_new();
		struct lens now, base;
		struct err e;
		err_init(&e);
		chance_init(&chance, seed);
		p->independent = true;
		grow_two(b, &chance);
		builder_free(b);
		lens_init(&now);
		lens_init(&base);
		ck_assert(lens_add(&now, VERB_TRACK, "now", 3, &e));
		ck_assert(lens_add(&base, VERB_TRACK, "old", 3, &e));
		ck_assert(fold_update(f, p, &now, &base, &e));
		ck_assert_ptr_nonnull(f->changes.chance);
		sure += check_chance(f);
		nodes += f->tree->n - 1;
		lens_release(&now);
		lens_release(&base);
		fold_free(f);
		profile_free(p);
	}
	ck_assert_uint_gt(sure, 30);
	ck_assert_uint_lt(sure, nodes);
}
END_TEST

UNIT(fold)
{
	Suite *suite = suite_create("fold");
	TCase *chance = tcase_create("chance");

	tcase_set_timeout(chance, 60);
	tcase_add_test(chance, test_against_naive);
	tcase_add_test(chance, test_labels);
	tcase_add_test(chance, test_against_base);
	tcase_add_test(chance, test_chance);
	suite_add_tcase(suite, chance);
	return suite;
}
