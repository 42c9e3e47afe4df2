/* actorsum.h - sums of states and of edges: the rows of the reports `states` and `edges`. */
#ifndef PNAV_MODEL_FOLD_ACTORSUM_H
#define PNAV_MODEL_FOLD_ACTORSUM_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/base/pace.h"
#include "model/base/vec.h"
#include "model/lens/lens.h"
#include "model/profile/profile.h"

/* One state of one actor, or all edges of one kind between two actors. The actors of overlap lanes
 * count as one, with the name of the track whose lanes they are. */
struct actorsum_row {
	uint8_t what;      /* enum actor_state, or enum edge_kind */
	actor_id from, to; /* of a state: only `to`; `from` is ACTOR_NONE if no thread caused it */
	name_id from_name, to_name; /* NAME_EMPTY for ACTOR_NONE */
	uint64_t count;
	int64_t total_ns, longest_ns; /* of edges: the waits that they ended, whole */
};

struct actorsum {
	VEC(struct actorsum_row) row;
};

/* Sums the states of the actors that the lens includes, cut at the ends of its range, by actor
 * and state. Returns false with usage in *e if the range does not fit the profile. If the pace
 * cancels, the rows are meaningless. */
bool actorsum_states(const struct profile *p, const struct lens *l, struct pace *pace,
		     struct actorsum *out, struct err *e);
/* Sums the edges that arrive in the range at such actors, by total falling, then by names. Fails
 * as actorsum_states() does. */
bool actorsum_edges(const struct profile *p, const struct lens *l, struct pace *pace,
		    struct actorsum *out, struct err *e);
void actorsum_release(struct actorsum *s);

#endif
