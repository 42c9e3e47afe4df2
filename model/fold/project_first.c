/* The first rows of an inverted tree.
 *
 * A report prints twenty rows of a tree with ten million nodes. So a node is expanded when its row
 * is reached: its stacks, which are adjacent in one array, are sorted into groups by their next
 * caller, and each group becomes a child. Its value is the sum over its stacks, so the order of the
 * rows is known before anything below them exists. The memory depends on the number of stacks, and
 * the time on the stacks of the nodes that are expanded.
 *
 *	stacks of a leaf  | parse: s1 s5 | read: s2 s3 s9 |
 *	expanded: parse   | main: s1 | draw: s5 |
 *
 * Rejected: whole subtrees of the heaviest leaves. If one leaf has most of the stacks, that is the
 * whole tree. */
#include "model/fold/project_inside.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "model/fold/order.h"

struct first_stack {
	stack_id of;   /* the recorded one */
	stack_id next; /* its leaf frame is the next caller; 0: the path has ended */
};

/* The stacks of a node with one next caller. */
struct first_group {
	key_id key;
	node_id node; /* NODE_NONE: its rows are only counted */
	uint32_t from, to;
	int64_t value;
	bool shown;
};

/* A node whose row has not been reached. */
struct first_open {
	node_id node;
	uint32_t from, to; /* of its stacks */
	uint32_t level;
};

struct firsts {
	struct grower *g;
	const struct sieve *v;
	const key_id *key_of_frame;
	const struct first_rows *asks;
	VEC(struct first_stack) stack;
	struct first_stack *moved;  /* scratch */
	uint32_t *group_of;         /* [key] scratch: a group's index + 1; else 0 */
	VEC(struct first_group) group; /* of the node that is being expanded */
	VEC(struct first_open) open;   /* the next row is the last one */
	struct order order;
	uint32_t rows; /* that were reached */
};

/* ---- order ---- */

static int64_t
group_rank(const void *of, uint32_t i)
{
	const struct first_group *g = &((const struct firsts *)of)->group.at[i];

	/* those that are not shown come last */
	return !g->shown ? INT64_MAX : g->value > -INT64_MAX ? -g->value : INT64_MAX - 1;
}

static int
group_compare(const void *of, uint32_t a, uint32_t b)
{
	const struct firsts *x = of;
	const struct first_group *g = &x->group.at[a], *h = &x->group.at[b];

	return projection_compare_keys(x->g->t, x->v->p, g->key, h->key, false);
}

/* ---- one node ---- */

/* Collects the next callers of a node's stacks, and makes their nodes. */
static void
find_groups(struct firsts *x, const struct first_open *node, bool counts)
{
	const struct tally_cell *cell = x->asks->shown->cell;
	uint32_t from = node->from;

	x->group.n = 0;
	for (uint32_t i = node->from; i < node->to; i++) {
		struct first_stack s = x->stack.at[i];
		if (!s.next)
			continue;
		key_id key = x->key_of_frame[x->v->frame[s.next]];
		if (!x->group_of[key]) {
			*vec_push(&x->group) =
				(struct first_group){.key = key, .node = NODE_NONE};
			x->group_of[key] = (uint32_t)x->group.n;
		}
		struct first_group *g = &x->group.at[x->group_of[key] - 1];
		g->to++;
		g->shown |= cell[s.of].hits != 0;
		if (!x->asks->metric_is_calls || x->v->alive[s.of])
			g->value += cell[s.of].value;
	}
	for (size_t i = 0; i < x->group.n; i++) {
		struct first_group *g = &x->group.at[i];
		if (!counts)
			g->node = project_node(x->g, node->node, g->key);
		g->from = from;
		from += g->to;
		g->to = g->from;
	}
}

