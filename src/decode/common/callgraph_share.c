#include "src/decode/common/callgraph_inside.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/bisect.h"
#include "model/base/mem.h"
#include "model/base/ordered.h"
#include "model/base/sum.h"
#include "model/base/vec.h"

/* The costs assigned to contexts are doubles. Here they become integers with exact sums: parts
 * are rounded down, and those with the largest remainders get one more (ties: the earlier one).
 * A negative cost (freed memory) is divided with its sign. */

/* ---- sums that are exact ---- */

struct callgraph_part {
	double rest;
	uint32_t i;
};

ORDERED_LARGEST(by_rest, struct callgraph_part, rest, i)

/* Moves the `most` of n parts with the largest remainders to the front, in any order; 0 < most
 * < n. */
static void
callgraph_share_choose(struct callgraph_part *part, size_t n, size_t most)
{
	size_t low = 0, high = n; /* the border is between them */

	while (high - low > 8) {
		struct callgraph_part middle = part[low + (high - low) / 2];
		size_t i = low, j = high - 1;
		for (;; i++, j--) {
			while (by_rest(&part[i], &middle) < 0)
				i++;
			while (by_rest(&middle, &part[j]) < 0)
				j--;
			if (i >= j)
				break;
			struct callgraph_part other = part[i];
			part[i] = part[j];
			part[j] = other;
		}
		/* all before i are in front of all from there on; where they met, of one alone */
		if (most <= i)
			high = i;
		else
			low = i + (i == j);
		if (most == low || most == high)
			return;
	}
	qsort(part + low, high - low, sizeof *part, by_rest);
}

/* Divides `whole` in proportion to share[] of n entries.  The parts add up to `whole`.  If all
 * shares are 0, the first part gets everything. */
static void
divide(int64_t whole, const double *share, uint32_t n, int64_t *out, struct callgraph_part *scratch)
{
	double all = 0;
	int64_t size = whole < 0 ? difference_clipped(0, whole) : whole, left = size;

	for (uint32_t i = 0; i < n; i++)
		all += share[i];
	for (uint32_t i = 0; i < n; i++) {
		double exact = all > 0 ? (double)size * (share[i] / all) : 0;
		/* Doubles near 2^63 round up to a value that int64_t cannot represent. */
		out[i] = exact < (double)left ? (int64_t)exact : left;
		left -= out[i];
		scratch[i] = (struct callgraph_part){exact - (double)out[i], i};
	}
	if (left > 0 && left < n && all > 0)
		callgraph_share_choose(scratch, n, (size_t)left);
	for (uint32_t i = 0; all > 0 && left > 0 && i < n; i++, left--)
		out[scratch[i].i]++;
	out[0] += left;
	for (uint32_t i = 0; whole < 0 && i < n; i++)
		out[i] = -out[i];
}

static uint32_t
share_row(struct callgraph *g, uint32_t context, uint32_t place)
{
	uint32_t i = g->shares.n++;

	callgraph_room(g, &g->shares, i);
	g->shares.at[i] = (struct callgraph_share){context, place};
	return i;
}

/* The division of one function's self cost among its contexts, by its places. */
struct callgraph_table {
	uint32_t contexts, places;
	uint32_t *place;   /* [p] index of g->places.at */
	int64_t *value;    /* [context][p][metric] */
	int64_t *self;     /* [context] of the current metric */
	double *share;     /* [context] */
	int64_t *part;     /* [context] */
	struct callgraph_part *scratch;
};

/* Gives light contexts their costs from the places, the heaviest place first. */
static void
fill_light(const struct callgraph *g, struct callgraph_table *t, unsigned m, int64_t *left,
	   const uint8_t *light)
{
	struct callgraph_part *order = mem_alloc(t->places, sizeof *order);
	uint32_t at = 0;

	for (uint32_t p = 0; p < t->places; p++)
		order[p] = (struct callgraph_part){(double)left[p], p};
	qsort(order, t->places, sizeof *order, by_rest);
	for (uint32_t c = 0; c < t->contexts; c++) {
		int64_t wants = light[c] ? t->self[c] : 0;
		while (wants > 0 && at < t->places) {
			uint32_t p = order[at].i;
			int64_t takes = left[p] < wants ? left[p] : wants;
			t->value[((size_t)c * t->places + p) * g->n_metrics + m] += takes;
			left[p] -= takes;
			wants -= takes;
			at += !left[p];
		}
	}
	free(order);
}

