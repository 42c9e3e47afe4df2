/* around.c - see around.h.
 *
 * A node of either tree is a set of nodes of the fold. The children of a set of callees are all
 * their children; those of a set of callers are their parents. Both are sorted by key into new
 * sets. So only opened nodes cost anything, and filters, ranges, granularities and comparisons
 * need no code here: they are in the fold already.
 *
 * A separate projection (the lens with `root`, and its inversion) was rejected. It costs all
 * stacks and another tally at every step of the scrubber, and cannot cut a stack below the
 * function.
 *
 * Invariants: members of a node are contiguous; the nodes 0 and 1 have the same members, none of
 * which is above another; a node's children have distinct keys. */
#include "model/fold/around.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/ordered.h"
#include "model/base/sum.h"

void
around_init(struct around *a)
{
	*a = (struct around){.key = KEY_NONE};
}

static void
forget_orders(struct around *a)
{
	for (size_t i = 0; i < a->wide.n; i++)
		order_release(&a->wide.at[i].order);
	a->wide.n = 0;
}

void
around_release(struct around *a)
{
	vec_release(&a->nodes);
	vec_release(&a->members);
	forget_orders(a);
	vec_release(&a->wide);
	around_init(a);
}

static void
around_add_numbers(const struct fold *f, const struct around_member *m, struct around_node *n)
{
	n->self += numbers_recorded_self(&f->now, f->tree, m->of);
	n->total += f->now.recorded.total[m->of];
	if (f->now.recorded.area)
		n->area = sum_clipped(n->area, f->now.recorded.area[m->of]);
	n->calls += numbers_calls(&f->now, f->tree, m->of);
	if (f->compares) {
		n->base_self += numbers_recorded_self(&f->base, f->tree, m->of);
		n->base_total += f->base.recorded.total[m->of];
	}
}

/* Makes the sums of recorded numbers those to display. */
static struct around_node
around_scaled(const struct fold *f, struct around_node n)
{
	struct row r = {.self = n.self, .total = n.total, .base_self = n.base_self,
			.base_total = n.base_total};

	row_scale(&r, f->now.by, f->base.by);
	n.self = r.self;
	n.total = r.total;
	n.area = f->now.recorded.area ? numbers_scaled(n.area, f->now.by) : n.total;
	n.base_self = r.base_self;
	n.base_total = r.base_total;
	n.exact_self = r.exact_self;
	n.exact_total = r.exact_total;
	return n;
}

/* Returns the node with the recorded numbers of its members. */
static struct around_node
node_of_members(const struct around *a, key_id key, size_t members, size_t n)
{
	struct around_node node = {
		.key = key,
		.parent = AROUND_NONE,
		.first = AROUND_NONE,
		.last = AROUND_NONE,
		.next = AROUND_NONE,
		.prev = AROUND_NONE,
		.calls = a->fold->now.calls ? 0 : -1,
		.members = members,
		.n_members = n,
	};
	for (size_t i = 0; i < n; i++)
		around_add_numbers(a->fold, &a->members.at[members + i], &node);
	return node;
}

bool
around_look(struct around *a, const struct fold *f, const struct profile *p, key_id key,
	    struct pace *pace)
{
	const struct projection *t = f->tree;

	a->fold = f;
	a->profile = p;
	a->key = key;
	a->nodes.n = a->members.n = 0;
	forget_orders(a);
	for (struct piece x = piece_of(1, key == KEY_NONE ? 1 : t->n); piece_next(&x, pace);)
		for (node_id i = x.from; (i = projection_find(t, i, x.to, key)) < x.to; i++)
			if (t->outermost[i] && fold_shows(f, i))
				*vec_push(&a->members) = (struct around_member){i, i};
	if (pace_gives_up(pace))
		return false;
	size_t n = a->members.n;
	for (around_id i = AROUND_CALLERS; i <= AROUND_CALLEES; i++) {
		struct around_node node = node_of_members(a, key, 0, n);
		node.caller = i == AROUND_CALLERS;
		fold_take_stated(f, key, &node.total, &node.base_total);
		*vec_push(&a->nodes) = around_scaled(f, node);
	}
	return n > 0;
}

/* ---- making children ---- */

struct around_child {
	key_id key;
	struct around_member m;
};

struct children {
	VEC(struct around_child) all;
};

static void
collect_callers(const struct around *a, const struct around_node *n, struct children *out)
{
	const struct projection *t = a->fold->tree;

	for (size_t i = 0; n->key != KEY_NONE && i < n->n_members && pace_on(a->pace, 1); i++) {
		struct around_member m = a->members.at[n->members + i];
		m.at = t->parent[m.at];
		*vec_push(&out->all) = (struct around_child){t->key[m.at], m};
	}
}

