/* load_parts.h - reads one file on several threads: each decodes blocks of it into a profile of
 * its own, and these are joined in the order of the file (builder_join.h).
 *
 * The profile is the same, byte for byte, as that of decode() alone. */
#ifndef PNAV_SRC_LOAD_PARTS_H
#define PNAV_SRC_LOAD_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/decode/decoder.h"

struct parts_plan {
	unsigned threads;
	uint64_t first; /* bytes that the decoder of the whole reads before any part */
	uint64_t block; /* bytes of a block, about */
	size_t entries; /* a part begins anew beyond this size of its tables */
	uint64_t new_bytes; /* bytes a new name, frame or stack, below which parts do not pay */
};

/* The plan for this many cores. */
struct parts_plan parts_plan_for(unsigned cores);

/* Calls d->decode(in, b, e), but lets other threads read parts of the file, if it is a regular one
 * that is larger than the plan's first bytes and two blocks, in a format with record_end(). */
bool parts_decode(const struct decoder *d, struct input *in, struct builder *b,
		  const struct parts_plan *plan, struct err *e);

#endif
