/* bsprof_batch.h - measurements, some at once.
 *
 * Nearly all entries of a file are measurements whose numbers are small.  Those are read here;
 * whatever else comes, or is wrong, is bsprof_here()'s. */
#ifndef PNAV_SRC_DECODE_BSPROF_BSPROF_BATCH_H
#define PNAV_SRC_DECODE_BSPROF_BSPROF_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "src/decode/bsprof/bsprof_paths.h"
#include "src/decode/bsprof/bsprof_read.h"

#define BSPROF_BATCH 32u

/* Fields as those of struct bsprof_entry. */
struct bsprof_batch {
	uint32_t n, next; /* how many there are, and how many of them are done */
	uint64_t offset;  /* of the first */
	uint8_t type[BSPROF_BATCH], op[BSPROF_BATCH];
	uint32_t id[BSPROF_BATCH], line[BSPROF_BATCH];
	uint32_t at[BSPROF_BATCH]; /* where it begins, from the first on */
	uint64_t value[BSPROF_BATCH][2];
};

/* Reads as many of the next entries as are measurements, lie whole in the window and are not
 * large; the reader stands behind them. */
void bsprof_batch_read(struct bsprof_batch *b, struct bsprof_reader *r,
		       const struct bsprof_cache *known);

static inline uint64_t
bsprof_batch_offset(const struct bsprof_batch *b, uint32_t i)
{
	return b->offset + b->at[i];
}

#endif
