/* stated.h - inclusive costs that a file states itself.
 *
 * A file of sums may state the inclusive cost of a function, and have no stacks, or stacks that
 * were estimated from a call graph. The total of a function is then the file's number and not
 * the sum of the stacks. Numbers are in blocks, one for each track and metric; a function that
 * a block lacks has 0 there. A zero-initialised struct is empty. */
#ifndef PNAV_MODEL_PROFILE_STATED_H
#define PNAV_MODEL_PROFILE_STATED_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile/frames.h"
#include "model/profile/metrics.h"
#include "model/profile/tracks.h"

struct stated_block {
	track_id track;
	metric_id metric;
	bool estimated;    /* the stacks of the track are estimates from a call graph */
	uint32_t first, n; /* its rows */
};

struct stated {
	struct stated_block *block;
	uint32_t n_blocks, blocks_cap;
	struct stated_row {
		function_id function; /* may occur several times in a block: the numbers are
				       * summed */
		int64_t total;
	} *row;
	uint32_t n_rows, rows_cap;
};

void stated_release(struct stated *g);
/* Returns a copy with its own memory. */
struct stated stated_copy(const struct stated *g);
/* Begins a block, to which the next rows belong. */
void stated_begin(struct stated *g, track_id track, metric_id metric, bool estimated);
/* Adds a function's total to the last block, in the metric's base unit. */
void stated_add(struct stated *g, function_id function, int64_t total);
/* Removes the blocks of this track and of later ones. */
void stated_drop_from(struct stated *g, track_id first);
/* Returns true if the stacks of one of these tracks are estimates. tracks: [track] 1 if
 * included; NULL: all. */
bool stated_estimated(const struct stated *g, const uint8_t *tracks);

#endif
