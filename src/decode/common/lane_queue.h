/* lane_queue.h - numbers of the lanes of intervals that run side by side.
 *
 *	struct lane_queue q = {0};
 *	lane_queue_free(&q, start);		-- lanes whose interval has ended by then
 *	lane = lane_queue_take(&q, end, most);	-- in the order of the starts
 *	lane_queue_release(&q);
 *
 * An interval takes the lowest number that is free. Both calls are O(log n). */
#ifndef PNAV_SRC_DECODE_COMMON_LANE_QUEUE_H
#define PNAV_SRC_DECODE_COMMON_LANE_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/vec.h"

/* Zero-initialised, it has no lanes. */
struct lane_queue {
	uint32_t n; /* lanes so far: 0 to n - 1 */
	VEC(struct lane_turn {
		uint64_t key; /* the end of the interval in it; 0 for free lanes */
		uint32_t lane;
	}) busy, idle; /* heaps: the least key, then the lowest lane, is first */
};

/* Frees the lanes whose interval ends by this time. Returns true if a lane is free. */
bool lane_queue_free(struct lane_queue *q, uint64_t start);
/* Returns the lane of an interval with this end: the lowest that is free, or else a new one. With
 * `most` lanes, the one whose interval ends first, which the caller must shorten. */
uint32_t lane_queue_take(struct lane_queue *q, uint64_t end, uint32_t most);
void lane_queue_release(struct lane_queue *q);

#endif
