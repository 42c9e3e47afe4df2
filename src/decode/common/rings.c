#include "src/decode/common/rings.h"

#include <stdlib.h>

#include "model/base/mem.h"

/* Tarjan's algorithm.  It keeps its own stack, since call graphs are deep. */

struct rings_search {
	const uint32_t *first, *to;
	uint32_t *number, *low; /* [function] 0: not seen yet */
	uint32_t *next;         /* [function] the next call to follow */
	uint32_t *stack, *path;
	uint32_t counter, stacked, depth;
};

static void
rings_enter(struct rings_search *s, uint32_t f)
{
	s->next[f] = s->first[f];
	s->number[f] = s->low[f] = ++s->counter;
	s->stack[s->stacked++] = f;
	s->path[s->depth++] = f;
}

/* All functions from f on the stack upward are a ring. */
static void
close_ring(struct rings_search *s, struct rings *r, uint32_t f)
{
	uint32_t top;

	do {
		top = s->stack[--s->stacked];
		r->of[top] = r->n;
	} while (top != f);
	r->n++;
}

static void
visit(struct rings_search *s, struct rings *r, uint32_t root)
{
	rings_enter(s, root);
	while (s->depth) {
		uint32_t f = s->path[s->depth - 1];
		if (s->next[f] < s->first[f + 1]) {
			uint32_t g = s->to[s->next[f]++];
			if (!s->number[g])
				rings_enter(s, g);
			else if (r->of[g] == UINT32_MAX && s->number[g] < s->low[f])
				s->low[f] = s->number[g];
			continue;
		}
		if (s->low[f] == s->number[f])
			close_ring(s, r, f);
		if (--s->depth && s->low[f] < s->low[s->path[s->depth - 1]])
			s->low[s->path[s->depth - 1]] = s->low[f];
	}
}

/* Lists the functions of each ring, in the order of their numbers. */
static void
list_members(struct rings *r, uint32_t n)
{
	r->begin = mem_zalloc((size_t)r->n + 2, sizeof *r->begin);
	r->member = mem_alloc((size_t)n + 1, sizeof *r->member);
	for (uint32_t f = 0; f < n; f++)
		r->begin[r->of[f] + 2]++;
	for (uint32_t i = 0; i < r->n; i++)
		r->begin[i + 2] += r->begin[i + 1];
	for (uint32_t f = 0; f < n; f++)
		r->member[r->begin[r->of[f] + 1]++] = f;
}

void
rings_find(struct rings *r, uint32_t n, const uint32_t *first, const uint32_t *to)
{
	size_t room = (size_t)n + 1;
	uint32_t *numbers = mem_zalloc(room, 5 * sizeof *numbers);
	struct rings_search s = {.first = first,
				 .to = to,
				 .number = numbers,
				 .low = numbers + room,
				 .next = numbers + 2 * room,
				 .stack = numbers + 3 * room,
				 .path = numbers + 4 * room};

	*r = (struct rings){.of = mem_alloc(room, sizeof *r->of)};
	for (uint32_t f = 0; f < n; f++)
		r->of[f] = UINT32_MAX;
	for (uint32_t f = 0; f < n; f++)
		if (!s.number[f])
			visit(&s, r, f);
	list_members(r, n);
	free(numbers);
}

void
rings_release(struct rings *r)
{
	free_all(r->of, r->begin, r->member);
	*r = (struct rings){0};
}
