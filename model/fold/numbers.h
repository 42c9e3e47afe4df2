/* numbers.h - the numbers of a tree: what each node has, from what each stack has. */
#ifndef PNAV_MODEL_NUMBERS_H
#define PNAV_MODEL_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/pace.h"
#include "model/fold/project.h"
#include "model/fold/tally.h"

struct fold_numbers {
	int64_t *self;     /* [node] spent in the node itself */
	int64_t *total;    /* [node] with all below; [0]: all that is shown */
	int64_t *calls;    /* [node]; NULL where calls are not counted */
	int64_t *lines;    /* [node] entries of lines; NULL where they are not counted */
	uint8_t *present;  /* [node] it or something below was recorded in the range */
	int64_t everything; /* the metric over range and tracks before any filter */
};

/* Makes x anew, keeping its memory.  `metric_is_calls`: the values are calls, which go where
 * calls go. */
void numbers_make(struct fold_numbers *x, const struct projection *t, const struct tally *tally,
		  bool metric_is_calls, struct pace *pace);
void numbers_release(struct fold_numbers *x);
/* Each number times `by`, rounded by itself, so that a sum is off by half of one at most. */
void numbers_scale(struct fold_numbers *x, uint32_t nodes, double by, struct pace *pace);

/* What the frame of a node has spent itself.  Turned over, a path begins with that frame: the
 * first row of the tree has it all, and callers below have none.  (x->self is where paths end,
 * which of a path that is turned over is its root frame.) */
static inline int64_t
numbers_self(const struct fold_numbers *x, const struct projection *t, node_id i)
{
	if (!t->inverted || i == NODE_ROOT)
		return x->self[i];
	return t->parent[i] == NODE_ROOT ? x->total[i] : 0;
}

/* The same of its calls; 0 where they are not counted. */
static inline int64_t
numbers_calls(const struct fold_numbers *x, const struct projection *t, node_id i)
{
	bool own = !t->inverted || i == NODE_ROOT || t->parent[i] == NODE_ROOT;
	return x->calls && own ? x->calls[i] : 0;
}

/* Adds what a node has to what its key has: recursion counts once.  Self and total are those
 * of the frames themselves, whatever the direction of the tree.  total may be NULL. */
static inline void
numbers_add(const struct fold_numbers *x, const struct projection *t, node_id i, int64_t *self,
	    int64_t *total)
{
	if (total && t->outermost[i])
		*total += x->total[i];
	*self += numbers_self(x, t, i);
}

#endif
