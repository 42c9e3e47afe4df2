/* outline.c - see outline.h.
 *
 * Sorting the children of every node after each fold would cost more than the fold; a
 * screen shows a few hundred nodes.  So links are made when they are asked for.  The
 * arrays are as long as the fold has nodes but come zeroed from the system, so pages that
 * nobody asks about cost nothing. */
#include "ui/part/outline.h"

#include <stdlib.h>

#include "model/mem.h"

void
outline_init(struct outline *o)
{
	*o = (struct outline){0};
}

void
outline_release(struct outline *o)
{
	free(o->first);
	free(o->last);
	free(o->next);
	free(o->prev);
	*o = (struct outline){0};
}

void
outline_reset(struct outline *o, const struct fold *f, const struct profile *p)
{
	outline_release(o);
	o->fold = f;
	o->profile = p;
	o->n = f->tree->n;
	o->first = mem_zalloc(o->n, sizeof *o->first);
	o->last = mem_zalloc(o->n, sizeof *o->last);
	o->next = mem_zalloc(o->n, sizeof *o->next);
	o->prev = mem_zalloc(o->n, sizeof *o->prev);
}

static void
link_children(struct outline *o, node_id n)
{
	uint32_t count = 0;
	for (node_id c = o->fold->tree->first_child[n]; c != NODE_NONE;
	     c = o->fold->tree->next_sibling[c])
		count++;
	o->first[n] = o->last[n] = NODE_NONE;
	if (!count)
		return;
	node_id *order = mem_alloc(count, sizeof *order);
	uint32_t shown = fold_children(o->fold, o->profile, n, order, count);
	for (uint32_t i = 0; i < shown; i++) {
		o->prev[order[i]] = i ? order[i - 1] : NODE_NONE;
		o->next[order[i]] = i + 1 < shown ? order[i + 1] : NODE_NONE;
	}
	if (shown) {
		o->first[n] = order[0];
		o->last[n] = order[shown - 1];
	}
	free(order);
}

node_id
outline_first(struct outline *o, node_id n)
{
	if (!o->first[n])
		link_children(o, n);
	return o->first[n];
}

node_id
outline_last(struct outline *o, node_id n)
{
	if (!o->first[n])
		link_children(o, n);
	return o->last[n];
}

/* A node without numbers in this range is not shown and has no links: it is alone. */
static node_id
sibling(struct outline *o, node_id n, const node_id *links)
{
	if (n == NODE_ROOT)
		return NODE_NONE;
	outline_first(o, o->fold->tree->parent[n]);
	return links[n] ? links[n] : NODE_NONE;
}

node_id
outline_next(struct outline *o, node_id n)
{
	return sibling(o, n, o->next);
}

node_id
outline_prev(struct outline *o, node_id n)
{
	return sibling(o, n, o->prev);
}

uint32_t
outline_depth(const struct outline *o, node_id n)
{
	uint32_t depth = 0;
	for (; n != NODE_ROOT; n = o->fold->tree->parent[n])
		depth++;
	return depth;
}
