/* sample_weight.h - how much of a metric a sample of a profile stands for. */
#ifndef PNAV_MODEL_SAMPLE_WEIGHT_H
#define PNAV_MODEL_SAMPLE_WEIGHT_H

#include <stdbool.h>

#include "model/profile/profile.h"
#include "model/fold/tally.h"

/* The weight of a sample of a slice, in the metric's base unit: a total of independent samples
 * has this weight times itself as its variance.  0: not all of the slice was sampled.  Sets
 * *untimed where some of it has no time, and leaves it as it is elsewhere.
 * O(series), and at most some 65,536 samples are read. */
double sample_weight(const struct profile *p, const struct slice *of, bool *untimed);

#endif
