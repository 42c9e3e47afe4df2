/* rollup.h - computes self costs from a tree of total costs, row by row, each caller before its
 * callees.
 *
 *	struct rollup rows = {0};
 *	while (rollup_close(&rows, depth, &row)) ...  row.stack has row.self itself
 *	rollup_open(&rows, b, &frame, weight, kind, offset);   -- a row at `depth`
 *	while (rollup_close(&rows, 0, &row)) ...      -- at the end
 *	rollup_release(&rows);
 *
 * The self of a row is known after its last child: its weight minus theirs, and at least 0. */
#ifndef PNAV_SRC_DECODE_COMMON_ROLLUP_H
#define PNAV_SRC_DECODE_COMMON_ROLLUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/vec.h"
#include "model/build/builder.h"

struct rollup_row {
	stack_id stack; /* STACK_NONE if builder_child() returned it */
	int64_t weight, children;
	int64_t self; /* of a closed row */
	unsigned kind; /* data of the caller */
	uint64_t offset;
};

/* Zero-initialised, it is empty. */
struct rollup {
	VEC(struct rollup_row) open; /* by depth */
	int64_t gap; /* the maximum by which children exceeded their row */
};

/* Closes the innermost open row if it is at `depth` or below; false if there is none. */
bool rollup_close(struct rollup *r, size_t depth, struct rollup_row *out);
/* Adds a row below the innermost open one; `frame` NULL: not a function. weight >= 0. Returns
 * false, with nothing changed, if a sum would exceed 2^63. */
bool rollup_open(struct rollup *r, struct builder *b, const frame_id *frame, int64_t weight,
		 unsigned kind, uint64_t offset);
void rollup_release(struct rollup *r);

#endif
