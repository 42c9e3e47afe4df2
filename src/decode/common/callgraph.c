#include "src/decode/common/callgraph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/map.h"
#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/decode/common/callgraph_inside.h"

/* The call graph as the file states it. Arcs and places are interned by their pair of numbers and
 * linked in lists from their functions; the costs are in separate arrays, a row of metrics each. */

struct callgraph *
callgraph_new(unsigned n_metrics)
{
	struct callgraph *g = mem_zalloc(1, sizeof *g);

	assert(n_metrics);
	g->n_metrics = n_metrics;
	g->sum = mem_zalloc(n_metrics, sizeof *g->sum);
	slots_init(&g->arcs.of);
	slots_init(&g->places.of);
	return g;
}

void
callgraph_free(struct callgraph *g)
{
	if (!g)
		return;
	free_all(g->self, g->first_arc, g->first_place, g->more_calls, g->gross, g->has_gross,
		 g->arcs.at, g->arcs.cost, g->places.at, g->places.cost, g->sum);
	slots_release(&g->arcs.of);
	slots_release(&g->places.of);
	free_all(g->contexts.at, g->shares.at, g->shares.cost, g);
}

/* ---- the contents of the file ---- */

uint32_t
callgraph_function(struct callgraph *g)
{
	uint32_t f = g->n_functions++;

	if (f >= g->functions_cap) {
		size_t cap = vec_grown(g->functions_cap, (size_t)f + 1);
		g->self = mem_realloc(g->self, cap, g->n_metrics * sizeof *g->self);
		g->first_arc = mem_realloc(g->first_arc, cap, sizeof *g->first_arc);
		g->first_place = mem_realloc(g->first_place, cap, sizeof *g->first_place);
		g->more_calls = mem_realloc(g->more_calls, cap, sizeof *g->more_calls);
		g->gross = mem_realloc(g->gross, cap, g->n_metrics * sizeof *g->gross);
		g->has_gross = mem_realloc(g->has_gross, cap, 1);
		g->functions_cap = (uint32_t)cap;
	}
	memset(g->self + (size_t)f * g->n_metrics, 0, g->n_metrics * sizeof *g->self);
	g->first_arc[f] = g->first_place[f] = 0;
	g->more_calls[f] = 0;
	g->has_gross[f] = 0;
	return f;
}

static uint32_t
pair_bits(uint32_t a, uint32_t b)
{
	return (uint32_t)(map_hash_pair(a, b) >> 32);
}

/* The sums of the magnitudes of all costs stay below 2^62; so does every partial sum. */
static bool
sums_fit(struct callgraph *g, const int64_t *cost)
{
	for (unsigned m = 0; m < g->n_metrics; m++) {
		int64_t size, sum;
		if (__builtin_sub_overflow(0, cost[m], &size))
			return false;
		size = size < 0 ? -size : size;
		if (__builtin_add_overflow(g->sum[m], size, &sum) || sum >= INT64_MAX / 2)
			return false;
	}
	for (unsigned m = 0; m < g->n_metrics; m++)
		g->sum[m] += cost[m] < 0 ? -cost[m] : cost[m];
	return true;
}

static void
add_costs(int64_t *to, const int64_t *cost, unsigned n)
{
	for (unsigned m = 0; m < n; m++)
		to[m] += cost[m];
}

static uint32_t
callgraph_place_of(struct callgraph *g, uint32_t function, uint32_t place)
{
	uint32_t bits = pair_bits(function, place), at = bits, i;

	while (slots_probe(&g->places.of, &at, bits, &i))
		if (g->places.at[i - 1].function == function &&
		    g->places.at[i - 1].place == place)
			return i - 1;
	i = g->places.n++;
	callgraph_room(g, &g->places, i);
	g->places.at[i] =
		(struct callgraph_place){function, place, g->first_place[function]};
	g->first_place[function] = i + 1;
	while (!slots_have_room(&g->places.of, i + 1u)) {
		slots_grow(&g->places.of, i + 1u);
		for (uint32_t k = 0; k < i; k++)
			slots_put(&g->places.of, k + 1,
				  pair_bits(g->places.at[k].function, g->places.at[k].place));
	}
	slots_put(&g->places.of, i + 1, bits);
	return i;
}

bool
callgraph_self_at(struct callgraph *g, uint32_t *at, uint32_t function, uint32_t place,
		  const int64_t *cost)
{
	if (!sums_fit(g, cost))
		return false;
	if (!*at) {
		assert(function < g->n_functions);
		*at = callgraph_place_of(g, function, place) + 1;
	}
	size_t i = *at - 1;
	add_costs(g->self + (size_t)g->places.at[i].function * g->n_metrics, cost,
		  g->n_metrics);
	add_costs(g->places.cost + i * g->n_metrics, cost, g->n_metrics);
	return true;
}

bool
callgraph_self(struct callgraph *g, uint32_t function, uint32_t place, const int64_t *cost)
{
	uint32_t at = 0;

	return callgraph_self_at(g, &at, function, place, cost);
}

static uint32_t
arc_of(struct callgraph *g, uint32_t caller, uint32_t callee)
{
	uint32_t bits = pair_bits(caller, callee), at = bits, i;

	while (slots_probe(&g->arcs.of, &at, bits, &i))
		if (g->arcs.at[i - 1].caller == caller && g->arcs.at[i - 1].callee == callee)
			return i - 1;
	i = g->arcs.n++;
	callgraph_room(g, &g->arcs, i);
	g->arcs.at[i] = (struct callgraph_arc){caller, callee, g->first_arc[caller], 0};
	g->first_arc[caller] = i + 1;
	while (!slots_have_room(&g->arcs.of, i + 1u)) {
		slots_grow(&g->arcs.of, i + 1u);
		for (uint32_t k = 0; k < i; k++)
			slots_put(&g->arcs.of, k + 1,
				  pair_bits(g->arcs.at[k].caller, g->arcs.at[k].callee));
	}
	slots_put(&g->arcs.of, i + 1, bits);
	return i;
}

