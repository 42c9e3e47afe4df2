/* slicepack.h - many slices of one track, told when they end, in few bytes and in the order in
 * which they are written.
 *
 *	struct slicepack p = {0};
 *	slicepack_add(&p, &slice);			-- as often as there are
 *	slicepack_read(&r, &p, pairs, n, takes);
 *	while (slicepack_next(&r, &x, &flags)) ...	-- by start, the longer first
 *	slicepack_read_end(&r);
 *	slicepack_release(&p);
 *
 * Ties go to the one with the lower number, which is its place in the file.  A pair is an interval
 * that was made later than its place says.  What has no length is held as well as slices are. */
#ifndef PNAV_SRC_DECODE_COMMON_SLICEPACK_H
#define PNAV_SRC_DECODE_COMMON_SLICEPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/vec.h"

#define SLICE_PAIR 1u /* counts as two records on its track */
#define SLICE_CUT 2u  /* its end is not its own: no complete call */

struct slice_pair {
	uint64_t start, length, value;
	uint64_t place; /* of its entry, in the file */
	uint32_t name;
	unsigned flags;
};

/* What is known of a slice: the start and the length are ticks; numbers rise as they are added. */
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

/* A zero-initialised list is empty. */
struct slicepack {
	uint64_t n, moves;
	VEC(struct slice_block) block;
	VEC(struct slice_slab) slab; /* in which they lie */
	VEC(struct packed_slice) open; /* in order, behind all of the blocks */
	VEC(struct packed_slice) late; /* that belong between those of the blocks */
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
	struct packed_slice *at; /* of the block that is told */
	size_t n, i;
};

/* Begins to tell the slices, and n pairs between them, which are put into order; where it takes
 * them their memory is given back on the way, and p is empty in the end.  Nothing is added
 * meanwhile. */
void slicepack_read(struct slicepack_reader *r, struct slicepack *p, struct slice_pair *pair,
		    size_t n, bool takes);
/* The next one, and its flags; false behind the last. */
bool slicepack_next(struct slicepack_reader *r, struct packed_slice *out, unsigned *flags);
/* The next ones, as many as lie together and are no pairs: valid until more are told.  0 where the
 * next one has to be asked for, or there is none. */
size_t slicepack_some(struct slicepack_reader *r, const struct packed_slice **out);
void slicepack_read_end(struct slicepack_reader *r);

#endif
