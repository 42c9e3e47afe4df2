/* outline.h - the children of a fold's nodes in display order.
 *
 * Children are sorted lazily, a parent at a time, and the order is kept until the fold changes,
 * so a walk costs only what it visits.  Above OUTLINE_WIDE children, only the positions that are
 * read get sorted.  A link to nothing is NODE_NONE.
 *
 * While a profile grows, siblings of nearly equal weight keep their previous order (steady.h).
 * Otherwise boxes and rows would change places several times a second. */
#ifndef PNAV_UI_PART_OUTLINE_H
#define PNAV_UI_PART_OUTLINE_H

#include "model/base/map.h"
#include "model/base/vec.h"
#include "model/fold/fold.h"
#include "model/fold/order.h"

#define OUTLINE_WIDE 4096u /* with more children, only the positions read are sorted */

/* The children of a node with more than OUTLINE_WIDE. */
struct outline_wide {
	node_id of;
	uint32_t all;       /* children with numbers, omitted ones included */
	double weight;      /* the sum of their weights */
	node_id *child;     /* [thing] */
	uint32_t *place;    /* [thing] 1 + its position; 0: not known yet */
	struct order order; /* of the things, by weight */
};

struct outline {
	const struct fold *fold;
	const struct profile *profile;
	bool sure_only; /* omit nodes whose difference may be chance (fold_is_chance()) */
	uint32_t n;
	node_id *first, *last; /* [node] 0: not sorted yet */
	node_id *next, *prev;  /* [node] */
	VEC(struct outline_wide) wide;
	bool steady;          /* siblings of nearly equal weight keep their previous order */
	struct map was, is;   /* hash of a path -> position among its siblings, previous and new */
	uint32_t *thing; /* [node] its index in `child` of its wide parent; NULL: no wide node */
};

void outline_init(struct outline *o);
void outline_release(struct outline *o);
/* Starts anew for a fold, with nothing sorted. */
void outline_reset(struct outline *o, const struct fold *f, const struct profile *p);
/* Resets, and sorts the positions that a screen reads first, calling `pace`: with a million
 * children of one node this takes longer than a frame.  If the pace cancels, call
 * outline_reset() before further use.  With `before`, the outline is steady: siblings of nearly
 * equal weight keep the order that they had in `before`, which is read only during this call. */
void outline_make(struct outline *o, const struct fold *f, const struct profile *p,
		  bool sure_only, const struct outline *before, struct pace *pace);

/* Returns true if the node is shown; nodes without numbers and omitted ones are not. */
bool outline_shows(const struct outline *o, node_id n);
/* Returns true if the fold has no node to show, before any are omitted. */
bool outline_is_empty(const struct outline *o);
/* Returns the node, or its nearest ancestor that is shown. */
node_id outline_above(const struct outline *o, node_id n);

/* The first and the last child in display order. */
node_id outline_first(struct outline *o, node_id n);
node_id outline_last(struct outline *o, node_id n);
/* Returns true if the node has a child that is shown; sorts nothing. */
bool outline_has(const struct outline *o, node_id n);
/* The number of children with numbers and the sum of their weights, omitted ones included. */
void outline_all(const struct outline *o, node_id n, uint32_t *all, double *weight);
/* The next and the previous sibling in display order; n may be any node that is shown. */
node_id outline_next(struct outline *o, node_id n);
node_id outline_prev(struct outline *o, node_id n);
/* Edges from the root: a root frame has depth 1. */
uint32_t outline_depth(const struct outline *o, node_id n);

#endif
