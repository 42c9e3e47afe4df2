/* stated_totals.h - inclusive costs of functions, as the files state them (stated.h). */
#ifndef PNAV_MODEL_FOLD_STATED_TOTALS_H
#define PNAV_MODEL_FOLD_STATED_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/fold/tally.h"
#include "model/profile/profile.h"

/* The files do not state this total. */
#define STATED_NONE INT64_MIN

/* Returns [function] the total over the tracks of the slice in the metric's base unit, or
 * STATED_NONE; the caller frees it. Returns NULL if the totals of the stacks hold: a range is
 * chosen, a track that has the metric states no totals, or the stacks are estimates and a
 * filter changes them (`narrowed`). */
int64_t *stated_totals(const struct profile *p, const struct slice *s, bool narrowed);

#endif
