#include "src/decode/common/callgraph.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* Call graphs: one that is divided by hand; trees, whose expansion is the tree itself; and any
 * graph, recursion and all, of which the sums must be exact. */

enum { METRICS = 3 };

static int64_t
shared_of(const struct callgraph *g, uint32_t context, uint32_t place, unsigned m)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < g->shares.n; i++)
		if (g->shares.at[i].context == context && g->shares.at[i].place == place)
			sum += g->shares.cost[(size_t)i * g->n_metrics + m];
	return sum;
}

static uint32_t
context_of(const struct callgraph *g, uint32_t parent, uint32_t function)
{
	for (uint32_t c = 0; c < g->contexts.n; c++)
		if (g->contexts.at[c].parent == parent &&
		    g->contexts.at[c].function == function)
			return c;
	return CALLGRAPH_NONE;
}

/* main 10 calls a (20 itself) and b (5 itself); both call c, which costs 40: 30 for a, of
 * its two lines 30 and 10, 10 for b. */
START_TEST(test_by_hand)
{
	struct callgraph *g = callgraph_new(1);
	uint32_t f[4];

	for (int i = 0; i < 4; i++)
		f[i] = callgraph_function(g);
	ck_assert(callgraph_self(g, f[0], 1, &(int64_t){10}));
	ck_assert(callgraph_self(g, f[1], 2, &(int64_t){20}));
	ck_assert(callgraph_self(g, f[2], 3, &(int64_t){5}));
	ck_assert(callgraph_self(g, f[3], 4, &(int64_t){30}));
	ck_assert(callgraph_self(g, f[3], 5, &(int64_t){10}));
	ck_assert(callgraph_arc(g, f[0], f[1], 2, &(int64_t){50}));
	ck_assert(callgraph_arc(g, f[0], f[2], 1, &(int64_t){15}));
	ck_assert(callgraph_arc(g, f[1], f[3], 6, &(int64_t){30}));
	ck_assert(callgraph_arc(g, f[2], f[3], 2, &(int64_t){10}));
	ck_assert(callgraph_calls(g, f[0], 1));
	ck_assert(callgraph_calls(g, f[3], 3)); /* no root: to the heaviest */
	callgraph_expand(g);
	ck_assert_uint_eq(g->contexts.n, 5);
	uint32_t main = context_of(g, CALLGRAPH_NONE, f[0]), a = context_of(g, main, f[1]),
		 b = context_of(g, main, f[2]), ac = context_of(g, a, f[3]),
		 bc = context_of(g, b, f[3]);
	ck_assert(main != CALLGRAPH_NONE && ac != CALLGRAPH_NONE && bc != CALLGRAPH_NONE);
	ck_assert_int_eq(shared_of(g, main, 1, 0), 10);
	ck_assert_int_eq(shared_of(g, a, 2, 0), 20);
	ck_assert_int_eq(shared_of(g, b, 3, 0), 5);
	/* both of c's contexts are at least 1/64 of it: each place is divided 3 to 1 */
	ck_assert_int_eq(shared_of(g, ac, 4, 0) + shared_of(g, bc, 4, 0), 30);
	ck_assert_int_eq(shared_of(g, ac, 5, 0) + shared_of(g, bc, 5, 0), 10);
	ck_assert(shared_of(g, ac, 4, 0) == 22 || shared_of(g, ac, 4, 0) == 23);
	ck_assert(shared_of(g, ac, 5, 0) == 7 || shared_of(g, ac, 5, 0) == 8);
	ck_assert_int_eq(g->contexts.at[a].calls, 2);
	ck_assert_int_eq(g->contexts.at[main].calls, 1);
	ck_assert_int_eq(g->contexts.at[ac].calls, 6 + 3);
	ck_assert_int_eq(g->contexts.at[bc].calls, 2);
	ck_assert(!g->cut);
	callgraph_free(g);
}
END_TEST