static void
collect_callees(const struct around *a, const struct around_node *n, struct children *out)
{
	const struct projection *t = a->fold->tree;

	for (size_t i = 0; i < n->n_members; i++) {
		node_id at = a->members.at[n->members + i].at;
		for (node_id c = t->first_child[at]; c != NODE_NONE && pace_on(a->pace, 1);
		     c = t->next_sibling[c])
			if (fold_shows(a->fold, c))
				*vec_push(&out->all) = (struct around_child){t->key[c], {c, c}};
	}
}

ORDERED_BY_TWO(by_key, struct around_child, key, m.at)

static int
around_by_name(const struct around *a, const struct around_node *x, const struct around_node *y)
{
	if (x->key == KEY_NONE || y->key == KEY_NONE)
		return (x->key == KEY_NONE) - (y->key == KEY_NONE);
	return projection_compare_keys(a->fold->tree, a->profile, x->key, y->key, false);
}

/* As fold_weight(): the bases are 0 without a comparison. */
static int64_t
around_weight(const struct around_node *n)
{
	return sum_clipped(n->area, n->base_total);
}

static int
around_by_weight(const void *a, const void *b, void *context)
{
	const struct around_node *x = a, *y = b;
	int64_t wx = around_weight(x), wy = around_weight(y);

	return wx != wy ? (wx > wy ? -1 : 1) : around_by_name(context, x, y);
}

/* ---- very many ---- */

struct around_ranked {
	const struct around *around;
	around_id from;
};

static int64_t
around_rank(const void *of, uint32_t thing)
{
	const struct around_ranked *r = of;

	return -around_weight(&r->around->nodes.at[r->from + thing]);
}

static int
around_compare(const void *of, uint32_t a, uint32_t b)
{
	const struct around_ranked *r = of;
	const struct around_node *at = r->around->nodes.at;

	return around_by_name(r->around, &at[r->from + a], &at[r->from + b]);
}

static around_id
wide_at(struct around *a, uint32_t wide, int64_t place)
{
	struct around_wide *w = &a->wide.at[wide - 1];
	struct around_ranked r = {a, w->from};

	if (place < 0 || place >= w->order.n)
		return AROUND_NONE;
	around_id i =
		w->from + order_at(&w->order, (uint32_t)place,
				   &(struct order_by){around_rank, around_compare, &r, a->pace});
	a->nodes.at[i].place = (uint32_t)place + 1;
	return i;
}

static int64_t
wide_place(struct around *a, uint32_t wide, around_id i)
{
	struct around_wide *w = &a->wide.at[wide - 1];
	struct around_ranked r = {a, w->from};

	if (!a->nodes.at[i].place)
		a->nodes.at[i].place =
			1 +
			order_place(&w->order, i - w->from,
				    &(struct order_by){around_rank, around_compare, &r, a->pace});
	return a->nodes.at[i].place - 1;
}

static void
order_children(struct around *a, around_id i, size_t from)
{
	struct around_wide w = {.from = (around_id)from};
	struct around_ranked r = {a, w.from};

	order_init(&w.order);
	order_begin(&w.order, (uint32_t)(a->nodes.n - from),
		    &(struct order_by){around_rank, around_compare, &r, a->pace});
	*vec_push(&a->wide) = w;
	struct around_node *n = &a->nodes.at[i];
	n->wide = (uint32_t)a->wide.n;
	n->first = wide_at(a, n->wide, 0);
}

/* ---- links ---- */

static void
around_link_children(struct around *a, around_id i, size_t from)
{
	struct around_node *n = &a->nodes.at[i];
	size_t end = a->nodes.n;

	for (size_t k = from; k < end; k++) {
		struct around_node *c = &a->nodes.at[k];
		c->parent = i;
		c->depth = n->depth + 1;
		c->caller = n->caller;
	}
	n->made = true;
	if (end - from > AROUND_WIDE) {
		order_children(a, i, from);
		return;
	}
	if (end - from > 1)
		qsort_r(a->nodes.at + from, end - from, sizeof *a->nodes.at, around_by_weight, a);
	for (size_t k = from; k < end; k++) {
		a->nodes.at[k].prev = k > from ? (around_id)(k - 1) : AROUND_NONE;
		a->nodes.at[k].next = k + 1 < end ? (around_id)(k + 1) : AROUND_NONE;
	}
	if (end > from) {
		n->first = (around_id)from;
		n->last = (around_id)(end - 1);
	}
}