/* Moves the stacks of each group together; those whose path has ended come last. */
static void
move_stacks(struct firsts *x, const struct first_open *node, bool counts)
{
	struct projection *t = x->g->t;
	uint32_t ended = node->to;

	for (uint32_t i = node->from; i < node->to; i++) {
		struct first_stack s = x->stack.at[i];
		if (!s.next) {
			x->moved[--ended] = s;
			continue;
		}
		key_id key = x->key_of_frame[x->v->frame[s.next]];
		struct first_group *g = &x->group.at[x->group_of[key] - 1];
		s.next = x->v->at[x->v->up[s.next]];
		x->moved[g->to++] = s;
		if (counts)
			continue;
		t->node_of[s.of] = g->node;
		if (x->v->alive[s.of])
			t->call_of[s.of] = g->node;
	}
	if (node->to > node->from)
		memcpy(&x->stack.at[node->from], &x->moved[node->from],
		       (node->to - node->from) * sizeof *x->moved);
	for (size_t i = 0; i < x->group.n; i++)
		x->group_of[x->group.at[i].key] = 0;
}

/* Opens the shown groups. Of these, only the rows that are left need an order; none do if all
 * rows are displayed, or if they are only counted. */
static void
open_groups(struct firsts *x, const struct first_open *node, bool counts)
{
	const struct order_by by = {group_rank, group_compare, x, NULL};
	bool any = counts || x->asks->rows == UINT32_MAX;
	uint32_t n = (uint32_t)x->group.n, left = any ? 0 : x->asks->rows - x->rows;

	order_begin(&x->order, n, &by);
	if (left < n && left)
		order_at(&x->order, left - 1, &by);
	for (uint32_t i = n; i-- > 0;) {
		uint32_t k = i < left ? order_at(&x->order, i, &by) : order_get(&x->order, i);
		const struct first_group *g = &x->group.at[k];
		if (g->shown)
			*vec_push(&x->open) = (struct first_open){g->node, g->from, g->to,
								  node->level + 1};
	}
}

/* `counts`: makes no nodes, because all rows that are displayed have one. */
static void
expand(struct firsts *x, const struct first_open *node, bool counts)
{
	find_groups(x, node, counts);
	move_stacks(x, node, counts);
	open_groups(x, node, counts);
}

/* ---- all of them ---- */

/* Counts the rows below a node with one stack. */
static void
count_path(struct firsts *x, const struct first_open *node, uint32_t cut)
{
	stack_id next = x->stack.at[node->from].next;

	for (uint32_t level = node->level; next && (!cut || level < cut); level++) {
		next = x->v->at[x->v->up[next]];
		x->rows++;
	}
}

static void
expand_rows(struct firsts *x)
{
	const struct projection *t = x->g->t;
	struct first_open node = {NODE_ROOT, 0, (uint32_t)x->stack.n, 0};

	expand(x, &node, false);
	while (x->open.n) {
		node = x->open.at[--x->open.n];
		bool counts = ++x->rows >= x->asks->rows;
		if (counts && !x->asks->counts)
			return;
		if (!pace_on(x->v->pace, (node.to - node.from) * LOOKUP_STEPS))
			return;
		if (counts && node.to - node.from == 1)
			count_path(x, &node, t->depth_cut);
		else if (!t->depth_cut || node.level < t->depth_cut)
			expand(x, &node, counts);
	}
}

void
project_first(struct grower *g, const struct sieve *v, const key_id *key_of_frame,
	      const struct tally *recorded, const struct first_rows *asks)
{
	struct projection *t = g->t;
	struct firsts x = {.g = g, .v = v, .key_of_frame = key_of_frame, .asks = asks};

	for (stack_id s = 0; s < v->n; s++) {
		t->node_of[s] = t->call_of[s] = NODE_NONE;
		if (!v->drop[s] && v->at[s] && recorded->cell[s].hits)
			*vec_push(&x.stack) = (struct first_stack){s, v->at[s]};
	}
	t->few = true;
	x.moved = mem_alloc(x.stack.n + 1, sizeof *x.moved);
	x.group_of = mem_zalloc((size_t)t->n_keys + 1, sizeof *x.group_of);
	order_init(&x.order);
	expand_rows(&x);
	t->n_shown = x.rows;
	order_release(&x.order);
	vec_release_all(&x.stack, &x.group, &x.open);
	free_all(x.moved, x.group_of);
}
