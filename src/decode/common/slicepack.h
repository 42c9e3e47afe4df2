/* slicepack.h - packs the slices of one track, which arrive when they end, and returns them in the
 * order of writing.
 *
 *	struct slicepack p = {0};
 *	slicepack_add(&p, &slice);			-- any number
 *	slicepack_read(&r, &p, pairs, n, takes);
 *	while (slicepack_next(&r, &x, &flags)) ...	-- by start, the longer first
 *	slicepack_read_end(&r);
 *	slicepack_release(&p);
 *
 * Of equal slices the one with the lower number, the position in the file, comes first. A pair is
 * an interval that was completed after its position in the file. Intervals without a length count
 * as slices. */
#ifndef PNAV_SRC_DECODE_COMMON_SLICEPACK_H
#define PNAV_SRC_DECODE_COMMON_SLICEPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/vec.h"

#define SLICE_PAIR 1u /* counts as two records of its track */
#define SLICE_CUT 2u  /* it did not end by itself: not a complete call */

struct slice_pair {
	uint64_t start, length, value;
	uint64_t place; /* of its entry in the file */
	uint32_t name;
	unsigned flags;
};

/* Members of a slice: start and length are in ticks; numbers ascend in the order of adding. */
enum slice_field {
	SLICE_START,
	SLICE_LENGTH,
	SLICE_VALUE,
	SLICE_NAME,
	SLICE_NUMBER,
	SLICE_FIELDS,
};
struct packed_slice {
	uint64_t of[SLICE_FIELDS];
};

struct slice_block; /* see the .c file */
struct slice_slab;

/* Zero-initialised, it is empty. */
struct slicepack {
	uint64_t n, moves;
	VEC(struct slice_block) block;
	VEC(struct slice_slab) slab; /* memory of the blocks */
	VEC(struct packed_slice) open; /* sorted, after all blocks */
	VEC(struct packed_slice) late; /* those whose place is within the blocks */
	struct packed_slice last;      /* of the last block */
};

void slicepack_add(struct slicepack *p, const struct packed_slice *x);
void slicepack_release(struct slicepack *p);

struct slicepack_reader {
	struct slicepack *p;
	struct slice_pair *pair;
	size_t n_pairs, next_pair, next_late;
	bool takes;
	size_t block;
	struct packed_slice *at; /* of the current block */
	size_t n, i;
};

/* Starts to return the slices, and n pairs between them, which get sorted. With `takes`, memory is
 * freed on the way, and p is empty in the end. No slices may be added meanwhile. */
void slicepack_read(struct slicepack_reader *r, struct slicepack *p, struct slice_pair *pair,
		    size_t n, bool takes);
/* Returns the next one and its flags; false after the last. */
bool slicepack_next(struct slicepack_reader *r, struct packed_slice *out, unsigned *flags);
/* Returns as many of the next ones as are adjacent in memory and are not pairs; valid until the
 * next call. Returns 0 if slicepack_next() has to return the next one, or if there is none. */
size_t slicepack_some(struct slicepack_reader *r, const struct packed_slice **out);
void slicepack_read_end(struct slicepack_reader *r);

#endif
