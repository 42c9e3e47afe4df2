/* outline.h - the children of a fold's nodes in the order in which they are shown.
 *
 * Sorted when they are asked for, a parent at a time, and kept until the fold changes; so
 * a walk costs what it visits.  Of very many children only those are brought into their order
 * that are asked for, at either end or on the way.  All links are NODE_NONE where there is
 * nothing.
 *
 * While a profile grows, siblings of nearly the same weight keep the order in which they were
 * seen last (steady.h): boxes and rows would change places several times a second. */
#ifndef PNAV_UI_PART_OUTLINE_H
#define PNAV_UI_PART_OUTLINE_H

#include "model/fold/fold.h"
#include "model/base/map.h"
#include "model/fold/order.h"
#include "model/base/vec.h"

#define OUTLINE_WIDE 4096u /* children: of more, no more are sorted than are asked for */

/* The children of a node that has very many. */
struct outline_wide {
	node_id of;
	uint32_t all;       /* that have numbers, those that are left out, too */
	double weight;      /* of them */
	node_id *child;     /* [thing] */
	uint32_t *place;    /* [thing] 1 + where it stands; 0: not known */
	struct order order; /* of them, by weight */
};

struct outline {
	const struct fold *fold;
	const struct profile *profile;
	bool sure_only; /* nodes that are but chance (fold_is_chance()) are left out */
	uint32_t n;
	node_id *first, *last; /* 0: not asked yet */
	node_id *next, *prev;
	VEC(struct outline_wide) wide;
	bool steady;          /* nearly the same weight: the order of before */
	struct map was, is;   /* hash of a path -> its place among its siblings, before and now */
	uint32_t *thing; /* [node] which of the children of its wide parent it is; NULL: none is */
};

void outline_init(struct outline *o);
void outline_release(struct outline *o);
/* The fold has changed: everything is forgotten. */
void outline_reset(struct outline *o, const struct fold *f, const struct profile *p);
/* The same in portions (model/base/pace.h), and what a screen asks of it first is at hand then:
 * where a function calls a million others, that takes longer than a frame.  Given up, it is to be
 * reset.  With `before`, which is read at once alone, it is steady: what was asked of that one
 * decides between siblings of nearly the same weight. */
void outline_make(struct outline *o, const struct fold *f, const struct profile *p,
		  bool sure_only, const struct outline *before, struct pace *pace);

/* Is the node shown, or left out? */
bool outline_shows(const struct outline *o, node_id n);
/* Has the fold nothing to show at all, whatever is left out? */
bool outline_is_empty(const struct outline *o);
/* The node, or the nearest one above it that is shown. */
node_id outline_above(const struct outline *o, node_id n);

/* The heaviest and the lightest child; where the outline is steady, nearly. */
node_id outline_first(struct outline *o, node_id n);
node_id outline_last(struct outline *o, node_id n);
/* Is there one?  Sorts nothing. */
bool outline_has(const struct outline *o, node_id n);
/* How many children have numbers, and what they weigh: those that are left out, too. */
void outline_all(const struct outline *o, node_id n, uint32_t *all, double *weight);
/* Siblings, of a node that was reached from its parent, or not. */
node_id outline_next(struct outline *o, node_id n);
node_id outline_prev(struct outline *o, node_id n);
/* Edges from the root: a root frame has depth 1. */
uint32_t outline_depth(const struct outline *o, node_id n);

#endif
