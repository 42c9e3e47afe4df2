/* graph_totals.h - converts call graphs to profiles, for formats that have callers, calls and
 * costs, but no stacks.
 *
 *	struct graph_totals t = {.b = b, .track = track, .calls = calls};
 *	t.metric[t.n_metrics++] = time;
 *	uint32_t f = graph_totals_function(&t, function), g = ...
 *	graph_totals_self(&t, f, place, &cost);   callgraph_arc(t.graph, f, g, calls, &cost);
 *	graph_totals_write(&t, offset, e);
 *	graph_totals_release(&t);
 *
 * A context of the graph becomes the stack of its functions, without lines. Its self cost goes to a
 * leaf, at the place that the file names. */
#ifndef PNAV_SRC_DECODE_COMMON_GRAPH_TOTALS_H
#define PNAV_SRC_DECODE_COMMON_GRAPH_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/callgraph.h"
#include "src/decode/common/idmap.h"
#include "src/input/input.h"

#define GRAPH_METRICS_MAX 30u
/* The note of such a format in `info`, under assumptions. */
#define GRAPH_ASSUMED "stacks are estimated from a call graph, split in proportion"

/* A place in a function that has a cost. */
struct graph_place {
	frame_id frame;
	bool below; /* code of another file: a frame below the function's own */
};

struct graph_totals {
	struct builder *b; /* borrowed */
	struct input *in; /* borrowed; other threads may use the profile while the graph is
			   * expanded; NULL: none does */
	track_id track;
	metric_id metric[GRAPH_METRICS_MAX];
	unsigned n_metrics; /* all are added before the first function */
	metric_id calls; /* METRIC_NONE: the file has no counts of calls */
	struct callgraph *graph; /* made with the first function */
	VEC(function_id) function; /* [function of the graph] */
	VEC(struct graph_place) place; /* [place of the graph] */
	struct idmap function_of, place_of; /* ids of the profile to those of the graph */
};

void graph_totals_release(struct graph_totals *t);
/* Returns the function of the graph for one of the profile. */
uint32_t graph_totals_function(struct graph_totals *t, function_id f);
/* Adds a function of the graph whose function in the profile is not known yet: `f` until then. */
uint32_t graph_totals_reserve(struct graph_totals *t, function_id f);
/* Sets the function of a reserved one; if the graph has it already, they are merged. */
void graph_totals_bind(struct graph_totals *t, uint32_t reserved, function_id f);
/* Returns the place of the graph for this frame; `below`: a frame below that of the function. */
uint32_t graph_totals_place(struct graph_totals *t, frame_id frame, bool below);
/* Adds to the self cost of a function, without a line. Returns false if a sum would exceed 2^63. */
bool graph_totals_self(struct graph_totals *t, uint32_t function, const int64_t *cost);
/* Expands the graph and writes it as totals of the track, with the inclusive cost of each function
 * (callgraph_inclusive()), and the rows of `calls`. Returns false with damage at `offset` in *e if
 * the profile accepts no more. */
bool graph_totals_write(struct graph_totals *t, uint64_t offset, struct err *e);

#endif
