/* stated_totals.h - what functions cost with all that they call, as the files state it
 * (stated.h). */
#ifndef PNAV_MODEL_STATED_TOTALS_H
#define PNAV_MODEL_STATED_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile/profile.h"
#include "model/fold/tally.h"

/* The files do not state this total. */
#define STATED_NONE INT64_MIN

/* [function] the total over the tracks of the slice in the metric's base unit, or STATED_NONE;
 * to be freed.  NULL where the stacks decide: a range is chosen, a track that has the metric
 * states no totals, or totals that stand beside estimated stacks are narrowed (`narrowed`: a
 * filter changes the stacks). */
int64_t *stated_totals(const struct profile *p, const struct slice *s, bool narrowed);
/* Each total times `by`, rounded. */
void stated_scale(int64_t *total, uint32_t n, double by);

#endif
