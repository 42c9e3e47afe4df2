/* builder_load.h - what the loader does with a builder, and a decoder does not. */
#ifndef PNAV_MODEL_BUILD_BUILDER_LOAD_H
#define PNAV_MODEL_BUILD_BUILDER_LOAD_H

#include <stdint.h>

struct builder;
struct profile;

/* If there is a core for it, writes appended events on a separate thread after `runs` runs of
 * events. As always, readers must call builder_settle() first. */
void builder_beside(struct builder *b, uint32_t runs);
/* Writes buffered events. Call it before you pass the profile to a reader (src/load.c). */
void builder_settle(struct builder *b);
/* Says how much of the input is read: `done` of `all`, 0: unknown. Tables grow by what this lets
 * expect. */
void builder_expect(struct builder *b, uint64_t done, uint64_t all);
/* Replaces builder_finish() for a refused file: removes its tracks, keeps its names. For the
 * last group only. */
void builder_discard(struct builder *b);
/* Declares the metrics that pnav computes for a profile whose last file was read: `wall`, or
 * `wall-time` if a file has that name, if tracks run over time (running.h). */
void builder_compute_metrics(struct profile *p);

#endif
