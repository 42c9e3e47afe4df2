/* same_tracks.h - tracks, points and calls of a profile that was written and read again. */
#ifndef PNAV_TESTS_LIB_SAME_TRACKS_H
#define PNAV_TESTS_LIB_SAME_TRACKS_H

#include "model/fold/fold.h"
#include "model/profile/profile.h"

enum {
	SAME_NAMES = 1u,  /* of tracks with stacks that show something */
	SAME_TRACKS = 2u, /* all names, their kinds, and the units of counters */
	SAME_EXTENT = 4u, /* where they start and end, in ns */
	SAME_POINTS = 8u,
	SAME_CALLS = 16u, /* how often each function was called on each track, and how long */
	SAME_METRICS = 32u, /* all are carried: else the fold's alone */
};

/* Fails the test if `again` lacks any of these, or has more; `what` names the case. The fold is
 * of p through the lens of the written file; `again` is compared as a whole. */
void check_same_tracks(const char *what, const struct profile *p, const struct fold *f,
		       const struct profile *again, unsigned same);

#endif
