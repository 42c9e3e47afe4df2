/* Links between the nodes of a tree.
 *
 * Nodes are created from the roots to the leaves, each below its parent. The links of a node to
 * its neighbours (first child, next sibling, whether its key occurs above) are computed when all
 * exist. Each is one pass over a column, with known addresses to prefetch. With a million nodes,
 * computing it during the creation would miss the cache at every node. */
#include "model/fold/project_inside.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"

#define CLIMB_FREE (1u << 20)
#define CLIMB_A_NODE 32u

/* Finds outermost nodes by one walk with a count for each key. */
static void
walk_outermost(struct projection *t, struct pace *pace)
{
	uint32_t *open = mem_zalloc((size_t)t->n_keys + 1, sizeof *open);

	for (struct walk w = walk_begin(); walk_on(t, &w) && pace_on(pace, 1);)
		if (w.enters)
			t->outermost[w.node] = open[t->key[w.node]]++ == 0;
		else
			open[t->key[w.node]]--;
	free(open);
}

static uint64_t
key_bit(key_id key)
{
	return UINT64_C(1) << (key * UINT64_C(0x9E3779B97F4A7C15) >> 58);
}

/* Links children in order of appearance: going backwards, each becomes the first. */
static void
project_link_children(struct projection *t, struct pace *pace)
{
	for (struct piece x = piece_of(0, t->n); piece_next(&x, pace);)
		memset(t->first_child + x.from, 0xff, (x.to - x.from) * sizeof *t->first_child);
	t->next_sibling[0] = NODE_NONE;
	for (struct piece x = piece_back(1, t->n); piece_prev(&x, pace);)
		for (node_id n = x.to; n-- > x.from;) {
			if (n > PROJECT_AHEAD)
				__builtin_prefetch(&t->first_child[t->parent[n - PROJECT_AHEAD]],
						   1);
			t->next_sibling[n] = t->first_child[t->parent[n]];
			t->first_child[t->parent[n]] = n;
		}
}

/* Returns true if this key is on the path from a node up. */
static bool
is_above(const struct projection *t, node_id node, key_id key, uint64_t *climbed)
{
	for (; node != NODE_ROOT; node = t->parent[node]) {
		if (t->key[node] == key)
			return true;
		++*climbed;
	}
	return false;
}

/* Marks nodes without an ancestor of the same key. Usually a bit set of the keys above (one bit
 * by hash of the key) decides that there is none. Otherwise the path up is climbed, whose nodes
 * are adjacent in memory. In a deep tree that is quadratic in the depth, so it has a limit;
 * beyond it, one walk over all nodes decides. */
static void
mark_outermost(struct projection *t, struct pace *pace)
{
	uint64_t *above = mem_alloc(t->n, sizeof *above), climbed = 0;
	bool walks = false;

	t->outermost[0] = 1;
	above[0] = 0;
	for (struct piece x = piece_of(1, t->n); !walks && piece_next(&x, pace);)
		for (node_id n = x.from; n < x.to && !walks; n++) {
			uint64_t bit = key_bit(t->key[n]), up = above[t->parent[n]];
			if (n + PROJECT_AHEAD < t->n)
				__builtin_prefetch(&above[t->parent[n + PROJECT_AHEAD]]);
			t->outermost[n] = !(up & bit) ||
					  !is_above(t, t->parent[n], t->key[n], &climbed);
			above[n] = up | bit;
			walks = climbed > CLIMB_FREE + (uint64_t)CLIMB_A_NODE * n;
		}
	free(above);
	if (walks && !pace_gives_up(pace))
		walk_outermost(t, pace);
}

void
projection_link(struct projection *t, struct pace *pace)
{
	t->first_child = mem_alloc(t->n, sizeof *t->first_child);
	t->next_sibling = mem_alloc(t->n, sizeof *t->next_sibling);
	t->outermost = mem_alloc(t->n, 1);
	project_link_children(t, pace);
	if (!pace_gives_up(pace))
		mark_outermost(t, pace);
}
