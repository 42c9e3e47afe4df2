/* prefix_make.h - sums of a series for a file that states them (series_prefix.h). */
#ifndef PNAV_MODEL_PROFILE_PREFIX_MAKE_H
#define PNAV_MODEL_PROFILE_PREFIX_MAKE_H

#include <stdint.h>

#include "model/profile/series.h"

/* Series with fewer events are summed faster than their sums are read. */
#define PREFIX_EVENTS 4096u

/* Returns n numbers as the smallest column, for column_release(). */
struct column prefix_column(const int64_t *v, uint32_t n);
/* Returns a series for series_prefix_free() whose checkpoints are to be stated: of all events, and
 * of as many of those before as take at most `bytes` bytes together, and each at most `most`. None
 * if that does not suffice. */
struct series *series_prefix_of(const struct series *s, uint64_t bytes, uint64_t most);
void series_prefix_free(struct series *s);
/* Returns the number of different stacks of its events, which are below n_stacks. */
uint32_t series_prefix_stacks(const struct series *s, uint32_t n_stacks);

#endif
