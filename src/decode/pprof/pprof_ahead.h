/* pprof_ahead.h - splits a sample of a pprof message into its parts. */
#ifndef PNAV_SRC_DECODE_PPROF_AHEAD_H
#define PNAV_SRC_DECODE_PPROF_AHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/decode/pprof/pprof_labels.h"
#include "src/input/proto.h"

/* A sample; its bytes are in the window. */
struct pprof_ahead {
	struct proto_field field; /* all of it */
	uint64_t offset;
	/* One field of locations, one of values, then labels, all well-formed except perhaps
	 * the locations: the following members are set */
	bool plain;
	struct proto_field locations;
	const void *labels;
	size_t labels_len;
	bool bad; /* the locations are malformed */
	/* the set of its labels, once it is known */
	bool placed;
	struct pprof_label_set set;
};

/* Finds the parts of a sample if it is plain.  Its values go to value[n_values]; missing ones
 * are 0. */
void pprof_ahead_look(struct pprof_ahead *a, int64_t *value, size_t n_values);
/* Returns the number of bytes of whole varints that both end with, excluding the first varint
 * of either; *n is the number of these varints. */
size_t pprof_same_numbers(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len,
			  size_t *n);

#endif
