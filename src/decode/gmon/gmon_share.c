/* gprof's rule: what a function costs with all it calls is divided among its callers by how
 * often they called it.  Functions that call each other in a ring are one for this: what the
 * ring costs is divided among the calls into it.  gprof leaves it at that; but paths have to lead
 * through a ring, and what comes into a function has to go out of it again, or functions within
 * would seem to be roots.  So what enters a ring goes to its hub, the function that is most
 * called from outside, the shortest way; and from there to all the others, along the arcs
 * that lead away from the hub, by how often these were taken.
 *
 * Tarjan's algorithm finds the rings, callees first, so that all is known of what a ring calls
 * when its turn comes; it keeps its own stack, since call graphs are deep.
 */
#include "src/decode/gmon/gmon_share.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/mem.h"

struct ring_search {
	struct gmon_call *call;
	const double *self;
	uint32_t n, *first; /* [function] its first call; [n] the end */
	uint32_t *number, *low, *ring, *stack, *path, *next;
	uint32_t counter, rings, stacked;
	double *own;     /* [function] itself, and what it calls outside of its ring */
	double *total;   /* [ring] */
	double *entered; /* [ring] calls from outside */
	double *enters;  /* [function] calls from outside of its ring */
	/* of a ring, see share_ring() */
	uint32_t *caller_first, *caller_of; /* [function] its calls by others, indexes of call */
	uint32_t *place;                    /* [function] + 1, in order from the hub; 0 none yet */
	uint32_t *toward;                   /* [function] the call that leads to the hub, + 1 */
	double *back;                       /* [call] what it brings to the hub */
};

static int
by_caller(const void *a, const void *b)
{
	const struct gmon_call *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

/* All functions from f on the stack upward are a ring. */
static void
close_ring(struct ring_search *s, uint32_t f)
{
	uint32_t top;

	do {
		top = s->stack[--s->stacked];
		s->ring[top] = s->rings;
	} while (top != f);
	s->rings++;
}

static void
visit(struct ring_search *s, uint32_t root)
{
	uint32_t depth = 0;

	s->path[depth++] = root;
	s->next[root] = s->first[root];
	s->number[root] = s->low[root] = ++s->counter;
	s->stack[s->stacked++] = root;
	while (depth) {
		uint32_t f = s->path[depth - 1];
		if (s->next[f] < s->first[f + 1]) {
			uint32_t g = s->call[s->next[f]++].to;
			if (!s->number[g]) {
				s->next[g] = s->first[g];
				s->number[g] = s->low[g] = ++s->counter;
				s->stack[s->stacked++] = g;
				s->path[depth++] = g;
			} else if (s->ring[g] == GMON_NOBODY && s->number[g] < s->low[f]) {
				s->low[f] = s->number[g];
			}
			continue;
		}
		if (s->low[f] == s->number[f])
			close_ring(s, f);
		if (--depth && s->low[f] < s->low[s->path[depth - 1]])
			s->low[s->path[depth - 1]] = s->low[f];
	}
}

/* How often each ring is entered, and each function from outside. */
static void
count_calls(struct ring_search *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct gmon_call *c = &s->call[i];
		if (c->from == GMON_NOBODY || s->ring[c->from] != s->ring[c->to]) {
			s->enters[c->to] += (double)c->calls;
			s->entered[s->ring[c->to]] += (double)c->calls;
		}
		s->caller_first[c->to + 1]++;
	}
	for (uint32_t f = 0; f < s->n; f++)
		s->caller_first[f + 1] += s->caller_first[f];
	memcpy(s->next, s->caller_first, (size_t)s->n * sizeof *s->next);
	for (size_t i = 0; i < n; i++)
		s->caller_of[s->next[s->call[i].to]++] = (uint32_t)i;
}

/* ---- rings ---- */

/* Is this call one between two functions of a ring? */
static bool
is_within(const struct ring_search *s, const struct gmon_call *c)
{
	return c->from != GMON_NOBODY && c->from != c->to && s->ring[c->from] == s->ring[c->to];
}

/* The ring's functions in order from the hub, into s->stack; the hub has the place 1. */
static void
order_from(struct ring_search *s, uint32_t hub)
{
	uint32_t n = 0;

	s->stack[n++] = hub;
	s->place[hub] = n;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t f = s->stack[i];
		for (uint32_t c = s->first[f]; c < s->first[f + 1]; c++)
			if (is_within(s, &s->call[c]) && !s->place[s->call[c].to]) {
				s->stack[n++] = s->call[c].to;
				s->place[s->call[c].to] = n;
			}
	}
}

/* For each function of the ring the call that is its first step to the hub. */
static void
find_ways(struct ring_search *s, uint32_t hub)
{
	uint32_t n = 0;

	s->path[n++] = hub;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t f = s->path[i];
		for (uint32_t k = s->caller_first[f]; k < s->caller_first[f + 1]; k++) {
			uint32_t c = s->caller_of[k], from = s->call[c].from;
			if (!is_within(s, &s->call[c]) || from == hub || s->toward[from])
				continue;
			s->toward[from] = c + 1;
			s->path[n++] = from;
		}
	}
}