/* even and odd call each other: no path has a function twice, nothing is lost. */
START_TEST(test_cycle)
{
	struct callgraph *g = callgraph_new(1);
	uint32_t main = callgraph_function(g), even = callgraph_function(g),
		 odd = callgraph_function(g);
	int64_t self[3] = {0}, calls[3] = {0};

	ck_assert(callgraph_self(g, main, 1, &(int64_t){1}));
	ck_assert(callgraph_self(g, even, 2, &(int64_t){600}));
	ck_assert(callgraph_self(g, odd, 3, &(int64_t){400}));
	ck_assert(callgraph_arc(g, main, even, 1, &(int64_t){1000}));
	ck_assert(callgraph_arc(g, even, odd, 50, &(int64_t){990}));
	ck_assert(callgraph_arc(g, odd, even, 49, &(int64_t){980}));
	ck_assert(callgraph_arc(g, even, even, 7, &(int64_t){10}));
	callgraph_expand(g);
	for (uint32_t i = 0; i < g->shares.n; i++)
		self[g->contexts.at[g->shares.at[i].context].function] +=
			g->shares.cost[i];
	for (uint32_t c = 0; c < g->contexts.n; c++)
		calls[g->contexts.at[c].function] += g->contexts.at[c].calls;
	ck_assert(self[main] == 1 && self[even] == 600 && self[odd] == 400);
	ck_assert(calls[main] == 0 && calls[even] == 57 && calls[odd] == 50);
	ck_assert(context_of(g, context_of(g, CALLGRAPH_NONE, main), even) != CALLGRAPH_NONE);
	callgraph_free(g);
}
END_TEST

/* The roots of a graph, in the order of their functions. */
static uint64_t
roots_of(const struct callgraph *g)
{
	uint64_t roots = 0;

	for (uint32_t c = 0; c < g->contexts.n; c++)
		if (g->contexts.at[c].parent == CALLGRAPH_NONE) {
			ck_assert(!(roots & UINT64_C(1) << g->contexts.at[c].function));
			roots |= UINT64_C(1) << g->contexts.at[c].function;
		}
	return roots;
}

/* main calls copy, copy calls deep, deep calls list and list calls copy again.  The profiler
 * counts the outermost calls of each function, so copy's callees cost more than its callers
 * account for: that makes none of the three a root. */
START_TEST(test_cycle_has_no_roots)
{
	struct callgraph *g = callgraph_new(1);
	uint32_t main = callgraph_function(g), copy = callgraph_function(g),
		 deep = callgraph_function(g), list = callgraph_function(g),
		 light = callgraph_function(g);

	ck_assert(callgraph_self(g, main, 1, &(int64_t){1000}));
	ck_assert(callgraph_self(g, copy, 2, &(int64_t){50000}));
	ck_assert(callgraph_self(g, deep, 3, &(int64_t){1500}));
	ck_assert(callgraph_self(g, list, 4, &(int64_t){22000}));
	ck_assert(callgraph_arc(g, main, copy, 1, &(int64_t){73501}));
	ck_assert(callgraph_arc(g, copy, deep, 2047, &(int64_t){73450}));
	ck_assert(callgraph_arc(g, deep, list, 2047, &(int64_t){73440}));
	ck_assert(callgraph_arc(g, list, copy, 63486, &(int64_t){73400}));
	ck_assert(callgraph_arc(g, list, light, 1, &(int64_t){0})); /* no path has it */
	callgraph_gross(g, main, &(int64_t){74501});
	callgraph_gross(g, copy, &(int64_t){73501});
	int64_t *inclusive = callgraph_inclusive(g);
	ck_assert(inclusive[main] == 74501 && inclusive[copy] == 73501);
	ck_assert(inclusive[deep] == 73450 && inclusive[list] == 73440); /* by their arcs */
	free(inclusive);
	callgraph_expand(g);
	ck_assert_uint_eq(roots_of(g), 1u << main);
	callgraph_free(g);
}
END_TEST

/* No function outside calls a ring: its root is the function with the largest inclusive cost. Calls
 * from an unknown caller make another function the root. */
START_TEST(test_ring_without_callers)
{
	for (int known = 0; known < 2; known++) {
		struct callgraph *g = callgraph_new(1);
		uint32_t a = callgraph_function(g), b = callgraph_function(g),
			 leaf = callgraph_function(g);
		ck_assert(callgraph_self(g, a, 1, &(int64_t){10}));
		ck_assert(callgraph_self(g, b, 2, &(int64_t){20}));
		ck_assert(callgraph_self(g, leaf, 3, &(int64_t){70}));
		ck_assert(callgraph_arc(g, a, b, 5, &(int64_t){80}));
		ck_assert(callgraph_arc(g, b, a, 4, &(int64_t){60}));
		ck_assert(callgraph_arc(g, a, leaf, 1, &(int64_t){70}));
		callgraph_gross(g, a, &(int64_t){90});
		callgraph_gross(g, b, &(int64_t){100});
		g->callers_known = known;
		if (known)
			ck_assert(callgraph_calls(g, a, 1));
		callgraph_expand(g);
		ck_assert_uint_eq(roots_of(g), 1u << (known ? a : b));
		callgraph_free(g);
	}
}
END_TEST

