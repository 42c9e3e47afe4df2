/* series_adopt.h - takes over whole chunks that a packed profile holds (src/decode/pack/). */
#ifndef PNAV_MODEL_PROFILE_SERIES_ADOPT_H
#define PNAV_MODEL_PROFILE_SERIES_ADOPT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile/column_form.h"
#include "model/profile/series.h"

/* The ids that events may have. */
struct adopt_limits {
	uint32_t n_stacks, n_sets;
	bool timed;               /* times are checked: they have an order, and */
	int64_t earliest, latest; /* the file has these */
};

/* series_adopt_chunk() can sum numbers below 2^ADOPT_BITS, and times of files below
 * 2^ADOPT_SPAN_BITS. */
#define ADOPT_BITS 42
#define ADOPT_SPAN_BITS 60
/* A chunk whose numbers have sizes below 2^ADOPT_FORM_BITS together is not read for their bound: a
 * profile has room for 2^17 of them. */
#define ADOPT_FORM_BITS 44

/* Returns true if the numbers that a chunk adds are small enough to be summed without a check of
 * each. If not, append its events one by one. */
bool adopt_chunk_is_small(const struct series *s, const struct chunk *c,
			  const struct adopt_limits *limits);

/* Returns at least what such a chunk adds to *bound of series_adopt_chunk(), except the time that
 * steps last: all steps of a series together last no longer than their file. */
uint64_t adopt_chunk_most(const struct series *s, const struct chunk *c);

/* Checks all ids and times of a chunk of the series, whose columns fit (column_fits()). Reads only
 * fields of the series that never change. Returns NULL, or what is wrong. */
const char *adopt_chunk_check(const struct series *s, const struct chunk *c,
			      const struct adopt_limits *limits);
/* Appends a chunk to the series, of totals only if they are labelled, and takes over its columns.
 * Sums, blocks and checkpoints become those that the file states (series_prefix.h), else those of
 * the same events appended one by one. The chunk must be small, not empty, and checked. Adds to
 * *bound at least the sizes of all numbers that it adds. Returns NULL, or what is wrong; then no
 * event is appended. */
const char *series_adopt_chunk(struct series *s, struct series_scratch *x, struct chunk *c,
			       const struct adopt_limits *limits, int64_t *bound);

#endif
