/* single.h - the numbers of one track at a time, each in what the track has and no more.
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
 * A fold of each track costs the stacks of the whole profile, which is a long time where there
 * are many tracks.  Here a track costs its events, once a metric, and the nodes above them. */
#ifndef PNAV_MODEL_SINGLE_H
#define PNAV_MODEL_SINGLE_H

#include "model/fold/fold.h"
#include "model/base/vec.h"

struct single {
	/* the fold's tree, with the branches alone that the track reaches */
	struct projection tree;
	/* of these branches all nodes but the root, rising; of others all numbers are 0 */
	VEC(node_id) node;
	int64_t *self;    /* [node] */
	int64_t *calls;   /* [node]; NULL where calls are not counted */
	uint8_t *present; /* [node] it or something below was recorded in the range */
	/* private */
	const struct profile *p;
	track_id track;
	struct slice slice;
	struct tally tally;
	VEC(stack_id) stack; /* that the track has, in any order */
	uint8_t *had;        /* [stack] it is among them */
	uint8_t *listed;     /* [node] */
	bool counted;
};

/* Range and tree are those of the fold, which stays as it is until x is released.  Tracks that
 * its lens leaves out may be asked, too.  O(stacks). */
void single_init(struct single *x, const struct profile *p, const struct fold *f);
void single_release(struct single *x);
/* The track whose numbers are to be counted. */
void single_track(struct single *x, track_id t);
/* Its numbers of a metric: what a fold of this track alone has. */
void single_count(struct single *x, metric_id m);

#endif