/* A function costs more than its callers account for: an unrecorded function calls it, unless
 * the file states all callers. */
START_TEST(test_more_than_callers_pay)
{
	for (int known = 0; known < 2; known++) {
		struct callgraph *g = callgraph_new(1);
		uint32_t main = callgraph_function(g), f = callgraph_function(g);
		ck_assert(callgraph_self(g, main, 1, &(int64_t){10}));
		ck_assert(callgraph_self(g, f, 2, &(int64_t){1000}));
		ck_assert(callgraph_arc(g, main, f, 5, &(int64_t){600}));
		g->callers_known = known;
		callgraph_expand(g);
		ck_assert_uint_eq(roots_of(g), 1u << main | (known ? 0 : 1u << f));
		callgraph_free(g);
	}
}
END_TEST

/* Functions that no root reaches, and functions without self, are in the graph, too. */
START_TEST(test_what_no_path_reaches)
{
	struct callgraph *g = callgraph_new(2);
	uint32_t f = callgraph_function(g), h = callgraph_function(g), k = callgraph_function(g);

	/* f and h only call each other, and their arcs say as much as both have */
	ck_assert(callgraph_self(g, f, 1, (int64_t[]){5, 0}));
	ck_assert(callgraph_self(g, h, 1, (int64_t[]){0, -7}));
	ck_assert(callgraph_arc(g, f, h, 3, (int64_t[]){100, 100}));
	ck_assert(callgraph_arc(g, h, f, 4, (int64_t[]){105, 100}));
	ck_assert(callgraph_arc(g, h, k, 9, (int64_t[]){0, 0}));
	callgraph_expand(g);
	int64_t self[3][2] = {{0}}, calls[3] = {0};
	for (uint32_t i = 0; i < g->shares.n; i++)
		for (unsigned m = 0; m < 2; m++)
			self[g->contexts.at[g->shares.at[i].context].function][m] +=
				g->shares.cost[2 * i + m];
	for (uint32_t c = 0; c < g->contexts.n; c++)
		calls[g->contexts.at[c].function] += g->contexts.at[c].calls;
	ck_assert(self[f][0] == 5 && self[f][1] == 0 && self[h][0] == 0 && self[h][1] == -7);
	ck_assert(calls[f] == 4 && calls[h] == 3 && calls[k] == 9);
	callgraph_free(g);
}
END_TEST

START_TEST(test_sums_that_do_not_fit)
{
	struct callgraph *g = callgraph_new(1);
	uint32_t f = callgraph_function(g);

	ck_assert(!callgraph_self(g, f, 0, &(int64_t){INT64_MIN}));
	ck_assert(!callgraph_self(g, f, 0, &(int64_t){INT64_MAX}));
	ck_assert(callgraph_self(g, f, 0, &(int64_t){INT64_MAX / 4}));
	ck_assert(!callgraph_self(g, f, 0, &(int64_t){INT64_MAX / 4 + 2}));
	ck_assert(!callgraph_arc(g, f, f, -1, &(int64_t){0}));
	callgraph_expand(g);
	ck_assert_int_eq(shared_of(g, 0, 0, 0), INT64_MAX / 4);
	callgraph_free(g);
}
END_TEST

/* ---- by chance ---- */

enum { TREE = 300 };

/* Each function has one caller with a smaller number: the only expansion is the tree. */
START_TEST(test_trees)
{
	struct chance c;
	uint32_t up[TREE];
	int64_t self[TREE][METRICS], total[TREE][METRICS], calls[TREE];
	struct callgraph *g = callgraph_new(METRICS);

	chance_init(&c, 400 + (uint64_t)_i);
	for (uint32_t f = 0; f < TREE; f++) {
		callgraph_function(g);
		up[f] = f ? chance_below(&c, f) : 0;
		calls[f] = f ? 1 + chance_below(&c, 9) : 0;
		for (unsigned m = 0; m < METRICS; m++)
			total[f][m] = self[f][m] = 1 + chance_below(&c, 1000);
		ck_assert(callgraph_self(g, f, f, self[f]));
	}
	for (uint32_t f = TREE; f-- > 1;)
		for (unsigned m = 0; m < METRICS; m++)
			total[up[f]][m] += total[f][m];
	for (uint32_t f = 1; f < TREE; f++)
		ck_assert(callgraph_arc(g, up[f], f, calls[f], total[f]));
	callgraph_expand(g);
	ck_assert_uint_eq(g->contexts.n, TREE);
	for (uint32_t i = 0; i < TREE; i++) {
		const struct callgraph_context *x = &g->contexts.at[i];
		uint32_t f = x->function;
		ck_assert(f ? x->parent < i && g->contexts.at[x->parent].function == up[f]
			    : x->parent == CALLGRAPH_NONE);
		ck_assert_int_eq(x->calls, calls[f]);
		for (unsigned m = 0; m < METRICS; m++)
			ck_assert_int_eq(shared_of(g, i, f, m), self[f][m]);
	}
	callgraph_free(g);
}
END_TEST

