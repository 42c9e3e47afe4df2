/* runs.h - the runs of one side of a comparison: its files, or the hosts of a store.
 *
 * The differences between runs show how much a total varies from run to run. A file is a run. The
 * profile of a store has many files in one: there each host is a run, which was recorded for a
 * known time. */
#ifndef PNAV_MODEL_FOLD_RUNS_H
#define PNAV_MODEL_FOLD_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/fold/tally.h"
#include "model/profile/profile.h"

#define RUN_NONE UINT32_MAX

struct side_runs {
	uint32_t n;       /* at least 1 */
	uint32_t *of;     /* [track] its run, or RUN_NONE; NULL: one run has all tracks */
	double *recorded; /* [run] ns; 1 where no time is known; NULL: the runs are files */
	double all;       /* the sum of `recorded`, 0 for files */
	bool timeless;    /* hosts whose times are not known count as equally long */
};

/* Finds the runs of the slice, which is the base of the comparison, or the other side. Call
 * runs_release(). In a range of the profile each host counts as recorded for all of the range. */
void runs_make(struct side_runs *r, const struct profile *p, const struct slice *s, bool base);
void runs_release(struct side_runs *r);

#endif
