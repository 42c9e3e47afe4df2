/* alike.c - see alike.h.
 *
 * Candidates are chained by name, since the name is the one thing that is never unknown.
 * A module or a file that one side does not know fits any, but one that is known on both
 * sides and equal fits better; among equals the nearest definition line wins, so that of
 * two functions of one name in one file (overloads whose profiler drops the arguments)
 * each finds its own as long as their order stays.
 *
 * Rejected: matching by address (another build has others), by name alone (static
 * functions of one name in two files are two functions). */
#include "model/alike.h"

#include <stdlib.h>

#include "model/mem.h"

static uint64_t
hash_of(name_id name)
{
	uint64_t h = (name + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15);

	return h ^ h >> 29;
}

/* The head of the chain of a name; UINT32_MAX when there is none. */
static function_id
chain_of(const struct alike *a, const struct frames *t, name_id name)
{
	uint64_t hash = hash_of(name);
	uint32_t slot = map_first(&a->map, hash), i;

	while (map_probe(&a->map, &slot, hash, &i))
		if (t->function[i].name == name)
			return i;
	return UINT32_MAX;
}

void
alike_init(struct alike *a, const struct frames *t)
{
	map_init(&a->map);
	a->n = t->n_functions;
	a->next = mem_alloc((size_t)a->n + 1, sizeof *a->next);
	for (function_id f = 0; f < a->n; f++) {
		/* the first of a name is the head of its chain; others come behind it */
		function_id head = chain_of(a, t, t->function[f].name);
		a->next[f] = UINT32_MAX;
		if (head == UINT32_MAX) {
			map_insert(&a->map, hash_of(t->function[f].name), f);
			continue;
		}
		a->next[f] = a->next[head];
		a->next[head] = f;
	}
}

void
alike_release(struct alike *a)
{
	map_release(&a->map);
	free(a->next);
	a->next = NULL;
	a->n = 0;
}

/* 2: both know it and agree; 1: one does not know it; 0: they differ. */
static unsigned
agrees(name_id a, name_id b)
{
	if (a == b)
		return a == NAME_EMPTY ? 1 : 2;
	return a == NAME_EMPTY || b == NAME_EMPTY;
}

function_id
alike_find(const struct alike *a, const struct frames *t, struct function f)
{
	function_id best = UINT32_MAX;
	unsigned best_score = 0;
	uint32_t best_distance = 0;

	if (!a->n)
		return best;
	for (function_id i = chain_of(a, t, f.name); i != UINT32_MAX; i = a->next[i]) {
		const struct function *x = &t->function[i];
		unsigned module = agrees(x->module, f.module), file = agrees(x->file, f.file);
		uint32_t distance = x->line > f.line ? x->line - f.line : f.line - x->line;
		unsigned score = module * 4 + file;
		if (!module || !file || score < best_score)
			continue;
		if (score == best_score && best != UINT32_MAX && distance >= best_distance)
			continue;
		best = i;
		best_score = score;
		best_distance = distance;
	}
	return best;
}
