/* foldusage.h - what the threads of a fold's stacks wait for, read and write, beside its metric.
 *
 * A recording of the whole system may have the metrics of record --usage, whose samples have no
 * stack, only labels.  They are worth a table beside another metric: a group that uses little of
 * a CPU may wait for one. */
#ifndef PNAV_MODEL_FOLD_FOLDUSAGE_H
#define PNAV_MODEL_FOLD_FOLDUSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/pace.h"
#include "model/fold/project.h"
#include "model/fold/tally.h"

enum foldusage_kind {
	FOLDUSAGE_WAITING, /* ns ready to run without a CPU */
	FOLDUSAGE_BLOCKED, /* ns waiting for block I/O */
	FOLDUSAGE_IO,      /* bytes from and to storage */
	FOLDUSAGE_THREADS, /* ns that threads existed */
	FOLDUSAGE_KINDS,
};

struct foldusage {
	bool any; /* the profile has such metrics */
	metric_id metric[FOLDUSAGE_KINDS]; /* METRIC_NONE: it lacks this one */
	int64_t *total[FOLDUSAGE_KINDS];   /* [node] including all nodes below; NULL likewise */
};

/* Returns true if p is of a recording with --usage. */
bool foldusage_has(const struct profile *p);
/* Computes the sums on the tree t of p over the range and tracks of `s`, whose metric is ignored.
 * Does nothing for a profile without these metrics.  If the pace cancels, the sums are
 * meaningless. */
void foldusage_make(struct foldusage *u, const struct profile *p, const struct projection *t,
		    const struct slice *s, struct pace *pace);
void foldusage_release(struct foldusage *u);

#endif
