#include "src/decode/common/callgraph_inside.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include "model/vec.h"

/* A heap keeps what waits: a function, the context above it, and what it would have of each
 * metric.  The heaviest becomes a context, keeps its own part, and puts its callees onto the
 * heap.  So what is cut off in the end is the lightest there is. */

/* ---- the heap ---- */

/* Four children a place: half as many steps, and the four lie in one line of the caches. */
#define CHILDREN 4u

static inline bool
is_heavier(const struct waiting *a, const struct waiting *b)
{
	return a->weight != b->weight ? a->weight > b->weight : a->order < b->order;
}

static void
heap_push(struct expansion *x, struct waiting w)
{
	vec_room(x->heap, x->cap, x->n + 1);
	size_t i = x->n++;
	while (i && is_heavier(&w, &x->heap[(i - 1) / CHILDREN])) {
		x->heap[i] = x->heap[(i - 1) / CHILDREN];
		i = (i - 1) / CHILDREN;
	}
	x->heap[i] = w;
}

static struct waiting
heap_pop(struct expansion *x)
{
	struct waiting top = x->heap[0], last = x->heap[--x->n];
	size_t i = 0;

	for (size_t child; (child = CHILDREN * i + 1) < x->n; i = child) {
		size_t end = child + CHILDREN < x->n ? child + CHILDREN : x->n;
		for (size_t k = child + 1; k < end; k++)
			if (is_heavier(&x->heap[k], &x->heap[child]))
				child = k;
		if (!is_heavier(&x->heap[child], &last))
			break;
		x->heap[i] = x->heap[child];
	}
	if (x->n)
		x->heap[i] = last;
	return top;
}

/* A row that has x->part. */
static uint32_t
row_make(struct expansion *x, uint32_t function, uint32_t parent)
{
	unsigned n = x->g->n_metrics;
	uint32_t row = x->n_free ? x->free_row[--x->n_free] : x->n_rows++;

	if (row >= x->rows_cap) {
		x->rows_cap = (uint32_t)vec_grown(x->rows_cap, (size_t)row + 1);
		x->row = mem_realloc(x->row, x->rows_cap, sizeof *x->row);
		x->of = mem_realloc(x->of, x->rows_cap, n * sizeof *x->of);
	}
	x->row[row] = (struct waiting_row){function, parent};
	memcpy(x->of + (size_t)row * n, x->part, n * sizeof *x->of);
	return row;
}

/* What it would have becomes x->mine, and the row is free. */
static struct waiting_row
row_take(struct expansion *x, uint32_t row)
{
	unsigned n = x->g->n_metrics;

	memcpy(x->mine, x->of + (size_t)row * n, n * sizeof *x->of);
	vec_room(x->free_row, x->free_cap, x->n_free + 1);
	x->free_row[x->n_free++] = row;
	return x->row[row];
}

/* Puts a function below a context onto the heap, when x->part is heavy enough. */
static void
wait_for(struct expansion *x, uint32_t function, uint32_t parent)
{
	const double *of = x->part;
	double weight = 0;

	for (unsigned m = 0; m < x->g->n_metrics; m++)
		if (x->whole[m] > 0 && of[m] / x->whole[m] > weight)
			weight = of[m] / x->whole[m];
	if (weight < CALLGRAPH_LEAST) {
		x->g->cut |= weight > 0;
		return;
	}
	heap_push(x, (struct waiting){weight, x->order++, row_make(x, function, parent)});
}

/* ---- contexts ---- */

