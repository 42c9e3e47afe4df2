/* regroup.h - a profile derived by the labels of its events: entries `where` and `label`.
 *
 * Conditions on labels apply to single events, but the numbers of a range come from checkpoints,
 * which know only stacks. So such a lens gets a derived profile, made in one pass. An event
 * moves below frames KEY=VALUE, kind system, for each `label KEY` that it has. An event that an
 * entry `where` rejects moves to a stack that is never shown (profile->left_out). From then on a
 * range costs what it always costs, and no other code handles labels.
 *
 *	struct regroup *g = regroup_new();
 *	const struct profile *p = regroup_look(g, loaded, lens, false, NULL);
 *	... fold_update(f, p, lens, ...) and all that takes a profile and a fold ...
 *
 * Ids of names, functions, frames, stacks, metrics, tracks and groups of the loaded profile are
 * valid in the derived one, which has more of them. */
#ifndef PNAV_MODEL_LENS_REGROUP_H
#define PNAV_MODEL_LENS_REGROUP_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/pace.h"
#include "model/lens/lens.h"
#include "model/profile/profile.h"

/* The number of values of a key with a frame each; the others share one, `KEY=...` with an
 * ellipsis. */
#define REGROUP_VALUES_MAX 1000u

struct regroup;
struct regroup *regroup_new(void);
void regroup_free(struct regroup *g);

/* Returns p itself if no entry of the lens is about labels, else the derived profile. g owns it
 * and keeps it until the second next call that derives one, or until the next one if p has grown;
 * p must live as long. The last one is returned again while p has not grown and those entries are
 * the same. `grows`: p may grow while the result is in use; then samples of other metrics than the
 * lens's are derived only from the begin of its range on. Cost: the events that have labels or are
 * rejected. Returns NULL if the pace cancels. */
const struct profile *regroup_look(struct regroup *g, const struct profile *p,
				   const struct lens *l, bool grows, struct pace *pace);

/* Returns true if some entry of the lens is about labels and not off. */
bool regroup_asked(const struct lens *l);
/* Returns true if entry i is about labels and not off, and no label of p matches. */
bool regroup_unmatched(const struct profile *p, const struct lens *l, size_t i);

#endif
