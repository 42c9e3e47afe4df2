/* callgraph_inside.h - the state while a call graph is expanded. For callgraph_*.c alone. */
#ifndef PNAV_SRC_DECODE_COMMON_CALLGRAPH_INSIDE_H
#define PNAV_SRC_DECODE_COMMON_CALLGRAPH_INSIDE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "model/base/vec.h"
#include "src/decode/common/callgraph.h"

/* A candidate for a context, ordered by its largest share of a metric's whole; of equal weights the
 * earlier one comes first. */
struct waiting {
	double weight;
	uint32_t order;
	uint32_t row; /* index of its other data */
};

struct waiting_row {
	uint32_t function, parent;
};

struct expansion {
	struct callgraph *g;
	struct waiting *heap;
	size_t n, cap;
	struct {
		struct waiting_row *at;
		double *cost; /* [row][metric], if it becomes a context */
		uint32_t n, cap;
		uint32_t *free; /* unused rows */
		uint32_t n_free, free_cap;
	} rows;
	uint32_t order;
	double *whole; /* [metric] */
	double *kept;  /* [context][metric] the part that stays with it, unscaled */
	/* [context] its weight when it was made; 0: made for an unreached function */
	double *heavy;
	uint32_t kept_cap, heavy_cap;
	uint32_t *on_path;     /* [function] 1 + the context on whose path it was seen last */
	double *off_path;      /* [metric] of one context: the part for callees and itself */
	double *mine;          /* [metric] its own part */
	double *part;          /* [metric] the part of one of its callees */
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

/* Divides self costs and calls among the contexts. */
void callgraph_share_all(struct expansion *x);

#endif
