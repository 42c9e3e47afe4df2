/* callgraph_inside.h - the state while a call graph is expanded. For callgraph_*.c alone. */
#ifndef PNAV_SRC_DECODE_COMMON_CALLGRAPH_INSIDE_H
#define PNAV_SRC_DECODE_COMMON_CALLGRAPH_INSIDE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "model/base/vec.h"
#include "src/decode/common/callgraph.h"

/* A candidate for a context, ordered by its largest share of a metric's whole; of equal weights the
 * one that was found earlier comes first. */
struct waiting {
	double weight;
	uint32_t above; /* 1 + the context above it; 0: it is a root */
	uint32_t arc;   /* index in arcs.callee; of a root: in root[] */
};

/* The costs of a context. It keeps, or passes to a callee, cost * PART / divisor. */
struct callgraph_share_of {
	double cost;    /* what it got from the context above */
	double divisor; /* the sum of all parts: itself, and callees that are not on its path */
};

struct expansion {
	struct callgraph *g;
	/* the arcs once more, those of a function together */
	struct {
		uint32_t *first; /* [function], and one more element */
		uint32_t *callee;
		double *cost; /* [arc][metric], a negative one as 0 */
	} arcs;
	const uint32_t *ring; /* [function] */
	struct waiting *heap;
	size_t n, cap;
	uint32_t *root;    /* [root] its function */
	double *root_cost; /* [root][metric] */
	uint32_t n_roots;
	double *whole; /* [metric] */
	struct callgraph_share_of *share; /* [context][metric] */
	/* [context] its weight when it was made; 0: made for an unreached function */
	double *heavy;
	uint32_t share_cap, heavy_cap;
	uint32_t *on_path;     /* [function] 1 + the context on whose path it was seen last */
	double *part;          /* [metric] the costs of one root */
	uint32_t *of_function; /* contexts by function, heaviest first */
	uint32_t *first;       /* [function] the first of these, and one more element */
};

/* Makes room for row i of a table with costs, such as g->arcs, and clears its costs. */
#define callgraph_room(g, table, i)                                                       \
	do {                                                                              \
		size_t n_ = (g)->n_metrics, cap_ = (table)->cap;                          \
		if ((i) >= cap_) {                                                        \
			cap_ = vec_grown(cap_, (size_t)(i) + 1);                          \
			(table)->at = mem_realloc((table)->at, cap_, sizeof *(table)->at);\
			(table)->cost =                                                   \
				mem_realloc((table)->cost, cap_, n_ * sizeof *(table)->cost);\
			(table)->cap = (uint32_t)cap_;                                    \
		}                                                                         \
		memset((table)->cost + (i) * n_, 0, n_ * sizeof *(table)->cost);          \
	} while (0)

/* Returns a cost to be divided: a negative one counts as 0. */
static inline double
callgraph_positive(int64_t cost)
{
	return cost > 0 ? (double)cost : 0;
}

/* Returns the part of a context's cost for a part of its divisor. */
static inline double
callgraph_share(const struct callgraph_share_of *of, double part)
{
	return of->divisor > 0 ? of->cost * part / of->divisor : 0;
}

/* Lists the functions that each function calls: those of f are (*callee)[(*first)[f]] and so on, up
 * to (*first)[f + 1]; the caller frees both. */
void callgraph_callees(const struct callgraph *g, uint32_t **first, uint32_t **callee);
/* Divides self costs and calls among the contexts. */
void callgraph_share_all(struct expansion *x);

#endif
