/* graph_totals.h - a call graph on its way to a profile: what formats share that know who
 * called whom, how often and what it cost, and no stacks.
 *
 *	struct graph_totals t = {.b = b, .track = track, .calls = calls};
 *	t.metric[t.n_metrics++] = time;
 *	uint32_t f = graph_totals_function(&t, function), g = ...
 *	graph_totals_self(&t, f, place, &cost);   callgraph_arc(t.graph, f, g, calls, &cost);
 *	graph_totals_write(&t, offset, e);
 *	graph_totals_release(&t);
 *
 * A context of the graph becomes the stack of its functions, without lines; what it spends
 * itself is its leaf, at the place that the file names. */
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
/* What such a format tells in `info`, as assumed. */
#define GRAPH_ASSUMED "stacks are estimated from a call graph, split in proportion"

/* What of a function a cost is about. */
struct graph_place {
	frame_id frame;
	bool below; /* code of another file: a frame below the function's own */
};

struct graph_totals {
	struct builder *b; /* borrowed */
	struct input *in; /* borrowed; others look at the profile while the graph is expanded;
			   * NULL: nobody does */
	track_id track;
	metric_id metric[GRAPH_METRICS_MAX];
	unsigned n_metrics; /* all are there before the first function */
	metric_id calls; /* METRIC_NONE: the file does not count them */
	struct callgraph *graph; /* made with the first function */
	VEC(function_id) function; /* [function of the graph] */
	VEC(struct graph_place) place; /* [place of the graph] */
	struct idmap function_of, place_of; /* ids of the profile -> those of the graph */
};

void graph_totals_release(struct graph_totals *t);
/* The function of the graph that stands for one of the profile. */
uint32_t graph_totals_function(struct graph_totals *t, function_id f);
/* A function of the graph whose function in the profile will be known later: `f` until then. */
uint32_t graph_totals_reserve(struct graph_totals *t, function_id f);
/* A reserved function is this one; where the graph has that already, they become one. */
void graph_totals_bind(struct graph_totals *t, uint32_t reserved, function_id f);
/* The place of the graph that is this frame; `below`: one of its own below the function. */
uint32_t graph_totals_place(struct graph_totals *t, frame_id frame, bool below);
/* Adds to what a function costs itself, at no line.  False when a sum would pass 2^63. */
bool graph_totals_self(struct graph_totals *t, uint32_t function, const int64_t *cost);
/* Expands the graph and writes it as totals of the track, with what each function costs in all
 * (callgraph_inclusive()), and the rows of `calls`.  False with damage at `offset` in *e when the
 * profile takes no more. */
bool graph_totals_write(struct graph_totals *t, uint64_t offset, struct err *e);

#endif
