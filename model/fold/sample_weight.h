/* sample_weight.h - the weight of one sample of a profile. */
#ifndef PNAV_MODEL_FOLD_SAMPLE_WEIGHT_H
#define PNAV_MODEL_FOLD_SAMPLE_WEIGHT_H

#include <stdbool.h>

#include "model/fold/tally.h"
#include "model/profile/profile.h"

/* Returns the weight of a sample of a slice, in the metric's base unit: the variance of a total
 * of independent samples is the total times this weight. Returns 0 if not all of the slice was
 * sampled. Sets *untimed to true if part of it has no time; else leaves it unchanged. O(series),
 * and reads at most some 65,536 samples. */
double sample_weight(const struct profile *p, const struct slice *of, bool *untimed);

#endif