/* Sorts children by key, and those of one key by node. Counting sort if there are many, which
 * costs the number of keys. */
static void
sort_by_key(const struct around *a, struct children *c)
{
	uint32_t n_keys = a->fold->tree->n_keys;

	if (c->all.n < 2)
		return;
	if (c->all.n < n_keys / 8) {
		qsort(c->all.at, c->all.n, sizeof *c->all.at, by_key);
		return;
	}
	size_t *place = mem_zalloc((size_t)n_keys + 2, sizeof *place), sum = 0;
	struct around_child *sorted = mem_alloc(c->all.n, sizeof *sorted);
	/* KEY_NONE, of the root, comes last */
	for (size_t i = 0; i < c->all.n && pace_on(a->pace, 1); i++) {
		key_id key = c->all.at[i].key;
		place[key < n_keys ? key : n_keys]++;
	}
	for (size_t k = 0; k <= n_keys && pace_on(a->pace, 1); k++) {
		size_t many = place[k];
		place[k] = sum;
		sum += many;
	}
	for (size_t i = 0; i < c->all.n && pace_on(a->pace, 1); i++) {
		key_id key = c->all.at[i].key;
		sorted[place[key < n_keys ? key : n_keys]++] = c->all.at[i];
	}
	if (!pace_gives_up(a->pace))
		memcpy(c->all.at, sorted, c->all.n * sizeof *sorted);
	free(sorted);
	free(place);
}

static void
make_children(struct around *a, around_id i)
{
	struct children c = {0};
	size_t from = a->nodes.n;

	if (a->nodes.at[i].caller)
		collect_callers(a, &a->nodes.at[i], &c);
	else
		collect_callees(a, &a->nodes.at[i], &c);
	sort_by_key(a, &c);
	for (size_t k = 0; k < c.all.n && pace_on(a->pace, 1);) {
		size_t members = a->members.n;
		key_id key = c.all.at[k].key;
		while (k < c.all.n && c.all.at[k].key == key)
			*vec_push(&a->members) = c.all.at[k++].m;
		struct around_node node =
			node_of_members(a, key, members, a->members.n - members);
		*vec_push(&a->nodes) = around_scaled(a->fold, node);
	}
	size_t n = a->nodes.n - from;
	/* nothing is above a root frame: no caller, unless there are others */
	if (n == 1 && a->nodes.at[from].key == KEY_NONE)
		a->nodes.n--;
	around_link_children(a, i, from);
	vec_release(&c.all);
}

around_id
around_first(struct around *a, around_id i)
{
	if (!a->nodes.at[i].made)
		make_children(a, i);
	return a->nodes.at[i].first;
}

around_id
around_last(struct around *a, around_id i)
{
	if (!a->nodes.at[i].made)
		make_children(a, i);
	struct around_node *n = &a->nodes.at[i];
	if (n->wide && n->last == AROUND_NONE)
		n->last = wide_at(a, n->wide, (int64_t)a->wide.at[n->wide - 1].order.n - 1);
	return n->last;
}

/* Returns the next or previous sibling; sorts very many siblings lazily. */
static around_id
around_beside(struct around *a, around_id i, int dir)
{
	struct around_node *n = &a->nodes.at[i];
	uint32_t wide = n->parent == AROUND_NONE ? 0 : a->nodes.at[n->parent].wide;
	around_id *link = dir > 0 ? &n->next : &n->prev;

	if (wide && *link == AROUND_NONE)
		*link = wide_at(a, wide, wide_place(a, wide, i) + dir);
	return *link;
}

around_id
around_next(struct around *a, around_id i)
{
	return around_beside(a, i, 1);
}

around_id
around_prev(struct around *a, around_id i)
{
	return around_beside(a, i, -1);
}

bool
around_has(const struct around *a, around_id i)
{
	const struct around_node *n = &a->nodes.at[i];
	const struct projection *t = a->fold->tree;

	if (n->made)
		return n->first != AROUND_NONE;
	for (size_t k = 0; n->key != KEY_NONE && k < n->n_members; k++) {
		node_id at = a->members.at[n->members + k].at;
		if (n->caller && t->parent[at] != NODE_ROOT)
			return true;
		if (n->caller)
			continue;
		for (node_id c = t->first_child[at]; c != NODE_NONE; c = t->next_sibling[c])
			if (fold_shows(a->fold, c))
				return true;
	}
	return false;
}
