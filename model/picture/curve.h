/* curve.h - what some stacks cost over time, in columns of a screen.
 *
 * Samples that are rarer than the columns count in each column that they last over, as
 * everywhere (layout.h).
 *
 *	curve_begin(&c, profile, &what);
 *	while (!curve_go_on(&c, 1000000))
 *		...                               -- a frame may be drawn in between
 *
 * Costs columns and checkpoints, not events (tracks.h), a series after the other. */
#ifndef PNAV_MODEL_CURVE_H
#define PNAV_MODEL_CURVE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/picture/layout.h"
#include "model/profile/profile.h"
#include "model/fold/project.h"

struct curve {
	unsigned cols;
	double *value; /* [column] of the stacks asked for, in the base unit of the metric */
	double *whole; /* [column] of all stacks of these tracks */
	bool done;      /* false: the columns are not all there yet */
	uint64_t events; /* how many were read one by one: the cost */
	/* private: what was asked for, and how far it is */
	const struct profile *p;
	struct layout *layout;
	metric_id metric;
	int64_t end;
	uint8_t *in;     /* [stack] */
	uint8_t *tracks; /* [track] */
	uint32_t n_stacks, n_tracks;
	bool all; /* of all stacks that there are */
	track_id track;
	uint32_t series;
	unsigned col;
	uint64_t at;        /* the events before it are in `sum` */
	int64_t sum, before; /* of the stacks in this series: up to event `at`, up to the
			      * column */
};

/* What a curve is of. */
struct curve_of {
	struct layout *layout; /* that knows how long samples last */
	metric_id metric;
	const uint8_t *in; /* [stack], n_stacks of them; later ones are not in it */
	uint32_t n_stacks;
	const uint8_t *tracks; /* [track], n_tracks of them */
	uint32_t n_tracks;
	int64_t end;   /* the columns share [0, end) from each file's first event */
	unsigned cols; /* > 0 */
};

void curve_init(struct curve *c);
void curve_release(struct curve *c);
/* Begins anew; copies what `of` points to, and borrows p and the layout until it is done. */
void curve_begin(struct curve *c, const struct profile *p, const struct curve_of *of);
/* Goes on until about `budget` events and sums were read, but by a column at least; true when
 * it is done.  The profile may have grown in between.  Series that are not in order yet, as
 * while they load, count for nothing. */
bool curve_go_on(struct curve *c, uint64_t budget);
/* Sets in[s] for the stacks that the tree shows with a frame of this key (KEY_NONE: for all
 * that it shows).  O(nodes + stacks). */
void curve_stacks_of(const struct projection *t, key_id key, uint8_t *in);

#endif