/* What f has to have, `needs`, comes from those of the ring that are nearer to the hub. */
static void
take_from_callers(struct ring_search *s, uint32_t f, double needs)
{
	double all = 0;

	for (int pass = 0; pass < 2; pass++)
		for (uint32_t k = s->caller_first[f]; k < s->caller_first[f + 1]; k++) {
			struct gmon_call *c = &s->call[s->caller_of[k]];
			if (!is_within(s, c) || s->place[c->from] > s->place[f])
				continue;
			if (!pass)
				all += (double)c->calls;
			else if (all > 0)
				c->cost = needs * (double)c->calls / all;
		}
}

/* The n functions of a ring. */
static void
share_ring(struct ring_search *s, const uint32_t *member, uint32_t n)
{
	uint32_t hub = member[0], ring = s->ring[hub];

	for (uint32_t i = 1; i < n; i++)
		if (s->enters[member[i]] > s->enters[hub])
			hub = member[i];
	order_from(s, hub);
	find_ways(s, hub);
	for (uint32_t i = n; i-- > 1;) {
		uint32_t f = s->stack[i];
		double needs = s->own[f];
		for (uint32_t c = s->first[f]; c < s->first[f + 1]; c++)
			if (is_within(s, &s->call[c]))
				needs += s->call[c].cost; /* of those further away: known */
		take_from_callers(s, f, needs);
	}
	for (uint32_t i = 0; i < n && s->entered[ring] > 0; i++) {
		double brings = s->total[ring] * s->enters[member[i]] / s->entered[ring];
		for (uint32_t f = member[i]; brings > 0 && f != hub;) {
			struct gmon_call *c = &s->call[s->toward[f] - 1];
			s->back[s->toward[f] - 1] += brings;
			f = c->to;
		}
	}
}

/* Rings were numbered callees first: what a function calls outside is known. */
static void
share_out(struct ring_search *s, const uint32_t *order)
{
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t f = order[i];
		s->own[f] = s->self[f];
		for (uint32_t c = s->first[f]; c < s->first[f + 1]; c++) {
			struct gmon_call *call = &s->call[c];
			uint32_t ring = s->ring[call->to];
			if (ring == s->ring[f])
				continue;
			call->cost = s->entered[ring] > 0 ? s->total[ring] * (double)call->calls /
								    s->entered[ring]
							  : 0;
			s->own[f] += call->cost;
		}
		s->total[s->ring[f]] += s->own[f];
	}
}

/* Functions by their ring. */
static uint32_t *
ordered(const struct ring_search *s)
{
	uint32_t *begin = mem_zalloc((size_t)s->rings + 1, sizeof *begin);
	uint32_t *order = mem_alloc((size_t)s->n + 1, sizeof *order);

	for (uint32_t f = 0; f < s->n; f++)
		begin[s->ring[f] + 1]++;
	for (uint32_t r = 0; r < s->rings; r++)
		begin[r + 1] += begin[r];
	for (uint32_t f = 0; f < s->n; f++)
		order[begin[s->ring[f]]++] = f;
	free(begin);
	return order;
}

void
gmon_share(struct gmon_call *call, size_t n, const double *self, uint32_t n_functions)
{
	size_t room = (size_t)n_functions + 1;
	struct ring_search s = {.call = call, .self = self, .n = n_functions};
	uint32_t *numbers = mem_zalloc(room, 10 * sizeof *numbers);
	double *sums = mem_zalloc(room, 4 * sizeof *sums);

	if (n)
		qsort(call, n, sizeof *call, by_caller);
	s.first = numbers;
	s.number = numbers + room;
	s.low = numbers + 2 * room;
	s.ring = numbers + 3 * room;
	s.stack = numbers + 4 * room;
	s.path = numbers + 5 * room;
	s.next = numbers + 6 * room;
	s.place = numbers + 7 * room;
	s.toward = numbers + 8 * room;
	s.caller_first = numbers + 9 * room;
	s.own = sums;
	s.total = sums + room;
	s.entered = sums + 2 * room;
	s.enters = sums + 3 * room;
	s.caller_of = mem_alloc(n + 1, sizeof *s.caller_of);
	s.back = mem_zalloc(n + 1, sizeof *s.back);
	for (uint32_t f = 0; f < n_functions; f++)
		s.ring[f] = GMON_NOBODY;
	for (size_t i = 0; i < n; i++) {
		call[i].cost = 0;
		if (call[i].from != GMON_NOBODY)
			s.first[call[i].from + 1]++;
	}
	for (uint32_t f = 0; f < n_functions; f++)
		s.first[f + 1] += s.first[f];
	for (uint32_t f = 0; f < n_functions; f++)
		if (!s.number[f])
			visit(&s, f);
	count_calls(&s, n);
	uint32_t *order = ordered(&s);
	share_out(&s, order);
	for (uint32_t i = 0, next; i < n_functions; i = next) {
		for (next = i + 1; next < n_functions && s.ring[order[next]] == s.ring[order[i]];)
			next++;
		if (next > i + 1)
			share_ring(&s, order + i, next - i);
	}
	for (size_t i = 0; i < n; i++)
		call[i].cost += s.back[i];
	free(s.caller_of);
	free(s.back);
	free(order);
	free(numbers);
	free(sums);
}
