#include "src/encode/arcs.h"

#include <stdlib.h>

#include "model/base/mem.h"

/* Sums arcs in one walk of the tree.  Nodes are by line.  The functions of the path, and pairs of
 * caller and callee, count how often they are open, so recursion is added once. */

static uint64_t
arcs_hash_of(uint64_t a, uint64_t b)
{
	uint64_t h = (a ^ b * UINT64_C(0x9E3779B97F4A7C15)) * UINT64_C(0xBF58476D1CE4E5B9);

	return (h ^ h >> 29) * UINT64_C(0x94D049BB133111EB);
}

static uint32_t
arcs_function_of(struct arcs *a, const struct shown *s, key_id key)
{
	function_id id = projection_key_function(s->tree, s->p, key);
	uint32_t *at = &a->function_of[id == UINT32_MAX ? key : id];

	if (!*at) {
		*vec_push(&a->function) =
			(struct arcs_function){.frame = shown_frame(s, key), .place = at};
		*vec_push(&a->on) = 0;
		for (size_t m = 0; m < a->n_metrics; m++)
			*vec_push(&a->self_sum) = *vec_push(&a->total) = 0;
		*at = (uint32_t)a->function.n;
	}
	return *at - 1;
}

static uint32_t
self_of(struct arcs *a, uint32_t function, uint32_t line)
{
	uint64_t hash = arcs_hash_of(function, line);
	uint32_t slot = map_first(&a->self_map, hash), i;

	while (map_probe(&a->self_map, &slot, hash, &i))
		if (a->self.at[i].function == function && a->self.at[i].line == line)
			return i;
	i = (uint32_t)a->self.n;
	*vec_push(&a->self) =
		(struct arcs_self){function, line, a->function.at[function].first_self};
	a->function.at[function].first_self = i + 1;
	for (size_t m = 0; m < a->n_metrics; m++)
		*vec_push(&a->self_value) = 0;
	map_insert(&a->self_map, hash, i);
	return i;
}

static uint32_t
arc_of(struct arcs *a, uint32_t caller, uint32_t line, uint32_t callee)
{
	uint64_t hash = arcs_hash_of((uint64_t)caller << 32 | callee, line);
	uint32_t slot = map_first(&a->arc_map, hash), i;

	while (map_probe(&a->arc_map, &slot, hash, &i))
		if (a->arc.at[i].caller == caller && a->arc.at[i].callee == callee &&
		    a->arc.at[i].line == line)
			return i;
	i = (uint32_t)a->arc.n;
	*vec_push(&a->arc) = (struct arcs_arc){
		.caller = caller,
		.callee = callee,
		.line = line,
		.next = a->function.at[caller].first_arc,
	};
	a->function.at[caller].first_arc = i + 1;
	for (size_t m = 0; m < a->n_metrics; m++)
		*vec_push(&a->arc_value) = 0;
	map_insert(&a->arc_map, hash, i);
	return i;
}

static uint32_t
pair_of(struct arcs *a, uint32_t caller, uint32_t callee)
{
	uint64_t both = (uint64_t)caller << 32 | callee, hash = arcs_hash_of(both, 1);
	uint32_t slot = map_first(&a->pair_map, hash), i;

	while (map_probe(&a->pair_map, &slot, hash, &i))
		if (a->pair.at[i] == both)
			return i;
	i = (uint32_t)a->pair.n;
	*vec_push(&a->pair) = both;
	*vec_push(&a->open) = 0;
	map_insert(&a->pair_map, hash, i);
	return i;
}

static void
arcs_add(int64_t *to, const int64_t *from, size_t n)
{
	for (size_t m = 0; m < n; m++)
		to[m] += from[m];
}

/* Adds a node's own values, and its caller's costs for it. */
static void
arcs_enter(struct arcs *a, const struct shown *s, node_id node, const int64_t *total)
{
	size_t n = a->n_metrics;
	node_id up = s->tree->parent[node];
	uint32_t f = arcs_function_of(a, s, s->tree->key[node]);

	if (shown_has_self(s, node)) {
		uint32_t line = shown_frame(s, s->tree->key[node]).line;
		uint32_t own = self_of(a, f, line);
		arcs_add(a->self_value.at + own * n, shown_self(s, node), n);
		arcs_add(a->self_sum.at + f * n, shown_self(s, node), n);
	}
	if (!a->on.at[f]++)
		arcs_add(a->total.at + f * n, total + node * n, n);
	if (up == NODE_ROOT)
		return;
	uint32_t caller = arcs_function_of(a, s, s->tree->key[up]);
	uint32_t arc = arc_of(a, caller, shown_frame(s, s->tree->key[up]).line, f);
	uint32_t pair = pair_of(a, caller, f);
	if (!a->open.at[pair]++)
		arcs_add(a->arc_value.at + arc * n, total + node * n, n);
	if (s->calls)
		a->arc.at[arc].calls += s->calls[node];
	else
		a->arc.at[arc].calls = 1;
}

static void
arcs_leave(struct arcs *a, const struct shown *s, node_id node)
{
	node_id up = s->tree->parent[node];
	uint32_t f = arcs_function_of(a, s, s->tree->key[node]);

	a->on.at[f]--;
	if (up == NODE_ROOT)
		return;
	uint32_t pair = pair_of(a, arcs_function_of(a, s, s->tree->key[up]), f);
	a->open.at[pair]--;
}

/* Restores the initial state but keeps the memory. */
static void
arcs_forget(struct arcs *a)
{
	for (size_t i = 0; i < a->function.n; i++)
		*a->function.at[i].place = 0;
	a->function.n = a->self.n = a->self_value.n = a->arc.n = a->arc_value.n = 0;
	a->self_sum.n = a->total.n = a->pair.n = a->open.n = a->on.n = 0;
	map_release(&a->arc_map);
	map_release(&a->self_map);
	map_release(&a->pair_map);
}

void
arcs_make(struct arcs *a, struct shown *s)
{
	uint32_t n = s->p->frames.n_functions, keys = s->tree->n_keys;
	const int64_t *total = shown_totals(s);

	if (a->function_of)
		arcs_forget(a);
	else
		a->function_of = mem_zalloc((size_t)(n > keys ? n : keys) + 1,
					    sizeof *a->function_of);
	a->n_metrics = s->metric.n;
	map_init(&a->arc_map);
	map_init(&a->self_map);
	map_init(&a->pair_map);
	for (struct walk w = walk_begin(); walk_on(s->tree, &w);) {
		if (!s->present[w.node])
			continue;
		if (w.enters)
			arcs_enter(a, s, w.node, total);
		else
			arcs_leave(a, s, w.node);
	}
}

void
arcs_release(struct arcs *a)
{
	vec_release(&a->function);
	vec_release(&a->self);
	vec_release(&a->self_value);
	vec_release(&a->arc);
	vec_release(&a->arc_value);
	vec_release(&a->self_sum);
	vec_release(&a->total);
	free(a->function_of);
	map_release(&a->arc_map);
	map_release(&a->self_map);
	map_release(&a->pair_map);
	vec_release(&a->pair);
	vec_release(&a->open);
	vec_release(&a->on);
	*a = (struct arcs){0};
}
