/* arcs.h - reduces a fold's tree to functions and calls between them, without paths.
 *
 * For formats that have no stacks. A function is a key of the tree, with all its lines; an arc is a
 * line of a caller together with a callee. */
#ifndef PNAV_SRC_ENCODE_ARCS_H
#define PNAV_SRC_ENCODE_ARCS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/map.h"
#include "src/encode/shown.h"

struct arcs_function {
	struct shown_frame frame; /* its line is that of the first node found */
	uint32_t *place;          /* where its number is stored by key */
	uint32_t first_self, first_arc; /* 1 + index of its first line and its first arc, 0: none */
};
/* The self of one line of a function. */
struct arcs_self {
	uint32_t function, line, next;
};
/* A call from a line of a function. If a path has the same caller and callee twice, only the outer
 * one counts. */
struct arcs_arc {
	uint32_t caller, callee, line, next;
	int64_t calls; /* 1 if calls are not counted */
};

struct arcs {
	size_t n_metrics;
	VEC(struct arcs_function) function;
	VEC(struct arcs_self) self;
	VEC(int64_t) self_value; /* [self * n_metrics + metric] */
	VEC(struct arcs_arc) arc;
	VEC(int64_t) arc_value;  /* [arc * n_metrics + metric], totals */
	VEC(int64_t) self_sum, total; /* [function * n_metrics + metric]; recursion counts once */
	/* private */
	uint32_t *function_of; /* [key or function] 1 + index; NULL: nothing has been computed */
	struct map arc_map, self_map, pair_map;
	VEC(uint64_t) pair; /* caller and callee */
	VEC(uint32_t) open; /* [pair] how often it occurs on the current path */
	VEC(uint32_t) on;   /* [function] the same */
};

/* Computes the arcs of the numbers loaded last, replacing the previous contents; {0} is empty.
 * O(nodes). */
void arcs_make(struct arcs *a, struct shown *s);
void arcs_release(struct arcs *a);

#endif
