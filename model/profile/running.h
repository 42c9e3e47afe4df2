/* running.h - which events say that a track runs, for questions about how many run at once.
 *
 * A file's *running series* are those of its threads; if it has none, of its tasks; else of its
 * cores. They have steps, or samples of the base metric, on an axis of time. Samples of functions
 * of kind idle, such as (idle) of V8, do not run. */
#ifndef PNAV_MODEL_PROFILE_RUNNING_H
#define PNAV_MODEL_PROFILE_RUNNING_H

#include <stdbool.h>

#include "model/profile/profile.h"

/* Returns the default metric if it is a time or a number of samples, else the first such metric,
 * else METRIC_NONE. Metrics of waits and switches are none. */
metric_id running_base(const struct profile *p);
/* Returns true if the metric is the time that threads spent off the CPU. */
bool running_is_off_cpu(const struct profile *p, metric_id m);
/* Returns true if the metric is the time that threads wanted a CPU. */
bool running_is_runnable(const struct profile *p, metric_id m);
/* Returns true if the metric is the time of waits that were measured from begin to end, not
 * sampled: off the CPU, or runnable and not running. */
bool running_is_wait(const struct profile *p, metric_id m);
/* Returns true if the series would be a running one on a track of that kind; `base` is
 * running_base(). Reads neither the kind nor the file of its track. */
bool running_fits(const struct profile *p, const struct series *s, metric_id base);
/* Returns which stacks end in a function of kind idle, [stack]; NULL if there is no such function.
 * The caller frees it. O(functions), and the stacks if there is one. */
uint8_t *running_idle(const struct profile *p);
/* Returns the kind of the tracks that run in a file; TRACK_MARKS: none do. */
enum track_kind running_kind(const struct profile *p, uint32_t group, metric_id base);
/* Returns for each track, [track], the one whose overlap lane it is, `NAME (overlap N)` (slices.h);
 * itself if it is none. The caller frees the array. */
track_id *running_owners(const struct profile *p);

#endif
