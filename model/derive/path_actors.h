/* path_actors.h - the threads whose critical path can be shown, with their states.
 *
 * Where the file has states of threads, they are these. Else flows between slices say as much: a
 * thread runs while it has a slice, else it waits. If a flow arrives in the slice that ends the
 * wait, its thread ended the wait when it sent it, and the work was queued until the slice began:
 *
 *	ui   [click, sends]
 *	io   waits for ui  | queued | [load, receives]
 */
#ifndef PNAV_MODEL_DERIVE_PATH_ACTORS_H
#define PNAV_MODEL_DERIVE_PATH_ACTORS_H

#include <stdbool.h>

#include "model/base/pace.h"
#include "model/profile/profile.h"

struct path_actors {
	struct actor *at; /* [actor of the profile] */
	uint32_t n;
	bool flows; /* the states follow from flows: a runnable thread has its work queued */
};

/* Returns true if the states of threads follow from flows, since the file has none. */
bool path_actors_are_flows(const struct profile *p);
/* Returns true if the path of the actor can be shown; `flows`: the above. */
bool path_actors_can(const struct actor *a, bool flows);
/* Finds the states of all actors. If the pace cancels, they are incomplete. */
void path_actors_init(struct path_actors *t, const struct profile *p, struct pace *pace);
void path_actors_release(struct path_actors *t);

#endif
