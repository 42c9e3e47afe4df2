/* The order of what a fold shows: keys by name, children by weight. */
#include "model/fold/fold.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/sum.h"
#include "model/base/vec.h"

static int
compare_names(const struct profile *p, name_id a, name_id b)
{
	if (a == b)
		return 0;
	struct name x = names_get(&p->names, a), y = names_get(&p->names, b);
	int order = memcmp(x.at, y.at, x.len < y.len ? x.len : y.len);
	return order ? order : x.len < y.len ? -1 : 1;
}

static int
fold_compare_lines(struct line a, struct line b)
{
	if (a.form == LINE_UNKNOWN || b.form == LINE_UNKNOWN)
		return (a.form != LINE_UNKNOWN) - (b.form != LINE_UNKNOWN);
	if (a.number != b.number)
		return a.number < b.number ? -1 : 1;
	return a.clause < b.clause ? -1 : a.clause > b.clause;
}

int
fold_compare_keys(const struct projection *t, const struct profile *p, key_id a, key_id b,
		  bool by_file)
{
	function_id fa = projection_key_function(t, p, a),
		    fb = projection_key_function(t, p, b);
	name_id na = projection_key_name(t, p, a), nb = projection_key_name(t, p, b);
	int order;

	if (a == b)
		return 0;
	if (fa == UINT32_MAX || fb == UINT32_MAX)
		return compare_names(p, na, nb);
	struct function x = profile_function(p, fa), y = profile_function(p, fb);
	if (x.last != y.last)
		return x.last ? 1 : -1;
	if (!by_file && (order = compare_names(p, na, nb)))
		return order;
	if ((order = compare_names(p, x.file, y.file)))
		return order;
	if ((order = fold_compare_lines(projection_key_line(t, p, a),
					projection_key_line(t, p, b))))
		return order;
	if (by_file && (order = compare_names(p, na, nb)))
		return order;
	if (x.line != y.line)
		return x.line < y.line ? -1 : 1;
	if ((order = compare_names(p, x.module, y.module)))
		return order;
	uint64_t at = projection_key_address(t, p, a), other = projection_key_address(t, p, b);
	if (at != other)
		return at < other ? -1 : 1;
	return a < b ? -1 : 1;
}

struct child_order {
	const struct fold *f;
	const struct profile *p;
};

int64_t
fold_weight(const struct fold *f, node_id node)
{
	/* what vanished weighs as much as what is new */
	return f->compares ? sum_clipped(f->now.total[node], f->base.total[node])
			   : f->now.total[node];
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
	return fold_compare_keys(t, o->p, t->key[x->node], t->key[y->node], false);
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
