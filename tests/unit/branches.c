/* branches.c - rows of trees that open and close, against the plainest reading: the list of
 * all rows, made by recursion.  And how many links a walk down a very deep tree follows. */
#include "ui/part/branches.h"

#include <check.h>
#include <stdlib.h>

#include "model/base/mem.h"
#include "tests/lib/unit.h"

#define NODES_MAX 120
#define DEEP 50000u

/* Nodes 0 and 1 are the roots: of the tree below, and of the one above. */
struct toy {
	uint32_t n;
	uint32_t *parent, *first, *last, *next, *prev;
	uint64_t *key; /* of no other node */
	bool *above, *heavy;
	uint64_t steps; /* requested links */
};

static branch_id
toy_first(void *of, branch_id n)
{
	struct toy *t = of;
	t->steps++;
	return t->first[n];
}

static branch_id
toy_last(void *of, branch_id n)
{
	struct toy *t = of;
	t->steps++;
	return t->last[n];
}

static branch_id
toy_next(void *of, branch_id n)
{
	struct toy *t = of;
	t->steps++;
	return t->next[n];
}

static branch_id
toy_prev(void *of, branch_id n)
{
	struct toy *t = of;
	t->steps++;
	return t->prev[n];
}

static branch_id
toy_parent(void *of, branch_id n)
{
	struct toy *t = of;
	t->steps++;
	return t->parent[n];
}

static branch_id
toy_path(void *of, branch_id n, uint64_t *key)
{
	struct toy *t = of;
	t->steps++;
	*key = t->key[n];
	return t->parent[n];
}

static bool
toy_has(void *of, branch_id n)
{
	struct toy *t = of;
	t->steps++;
	return t->first[n] != BRANCH_NONE;
}

static bool
toy_heavy(void *of, branch_id n)
{
	struct toy *t = of;
	t->steps++;
	return t->heavy[n];
}

static bool
toy_leads(void *of, branch_id n, branch_id first)
{
	(void)of;
	(void)n;
	(void)first;
	return true;
}

static bool
toy_above(void *of, branch_id n)
{
	const struct toy *t = of;
	return t->above[n];
}

static const struct branch_ops toy_ops = {
	toy_first, toy_last,  toy_next,  toy_prev,  toy_parent,
	toy_path,  toy_has,   toy_heavy, toy_leads, toy_above,
};

static void
toy_init(struct toy *t, uint32_t n)
{
	*t = (struct toy){.n = n};
	t->parent = mem_alloc(n, sizeof *t->parent);
	t->first = mem_alloc(n, sizeof *t->first);
	t->last = mem_alloc(n, sizeof *t->last);
	t->next = mem_alloc(n, sizeof *t->next);
	t->prev = mem_alloc(n, sizeof *t->prev);
	t->key = mem_zalloc(n, sizeof *t->key);
	t->above = mem_zalloc(n, sizeof *t->above);
	t->heavy = mem_zalloc(n, sizeof *t->heavy);
	for (uint32_t i = 0; i < n; i++)
		t->parent[i] = t->first[i] = t->last[i] = t->next[i] = t->prev[i] =
			BRANCH_NONE;
	t->above[1] = true;
}

static void
toy_release(struct toy *t)
{
	free(t->parent);
	free(t->first);
	free(t->last);
	free(t->next);
	free(t->prev);
	free(t->key);
	free(t->above);
	free(t->heavy);
}

/* As the last child. */
static void
toy_hang(struct toy *t, uint32_t i, uint32_t parent)
{
	t->parent[i] = parent;
	t->prev[i] = t->last[parent];
	if (t->last[parent] == BRANCH_NONE)
		t->first[parent] = i;
	else
		t->next[t->last[parent]] = i;
	t->last[parent] = i;
	t->above[i] = t->above[parent];
}

/* Always the same numbers. */
static uint32_t
chance(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (uint32_t)(((uint64_t)(*seed >> 8) * below) >> 24);
}

