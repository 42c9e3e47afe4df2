/* callgraph_inside.h - the expansion of a call graph at work.  For callgraph_*.c alone. */
#ifndef PNAV_SRC_DECODE_COMMON_CALLGRAPH_INSIDE_H
#define PNAV_SRC_DECODE_COMMON_CALLGRAPH_INSIDE_H

#include <stddef.h>
#include <stdint.h>

#include "src/decode/common/callgraph.h"

/* What may become a context: by the largest share of a metric's whole, of two of one weight the
 * earlier. */
struct waiting {
	double weight;
	uint32_t order;
	uint32_t row; /* what else is known of it */
};

struct waiting_row {
	uint32_t function, parent;
};

struct expansion {
	struct callgraph *g;
	struct waiting *heap;
	size_t n, cap;
	struct waiting_row *row;
	double *of; /* [row][metric] what it would have */
	uint32_t n_rows, rows_cap;
	uint32_t *free_row; /* those that nobody has any more */
	uint32_t n_free, free_cap;
	uint32_t order;
	double *whole; /* [metric] */
	double *kept;  /* [context][metric] what stays with it, unscaled */
	double *heavy; /* [context] its weight when it was made; 0: made since it was missing */
	uint32_t kept_cap, heavy_cap;
	uint32_t *on_path;     /* [function] the context, + 1, on whose path it was seen last */
	double *off_path;      /* [metric] of one context: what goes to callees and itself */
	double *mine;          /* [metric] what it has itself */
	double *part;          /* [metric] of one callee of it */
	uint32_t *of_function; /* contexts by function, heaviest first */
	uint32_t *first;       /* [function] its first of those, and one more */
};

/* A cost that is divided: a negative one counts as none. */
static inline double
callgraph_positive(int64_t cost)
{
	return cost > 0 ? (double)cost : 0;
}

/* Divides self costs and calls among the contexts that there are. */
void callgraph_share_all(struct expansion *x);

#endif