enum { FUNCTIONS = 40, PLACES = 4 };

START_TEST(test_any_graph)
{
	struct chance c;
	struct callgraph *g = callgraph_new(METRICS);
	int64_t self[FUNCTIONS][PLACES][METRICS] = {{{0}}}, calls[FUNCTIONS] = {0};

	chance_init(&c, 500 + (uint64_t)_i);
	for (uint32_t f = 0; f < FUNCTIONS; f++)
		callgraph_function(g);
	for (unsigned n = chance_below(&c, 200); n; n--) {
		uint32_t f = chance_below(&c, FUNCTIONS), p = chance_below(&c, PLACES);
		int64_t cost[METRICS];
		for (unsigned m = 0; m < METRICS; m++) {
			cost[m] = chance_one_in(&c, 3) ? 0 : chance_below(&c, 1000000);
			if (m == 2 && chance_one_in(&c, 5))
				cost[m] = -cost[m]; /* memory that was given back */
			self[f][p][m] += cost[m];
		}
		ck_assert(callgraph_self(g, f, p, cost));
	}
	for (unsigned n = chance_below(&c, 70); n; n--) {
		uint32_t from = chance_below(&c, FUNCTIONS), to = chance_below(&c, FUNCTIONS);
		int64_t cost[METRICS], times = chance_below(&c, 50);
		for (unsigned m = 0; m < METRICS; m++)
			cost[m] = chance_below(&c, 2000000);
		calls[to] += times;
		ck_assert(callgraph_arc(g, from, to, times, cost));
	}
	callgraph_expand(g);
	for (uint32_t i = 0; i < g->contexts.n; i++) {
		uint8_t on_path[FUNCTIONS] = {0};
		for (uint32_t up = i; up != CALLGRAPH_NONE;
		     up = g->contexts.at[up].parent) {
			ck_assert(!on_path[g->contexts.at[up].function]++);
			ck_assert(g->contexts.at[up].parent == CALLGRAPH_NONE ||
				  g->contexts.at[up].parent < up);
		}
		calls[g->contexts.at[i].function] -= g->contexts.at[i].calls;
		ck_assert(g->contexts.at[i].calls >= 0);
	}
	for (uint32_t i = 0; i < g->shares.n; i++)
		for (unsigned m = 0; m < METRICS; m++)
			self[g->contexts.at[g->shares.at[i].context].function]
			    [g->shares.at[i].place][m] -=
				g->shares.cost[(size_t)i * METRICS + m];
	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		ck_assert_int_eq(calls[f], 0);
		for (uint32_t p = 0; p < PLACES; p++)
			for (unsigned m = 0; m < METRICS; m++)
				ck_assert_int_eq(self[f][p][m], 0);
	}
	callgraph_free(g);
}
END_TEST

UNIT(callgraph)
{
	Suite *suite = suite_create("callgraph");
	TCase *cases = tcase_create("callgraph");

	tcase_set_timeout(cases, 120);
	tcase_add_test(cases, test_by_hand);
	tcase_add_test(cases, test_cycle);
	tcase_add_test(cases, test_cycle_has_no_roots);
	tcase_add_test(cases, test_ring_without_callers);
	tcase_add_test(cases, test_more_than_callers_pay);
	tcase_add_test(cases, test_what_no_path_reaches);
	tcase_add_test(cases, test_sums_that_do_not_fit);
	tcase_add_loop_test(cases, test_trees, 0, 10);
	tcase_add_loop_test(cases, test_any_graph, 0, 25);
	suite_add_tcase(suite, cases);
	return suite;
}
