/* timeless.h - ranges of a metric that is known for the whole run only, as the peak of a heap.
 *
 * A range has no part of sums without time. So nothing is left, and users should learn why. */
#ifndef PNAV_MODEL_FOLD_TIMELESS_H
#define PNAV_MODEL_FOLD_TIMELESS_H

#include <stdbool.h>

#include "model/base/buf.h"
#include "model/fold/fold.h"
#include "model/profile/profile.h"

/* Returns true if the fold has a range and its metric has values on the fold's tracks, all of them
 * without time. */
bool timeless_range(const struct fold *f, const struct profile *p);
/* Appends that in words, and the first metric of these tracks that has times, if any. */
void timeless_say(const struct fold *f, const struct profile *p, struct buf *out);

#endif
