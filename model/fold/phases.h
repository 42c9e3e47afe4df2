/* phases.h - when does the mix of the work change over the run?
 *
 * The run is cut into windows, and the cost of each is divided among the top-level functions: the
 * children of the deepest frame that has nearly all of the cost.  A phase is a stretch of windows
 * with another mix than the stretches beside it. */
#ifndef PNAV_MODEL_FOLD_PHASES_H
#define PNAV_MODEL_FOLD_PHASES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/pace.h"
#include "model/fold/numbers.h"
#include "model/fold/phases_mix.h"
#include "model/fold/project.h"
#include "model/fold/tally.h"

#define PHASES_WINDOWS 40u
#define PHASES_CUTS 19u /* a phase has 5 % of the run at least */

/* The input: a tree, the numbers of its nodes, the events behind them, and the range of these,
 * which ends after the last. */
struct phases_asks {
	const struct profile *p;
	const struct projection *tree;
	const struct fold_numbers *numbers;
	struct slice slice;
	int64_t from, to;
	unsigned windows; /* at most PHASES_WINDOWS */
	unsigned stretches; /* a phase is as long as this many stretches of one work */
	bool idle;        /* the time in which less runs than at most is work, too */
	struct pace *pace;
};

struct phases {
	unsigned n; /* cuts; there is a phase more */
	int64_t cut[PHASES_CUTS]; /* in order, within the range */
	unsigned works;           /* 0: all others; the last one: idle, if asked for */
	node_id work[PHASES_WORKS]; /* [1 and up] the top-level function; NODE_NONE: none */
	struct phases_mix mix[PHASES_CUTS + 1]; /* of each phase */
};

/* Finds the phases of a range. The cost is that of counting each window once, and 32 parts for each
 * cut. If the pace cancels, the result is meaningless. */
void phases_find(struct phases *out, const struct phases_asks *asks);
/* Returns true if two phases are alike: half of their work is the same. */
bool phases_come_again(const struct phases *x);
/* Returns true if both, of one tree, have the same phases in the same order. */
bool phases_same(const struct phases *a, const struct phases *b);

#endif
