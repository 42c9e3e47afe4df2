/* gprof's rule: the inclusive cost of a function is divided among its callers in proportion to
 * the numbers of their calls.  Functions that call each other in a ring count as one: the cost
 * of the ring is divided among the calls into it.  gprof stops there.  But here paths lead
 * through a ring, and each function must pass on what it gets, otherwise functions inside would
 * look like roots.  So the cost that enters a ring goes the shortest way to its hub, the
 * function with the most calls from outside.  From there it goes to all other functions, along
 * the arcs that lead away from the hub, in proportion to their calls.
 *
 * Rings are ordered callees first (rings.h), so everything that a ring calls is complete before
 * it. */
#include "src/decode/gmon/gmon_share.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/ordered.h"
#include "src/decode/common/rings.h"

struct ring_search {
	struct gmon_call *call;
	const double *self;
	uint32_t n, *first; /* [function] its first call; [n] the end */
	const uint32_t *ring; /* [function] */
	uint32_t *stack, *path, *next;
	double *own;     /* [function] gross cost: its own, and that of its calls out of the ring */
	double *total;   /* [ring] */
	double *entered; /* [ring] calls from outside */
	double *enters;  /* [function] number of calls from outside of its ring */
	/* of a ring, see share_ring() */
	/* [function] calls by other functions, indexes of call */
	uint32_t *caller_first, *caller_of;
	uint32_t *place;                    /* [function] + 1, in order from the hub; 0: none yet */
	uint32_t *toward;                   /* [function] the call that leads to the hub, + 1 */
	double *back;                       /* [call] the cost that it brings to the hub */
};

ORDERED_BY_TWO(by_caller, struct gmon_call, from, to)

/* Counts the calls into each ring, and those from outside to each function. */
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

/* Returns true if a call connects two functions of one ring. */
static bool
is_within(const struct ring_search *s, const struct gmon_call *c)
{
	return c->from != GMON_NOBODY && c->from != c->to && s->ring[c->from] == s->ring[c->to];
}

/* Sorts the ring's functions by distance from the hub, into s->stack; the hub has the place 1. */
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

/* Finds for each function of the ring the call that is the first step to the hub. */
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

/* Takes the cost that f lacks, `needs`, from the functions of the ring that are nearer to the
 * hub. */
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

/* Calls from unknown callers are at the end, and belong to no ring. */
static void
find_rings(struct ring_search *s, struct rings *rings, size_t n)
{
	uint32_t *to = mem_alloc(n + 1, sizeof *to);

	for (size_t i = 0; i < n; i++) {
		s->call[i].cost = 0;
		to[i] = s->call[i].to;
		if (s->call[i].from != GMON_NOBODY)
			s->first[s->call[i].from + 1]++;
	}
	for (uint32_t f = 0; f < s->n; f++)
		s->first[f + 1] += s->first[f];
	rings_find(rings, s->n, s->first, to);
	s->ring = rings->of;
	free(to);
}

void
gmon_share(struct gmon_call *call, size_t n, const double *self, double *gross,
	   uint32_t n_functions)
{
	size_t room = (size_t)n_functions + 1;
	struct ring_search s = {.call = call, .self = self, .own = gross, .n = n_functions};
	uint32_t *numbers = mem_zalloc(room, 7 * sizeof *numbers);
	double *sums = mem_zalloc(room, 3 * sizeof *sums);
	struct rings rings;

	if (n)
		qsort(call, n, sizeof *call, by_caller);
	s.first = numbers;
	s.stack = numbers + room;
	s.path = numbers + 2 * room;
	s.next = numbers + 3 * room;
	s.place = numbers + 4 * room;
	s.toward = numbers + 5 * room;
	s.caller_first = numbers + 6 * room;
	s.total = sums;
	s.entered = sums + room;
	s.enters = sums + 2 * room;
	s.caller_of = mem_alloc(n + 1, sizeof *s.caller_of);
	s.back = mem_zalloc(n + 1, sizeof *s.back);
	find_rings(&s, &rings, n);
	count_calls(&s, n);
	share_out(&s, rings.member);
	for (uint32_t i = 0; i < rings.n; i++)
		if (rings.begin[i + 1] > rings.begin[i] + 1)
			share_ring(&s, rings.member + rings.begin[i],
				   rings.begin[i + 1] - rings.begin[i]);
	for (size_t i = 0; i < n; i++)
		call[i].cost += s.back[i];
	free_all(s.caller_of, s.back);
	rings_release(&rings);
	free_all(numbers, sums);
}
