/* losses.h - warns once about what a format cannot represent. */
#ifndef PNAV_SRC_ENCODE_LOSSES_H
#define PNAV_SRC_ENCODE_LOSSES_H

#include "src/encode/shown.h"

#define LOSSES(X)                                                                          \
	X(TIME, "times")                                                                   \
	X(AXIS, "that times are not in ns")                                                \
	X(NO_TIME, "that sums have no time")                                               \
	X(PATHS, "paths longer than a call")                                               \
	X(TRACKS, "tracks")                                                                \
	X(KINDS, "which tracks are no threads")                                            \
	X(CALLS, "counts of calls")                                                        \
	X(MODULES, "modules")                                                              \
	X(LINES, "files and lines")                                                        \
	X(DEFINED, "lines of definitions")                                                 \
	X(RAN, "which lines ran")                                                          \
	X(LABELS, "labels")                                                                \
	X(POINTS, "counters, states and marks")                                            \
	X(STATES, "what threads waited for and who woke them")                             \
	X(FLOWS, "flows and links")                                                        \
	X(SAMPLES, "counts of samples")                                                    \
	X(METRICS, "other metrics")                                                        \
	X(TOTALS, "totals of a flat report")                                               \
	X(VALUES, "values of slices")                                                      \
	X(SYSTEM, "which functions are system or idle")                                    \
	X(SYSTEM_ELSE, "which functions outside of the kernel are system or idle")

enum loss_bit {
#define LOSS_BIT(name, text) LOSS_BIT_##name,
	LOSSES(LOSS_BIT)
#undef LOSS_BIT
};
enum {
#define LOSS(name, text) LOSES_##name = 1u << LOSS_BIT_##name,
	LOSSES(LOSS)
#undef LOSS
};

/* Warns, in one line, about those of the losses (LOSES_) that affect what the lens shows. */
void losses_warn(const struct shown *s, unsigned loses);

#endif
