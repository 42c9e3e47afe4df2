#include "model/fold/numbers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/sum.h"

/* Scatter and add up. The numbers of a node are collected from the stacks that the projection
 * maps to it. Then one pass from the last node down to the root adds each to its parent. A
 * child's id is greater than its parent's, so every node is complete when it is added. */

/* Drops the scaled numbers, and displays the recorded ones. */
static void
unscale(struct fold_numbers *x)
{
	struct numbers_recorded *own = &x->recorded;

	if (x->self != own->self)
		free_all(x->self, x->total, x->calls, x->lines, x->area);
	x->self = own->self;
	x->total = own->total;
	x->calls = own->calls;
	x->lines = own->lines;
	x->area = own->area;
	x->by = 1;
}

void
numbers_release(struct fold_numbers *x)
{
	unscale(x);
	free_all(x->self, x->total, x->calls, x->lines, x->area, x->present);
	*x = (struct fold_numbers){0};
}

/* Adds each node to its parent; does nothing if `at` is NULL. */
static void
add_upwards(const struct projection *t, int64_t *at, struct pace *pace)
{
	for (struct piece x = piece_back(1, t->n); at && piece_prev(&x, pace);)
		for (node_id i = x.to; i-- > x.from;)
			at[t->parent[i]] += at[i];
}

/* Adds the numbers of each stack to its node. */
static void
scatter(struct fold_numbers *x, const struct projection *t, const struct tally *tally,
	const node_id *value_of, stack_id from, stack_id to)
{
	for (stack_id s = from; s < to; s++) {
		node_id node = t->node_of[s], call = t->call_of[s];
		x->everything += tally->cell[s].value;
		if (value_of[s] != NODE_NONE)
			x->self[value_of[s]] += tally->cell[s].value;
		if (node != NODE_NONE)
			x->present[node] |= tally->cell[s].hits != 0;
		if (call != NODE_NONE && x->calls)
			x->calls[call] += tally->calls[s];
		if (call != NODE_NONE && x->lines)
			x->lines[call] += tally->lines[s];
	}
}

void
numbers_gather(struct fold_numbers *x, const struct projection *t, const struct tally *tally,
	       bool metric_is_calls, struct pace *pace)
{
	/* a call is hidden or dropped with the frame that it entered, never moved */
	const node_id *value_of = metric_is_calls ? t->call_of : t->node_of;

	unscale(x);
	x->self = mem_realloc(x->self, t->n, sizeof *x->self);
	x->present = mem_realloc(x->present, t->n, 1);
	pace_clear(x->self, t->n * sizeof *x->self, pace);
	pace_clear(x->present, t->n, pace);
	x->calls = tally_column(tally->calls != NULL, x->calls, t->n);
	x->lines = tally_column(tally->lines != NULL, x->lines, t->n);
	x->recorded = (struct numbers_recorded){x->self, x->total, x->calls, x->lines,
						 x->area};
	x->everything = 0;
	for (struct piece at = piece_of(1, t->n_stacks); piece_next(&at, pace);)
		scatter(x, t, tally, value_of, at.from, at.to);
}

/* Computes the areas if some self is below 0. */
static void
sum_areas(struct fold_numbers *x, const struct projection *t, bool negative, struct pace *pace)
{
	free(x->area);
	x->area = x->recorded.area = negative ? mem_alloc(t->n, sizeof *x->area) : NULL;
	for (struct piece at = piece_of(0, t->n); negative && piece_next(&at, pace);)
		for (node_id i = at.from; i < at.to; i++)
			x->area[i] = x->self[i] == INT64_MIN ? INT64_MAX : llabs(x->self[i]);
	for (struct piece at = piece_back(1, t->n); negative && piece_prev(&at, pace);)
		for (node_id i = at.to; i-- > at.from;)
			x->area[t->parent[i]] = sum_clipped(x->area[t->parent[i]], x->area[i]);
}

void
numbers_sum(struct fold_numbers *x, const struct projection *t, struct pace *pace)
{
	int64_t signs = 0;

	x->total = x->recorded.total = mem_realloc(x->total, t->n, sizeof *x->total);
	for (struct piece at = piece_of(0, t->n); piece_next(&at, pace);) {
		memcpy(x->total + at.from, x->self + at.from,
		       (at.to - at.from) * sizeof *x->total);
		for (node_id i = at.from; i < at.to; i++)
			signs |= x->self[i];
	}
	sum_areas(x, t, signs < 0, pace);
	for (struct piece at = piece_back(1, t->n); piece_prev(&at, pace);)
		for (node_id i = at.to; i-- > at.from;) {
			x->total[t->parent[i]] += x->total[i];
			x->present[t->parent[i]] |= x->present[i];
		}
	/* in an inverted tree, a node's calls are those of the leaves on its paths */
	if (t->inverted) {
		add_upwards(t, x->calls, pace);
		add_upwards(t, x->lines, pace);
	}
}

void
numbers_make(struct fold_numbers *x, const struct projection *t, const struct tally *tally,
	     bool metric_is_calls, struct pace *pace)
{
	numbers_gather(x, t, tally, metric_is_calls, pace);
	numbers_sum(x, t, pace);
}

int64_t
numbers_scaled(int64_t recorded, double by)
{
	return by == 1 ? recorded : rounded_clipped((double)recorded * by);
}

int64_t
numbers_carried(double *carry, int64_t recorded, double by)
{
	if (by == 1 || !recorded)
		return recorded; /* a node without a number takes no rest of others */
	double exact = (double)recorded * by + *carry;
	int64_t out = rounded_clipped(exact);
	*carry = exact - (double)out;
	return out;
}

/* Returns a scaled copy; NULL of NULL. */
static int64_t *
scaled(const int64_t *recorded, uint32_t nodes, double by, struct pace *pace)
{
	if (!recorded)
		return NULL;
	int64_t *out = mem_zalloc(nodes, sizeof *out);
	for (struct piece at = piece_of(0, nodes); piece_next(&at, pace);)
		for (node_id i = at.from; i < at.to; i++)
			out[i] = numbers_scaled(recorded[i], by);
	return out;
}

void
numbers_scale(struct fold_numbers *x, uint32_t nodes, double by, struct pace *pace)
{
	const struct numbers_recorded *own = &x->recorded;

	assert(x->by == 1);
	if (by == 1)
		return;
	x->by = by;
	x->self = scaled(own->self, nodes, by, pace);
	x->total = scaled(own->total, nodes, by, pace);
	x->calls = scaled(own->calls, nodes, by, pace);
	x->lines = scaled(own->lines, nodes, by, pace);
	x->area = scaled(own->area, nodes, by, pace);
	x->everything = numbers_scaled(x->everything, by);
}
