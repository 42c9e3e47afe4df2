/* around.c - see around.h.
 *
 * A node of either tree is a set of nodes of the fold.  The children of a set of callees
 * are all their children, those of a set of callers their parents, sorted by key into new
 * sets.  So nothing is made that nobody opens, and a filter, a range, a granularity or a
 * comparison needs no code here: it is in the fold already.
 *
 * A projection of its own (the lens with `root`, once more inverted) was rejected: it
 * costs all stacks and another tally at every step of the scrubber, and cannot cut a stack
 * below the function.
 *
 * Invariants: members of a node lie together; the nodes 0 and 1 have the same members,
 * none of which is above another; a node's children have distinct keys. */
#include "model/around.h"

#include <stdlib.h>

#include "model/sum.h"

void
around_init(struct around *a)
{
	*a = (struct around){.key = KEY_NONE};
}

void
around_release(struct around *a)
{
	vec_release(&a->nodes);
	vec_release(&a->members);
	around_init(a);
}

static void
add_numbers(const struct fold *f, const struct around_member *m, struct around_node *n)
{
	n->self += f->now.self[m->of];
	n->total += f->now.total[m->of];
	if (f->now.calls)
		n->calls += f->now.calls[m->of];
	if (f->compares) {
		n->base_self += f->base.self[m->of];
		n->base_total += f->base.total[m->of];
	}
}

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
		add_numbers(a->fold, &a->members.at[members + i], &node);
	return node;
}

bool
around_look(struct around *a, const struct fold *f, const struct profile *p, key_id key)
{
	const struct projection *t = f->tree;

	a->fold = f;
	a->profile = p;
	a->key = key;
	a->nodes.n = a->members.n = 0;
	for (node_id i = 1; key != KEY_NONE && i < t->n; i++)
		if (t->key[i] == key && t->outermost[i] && fold_shows(f, i))
			*vec_push(&a->members) = (struct around_member){i, i};
	size_t n = a->members.n;
	for (around_id i = AROUND_CALLERS; i <= AROUND_CALLEES; i++) {
		struct around_node node = node_of_members(a, key, 0, n);
		node.caller = i == AROUND_CALLERS;
		*vec_push(&a->nodes) = node;
	}
	return n > 0;
}

/* ---- making children ---- */

struct child {
	key_id key;
	struct around_member m;
};

struct children {
	VEC(struct child) all;
};

static void
collect_callers(const struct around *a, const struct around_node *n, struct children *out)
{
	const struct projection *t = a->fold->tree;

	for (size_t i = 0; n->key != KEY_NONE && i < n->n_members; i++) {
		struct around_member m = a->members.at[n->members + i];
		m.at = t->parent[m.at];
		*vec_push(&out->all) = (struct child){t->key[m.at], m};
	}
}

static void
collect_callees(const struct around *a, const struct around_node *n, struct children *out)
{
	const struct projection *t = a->fold->tree;

	for (size_t i = 0; i < n->n_members; i++) {
		node_id at = a->members.at[n->members + i].at;
		for (node_id c = t->first_child[at]; c != NODE_NONE; c = t->next_sibling[c])
			if (fold_shows(a->fold, c))
				*vec_push(&out->all) = (struct child){t->key[c], {c, c}};
	}
}

static int
by_key(const void *a, const void *b)
{
	const struct child *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->m.at > y->m.at) - (x->m.at < y->m.at);
}

static int
by_weight(const void *a, const void *b, void *context)
{
	const struct around *whole = context;
	const struct around_node *x = a, *y = b;
	/* as in fold_weight(): the bases are 0 where nothing is compared */
	int64_t wx = sum_clipped(x->total, x->base_total),
		wy = sum_clipped(y->total, y->base_total);

	if (wx != wy)
		return wx > wy ? -1 : 1;
	if (x->key == KEY_NONE || y->key == KEY_NONE)
		return (x->key == KEY_NONE) - (y->key == KEY_NONE);
	return fold_compare_keys(whole->fold->tree, whole->profile, x->key, y->key, false);
}

static void
link_children(struct around *a, around_id i, size_t from)
{
	struct around_node *n = &a->nodes.at[i];
	size_t end = a->nodes.n;

	for (size_t k = from; k < end; k++) {
		struct around_node *c = &a->nodes.at[k];
		c->parent = i;
		c->depth = n->depth + 1;
		c->caller = n->caller;
		c->prev = k > from ? (around_id)(k - 1) : AROUND_NONE;
		c->next = k + 1 < end ? (around_id)(k + 1) : AROUND_NONE;
	}
	n->made = true;
	if (end > from) {
		n->first = (around_id)from;
		n->last = (around_id)(end - 1);
	}
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
	if (c.all.n)
		qsort(c.all.at, c.all.n, sizeof *c.all.at, by_key);
	for (size_t k = 0; k < c.all.n;) {
		size_t members = a->members.n;
		key_id key = c.all.at[k].key;
		while (k < c.all.n && c.all.at[k].key == key)
			*vec_push(&a->members) = c.all.at[k++].m;
		struct around_node node =
			node_of_members(a, key, members, a->members.n - members);
		*vec_push(&a->nodes) = node;
	}
	size_t n = a->nodes.n - from;
	if (n > 1)
		qsort_r(a->nodes.at + from, n, sizeof *a->nodes.at, by_weight, a);
	/* nobody above a root frame: no caller, unless there are others beside it */
	if (n == 1 && a->nodes.at[from].key == KEY_NONE)
		a->nodes.n--;
	link_children(a, i, from);
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
	return a->nodes.at[i].last;
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
