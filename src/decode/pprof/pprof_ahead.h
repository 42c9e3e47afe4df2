/* pprof_ahead.h - splits the samples of a pprof message that are in the window into the parts
 * that look-ups need. */
#ifndef PNAV_SRC_DECODE_PPROF_AHEAD_H
#define PNAV_SRC_DECODE_PPROF_AHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/decode/pprof/pprof_labels.h"
#include "src/input/hash.h"
#include "src/input/input.h"
#include "src/input/proto.h"

#define PPROF_AHEAD 32u

/* A sample; its bytes are in the window. */
struct pprof_ahead {
	struct proto_field field; /* all of it */
	uint64_t offset;
	/* One field of locations, one of values, then labels, all well-formed except perhaps
	 * the locations: the following members are set */
	bool plain;
	struct proto_field locations;
	const uint8_t *labels;
	size_t labels_len;
	bool asked; /* `hash` is that of the locations; `stack` was looked up */
	struct hash128 hash;
	stack_id stack; /* the stack if it is known, else STACK_EMPTY */
	bool parsed, good, located; /* see pprof_samples.c */
};

/* Collects the samples at the window that begin before `end`, at most PPROF_AHEAD, and moves
 * `end` after them.  Returns their number; 0 if no field is completely in the window. */
size_t pprof_ahead_gather(struct input *in, uint64_t end, struct pprof_ahead *out, bool *any);
/* Finds the parts of a sample if it is plain.  Its values go to value[n_values]; missing ones
 * are 0. */
void pprof_ahead_look(struct pprof_ahead *a, int64_t *value, size_t n_values);
/* Returns the number of bytes of whole varints that both end with, excluding the first varint
 * of either; *n is the number of these varints. */
size_t pprof_same_numbers(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len,
			  size_t *n);

#endif
