/* wall.h - how many tracks run at once: the metric `wall` and the label `parallelism`.
 *
 * Both follow from one clock for each file (wallclock.h), which one pass over the events of its
 * running series makes (running.h). A step or sample of such a series has
 *
 *	wall         by how much the clock advances while it runs
 *	parallelism  how many tracks run meanwhile: steps are cut where that changes, a sample has
 *	             the rounded mean
 *
 * A sample runs as long as it is drawn (layout.h). */
#ifndef PNAV_MODEL_DERIVE_WALL_H
#define PNAV_MODEL_DERIVE_WALL_H

#include <stdbool.h>

#include "model/base/pace.h"
#include "model/base/vec.h"
#include "model/profile/profile.h"

/* The clocks of a profile, [group]. */
struct wall_clocks {
	struct wall_clock *at; /* NULL: none were made */
	struct wall_clock *beside; /* of programs that were recorded beside the command */
	uint8_t *kind;         /* enum track_kind of the tracks that run */
	metric_id base;        /* running_base() */
	uint32_t n;
};

/* Makes the clocks of p. If the pace cancels, they are incomplete. */
void wall_clocks_make(struct wall_clocks *c, const struct profile *p, struct pace *pace);
/* Receives a clock that is known up to and including `until`, again and again while it is made. The
 * last time, `until` is INT64_MAX. May drop changes (wall_clock_drop()). */
typedef void wall_known(void *ctx, struct wall_clock *c, int64_t until);
/* The same for a reader that needs no clock as a whole: it may be larger than the events. */
void wall_clocks_read(struct wall_clocks *c, const struct profile *p, struct pace *pace,
		      wall_known *known, void *ctx);
void wall_clocks_release(struct wall_clocks *c);
/* Returns the clock of a series of p, or of one derived from it; NULL: it does not run. */
const struct wall_clock *wall_clock_of(const struct wall_clocks *c, const struct profile *p,
				       const struct series *s);

/* Numbers of running tracks that one row of shares has: 0, 1, 2, 3-4, 5-8, ... */
#define WALL_ROWS (WALL_RUNNING_BITS + 2)

/* For how long that many tracks of a file run at once, within the range and the file's times. */
struct wall_shares {
	bool whole;       /* there is no range */
	int64_t from, to; /* since the file's first event */
	double ns[WALL_ROWS];
	unsigned rows; /* those that occur, and all below them */
	double busy;   /* ns with any track */
	double area;   /* the time that each track ran, added up */
};

/* Returns the shares of p in a range of time since each file's first event, [group]; the caller
 * frees them. Needs no memory for the changes. If the pace cancels, they are incomplete. */
struct wall_shares *wall_shares_make(const struct profile *p, bool whole, int64_t from, int64_t to,
				     struct pace *pace);

/* Bits for the parts that a lens needs. */
#define WALL_METRIC 1u /* a metric of p that is `computed` */
#define WALL_LABEL 2u
#define WALL_ANY_ORDER 4u /* the ids of that label and its sets may be in any order: for sums */

/* A profile whose running series have such a metric or label. */
struct wall {
	struct profile *p; /* NULL: none was made */
	VEC(struct series *) own;
	struct wall_clocks clocks;
	bool means; /* cutting would have more than quadrupled the steps, so each has its mean */
};

/* Makes it from p, which must live longer; `needs` are WALL_ bits. If the pace cancels, the result
 * is incomplete. */
void wall_make(const struct profile *p, unsigned needs, struct pace *pace, struct wall *out);
void wall_release(struct wall *w);

/* The name of the label. */
#define WALL_LABEL_NAME "parallelism"

/* Returns the WALL_ bits that a lens needs: its metric, and what its entries say of labels. A label
 * of the profile with that name comes first. */
struct lens;
unsigned wall_needs(const struct profile *p, const struct lens *l);

#endif
