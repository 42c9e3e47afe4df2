/* numbers.h - the numbers of each node of a tree, from those of each stack. */
#ifndef PNAV_MODEL_FOLD_NUMBERS_H
#define PNAV_MODEL_FOLD_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/pace.h"
#include "model/fold/project.h"
#include "model/fold/tally.h"

/* The same numbers before numbers_scale(). */
struct numbers_recorded {
	int64_t *self, *total, *calls, *lines, *area;
};

struct fold_numbers {
	int64_t *self;     /* [node] spent in the node itself */
	int64_t *total;    /* [node] including all nodes below; [0]: everything shown */
	int64_t *calls;    /* [node]; NULL if calls are not counted */
	int64_t *lines;    /* [node] entries of lines; NULL if they are not counted */
	int64_t *area;     /* [node] the sum of |self| of the node and all below, for pictures:
			    * parts of both signs have room side by side; NULL: no self is below
			    * 0, and it is the total */
	uint8_t *present;  /* [node] 1 if it or a node below was recorded in the range */
	int64_t everything; /* the metric over range and tracks before any filter */
	double by;          /* the factor of numbers_scale(); 1: none */
	struct numbers_recorded recorded; /* sum these, and scale the sum: a function that has
					   * one sample in each of a hundred nodes has a hundred */
};

/* Computes x, reusing its memory. `metric_is_calls`: the values are calls, so they go to the
 * nodes that get the calls (projection.call_of). */
void numbers_make(struct fold_numbers *x, const struct projection *t, const struct tally *tally,
		  bool metric_is_calls, struct pace *pace);
/* The same in two steps: the second needs no tally, so the caller can release it before the totals
 * take memory. */
void numbers_gather(struct fold_numbers *x, const struct projection *t, const struct tally *tally,
		    bool metric_is_calls, struct pace *pace);
void numbers_sum(struct fold_numbers *x, const struct projection *t, struct pace *pace);
void numbers_release(struct fold_numbers *x);
/* Multiplies each number by `by`, once after numbers_make(). Each is rounded by itself, by at most
 * half a unit, so sums may be inexact. */
void numbers_scale(struct fold_numbers *x, uint32_t nodes, double by, struct pace *pace);

/* Returns a recorded number, or a sum of these, multiplied by a side's factor, and rounded. */
int64_t numbers_scaled(int64_t recorded, double by);

/* For whole numbers of nodes that others sum: what rounding left of the nodes before. Starts as 0.
 * In the order of a walk, the sum below each node is exact to half a unit at both ends.  A node
 * without a number gets none. */
struct numbers_carry {
	double now, base;
};

/* Returns a recorded number multiplied by a side's factor, and rounded with what is in *carry. */
int64_t numbers_carried(double *carry, int64_t recorded, double by);

/* Returns the self of the frame of a node. In an inverted tree a path begins with that frame:
 * the first row of the tree has all of it, and the callers below have none. (There x->self
 * belongs to the end of a path, which is its root frame.) */
static inline int64_t
numbers_self(const struct fold_numbers *x, const struct projection *t, node_id i)
{
	if (!t->inverted || i == NODE_ROOT)
		return x->self[i];
	return t->parent[i] == NODE_ROOT ? x->total[i] : 0;
}

/* Returns the same for calls; 0 if they are not counted. */
static inline int64_t
numbers_calls(const struct fold_numbers *x, const struct projection *t, node_id i)
{
	bool own = !t->inverted || i == NODE_ROOT || t->parent[i] == NODE_ROOT;
	return x->calls && own ? x->calls[i] : 0;
}

/* Returns the self of the frame of a node, as recorded. */
static inline int64_t
numbers_recorded_self(const struct fold_numbers *x, const struct projection *t, node_id i)
{
	if (!t->inverted || i == NODE_ROOT)
		return x->recorded.self[i];
	return t->parent[i] == NODE_ROOT ? x->recorded.total[i] : 0;
}

/* Returns the total of a node, scaled and not rounded. */
static inline double
numbers_exact_total(const struct fold_numbers *x, node_id i)
{
	return (double)x->recorded.total[i] * x->by;
}

/* Adds the recorded numbers of a node to those of its key; recursion counts once. Self and total
 * are those of the frames themselves, whatever the direction of the tree. */
static inline void
numbers_add(const struct fold_numbers *x, const struct projection *t, node_id i, int64_t *self,
	    int64_t *total)
{
	if (t->outermost[i])
		*total += x->recorded.total[i];
	*self += numbers_recorded_self(x, t, i);
}

#endif
