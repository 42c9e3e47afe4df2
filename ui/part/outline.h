/* outline.h - the children of a fold's nodes in the order in which they are shown.
 *
 * Sorted when they are asked for, a parent at a time, and kept until the fold changes; so
 * a walk costs what it visits.  All links are NODE_NONE where there is nothing. */
#ifndef PNAV_UI_PART_OUTLINE_H
#define PNAV_UI_PART_OUTLINE_H

#include "model/fold.h"

struct outline {
	const struct fold *fold;
	const struct profile *profile;
	uint32_t n;
	node_id *first, *last; /* 0: not asked yet */
	node_id *next, *prev;
};

void outline_init(struct outline *o);
void outline_release(struct outline *o);
/* The fold has changed: everything is forgotten. */
void outline_reset(struct outline *o, const struct fold *f, const struct profile *p);

/* The heaviest and the lightest child. */
node_id outline_first(struct outline *o, node_id n);
node_id outline_last(struct outline *o, node_id n);
/* Siblings, of a node that was reached from its parent, or not. */
node_id outline_next(struct outline *o, node_id n);
node_id outline_prev(struct outline *o, node_id n);
/* Edges from the root: a root frame has depth 1. */
uint32_t outline_depth(const struct outline *o, node_id n);

#endif
