/* callgraph.h - from a call graph to the stacks that a profile is made of.
 *
 * Some formats know functions and arcs, "f calls g: so often, it cost so much", and no
 * stacks.  The graph is expanded into *contexts*, paths from a root: each passes what it costs
 * on to its callees in proportion to the costs of the arcs, heaviest paths first, until there
 * are CALLGRAPH_CONTEXTS of them or the rest is lighter than CALLGRAPH_LEAST of the whole.
 *
 * Exact whatever was cut off: the self cost of every function and of every place in it, of
 * each metric; the calls of every function; so the sums over all.  An estimate: how a function's
 * cost divides among its callers' callers, and so the totals of contexts, which deviate by what
 * was cut off, and within recursion.  What a function costs in all is callgraph_inclusive().
 *
 * Roots are functions that nobody calls, and functions that cost clearly more than their callers
 * pay for.  Functions that reach each other (rings.h) are one in this: costs within recursion make
 * no root.  Where nobody calls a ring from outside, its root is the function with the largest
 * inclusive cost.
 *
 *	struct callgraph *g = callgraph_new(n_metrics);
 *	uint32_t main = callgraph_function(g), f = callgraph_function(g);
 *	callgraph_self(g, f, place, cost);
 *	callgraph_arc(g, main, f, calls, inclusive_cost);
 *	callgraph_expand(g);
 *	for (c = 0; c < g->n_contexts; c++) ...  g->context[c].parent, .function, .calls
 *	for (i = 0; i < g->n_shares; i++) ...    g->share[i].context, .place;
 *	                                         g->shared[i * n_metrics]
 *	callgraph_free(g);
 *
 * Pure: it knows no builder.  Costs are those of the file, negative ones too; their sums
 * must fit 63 bits, which callgraph_self() and callgraph_arc() check. */
#ifndef PNAV_SRC_DECODE_COMMON_CALLGRAPH_H
#define PNAV_SRC_DECODE_COMMON_CALLGRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/map.h"
#include "src/decode/common/rings.h"

#define CALLGRAPH_CONTEXTS 200000u
#define CALLGRAPH_LEAST 1e-7
#define CALLGRAPH_NONE UINT32_MAX

struct callgraph_context {
	uint32_t parent; /* a smaller number; CALLGRAPH_NONE: a root */
	uint32_t function;
	int64_t calls;
};

/* What of a place of a function is spent in one of its contexts. */
struct callgraph_share {
	uint32_t context, place;
};

struct callgraph {
	unsigned n_metrics;
	/* ---- what was told ---- */
	uint32_t n_functions, functions_cap;
	int64_t *self; /* [function][metric] */
	uint32_t *first_arc; /* [function] index + 1 of its first arc out, 0: none */
	uint32_t *first_place;
	int64_t *more_calls; /* [function] by whom is not known */
	bool callers_known; /* set by the caller: more_calls tells of all calls by nobody, so a
			     * function that has callers and none of these is no root */
	int64_t *gross; /* [function][metric] what the file states, see callgraph_gross() */
	uint8_t *has_gross; /* [function] */
	struct callgraph_arc {
		uint32_t caller, callee, next; /* next arc of the caller, + 1 */
		int64_t calls;
	} *arc;
	int64_t *arc_cost; /* [arc][metric] */
	uint32_t n_arcs, arcs_cap;
	struct callgraph_place {
		uint32_t function, place, next;
	} *place;
	int64_t *place_cost; /* [place][metric] */
	uint32_t n_places, places_cap;
	struct map arc_map, place_map;
	int64_t *sum; /* [metric] of sizes, so that no sum passes 2^63 */
	/* ---- what comes of it ---- */
	struct callgraph_context *context;
	uint32_t n_contexts, contexts_cap;
	struct callgraph_share *share;
	int64_t *shared; /* [share][metric] */
	uint32_t n_shares, shares_cap;
	bool cut; /* contexts were left out, for their number or their weight */
};

/* Never fails.  n_metrics is at least 1. */
struct callgraph *callgraph_new(unsigned n_metrics);
void callgraph_free(struct callgraph *g);
/* A new function; the first is 0. */
uint32_t callgraph_function(struct callgraph *g);
/* Adds to what a place (a line: any number of the caller's) of a function costs itself.
 * False, with nothing changed, when a sum would pass 2^63. */
bool callgraph_self(struct callgraph *g, uint32_t function, uint32_t place, const int64_t *cost);
/* The same, for who has many costs of a place: *at, 0 at first, is where it was found, and says
 * so the next time, when function and place are not looked at. */
bool callgraph_self_at(struct callgraph *g, uint32_t *at, uint32_t function, uint32_t place,
		       const int64_t *cost);
/* Adds to what callee costs with all it calls when caller calls it, and how often.  False as
 * above. */
bool callgraph_arc(struct callgraph *g, uint32_t caller, uint32_t callee, int64_t calls,
		   const int64_t *cost);
/* Calls of a function by nobody knows whom: they go to its heaviest context, one without a
 * caller first.  False as above. */
bool callgraph_calls(struct callgraph *g, uint32_t function, int64_t calls);
/* What was told of one function is of another: the first one has nothing any more.  When all is
 * told, before callgraph_expand(). */
void callgraph_merge(struct callgraph *g, uint32_t from, uint32_t to);
/* Adds to what the file states that a function costs with all it calls, of each metric. */
void callgraph_gross(struct callgraph *g, uint32_t function, const int64_t *cost);
/* What every function costs with all it calls, to be freed: [function][metric].  It is what the
 * file states, else the sum of the arcs into the function, else, where no other function calls it,
 * what it costs itself and the arcs out of it, or the arcs from itself if these cost more. */
int64_t *callgraph_inclusive(const struct callgraph *g);
/* Which functions reach each other; release with rings_release(). */
void callgraph_rings(const struct callgraph *g, struct rings *rings);
/* Makes contexts and shares; once, when all is told. */
void callgraph_expand(struct callgraph *g);

#endif
