/* regroup.h - a profile as the labels of its events make it: entries `where` and `label`.
 *
 * What is asked of labels is asked of single events, and the numbers of a range are made of
 * checkpoints, which know stacks alone.  So such a lens gets a profile of its own, made in
 * one pass: an event hangs below frames KEY=VALUE, kind system, for each `label KEY` that it
 * has; and one that an entry `where` does not keep is counted on a stack that is shown
 * nowhere (profile->left_out).  From there on a range costs what it always costs, and nobody
 * else has to know of labels.
 *
 *	struct regroup *g = regroup_new();
 *	const struct profile *p = regroup_look(g, loaded, lens, false);
 *	... fold_update(f, p, lens, ...) and all that takes a profile and a fold ...
 *
 * Names, functions, frames, stacks, metrics, tracks and groups that the loaded profile has
 * are the same ids in the other, which has more of them. */
#ifndef PNAV_MODEL_REGROUP_H
#define PNAV_MODEL_REGROUP_H

#include <stdbool.h>
#include <stddef.h>

#include "model/lens/lens.h"
#include "model/base/pace.h"
#include "model/profile/profile.h"

/* Values of a key that get a frame each; the others share one, `KEY=...` with an ellipsis. */
#define REGROUP_VALUES_MAX 1000u

struct regroup;
struct regroup *regroup_new(void);
void regroup_free(struct regroup *g);

/* p itself where no entry of the lens is about labels, else a profile that is g's and stays
 * until the call after the next that makes one; p has to stay as well.  The last one is
 * given again while p has not grown and those entries are the same.  `grows`: p may grow
 * while that is in use.  Costs the events of what has labels, or is left out. */
const struct profile *regroup_look(struct regroup *g, const struct profile *p,
				   const struct lens *l, bool grows);
/* The same with rests; NULL when the pace gave up. */
const struct profile *regroup_look_paced(struct regroup *g, const struct profile *p,
					 const struct lens *l, bool grows, struct pace *pace);

/* Entry i is about labels, on, and nothing in p has such a label. */
bool regroup_unmatched(const struct profile *p, const struct lens *l, size_t i);

#endif