static void
toy_by_chance(struct toy *t, uint32_t *seed, uint32_t n)
{
	toy_init(t, n);
	for (uint32_t i = 2; i < n; i++) {
		toy_hang(t, i, chance(seed, i));
		t->key[i] = i;
		t->heavy[i] = chance(seed, 2);
	}
}

/* ---- the plain reading ---- */

struct plain {
	bool open[NODES_MAX];
	uint32_t row[NODES_MAX], depth[NODES_MAX];
	uint32_t n;
};

static void
list_below(struct plain *l, const struct toy *t, uint32_t node, uint32_t depth)
{
	l->row[l->n] = node;
	l->depth[l->n++] = depth;
	for (uint32_t c = t->first[node]; c != BRANCH_NONE && (l->open[node] || !depth);
	     c = t->next[c])
		list_below(l, t, c, depth + 1);
}

/* The tree above is the same list, read backwards. */
static void
list_rows(struct plain *l, const struct toy *t, bool above)
{
	struct plain up = *l;
	l->n = up.n = 0;
	if (above) {
		list_below(&up, t, 1, 0);
		for (uint32_t i = up.n; i-- > 1;) {
			l->row[l->n] = up.row[i];
			l->depth[l->n++] = up.depth[i];
		}
	}
	list_below(l, t, 0, 0);
}

static void
check_screen(struct branches *b, const struct plain *l, const struct toy *t, uint32_t at, int h)
{
	branches_arrange(b, l->row[at], h);
	uint32_t rows = l->n < (uint32_t)h ? l->n : (uint32_t)h;
	uint32_t least = UINT32_MAX;
	ck_assert_uint_eq(b->lines.n, rows);
	ck_assert_int_ge(b->row, 0);
	ck_assert_uint_ge(at, (uint32_t)b->row);
	for (uint32_t i = 0; i < rows; i++) {
		uint32_t k = at - (uint32_t)b->row + i, id = l->row[k];
		const struct branch_line *line = &b->lines.at[i];
		ck_assert_uint_eq(line->id, id);
		ck_assert_uint_eq(line->depth, l->depth[k]);
		ck_assert_int_eq(line->has, t->first[id] != BRANCH_NONE);
		ck_assert_int_eq(line->open, l->open[id] || !l->depth[k]);
		ck_assert_int_eq(line->above, t->above[id]);
		least = l->depth[k] < least ? l->depth[k] : least;
	}
	ck_assert_uint_eq(b->least_depth, least);
}

static void
check_moves(struct branches *b, const struct plain *l, uint32_t at, int h)
{
	static const struct {
		enum action action;
		int halves; /* of a screen; 0: a row */
		int dir;
	} moves[] = {
		{ACTION_DOWN, 0, 1},	    {ACTION_UP, 0, -1},
		{ACTION_HALF_DOWN, 1, 1},   {ACTION_HALF_UP, 1, -1},
		{ACTION_PAGE_DOWN, 2, 1},   {ACTION_PAGE_UP, 2, -1},
		{ACTION_FIRST, 10000, -1},  {ACTION_LAST, 10000, 1},
	};
	for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
		int by = moves[i].halves == 1 ? (h > 1 ? h / 2 : 1)
			 : moves[i].halves    ? moves[i].halves / 2 * h
					      : 1;
		int to = (int)at + by * moves[i].dir;
		to = to < 0 ? 0 : to >= (int)l->n ? (int)l->n - 1 : to;
		branches_arrange(b, l->row[at], h);
		ck_assert_int_eq(branches_act(b, moves[i].action), BRANCHES_MOVED);
		ck_assert_uint_eq(b->at, l->row[to]);
	}
}

static bool
is_seventh(const void *ctx, branch_id n)
{
	(void)ctx;
	return n % 7 == 3;
}

static bool
is_none(const void *ctx, branch_id n)
{
	(void)ctx;
	(void)n;
	return false;
}

