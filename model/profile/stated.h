/* stated.h - inclusive costs that a file states itself.
 *
 * A file of sums may state what a function cost with all that it called, and have no stacks, or
 * stacks that were estimated from a call graph.  The total of a function is then the file's
 * number and not what the stacks add up to.  Numbers stand in blocks, one for each track and
 * metric; a function that a block lacks has 0 there.  Zero-initialised is empty. */
#ifndef PNAV_MODEL_STATED_H
#define PNAV_MODEL_STATED_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile/frames.h"
#include "model/profile/metrics.h"
#include "model/profile/tracks.h"

struct stated_block {
	track_id track;
	metric_id metric;
	bool estimated;    /* the stacks of the track are estimates, made of a call graph */
	uint32_t first, n; /* its rows */
};

struct stated {
	struct stated_block *block;
	uint32_t n_blocks, blocks_cap;
	struct stated_row {
		function_id function; /* may occur several times in a block: the numbers add up */
		int64_t total;
	} *row;
	uint32_t n_rows, rows_cap;
};

void stated_release(struct stated *g);
/* A copy with memory of its own. */
struct stated stated_copy(const struct stated *g);
/* A new block, to which the next rows belong. */
void stated_begin(struct stated *g, track_id track, metric_id metric, bool estimated);
/* A function's total in the last block, in the metric's base unit. */
void stated_add(struct stated *g, function_id function, int64_t total);
/* Removes the blocks of this track and of those behind it. */
void stated_drop_from(struct stated *g, track_id first);
/* Are the stacks of one of these tracks estimates?  tracks: [track] 1: asked about; NULL: all. */
bool stated_estimated(const struct stated *g, const uint8_t *tracks);

#endif
