/* derived.h - the profile that a lens shows: the loaded one, the critical path of a thread in it
 * (path.h), one of these with what is computed of how many tracks run (wall.h), or one of these by
 * its labels (regroup.h).
 *
 *	struct derived *d = derived_new();
 *	const struct profile *p = derived_look(d, loaded, lens, false, NULL, &e);
 *	... fold_update(f, p, l, ...) and all that takes a profile and a fold ...
 *	derived_free(d);
 */
#ifndef PNAV_MODEL_DERIVE_DERIVED_H
#define PNAV_MODEL_DERIVE_DERIVED_H

#include <stdbool.h>

#include "model/base/err.h"
#include "model/base/pace.h"
#include "model/lens/lens.h"
#include "model/profile/profile.h"

struct derived;
struct derived *derived_new(void);
void derived_free(struct derived *d);

/* From now on, derived profiles have the label `parallelism`, whether the lens names it or not. */
void derived_want_parallelism(struct derived *d);

/* Returns the profile that the lens shows of p. d owns it and keeps it until the second next call
 * that derives another one; p must live as long. The last one is returned again while p has not
 * grown. `grows`: p may grow while the result is in use; a path is then made when it is complete.
 * Returns NULL with usage in *e if the lens has a path that p has not (path_fits()), and without
 * an error if the pace cancels. */
const struct profile *derived_look(struct derived *d, const struct profile *p,
				   const struct lens *l, bool grows, struct pace *pace,
				   struct err *e);

/* Returns what readers of the last derived profile must know, as a sentence; NULL: nothing. */
const char *derived_warning(const struct derived *d);

/* Returns true if p has the path of the lens, if that has one; else sets usage in *e. */
bool derived_fits(const struct profile *p, const struct lens *l, struct err *e);

#endif
