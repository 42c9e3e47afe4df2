/* path.h - the critical path of a thread: where its time went, and while it waited, what the
 * thread did that ended the wait, recursively. It is the option --why of a lens.
 *
 *	main 7 ─┬─ parse ─┬─ (runs)                     it ran
 *	        │         ├─ [wants a CPU]              it was runnable
 *	        │         └─ [waits for worker 9] ─┬─ compress
 *	        │                                  └─ [waits for a device]
 *	        └─ [waits] ── schedule                  no thread ended the wait; its stack then
 *
 * Where the file has flows between slices and no states, a thread waits while it has no slice, and
 * the frame `[queued]` has the time between the flow and the slice (path_actors.h).
 *
 * The stack of a moment depends on that moment alone: on the state of the thread then, and on the
 * thread that ended the wait. So the path of a range is a part of the path of
 * the whole run, which is made once, and ranges of the lens apply to it as to any profile. */
#ifndef PNAV_MODEL_DERIVE_PATH_H
#define PNAV_MODEL_DERIVE_PATH_H

#include <stdbool.h>

#include "model/base/err.h"
#include "model/base/pace.h"
#include "model/base/vec.h"
#include "model/lens/match.h"
#include "model/profile/profile.h"

/* The largest number of frames `[waits for ...]` of a stack. */
#define PATH_WAITS_MAX 32u

/* A profile with one track `path of THREAD` for each file that has such a thread. Its only metric
 * is `time`. */
struct path {
	struct profile *p; /* NULL: none was made */
	VEC(struct series *) own;
};

/* Returns true if the pattern matches one thread with states in p, of each file at most. Else sets
 * usage in *e, with the threads that it matches, or with the way to record states. */
bool path_fits(const struct profile *p, struct pattern *why, struct err *e);
/* Makes the path of such threads; p must live longer. Cost: O(log n) for each piece. If the pace
 * cancels, the path is incomplete. */
void path_make(const struct profile *p, struct pattern *why, struct pace *pace,
	       struct path *out);
void path_release(struct path *path);

#endif
