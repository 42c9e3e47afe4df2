/* callgraph.h - expands a call graph to the stacks of a profile.
 *
 * Some formats have functions and arcs, "f calls g this often, at this cost", and no stacks. The
 * graph is expanded into *contexts*, paths from a root: each context passes its cost on to its
 * callees in proportion to the costs of the arcs, heaviest paths first, until there are
 * CALLGRAPH_CONTEXTS of them or the rest is lighter than CALLGRAPH_LEAST of the whole.
 *
 * These numbers are exact, whatever was cut off: the self cost of every function and of every place
 * in it, for each metric; the calls of every function; so the sums over all. The division of a
 * function's cost among its callers' callers is an estimate. So are the totals of contexts, which
 * deviate by the part cut off, and within recursion. callgraph_inclusive() returns the total of
 * each function.
 *
 * Roots are functions without callers, and functions that cost clearly more than their callers
 * account for. Functions that reach each other (rings.h) count as one here: costs within recursion
 * make no root. If no function outside calls a ring, its root is the function with the largest
 * inclusive cost.
 *
 *	struct callgraph *g = callgraph_new(n_metrics);
 *	uint32_t main = callgraph_function(g), f = callgraph_function(g);
 *	callgraph_self(g, f, place, cost);
 *	callgraph_arc(g, main, f, calls, inclusive_cost);
 *	callgraph_expand(g);
 *	for (c = 0; c < g->contexts.n; c++) ...  g->contexts.at[c].parent, .function, .calls
 *	for (i = 0; i < g->shares.n; i++) ...    g->shares.at[i].context, .place;
 *	                                             g->shares.cost[i * n_metrics]
 *	callgraph_free(g);
 *
 * The module is independent of the builder. Costs are those of the file and may be negative; their
 * sums must fit 63 bits, which callgraph_self() and callgraph_arc() check. */
#ifndef PNAV_SRC_DECODE_COMMON_CALLGRAPH_H
#define PNAV_SRC_DECODE_COMMON_CALLGRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/slots.h"
#include "src/decode/common/rings.h"

#define CALLGRAPH_CONTEXTS 200000u
#define CALLGRAPH_LEAST 1e-7
#define CALLGRAPH_NONE UINT32_MAX

struct callgraph_context {
	uint32_t parent; /* a smaller number; CALLGRAPH_NONE: a root */
	uint32_t function;
	int64_t calls;
};

/* The part of a place's self cost that belongs to one of its function's contexts. */
struct callgraph_share {
	uint32_t context, place;
};

struct callgraph {
	unsigned n_metrics;
	/* ---- the contents of the file ---- */
	uint32_t n_functions, functions_cap;
	int64_t *self; /* [function][metric] */
	uint32_t *first_arc; /* [function] 1 + index of its first arc out, 0: none */
	uint32_t *first_place;
	int64_t *more_calls; /* [function] calls from unknown callers */
	bool callers_known; /* set by the caller: more_calls has all calls without a caller, so a
			     * function that has callers and none of these calls is not a root */
	int64_t *gross; /* [function][metric] as stated by the file, see callgraph_gross() */
	uint8_t *has_gross; /* [function] */
	struct {
		struct callgraph_arc {
			uint32_t caller, callee, next; /* next arc of the caller, + 1 */
			int64_t calls;
		} * at;
		int64_t *cost; /* [arc][metric] */
		uint32_t n, cap;
		struct slots of; /* places are indexes + 1 */
	} arcs;
	struct {
		struct callgraph_place {
			uint32_t function, place, next;
		} * at;
		int64_t *cost; /* [place][metric] */
		uint32_t n, cap;
		struct slots of;
	} places;
	int64_t *sum; /* [metric] of magnitudes, so that no sum exceeds 2^63 */
	/* ---- the result ---- */
	struct {
		struct callgraph_context *at;
		uint32_t n, cap;
	} contexts;
	struct {
		struct callgraph_share *at;
		int64_t *cost; /* [share][metric] */
		uint32_t n, cap;
	} shares;
	bool cut; /* contexts were omitted because of their number or their weight */
};

/* Never fails.  n_metrics is at least 1. */
struct callgraph *callgraph_new(unsigned n_metrics);
void callgraph_free(struct callgraph *g);
/* Adds a function and returns its number; the first is 0. */
uint32_t callgraph_function(struct callgraph *g);
/* Adds to the self cost of a place of a function (a line: any number that the caller chooses).
 * Returns false, with nothing changed, if a sum would exceed 2^63. */
bool callgraph_self(struct callgraph *g, uint32_t function, uint32_t place, const int64_t *cost);
/* The same for callers with many costs of one place: *at, initially 0, remembers where it was
 * found; then function and place are not used again. */
bool callgraph_self_at(struct callgraph *g, uint32_t *at, uint32_t function, uint32_t place,
		       const int64_t *cost);
/* Adds to the number of calls from caller to callee, and to their inclusive cost. Returns false as
 * above. */
bool callgraph_arc(struct callgraph *g, uint32_t caller, uint32_t callee, int64_t calls,
		   const int64_t *cost);
/* Adds calls from an unknown caller: they belong to the function's heaviest context, preferably one
 * without a caller. Returns false as above. */
bool callgraph_calls(struct callgraph *g, uint32_t function, int64_t calls);
/* Moves everything of one function to another. Call it after all data is added, before
 * callgraph_expand(). */
void callgraph_merge(struct callgraph *g, uint32_t from, uint32_t to);
/* Adds to the inclusive cost of a function as the file states it, for each metric. */
void callgraph_gross(struct callgraph *g, uint32_t function, const int64_t *cost);
/* Returns the inclusive cost of every function, [function][metric]; the caller frees it. It is the
 * one that the file states, else the sum of the arcs into the function. If its self cost and the
 * arcs out of it are more, beyond what writers round, it is these, as it also ran without a caller;
 * but not if functions that it calls call it, since their arcs count the same cost again. */
int64_t *callgraph_inclusive(const struct callgraph *g);
/* Finds the functions that reach each other; release with rings_release(). */
void callgraph_rings(const struct callgraph *g, struct rings *rings);
/* Makes contexts and shares; call it once, after all data is added. */
void callgraph_expand(struct callgraph *g);

#endif
