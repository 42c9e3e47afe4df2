/* The order of what a fold shows: children by weight. */
#include "model/fold/fold.h"

#include <stdlib.h>

#include "model/base/sum.h"
#include "model/base/vec.h"

struct child_order {
	const struct fold *f;
	const struct profile *p;
};

static int64_t
area_of(const struct fold_numbers *x, node_id node)
{
	return (x->area ? x->area : x->total)[node];
}

int64_t
fold_weight(const struct fold *f, node_id node)
{
	/* what vanished weighs as much as what is new */
	return f->compares ? sum_clipped(area_of(&f->now, node), area_of(&f->base, node))
			   : area_of(&f->now, node);
}

struct fold_child {
	int64_t weight;
	node_id node;
};

static int
compare_children(const void *a, const void *b, void *context)
{
	const struct child_order *o = context;
	const struct fold_child *x = a, *y = b;
	const struct projection *t = o->f->tree;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return projection_compare_keys(t, o->p, t->key[x->node], t->key[y->node], false);
}

/* Sifts at[i] down a heap whose top is the last in order. */
static void
heap_sink(struct fold_child *at, uint32_t n, uint32_t i, struct child_order *order)
{
	for (uint32_t below; (below = 2 * i + 1) < n; i = below) {
		if (below + 1 < n &&
		    compare_children(&at[below + 1], &at[below], order) > 0)
			below++;
		if (compare_children(&at[below], &at[i], order) <= 0)
			return;
		struct fold_child swap = at[i];
		at[i] = at[below];
		at[below] = swap;
	}
}

/* Moves the first `max` of n children, in any order, to the front. A screen needs a few of them,
 * and sorting a hundred thousand takes longer than a frame. */
static void
select_first(struct fold_child *at, uint32_t n, uint32_t max, struct child_order *order)
{
	for (uint32_t i = max / 2; i-- > 0;)
		heap_sink(at, max, i, order);
	for (uint32_t i = max; max && i < n; i++)
		if (compare_children(&at[i], &at[0], order) < 0) {
			at[0] = at[i];
			heap_sink(at, max, 0, order);
		}
}

uint32_t
fold_children(const struct fold *f, const struct profile *p, node_id node, node_id *out,
	      uint32_t max)
{
	const struct projection *t = f->tree;
	VEC(struct fold_child) all = VEC_INIT;
	struct child_order order = {f, p};
	uint32_t n, sorted;

	for (node_id c = t->first_child[node]; c != NODE_NONE; c = t->next_sibling[c])
		if (fold_shows(f, c))
			*vec_push(&all) = (struct fold_child){fold_weight(f, c), c};
	n = sorted = (uint32_t)all.n;
	if (max < n) {
		select_first(all.at, n, max, &order);
		sorted = max;
	}
	if (sorted > 1)
		qsort_r(all.at, sorted, sizeof *all.at, compare_children, &order);
	for (uint32_t i = 0; i < sorted; i++)
		out[i] = all.at[i].node;
	vec_release(&all);
	return n;
}