static uint32_t
context_make(struct expansion *x, uint32_t function, uint32_t parent, double weight)
{
	struct callgraph *g = x->g;

	vec_room(g->context, g->contexts_cap, g->n_contexts + 1);
	if (g->n_contexts >= x->kept_cap) {
		x->kept_cap = (uint32_t)vec_grown(x->kept_cap, (size_t)g->n_contexts + 1);
		x->kept = mem_realloc(x->kept, x->kept_cap, g->n_metrics * sizeof *x->kept);
	}
	vec_room(x->heavy, x->heavy_cap, g->n_contexts + 1);
	memset(x->kept + (size_t)g->n_contexts * g->n_metrics, 0, g->n_metrics * sizeof *x->kept);
	x->heavy[g->n_contexts] = weight;
	g->context[g->n_contexts] = (struct callgraph_context){parent, function, 0};
	return g->n_contexts++;
}

/* The roots: what a function costs in all beyond what arcs bring in. */
static void
wait_for_roots(struct expansion *x)
{
	struct callgraph *g = x->g;
	size_t n = (size_t)g->n_functions * g->n_metrics;
	double *more = mem_zalloc(n + 1, sizeof *more);

	for (size_t i = 0; i < n; i++) {
		more[i] = (double)g->self[i];
		x->whole[i % g->n_metrics] += callgraph_positive(g->self[i]);
	}
	for (uint32_t a = 0; a < g->n_arcs; a++) {
		const struct callgraph_arc *arc = &g->arc[a];
		for (unsigned m = 0; m < g->n_metrics && arc->caller != arc->callee; m++) {
			double cost = (double)g->arc_cost[(size_t)a * g->n_metrics + m];
			more[(size_t)arc->caller * g->n_metrics + m] += cost;
			more[(size_t)arc->callee * g->n_metrics + m] -= cost;
		}
	}
	for (uint32_t f = 0; f < g->n_functions; f++) {
		for (unsigned m = 0; m < g->n_metrics; m++) {
			double v = more[(size_t)f * g->n_metrics + m];
			x->part[m] = v > 0 ? v : 0;
		}
		wait_for(x, f, CALLGRAPH_NONE);
	}
	free(more);
}

/* Context c keeps its part of what it got, x->mine, and passes the rest on. */
static void
pass_on(struct expansion *x, uint32_t c)
{
	struct callgraph *g = x->g;
	const double *of = x->mine;
	uint32_t f = g->context[c].function;

	for (uint32_t up = c; up != CALLGRAPH_NONE; up = g->context[up].parent)
		x->on_path[g->context[up].function] = c + 1;
	for (unsigned m = 0; m < g->n_metrics; m++)
		x->off_path[m] = callgraph_positive(g->self[(size_t)f * g->n_metrics + m]);
	for (uint32_t a = g->first_arc[f]; a; a = g->arc[a - 1].next)
		for (unsigned m = 0; m < g->n_metrics && x->on_path[g->arc[a - 1].callee] != c + 1; m++)
			x->off_path[m] += callgraph_positive(g->arc_cost[(size_t)(a - 1) * g->n_metrics + m]);
	for (unsigned m = 0; m < g->n_metrics; m++)
		if (x->off_path[m] > 0)
			x->kept[(size_t)c * g->n_metrics + m] =
				of[m] * callgraph_positive(g->self[(size_t)f * g->n_metrics + m]) /
				x->off_path[m];
	for (uint32_t a = g->first_arc[f]; a; a = g->arc[a - 1].next) {
		if (x->on_path[g->arc[a - 1].callee] == c + 1)
			continue;
		const int64_t *cost = &g->arc_cost[(size_t)(a - 1) * g->n_metrics];
		for (unsigned m = 0; m < g->n_metrics; m++)
			x->part[m] = x->off_path[m] > 0 ? of[m] * callgraph_positive(cost[m]) /
								  x->off_path[m]
							: 0;
		wait_for(x, g->arc[a - 1].callee, c);
	}
}

static void
make_contexts(struct expansion *x)
{
	wait_for_roots(x);
	while (x->n && x->g->n_contexts < CALLGRAPH_CONTEXTS) {
		struct waiting w = heap_pop(x);
		struct waiting_row row = row_take(x, w.row);
		pass_on(x, context_make(x, row.function, row.parent, w.weight));
	}
	x->g->cut |= x->n > 0;
}