static void
check_find(struct branches *b, const struct plain *l, uint32_t at, int dir)
{
	uint32_t k = at, n = l->n;
	bool any = false;
	for (uint32_t i = 0; i < n && !any; i++) {
		k = dir > 0 ? (k + 1) % n : (k + n - 1) % n;
		any = is_seventh(NULL, l->row[k]);
	}
	branches_arrange(b, l->row[at], 5);
	ck_assert(!branches_find(b, dir, is_none, NULL));
	ck_assert_uint_eq(b->at, l->row[at]);
	ck_assert_int_eq(branches_find(b, dir, is_seventh, NULL), any);
	ck_assert_uint_eq(b->at, l->row[any ? k : at]);
}

static void
check_all(struct branches *b, struct plain *l, const struct toy *t, uint32_t *seed)
{
	list_rows(l, t, b->mirror != BRANCH_NONE);
	ck_assert_uint_eq(branches_end(b, -1), l->row[0]);
	ck_assert_uint_eq(branches_end(b, 1), l->row[l->n - 1]);
	for (uint32_t i = 0; i < l->n; i++) {
		int h = 1 + (int)chance(seed, 12);
		ck_assert_uint_eq(branches_beside(b, l->row[i], -1),
				  i ? l->row[i - 1] : BRANCH_NONE);
		ck_assert_uint_eq(branches_beside(b, l->row[i], 1),
				  i + 1 < l->n ? l->row[i + 1] : BRANCH_NONE);
		check_screen(b, l, t, i, h);
		check_moves(b, l, i, h);
		check_find(b, l, i, i % 2 ? 1 : -1);
	}
	branches_arrange(b, b->root, 5);
}

START_TEST(test_by_chance)
{
	uint32_t seed = (uint32_t)_i + 1;
	struct toy t;
	struct plain l = {0};
	struct branches b;
	toy_by_chance(&t, &seed, 2 + chance(&seed, NODES_MAX - 2));
	for (uint32_t i = 0; i < t.n; i++)
		l.open[i] = t.heavy[i];
	branches_init(&b, &toy_ops);
	branches_reset(&b, &t, 0, _i % 2 ? 1 : BRANCH_NONE, 7);
	check_all(&b, &l, &t, &seed);
	for (unsigned round = 0; round < 8; round++) {
		/* the node to be marked is on the screen */
		uint32_t node = l.row[chance(&seed, l.n)];
		branches_arrange(&b, node, 9);
		ck_assert_int_eq(branches_act(&b, ACTION_TOGGLE), BRANCHES_DONE);
		if (node > 1)
			l.open[node] = !l.open[node];
		check_all(&b, &l, &t, &seed);
	}
	for (int open = 1; open >= 0; open--) {
		branches_act(&b, open ? ACTION_OPEN_ALL : ACTION_CLOSE_ALL);
		for (uint32_t i = 0; i < t.n; i++)
			l.open[i] = open;
		check_all(&b, &l, &t, &seed);
	}
	branches_release(&b);
	toy_release(&t);
}
END_TEST

/* root, 2 (4, 5 (6)), 3; above: 7 (8) */
static void
toy_by_hand(struct toy *t)
{
	static const uint32_t parent[] = {0, 0, 0, 0, 2, 2, 5, 1, 7};
	toy_init(t, 9);
	for (uint32_t i = 2; i < 9; i++) {
		toy_hang(t, i, parent[i]);
		t->key[i] = i;
	}
}

