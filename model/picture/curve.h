/* curve.h - the cost of some stacks over time, in columns of a screen.
 *
 * Samples count in each column that they last over, as everywhere (layout.h).
 *
 *	curve_begin(&c, profile, &what);
 *	while (!curve_go_on(&c, 1000000))
 *		...                               -- a frame may be drawn in between
 *
 * The cost is columns and checkpoints, not events (tracks.h), one series after the other. */
#ifndef PNAV_MODEL_PICTURE_CURVE_H
#define PNAV_MODEL_PICTURE_CURVE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/fold/project.h"
#include "model/picture/layout.h"
#include "model/profile/profile.h"

struct curve {
	unsigned cols;
	double *value; /* [column] of the chosen stacks, in the base unit of the metric */
	double *whole; /* [column] of all stacks of these tracks; NULL: not asked for */
	bool done;      /* false: some columns are not computed yet */
	uint64_t events; /* number of events read one by one: the cost */
	/* private: the request, and the progress */
	const struct profile *p;
	struct layout *layout;
	metric_id metric;
	int64_t end;
	uint8_t *in;     /* [stack] */
	uint8_t *tracks; /* [track] */
	uint32_t n_stacks, n_tracks;
	bool all; /* all stacks are chosen */
	track_id track;
	uint32_t series;
	unsigned col;
	struct layout_lane lane; /* of the series */
	double behind;           /* of the chosen samples before the column, in and after it */
	uint64_t at;        /* `sum` includes the events before this one */
	int64_t sum, before; /* of the chosen stacks in this series: up to event `at`, up to the
			      * column */
};

/* The request. */
struct curve_of {
	struct layout *layout; /* for the duration of samples */
	metric_id metric;
	const uint8_t *in; /* [stack], n_stacks of them; later stacks are not chosen */
	uint32_t n_stacks;
	const uint8_t *tracks; /* [track], n_tracks of them */
	uint32_t n_tracks;
	int64_t end;   /* the columns share [0, end) from each file's first event */
	unsigned cols; /* > 0 */
	bool no_whole; /* curve.whole is not needed */
};

void curve_init(struct curve *c);
void curve_release(struct curve *c);
/* Starts over. Copies what `of` points to, and borrows p and the layout until it is done. */
void curve_begin(struct curve *c, const struct profile *p, const struct curve_of *of);
/* Continues until about `budget` events and sums were read, for at least one column; returns
 * true when done. The profile may grow between calls. Series that are not sorted (yet, while
 * they load) count as empty. */
bool curve_go_on(struct curve *c, uint64_t budget);
/* Sets in[s] for the stacks that the tree shows with a frame of this key (KEY_NONE: for all
 * stacks that it shows). O(nodes + stacks). */
void curve_stacks_of(const struct projection *t, key_id key, uint8_t *in);
/* The same for the stacks of a node and those below it. */
void curve_stacks_below(const struct projection *t, node_id node, uint8_t *in);

#endif
