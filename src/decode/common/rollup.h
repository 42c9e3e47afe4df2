/* rollup.h - trees that are told row by row, the caller before what it calls, and in which
 * each row has the costs of all below it.
 *
 *	struct rollup rows = {0};
 *	while (rollup_close(&rows, depth, &row)) ...  row.stack has row.self itself
 *	rollup_open(&rows, b, &frame, weight, kind, offset);   -- a row at `depth`
 *	while (rollup_close(&rows, 0, &row)) ...      -- at the end
 *	rollup_release(&rows);
 *
 * What a row costs itself is known when its last child is: its weight less theirs, and never
 * less than nothing. */
#ifndef PNAV_SRC_DECODE_COMMON_ROLLUP_H
#define PNAV_SRC_DECODE_COMMON_ROLLUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/vec.h"
#include "model/build/builder.h"

struct rollup_row {
	stack_id stack; /* STACK_NONE as of builder_child() */
	int64_t weight, children;
	int64_t self; /* of a row that is closed */
	unsigned kind; /* the caller's */
	uint64_t offset;
};

/* A zero-initialised list is empty. */
struct rollup {
	VEC(struct rollup_row) open; /* by depth */
	int64_t gap; /* by how much children had more than their row, at most */
};

/* The innermost row that is open, where it lies at `depth` or below; false where there is none. */
bool rollup_close(struct rollup *r, size_t depth, struct rollup_row *out);
/* A row below the innermost that is open; `frame` NULL: one that is no function.  weight >= 0.
 * False, with nothing changed, where a sum would pass 2^63. */
bool rollup_open(struct rollup *r, struct builder *b, const frame_id *frame, int64_t weight,
		 unsigned kind, uint64_t offset);
void rollup_release(struct rollup *r);

#endif