/* ---- functions that no path has reached ---- */

static void
index_contexts(struct expansion *x)
{
	struct callgraph *g = x->g;
	uint32_t n = g->n_functions;

	free(x->first);
	free(x->of_function);
	x->first = mem_zalloc((size_t)n + 2, sizeof *x->first);
	x->of_function = mem_alloc((size_t)g->n_contexts + 1, sizeof *x->of_function);
	for (uint32_t c = 0; c < g->n_contexts; c++)
		x->first[g->context[c].function + 2]++;
	for (uint32_t f = 0; f < n; f++)
		x->first[f + 2] += x->first[f + 1];
	for (uint32_t c = 0; c < g->n_contexts; c++)
		x->of_function[x->first[g->context[c].function + 1]++] = c;
}

/* A function's heaviest context is its first: they were made so. */
static uint32_t
heaviest(const struct expansion *x, uint32_t f)
{
	return x->first[f] < x->first[f + 1] ? x->of_function[x->first[f]] : CALLGRAPH_NONE;
}

static bool
has_self(const struct callgraph *g, uint32_t f)
{
	for (unsigned m = 0; m < g->n_metrics; m++)
		if (g->self[(size_t)f * g->n_metrics + m])
			return true;
	return false;
}

/* What a function without a context has to be shown for: self cost, or calls.  Such a one
 * stands below the heaviest context of its heaviest caller. */
static void
make_missing(struct expansion *x)
{
	struct callgraph *g = x->g;
	uint32_t n = g->n_functions;
	uint32_t *above = mem_alloc((size_t)n + 1, sizeof *above);
	double *most = mem_zalloc((size_t)n + 1, sizeof *most);
	uint8_t *called = mem_zalloc((size_t)n + 1, 1);

	for (uint32_t f = 0; f < n; f++) {
		above[f] = CALLGRAPH_NONE;
		called[f] = g->more_calls[f] > 0;
	}
	for (uint32_t a = 0; a < g->n_arcs; a++) {
		uint32_t f = g->arc[a].callee, c = heaviest(x, g->arc[a].caller);
		called[f] |= g->arc[a].calls > 0;
		double cost = 0;
		for (unsigned m = 0; m < g->n_metrics; m++)
			if (x->whole[m] > 0)
				cost += callgraph_positive(g->arc_cost[(size_t)a * g->n_metrics + m]) / x->whole[m];
		if (c != CALLGRAPH_NONE && (above[f] == CALLGRAPH_NONE || cost > most[f])) {
			above[f] = c;
			most[f] = cost;
		}
	}
	for (uint32_t f = 0; f < n; f++)
		if (heaviest(x, f) == CALLGRAPH_NONE && (has_self(g, f) || called[f]))
			context_make(x, f, above[f], 0);
	free(above);
	free(most);
	free(called);
	index_contexts(x);
}

void
callgraph_expand(struct callgraph *g)
{
	struct expansion x = {.g = g};

	assert(!g->n_contexts);
	x.whole = mem_zalloc(g->n_metrics, sizeof *x.whole);
	x.off_path = mem_alloc(g->n_metrics, sizeof *x.off_path);
	x.mine = mem_alloc(g->n_metrics, sizeof *x.mine);
	x.part = mem_alloc(g->n_metrics, sizeof *x.part);
	x.on_path = mem_zalloc((size_t)g->n_functions + 1, sizeof *x.on_path);
	make_contexts(&x);
	index_contexts(&x);
	make_missing(&x);
	callgraph_share_all(&x);
	free(x.heap);
	free(x.row);
	free(x.of);
	free(x.free_row);
	free(x.whole);
	free(x.kept);
	free(x.heavy);
	free(x.on_path);
	free(x.off_path);
	free(x.mine);
	free(x.part);
	free(x.first);
	free(x.of_function);
}
