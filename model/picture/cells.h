/* cells.h - a picture of what ran when: time in columns, depth of the stack in rows, and boxes.
 *
 * A cell is one column at one row; row 1 is the root frame, row 0 the leaf of whatever depth.
 * It holds the composition of the column at this row: the functions that the functions shown in
 * the row above called, with their shares of the time.  The row shows every function that has
 * an eighth of it; the largest one is the first, of several the one that ran first.
 *
 *	MIX_ONE   one function has 85 %, or three quarters and no other has an eighth
 *	MIX_TWO   two functions have an eighth each, and nine tenths together
 *	MIX_MANY  anything else
 *
 * The fill says how much of the column anything runs at this row.  Where the functions of the
 * row above called nothing, but something else ran so deep, the cell shows that and is
 * `astray`, and so are the cells below it: time is shown where it was spent, and not as a call
 * of what is above. An event without any length counts as one unit of time.  Frames without a
 * name are one function a module.
 *
 * Neighbours of a row with the same composition (the same functions, their shares within 15
 * points), all astray or none, under the same box of the row above, are one box.  A single
 * other cell between two of them is part of it if the first function runs there, too, and if at
 * most one cell in eight is such.  A box ends where nothing runs.
 *
 * Functions that take turns are one box, too: neighbouring boxes below four columns each, whose
 * columns have 85 % of the same functions, two to eight. Boxes of four columns or more belong to it
 * if they hold several functions, with shares within 15 points of the mean of those before them.
 * Together they have 16 columns, and each function has an eighth of three of them. Cells keep what
 * they are; the first function of the box is the largest.
 *
 * Of a lane of held memory, a column shows what is held at its end: shares of bytes; the fill is
 * the part of the most that is ever held. Nothing is called there.
 *
 * Cost: a column reads the blocks of events at its two ends and up to CELLS_BLOCKS between
 * them. With no more blocks than that it is exact. With more it is `about`: the blocks between
 * are divided into CELLS_BLOCKS parts, and one block of each part is read. That block is scaled
 * to the time of its part (to the number of samples, if they have no times). So
 * - the share of a column in which anything runs is exact, if nothing is filtered;
 * - a function that a cell shows did run in that column at that depth;
 * - a function with more than half of the time of every block is what its row shows, and a share
 *   that lies between two bounds in every block lies between them in the fill;
 * - functions in unread blocks are missed. If all blocks read show nothing (filtered, or idle),
 *   others of their part are tried, CELLS_TRIES in a column.
 *
 *	cells_begin(&c, NULL);
 *	for (x = 0; x < n; x++) cells_column(&c, &layout, &lane, from[x], from[x + 1]);
 *	cells_join(&c, &layout);
 *	... cells_at(&c, x, row), cells_boxes(&c, row, &n) ... */
#ifndef PNAV_MODEL_PICTURE_CELLS_H
#define PNAV_MODEL_PICTURE_CELLS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/radix.h"
#include "model/base/vec.h"
#include "model/picture/layout.h"

#define CELLS_BLOCKS 2u
#define CELLS_TRIES 4u

/* How much of a column runs, in eighths that have begun; CELL_FULL from 7/8 on. */
#define CELL_HALF 5u /* from 1/2 on */
#define CELL_FULL 8u

enum mix { MIX_ONE, MIX_TWO, MIX_MANY };

struct time_cell {
	node_id node;   /* of the function with most time; NODE_NONE: nothing runs */
	node_id second; /* of the function with the next most; NODE_NONE: there is one alone */
	uint8_t fill;   /* 1 to CELL_FULL */
	uint8_t mix;    /* enum mix */
	uint8_t share, second_share; /* percent of what runs at this row of the column */
	bool astray;    /* not called by what the row above shows */
	int64_t whole;  /* the time of the functions that it holds: 100 % of the shares */
};

struct cell_box {
	int x, w;       /* columns */
	unsigned row;
	node_id node;   /* of its first cell; of functions that take turns the largest */
	node_id second; /* of its first cell; or another that takes turns */
	uint8_t mix;    /* enum mix */
	uint32_t more;  /* MIX_MANY: how many functions run in it besides the first */
	uint64_t calls; /* of its functions at this row, from begin to end of the box; of MIX_ONE of
			 * the first alone; of leaves (row 0) those that begin in it, at any depth;
			 * of samples their number; 0: none, or not counted */
	bool about;     /* the calls are estimated from a part of the events */
	bool astray;
	bool unfinished; /* one slice whose end the file lacks: cells_find_unfinished() */
};