/* Left closes, then goes out; right opens, then goes in; the hot path goes to the leaf. */
START_TEST(test_left_and_right)
{
	struct toy t;
	struct branches b;
	toy_by_hand(&t);
	branches_init(&b, &toy_ops);
	branches_reset(&b, &t, 0, 1, 0);
	branches_arrange(&b, 2, 10);
	ck_assert_uint_eq(b.lines.n, 4); /* 7, root, 2, 3 */
	ck_assert_int_eq(branches_act(&b, ACTION_RIGHT), BRANCHES_DONE);
	branches_arrange(&b, b.at, 10);
	ck_assert_uint_eq(b.lines.n, 6);
	ck_assert_int_eq(branches_act(&b, ACTION_RIGHT), BRANCHES_MOVED);
	ck_assert_uint_eq(b.at, 4);
	ck_assert_int_eq(branches_act(&b, ACTION_RIGHT), BRANCHES_DONE); /* a leaf */
	ck_assert_int_eq(branches_act(&b, ACTION_LEFT), BRANCHES_MOVED);
	ck_assert_uint_eq(b.at, 2);
	ck_assert_int_eq(branches_act(&b, ACTION_LEFT), BRANCHES_DONE);
	ck_assert(!branches_is_open(&b, 2));
	ck_assert_int_eq(branches_act(&b, ACTION_LEFT), BRANCHES_MOVED);
	ck_assert_uint_eq(b.at, 0);
	ck_assert_int_eq(branches_act(&b, ACTION_LEFT), BRANCHES_DONE); /* nothing is out there */
	ck_assert_uint_eq(b.at, 0);
	branches_arrange(&b, 7, 10);
	ck_assert_int_eq(branches_act(&b, ACTION_HOT), BRANCHES_MOVED);
	ck_assert_uint_eq(b.at, 8);
	ck_assert_int_eq(branches_act(&b, ACTION_OUT), BRANCHES_MOVED);
	ck_assert_int_eq(branches_act(&b, ACTION_OUT), BRANCHES_MOVED);
	ck_assert_uint_eq(b.at, 0); /* both roots have one row */
	ck_assert_int_eq(branches_act(&b, ACTION_SEARCH), BRANCHES_PASS);
	branches_release(&b);
	toy_release(&t);
}
END_TEST

/* A cursor that comes from elsewhere opens its ancestors; closing others keeps them open. */
START_TEST(test_cursor)
{
	struct toy t;
	struct branches b;
	toy_by_hand(&t);
	branches_init(&b, &toy_ops);
	branches_reset(&b, &t, 0, 1, 0);
	branches_arrange(&b, 6, 10);
	ck_assert(branches_is_open(&b, 2) && branches_is_open(&b, 5));
	ck_assert_uint_eq(b.lines.at[b.row].id, 6);
	ck_assert(!branches_click(&b, -1) && !branches_click(&b, (int)b.lines.n));
	ck_assert_uint_eq(b.at, 6);
	ck_assert_int_eq(branches_act(&b, ACTION_CLOSE_ALL), BRANCHES_MOVED);
	ck_assert_uint_eq(b.at, 2);
	branches_release(&b);
	toy_release(&t);
}
END_TEST

/* Other ids, the same keys: open nodes stay open, and the path of the cursor is followed as far
 * as it exists. */
START_TEST(test_other_ids)
{
	static const uint32_t parent[] = {0, 0, 1, 7, 0, 7, 3, 0};
	static const uint64_t key[] = {0, 0, 7, 5, 3, 4, 6, 2};
	struct toy t, other;
	struct branches b;
	toy_by_hand(&t);
	branches_init(&b, &toy_ops);
	branches_reset(&b, &t, 0, 1, 0);
	branches_arrange(&b, 6, 10);
	branches_remember(&b);
	toy_init(&other, 8);
	for (uint32_t i = 2; i < 8; i++)
		other.key[i] = key[i];
	toy_hang(&other, 7, 0);
	for (uint32_t i = 2; i < 7; i++)
		toy_hang(&other, i, parent[i]);
	branches_reset(&b, &other, 0, 1, 0);
	ck_assert(branches_is_open(&b, 7) && branches_is_open(&b, 3));
	ck_assert(!branches_is_open(&b, 2) && !branches_is_open(&b, 4));
	ck_assert_uint_eq(branches_recall(&b), 6);
	other.key[6] = 99;
	ck_assert_uint_eq(branches_recall(&b), 3);
	branches_reset(&b, &other, 0, 1, 1); /* another root: other paths */
	ck_assert(!branches_is_open(&b, 7));
	branches_release(&b);
	toy_release(&t);
	toy_release(&other);
}
END_TEST

/* The written words of a state restore the same lines, also in another view; invalid words change
 * nothing. */