/* One metric of a function: contexts of at least 1/64 of it share every place. */
static void
share_metric(const struct expansion *x, struct callgraph_table *t, uint32_t f, unsigned m)
{
	const struct callgraph *g = x->g;
	int64_t whole = g->self[(size_t)f * g->n_metrics + m];
	int64_t *left = mem_alloc(t->places, sizeof *left);
	uint8_t *light = mem_zalloc(t->contexts, 1);
	bool sinks = whole < 0;

	for (uint32_t c = 0; c < t->contexts; c++)
		t->share[c] = callgraph_share(
			&x->share[(size_t)x->of_function[x->first[f] + c] * g->n_metrics + m],
			callgraph_positive(whole));
	divide(whole, t->share, t->contexts, t->self, t->scratch);
	for (uint32_t p = 0; p < t->places; p++) {
		left[p] = g->places.cost[(size_t)t->place[p] * g->n_metrics + m];
		sinks |= left[p] < 0;
	}
	for (uint32_t c = 0; c < t->contexts; c++) {
		light[c] = !sinks && t->self[c] < whole / 64;
		t->share[c] = light[c] ? 0 : sinks ? t->share[c] : (double)t->self[c];
	}
	fill_light(g, t, m, left, light);
	for (uint32_t p = 0; p < t->places; p++) {
		divide(left[p], t->share, t->contexts, t->part, t->scratch);
		for (uint32_t c = 0; c < t->contexts; c++)
			t->value[((size_t)c * t->places + p) * g->n_metrics + m] += t->part[c];
	}
	free_all(left, light);
}

static void
table_write(struct expansion *x, const struct callgraph_table *t, uint32_t f)
{
	struct callgraph *g = x->g;

	for (uint32_t c = 0; c < t->contexts; c++)
		for (uint32_t p = 0; p < t->places; p++) {
			const int64_t *v = t->value + ((size_t)c * t->places + p) * g->n_metrics;
			bool any = false;
			for (unsigned m = 0; m < g->n_metrics; m++)
				any |= v[m] != 0;
			if (!any)
				continue;
			uint32_t row = share_row(g, x->of_function[x->first[f] + c],
						 g->places.at[t->place[p]].place);
			memcpy(g->shares.cost + (size_t)row * g->n_metrics, v,
			       g->n_metrics * sizeof *v);
		}
}

/* The maximum number of cells of a table.  In a function with more, the lightest contexts get
 * nothing. */
#define TABLE_MAX (1u << 22)

static void
share_function(struct expansion *x, uint32_t f)
{
	struct callgraph *g = x->g;
	struct callgraph_table t = {.contexts = x->first[f + 1] - x->first[f]};
	uint32_t i = 0;

	for (uint32_t p = g->first_place[f]; p; p = g->places.at[p - 1].next)
		t.places++;
	if (!t.places || !t.contexts)
		return;
	if ((uint64_t)t.places * t.contexts > TABLE_MAX)
		t.contexts = TABLE_MAX / t.places ? TABLE_MAX / t.places : 1;
	t.place = mem_alloc(t.places, sizeof *t.place);
	for (uint32_t p = g->first_place[f]; p; p = g->places.at[p - 1].next)
		t.place[t.places - ++i] = p - 1; /* in the order of the file */
	t.value = mem_zalloc((size_t)t.places * t.contexts * g->n_metrics, sizeof *t.value);
	t.self = mem_alloc(t.contexts, sizeof *t.self);
	t.part = mem_alloc(t.contexts, sizeof *t.part);
	t.share = mem_alloc(t.contexts, sizeof *t.share);
	t.scratch = mem_alloc(t.contexts, sizeof *t.scratch);
	for (unsigned m = 0; m < g->n_metrics; m++)
		share_metric(x, &t, f, m);
	table_write(x, &t, f);
	free_all(t.place, t.value, t.self, t.part, t.share, t.scratch);
}