/* Replaces depths as rows: row[node] is a node's row (0: it has no row of its own), as[node] the
 * node that represents it where it is a leaf. Both are borrowed until the next cells_begin(). */
struct cells_rows {
	const uint16_t *row;
	const node_id *as;
};

/* Private: a function at a row of a column (with the time that its cell holds of it), and a leaf
 * while a column is read. */
struct cells_sum {
	uint16_t row;
	key_id key;
	node_id node;
	uint32_t seen; /* index of the event in which it first occurred, from 1 */
	int64_t time, calls;
};
struct cells_leaf {
	node_id node;
	uint32_t seen;
	int64_t time, calls;
};

/* The held memory that the last column shows; `of` is NULL if it shows none. */
struct cells_held {
	const struct series *of;
	uint64_t event; /* the first that is not in it */
	uint8_t metric; /* `held` of its lane */
};

struct cells {
	unsigned n;    /* number of columns */
	unsigned rows; /* the deepest row with a cell */
	/* private */
	struct cells_rows order; /* row NULL: depths */
	VEC(struct time_cell) cell;
	VEC(size_t) first;  /* [column] index of its cell of row 0 */
	VEC(struct cells_sum) sum;
	VEC(size_t) sums;   /* [column] index of its first sum */
	VEC(uint8_t) about; /* [column] */
	VEC(const struct series *) of; /* [column] */
	VEC(int64_t) end; /* [column] where it ends */
	struct cells_held held;
	int64_t begun; /* what began before this moment is in an earlier column */
	VEC(struct cell_box) box;
	VEC(size_t) boxes; /* [row] index of its first box, and one more element */
	VEC(struct cells_leaf) leaf;
	VEC(struct radix_item) item;        /* scratch to sort the sums of a column */
	VEC(struct cells_sum) unsorted;
	VEC(struct cells_sum) part; /* the functions of a row, one each */
	VEC(size_t) counted;        /* [key] 1 + the last box that counted it */
	VEC(node_id) shown; /* marked in the layout's `met` while a column is made */
	/* number of frames of the column's first stack that began in earlier columns */
	uint16_t before;
	bool leaf_before; /* its leaf, too */
};

/* A part of a cell in percent, rounded. */
static inline uint8_t
cells_share(int64_t part, int64_t whole)
{
	return whole > 0 ? (uint8_t)(100 * (double)part / (double)whole + 0.5) : 0;
}

void cells_init(struct cells *c);
void cells_release(struct cells *c);
/* Begins an empty picture; `order` NULL: rows are depths. */
void cells_begin(struct cells *c, const struct cells_rows *order);
/* Appends a column: [from, to) of a lane; lane NULL: an empty column. */
void cells_column(struct cells *c, struct layout *l, const struct layout_lane *lane,
		  int64_t from, int64_t to);
/* Removes the last column. */
void cells_drop(struct cells *c);
/* Appends n columns of [from, to), estimated from `old`, a picture of the lane over [old_from,
 * old_to). It serves as a preview until the columns are made. Counts no calls, and leaves empty
 * what `old` does not cover. */
void cells_stretch(struct cells *c, const struct cells *old, int64_t old_from,
		   int64_t old_to, int64_t from, int64_t to, unsigned n);
/* Makes the boxes. Call it after the last column. */
void cells_join(struct cells *c, const struct layout *l);

/* Marks the boxes of three columns or more that are one slice with this label, LABEL_NONE: none
 * are. The lane and [from, to) are those of the columns. Call it after cells_join(). */
void cells_find_unfinished(struct cells *c, struct layout *l, struct layout_lane *lane,
			   label_id label, int64_t from, int64_t to);

/* Returns the cell of a row; node is NODE_NONE if nothing runs there. */
struct time_cell cells_at(const struct cells *c, unsigned x, unsigned row);
/* Returns the boxes of a row from left to right and their number *n; NULL if there are none.
 * Valid until cells_begin(). */
const struct cell_box *cells_boxes(const struct cells *c, unsigned row, size_t *n);

#endif
