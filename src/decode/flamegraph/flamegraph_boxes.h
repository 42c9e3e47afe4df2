/* flamegraph_boxes.h - from the boxes of a flame graph to stacks. For flamegraph*.c alone.
 *
 * A picture has boxes in any order, each with its place and the sum of its samples:
 *
 *	level 2          │ read │
 *	level 1   │    parse    │ draw │       parse: total 60, self 60 - 25
 *	level 0   │        main        │
 *	          x ─►
 *
 * The caller of a box is the box below it in whose extent it lies. Places may be rounded; then a
 * box whose middle lies in one caller, whose sum it would exceed, belongs to a neighbour. */
#ifndef PNAV_SRC_DECODE_FLAMEGRAPH_BOXES_H
#define PNAV_SRC_DECODE_FLAMEGRAPH_BOXES_H

#include "model/base/vec.h"
#include "src/decode/decoder.h"

struct flamegraph_box {
	int64_t level; /* 0: the root; the writer of boxes may use any numbers in this order */
	int64_t x, width;
	int64_t value; /* of the box and all above it */
	int64_t rest;  /* of value, that no callee has taken */
	frame_id frame;
	stack_id stack;
	uint64_t offset;
};

struct flamegraph_boxes {
	VEC(struct flamegraph_box) at;
	int64_t slack;   /* by which places may differ from the true ones */
	bool root_frame; /* the root is a frame of the program, not `all` */
	uint64_t odd;    /* boxes without a caller, or larger than it */
};

/* Writes a total for each box that has samples of its own. Boxes that lie outside all boxes below
 * them are counted in `odd`. */
bool flamegraph_boxes_write(struct flamegraph_boxes *b, struct builder *to, struct series *s,
			    struct err *e);

#endif
