/* single.h - the numbers of one track at a time, at a cost that depends on that track only.
 *
 *	struct single x;
 *	single_init(&x, profile, fold);
 *	for (each track t) {
 *		single_track(&x, t);
 *		single_count(&x, metric);
 *		for (size_t i = 0; i < x.node.n; i++)
 *			... x.node.at[i], x.self[x.node.at[i]] ...
 *	}
 *	single_release(&x);
 *
 * A fold per track costs all stacks of the profile, which is slow with many tracks. Here a track
 * costs its events, once per metric, and the nodes above them. */
#ifndef PNAV_MODEL_FOLD_SINGLE_H
#define PNAV_MODEL_FOLD_SINGLE_H

#include "model/base/vec.h"
#include "model/fold/fold.h"

struct single {
	/* the fold's tree, reduced to the branches that the track reaches */
	struct projection tree;
	/* all nodes of these branches but the root, ascending; the numbers of all others are 0 */
	VEC(node_id) node;
	int64_t *self;    /* [node] */
	int64_t *calls;   /* [node]; NULL if calls are not counted */
	uint8_t *present; /* [node] 1 if it or a node below was recorded in the range */
	/* private */
	const struct profile *p;
	track_id track;
	struct slice slice;
	struct tally tally;
	VEC(stack_id) stack; /* stacks of the track, in any order */
	uint8_t *had;        /* [stack] 1 if it is among them */
	uint8_t *listed;     /* [node] */
	bool counted;
};

/* Takes range and tree from the fold, which must not change until x is released. Also serves
 * tracks that the lens excludes. O(stacks). */
void single_init(struct single *x, const struct profile *p, const struct fold *f);
void single_release(struct single *x);
/* Selects the track to count. */
void single_track(struct single *x, track_id t);
/* Counts a metric of that track: the same numbers as a fold of this track alone. */
void single_count(struct single *x, metric_id m);

#endif
