/* pprof_ahead.h - samples of a pprof message that lie in the window, taken apart as far as
 * what they will ask memory for. */
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

/* A sample.  Its bytes lie in the window. */
struct pprof_ahead {
	struct proto_field field; /* all of it */
	uint64_t offset;
	bool plain; /* one field of locations, one of values, then labels, none malformed but
		     * perhaps the locations: what follows is known */
	struct proto_field locations;
	const uint8_t *labels;
	size_t labels_len;
	bool asked; /* `hash` is that of the locations; the stack is */
	struct hash128 hash;
	stack_id stack; /* this, where that is known, else STACK_EMPTY */
	bool parsed, good, located; /* see pprof_samples.c */
};

/* Takes the samples at the window, up to PPROF_AHEAD that begin before `end`, which then is
 * moved behind them: how many; 0 when no field lies whole in it. */
size_t pprof_ahead_gather(struct input *in, uint64_t end, struct pprof_ahead *out, bool *any);
/* Finds the parts of a sample, where it is plain; its values go to value[n_values], those that it
 * lacks being 0. */
void pprof_ahead_look(struct pprof_ahead *a, int64_t *value, size_t n_values);
/* How many bytes of whole varints both end with, but for the first of either; *n is how many
 * varints these are. */
size_t pprof_same_numbers(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len,
			  size_t *n);

#endif