bool
callgraph_arc(struct callgraph *g, uint32_t caller, uint32_t callee, int64_t calls,
	      const int64_t *cost)
{
	int64_t n;

	assert(caller < g->n_functions && callee < g->n_functions);
	uint32_t arc = arc_of(g, caller, callee);
	if (calls < 0 || __builtin_add_overflow(g->arcs.at[arc].calls, calls, &n) ||
	    !sums_fit(g, cost))
		return false;
	g->arcs.at[arc].calls = n;
	add_costs(g->arcs.cost + (size_t)arc * g->n_metrics, cost, g->n_metrics);
	return true;
}

bool
callgraph_calls(struct callgraph *g, uint32_t function, int64_t calls)
{
	int64_t n;

	assert(function < g->n_functions);
	if (calls < 0 || __builtin_add_overflow(g->more_calls[function], calls, &n))
		return false;
	g->more_calls[function] = n;
	return true;
}

void
callgraph_gross(struct callgraph *g, uint32_t function, const int64_t *cost)
{
	int64_t *gross = g->gross + (size_t)function * g->n_metrics;

	for (unsigned m = 0; m < g->n_metrics; m++)
		if (!g->has_gross[function] || __builtin_add_overflow(gross[m], cost[m], &gross[m]))
			gross[m] = cost[m];
	g->has_gross[function] = 1;
}

void
callgraph_callees(const struct callgraph *g, uint32_t **first, uint32_t **callee)
{
	*first = mem_zalloc((size_t)g->n_functions + 2, sizeof **first);
	*callee = mem_alloc((size_t)g->arcs.n + 1, sizeof **callee);
	for (uint32_t f = 0, n = 0; f < g->n_functions; f++) {
		for (uint32_t a = g->first_arc[f]; a; a = g->arcs.at[a - 1].next)
			(*callee)[n++] = g->arcs.at[a - 1].callee;
		(*first)[f + 1] = n;
	}
}

void
callgraph_rings(const struct callgraph *g, struct rings *rings)
{
	uint32_t *first, *callee;

	callgraph_callees(g, &first, &callee);
	rings_find(rings, g->n_functions, first, callee);
	free_all(first, callee);
}

/* Less than this part of a function's cost is no sign that it ran without a caller, too: writers
 * round the costs of arcs. */
#define ROUNDING 64

/* All sums are partial sums of the stated costs: none exceeds 2^63 (sums_fit()). */
int64_t *
callgraph_inclusive(const struct callgraph *g)
{
	size_t n = (size_t)g->n_functions, metrics = g->n_metrics;
	int64_t *in = mem_zalloc(n * metrics + 1, sizeof *in);
	int64_t *out = mem_copy(g->self, n * metrics, sizeof *out);
	uint8_t *cycled = mem_zalloc(n + 1, 1), *called = mem_zalloc(n + 1, 1);
	struct rings rings;

	callgraph_rings(g, &rings);
	for (uint32_t a = 0; a < g->arcs.n; a++) {
		const struct callgraph_arc *arc = &g->arcs.at[a];
		const int64_t *cost = &g->arcs.cost[a * metrics];
		add_costs(&in[arc->callee * metrics], cost, g->n_metrics);
		if (arc->caller == arc->callee)
			continue;
		called[arc->callee] = 1;
		cycled[arc->callee] |= rings.of[arc->caller] == rings.of[arc->callee];
		add_costs(&out[arc->caller * metrics], cost, g->n_metrics);
	}
	for (size_t i = 0; i < n * metrics; i++) {
		size_t f = i / metrics;
		if (g->has_gross[f])
			in[i] = g->gross[i];
		else if (!cycled[f] && out[i] > in[i] &&
			 (!called[f] || out[i] - in[i] > out[i] / ROUNDING))
			in[i] = out[i]; /* recursion may cost more than there is */
	}
	rings_release(&rings);
	free_all(out, cycled, called);
	return in;
}

void
callgraph_merge(struct callgraph *g, uint32_t from, uint32_t to)
{
	uint32_t *end;

	for (uint32_t a = 0; a < g->arcs.n; a++) {
		struct callgraph_arc *arc = &g->arcs.at[a];
		arc->caller = arc->caller == from ? to : arc->caller;
		arc->callee = arc->callee == from ? to : arc->callee;
	}
	for (uint32_t p = g->first_place[from]; p; p = g->places.at[p - 1].next)
		g->places.at[p - 1].function = to;
	for (end = &g->first_arc[to]; *end; end = &g->arcs.at[*end - 1].next)
		;
	*end = g->first_arc[from];
	for (end = &g->first_place[to]; *end; end = &g->places.at[*end - 1].next)
		;
	*end = g->first_place[from];
	g->first_arc[from] = g->first_place[from] = 0;
	add_costs(g->self + (size_t)to * g->n_metrics, g->self + (size_t)from * g->n_metrics,
		  g->n_metrics);
	memset(g->self + (size_t)from * g->n_metrics, 0, g->n_metrics * sizeof *g->self);
	if (__builtin_add_overflow(g->more_calls[to], g->more_calls[from], &g->more_calls[to]))
		g->more_calls[to] = INT64_MAX;
	g->more_calls[from] = 0;
}