START_TEST(test_words)
{
	struct toy t;
	struct branches b, other;
	struct buf words = BUF_INIT, again = BUF_INIT;
	toy_by_hand(&t);
	branches_init(&b, &toy_ops);
	branches_init(&other, &toy_ops);
	branches_reset(&b, &t, 0, 1, 0);
	branches_reset(&other, &t, 0, 1, 0);
	branches_act(&b, ACTION_OPEN_ALL);
	branches_arrange(&b, 6, 10);
	branches_open(&b, 2, false);
	branches_arrange(&b, 2, 10);
	branches_remember(&b);
	branches_stand(&b, &words);
	ck_assert(branches_read(&other, buf_str(&words)));
	branches_stand(&other, &again);
	ck_assert_str_eq(buf_str(&words), buf_str(&again));
	ck_assert_uint_eq(branches_recall(&other), 2);
	branches_arrange(&other, branches_recall(&other), 10);
	ck_assert_uint_eq(other.lines.n, b.lines.n);
	for (size_t i = 0; i < b.lines.n; i++)
		ck_assert_uint_eq(other.lines.at[i].id, b.lines.at[i].id);
	ck_assert_int_eq(other.row, b.row);
	static const char *const bad[] = {" ", "wide", "open +", "open +z", "open 12",
					  "open +1 ", "closed +1 *2", "opens"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert(!branches_read(&other, bad[i]));
	buf_reset(&again);
	branches_stand(&other, &again);
	ck_assert_str_eq(buf_str(&words), buf_str(&again));
	buf_reset(&again);
	branches_keep(&other, &again);
	ck_assert_str_eq(buf_str(&again), "open");
	ck_assert(branches_read(&other, "closed"));
	ck_assert(!branches_is_open(&other, 2));
	buf_release(&words);
	buf_release(&again);
	branches_release(&b);
	branches_release(&other);
	toy_release(&t);
}
END_TEST

/* The work on a tree that is one long chain on either side is that of its length.  A walk
 * that climbs to the root at every row would need a thousand times the links. */
static void
deep(struct branches *b, struct toy *t, enum action open)
{
	t->steps = 0;
	branches_arrange(b, 0, 50);
	branches_act(b, open);
	branches_arrange(b, b->at, 50);
	branches_act(b, ACTION_LAST);
	branches_remember(b);
	branches_arrange(b, b->at, 50);
	branches_act(b, ACTION_FIRST);
	branches_arrange(b, b->at, 50);
	branches_act(b, ACTION_PAGE_DOWN);
	branches_arrange(b, b->at, 50);
	branches_act(b, ACTION_PAGE_UP);
	branches_arrange(b, b->at, 50);
	branches_act(b, ACTION_OUT);
	branches_arrange(b, b->at, 50);
	ck_assert_uint_lt(t->steps, 40ull * DEEP);
}

START_TEST(test_deep)
{
	struct toy t;
	struct branches b;
	toy_init(&t, 2 * DEEP + 2);
	for (uint32_t i = 2; i < t.n; i++) {
		toy_hang(&t, i, i - 2);
		t.key[i] = i % 5;
	}
	branches_init(&b, &toy_ops);
	branches_reset(&b, &t, 0, 1, 0);
	deep(&b, &t, ACTION_HOT);
	ck_assert_uint_eq(branches_end(&b, 1), 2 * DEEP);
	deep(&b, &t, ACTION_OPEN_ALL);
	ck_assert_uint_eq(branches_end(&b, -1), 2 * DEEP + 1);
	branches_arrange(&b, branches_end(&b, -1), 50);
	ck_assert_uint_eq(b.lines.at[0].depth, DEEP);
	ck_assert_uint_eq(b.lines.at[49].depth, DEEP - 49);
	branches_release(&b);
	toy_release(&t);
}
END_TEST

UNIT(branches)
{
	Suite *suite = suite_create("branches");
	TCase *t = tcase_create("branches");
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, test_by_chance, 0, 60);
	tcase_add_test(t, test_left_and_right);
	tcase_add_test(t, test_cursor);
	tcase_add_test(t, test_other_ids);
	tcase_add_test(t, test_words);
	tcase_add_test(t, test_deep);
	suite_add_tcase(suite, t);
	return suite;
}
