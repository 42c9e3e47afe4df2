/* cells.h - a picture of what ran when: columns of time by depths of stacks, and boxes.
 *
 * A cell is one column at one row; row 1 is the root frame, row 0 the leaf of whatever depth.
 * It shows the function with most of the column's time at that row of those that the one in
 * the row above called (of several the one that ran first), and how much of the column
 * anything runs there: its shade.  Where what stands above called nothing, but something else
 * ran so deep, the cell shows that and is `astray`, and what stands below it, too: time
 * is shown where it was spent, and nobody takes it for a call of what is above.  An event
 * without any length counts as one unit of time.  Frames without a name are one function a
 * module.
 *
 * Neighbours of a row with the same function, all astray or none, under the same box of the
 * row above, are one box; a single odd cell between two of them is part of it.  Where nothing runs
 * a box ends.
 *
 * What it costs: a column reads the blocks of events at its two ends and up to CELLS_BLOCKS
 * between them.  With no more under it the column is exact.  With more it is `about`: those
 * between are divided into CELLS_BLOCKS parts, of each one block is read, and counts as the
 * part does: by the time (of samples without times: the number) that the part has in all.  So
 *  - how much of it runs at all is exact, where nothing is filtered;
 *  - what a cell shows runs in its column at that depth, in events that were read;
 *  - a function with more than half of the time of every block is what its row shows, and
 *    time that is between two shares of every block is so in the shade;
 *  - what runs in blocks that are not read is missed, unless all that are read show nothing
 *    at all (a filter, or idle): then others of their part are tried, CELLS_TRIES in a column.
 *
 *	cells_begin(&c, NULL);
 *	cells_lane(&c, &layout, &lane, from, to, n);
 *	cells_join(&c, &layout);
 *	... cells_at(&c, x, row), cells_boxes(&c, row, &n) ... */
#ifndef PNAV_MODEL_CELLS_H
#define PNAV_MODEL_CELLS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/picture/layout.h"
#include "model/base/radix.h"
#include "model/base/vec.h"

#define CELLS_BLOCKS 2u
#define CELLS_TRIES 4u

enum shade { SHADE_NONE, SHADE_LIGHT, SHADE_HALF, SHADE_FULL }; /* from 1/2, from 7/8 on */

struct time_cell {
	node_id node; /* the node of the function with most time; NODE_NONE: nothing runs */
	uint8_t shade; /* enum shade */
	bool astray;   /* not called by what the row above shows */
};

struct cell_box {
	int x, w;      /* columns */
	node_id node;  /* of its first cell */
	uint64_t calls; /* of its function at this row, from begin to end of the box; of
			 * samples how many there are; 0: not counted, as of leaves */
	bool about;     /* that was reckoned from a part of the events */
	bool astray;
};

/* Rows other than depths: row[node] is its row (0: it has none of its own), as[node] the
 * node that stands for it where it is a leaf.  Both borrowed until the next cells_begin(). */
struct cells_rows {
	const uint16_t *row;
	const node_id *as;
};

/* Private: a function at a row of a column, and a leaf while a column is read. */
struct cells_sum {
	uint16_t row;
	key_id key;
	node_id node;
	uint32_t seen; /* the number of the event in which it was seen first, from 1 */
	int64_t time, calls;
};
struct cells_leaf {
	node_id node;
	uint32_t seen;
	int64_t time, calls;
};

struct cells {
	unsigned n;    /* columns */
	unsigned rows; /* the deepest row that a cell is in */
	/* private */
	struct cells_rows order; /* row NULL: depths */
	VEC(struct time_cell) cell;
	VEC(size_t) first;  /* [column] its cell of row 0 */
	VEC(struct cells_sum) sum;
	VEC(size_t) sums;   /* [column] its first sum */
	VEC(uint8_t) about; /* [column] */
	VEC(const struct series *) of; /* [column] */
	VEC(struct cell_box) box;
	VEC(size_t) boxes; /* [row] its first box, and one more */
	VEC(struct cells_leaf) leaf;
	VEC(struct radix_item) item;        /* for sorting the sums of a column */
	VEC(struct cells_sum) unsorted;
	VEC(node_id) shown; /* marked in the layout's `met` while a column is made */
	uint16_t before;  /* so many frames of what runs first in a column began earlier */
	bool leaf_before; /* its leaf, too */
};

void cells_init(struct cells *c);
void cells_release(struct cells *c);
/* An empty picture; `order` NULL: rows are depths. */
void cells_begin(struct cells *c, const struct cells_rows *order);
/* One more column, [from, to) of a lane; NULL: an empty one. */
void cells_column(struct cells *c, struct layout *l, const struct layout_lane *lane,
		  int64_t from, int64_t to);
/* Takes the last column back. */
void cells_drop(struct cells *c);
/* n columns of one lane. */
void cells_lane(struct cells *c, struct layout *l, const struct layout_lane *lane,
		int64_t from, int64_t to, unsigned n);
/* n columns of [from, to) as they are known from another picture of the lane, `old`, one of
 * [old_from, old_to): a first look at it, until cells_lane() has been there.  No calls are
 * counted, and what `old` does not show is empty. */
void cells_stretch(struct cells *c, const struct cells *old, int64_t old_from,
		   int64_t old_to, int64_t from, int64_t to, unsigned n);
/* Makes the boxes, after the last column. */
void cells_join(struct cells *c, const struct layout *l);

/* The cell of a row; one with NODE_NONE where nothing runs. */
struct time_cell cells_at(const struct cells *c, unsigned x, unsigned row);
/* The boxes of a row from left to right, and how many; NULL where none is.  Valid until
 * cells_begin(). */
const struct cell_box *cells_boxes(const struct cells *c, unsigned row, size_t *n);

#endif
