/* arcs.h - what a fold's tree says of functions and who calls whom: nodes without paths.
 *
 * For formats that know no stacks.  A function is a key of the tree, all its lines together;
 * an arc is a line of a caller and what is called there. */
#ifndef PNAV_SRC_ENCODE_ARCS_H
#define PNAV_SRC_ENCODE_ARCS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/map.h"
#include "src/encode/shown.h"

struct arcs_function {
	struct shown_frame frame; /* its line is that of whichever came first */
	uint32_t *place;          /* where its number is found by its key */
	uint32_t first_self, first_arc; /* index + 1 of its first line and its first arc, 0: none */
};
/* What is spent in a line of a function itself. */
struct arcs_self {
	uint32_t function, line, next;
};
/* What a line of a function calls.  Where a path has the same caller and callee twice,
 * only the outer one counts. */
struct arcs_arc {
	uint32_t caller, callee, line, next;
	int64_t calls; /* 1 where calls are not counted */
};

struct arcs {
	size_t n_metrics;
	VEC(struct arcs_function) function;
	VEC(struct arcs_self) self;
	VEC(int64_t) self_value; /* [self * n_metrics + metric] */
	VEC(struct arcs_arc) arc;
	VEC(int64_t) arc_value;  /* [arc * n_metrics + metric], with all below */
	VEC(int64_t) self_sum, total; /* [function * n_metrics + metric]; recursion counts once */
	/* private */
	uint32_t *function_of; /* [key or function] index + 1; NULL: nothing was made yet */
	struct map arc_map, self_map, pair_map;
	VEC(uint64_t) pair; /* caller and callee */
	VEC(uint32_t) open; /* [pair] how often it is on the path */
	VEC(uint32_t) on;   /* [function] the same */
};

/* Of what was loaded last, instead of what there is: {0} at first.  O(nodes). */
void arcs_make(struct arcs *a, struct shown *s);
void arcs_release(struct arcs *a);

#endif