/* ---- calls ---- */

/* Returns the function that called a context; n_functions if none did. */
static uint32_t
caller_of(const struct callgraph *g, uint32_t context)
{
	uint32_t up = g->contexts.at[context].parent;

	return up == CALLGRAPH_NONE ? g->n_functions : g->contexts.at[up].function;
}

struct called {
	uint32_t caller, context;
};

ORDERED_BY_TWO(by_caller, struct called, caller, context)

/* Sorts contexts by their function, and those of one function by their callers. */
static struct called *
sort_called(const struct expansion *x)
{
	struct called *all = mem_alloc((size_t)x->g->contexts.n + 1, sizeof *all);

	for (uint32_t i = 0; i < x->g->contexts.n; i++)
		all[i] = (struct called){caller_of(x->g, x->of_function[i]), x->of_function[i]};
	for (uint32_t f = 0; f < x->g->n_functions; f++)
		if (x->first[f + 1] > x->first[f])
			qsort(all + x->first[f], x->first[f + 1] - x->first[f], sizeof *all,
			      by_caller);
	return all;
}

static void
add_calls(struct callgraph *g, uint32_t context, int64_t calls)
{
	g->contexts.at[context].calls = sum_clipped(g->contexts.at[context].calls, calls);
}

/* Gives the calls of an arc to the callee's contexts below the caller.  If there is none
 * (because of recursion, or because contexts were cut off), the callee's heaviest context gets
 * them. */
static void
share_calls(struct expansion *x, const struct callgraph_arc *arc, const struct called *all)
{
	struct callgraph *g = x->g;
	uint32_t from = x->first[arc->callee], end = x->first[arc->callee + 1], n;

	if (!arc->calls || from == end)
		return;
	uint32_t low = from + (uint32_t)bisect(i, end - from, all[from + i].caller < arc->caller);
	for (n = 0; low + n < end && all[low + n].caller == arc->caller;)
		n++;
	if (n < 2) {
		add_calls(g, n ? all[low].context : x->of_function[from], arc->calls);
		return;
	}
	double *share = mem_alloc(n, sizeof *share);
	int64_t *part = mem_alloc(n, sizeof *part);
	struct callgraph_part *scratch = mem_alloc(n, sizeof *scratch);
	for (uint32_t i = 0; i < n; i++)
		share[i] = x->heavy[all[low + i].context];
	divide(arc->calls, share, n, part, scratch);
	for (uint32_t i = 0; i < n; i++)
		add_calls(g, all[low + i].context, part[i]);
	free_all(share, part, scratch);
}

/* Calls from unknown callers go to a root, if the function is one. */
static void
share_more_calls(struct expansion *x, uint32_t f)
{
	struct callgraph *g = x->g;
	uint32_t to = x->first[f];

	if (!g->more_calls[f] || x->first[f] == x->first[f + 1])
		return;
	for (uint32_t i = x->first[f]; i < x->first[f + 1]; i++)
		if (g->contexts.at[x->of_function[i]].parent == CALLGRAPH_NONE) {
			to = i;
			break;
		}
	add_calls(g, x->of_function[to], g->more_calls[f]);
}

void
callgraph_share_all(struct expansion *x)
{
	struct called *all = sort_called(x);

	for (uint32_t f = 0; f < x->g->n_functions; f++)
		share_function(x, f);
	for (uint32_t a = 0; a < x->g->arcs.n; a++)
		share_calls(x, &x->g->arcs.at[a], all);
	for (uint32_t f = 0; f < x->g->n_functions; f++)
		share_more_calls(x, f);
	free(all);
}
