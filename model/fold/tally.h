/* tally.h - numbers per stack, for a time range, tracks and a metric.
 *
 * The cost is the stacks plus two partial chunks per series, not the events (see tracks.h).
 * Numbers are in the metric's base unit. */
#ifndef PNAV_MODEL_FOLD_TALLY_H
#define PNAV_MODEL_FOLD_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/pace.h"
#include "model/lens/lens.h"
#include "model/profile/profile.h"

/* Packed, since there is one for each stack. */
struct tally_cell {
	int64_t value; /* of the metric */
	uint32_t hits; /* number of events on exactly this stack, modulo 2^32 */
} __attribute__((packed, aligned(4)));

struct tally {
	uint32_t n;              /* number of stacks */
	struct tally_cell *cell; /* [stack]; nothing runs on the empty stack */
	int64_t *calls;          /* NULL if calls are not counted */
	int64_t *lines;          /* entries of lines; NULL if they are not counted */
	uint64_t events;         /* number of events read one by one: the cost */
	struct pace *pace; /* set by the caller; NULL (initial): run to the end without yielding */
};

/* The events to count. */
struct slice {
	metric_id metric;
	bool whole;             /* no time range: totals without time count, too */
	int64_t from, to;       /* [from, to) counted from each group's first event */
	const uint8_t *tracks;  /* [track] 1: counted; NULL: all tracks */
};

void tally_init(struct tally *t);
void tally_release(struct tally *t);
/* Returns the column `at` for n numbers, cleared; frees it and returns NULL if it is not wanted. */
int64_t *tally_column(bool wanted, int64_t *at, uint32_t n);
/* Counts from the start, reusing memory. If the pace cancels, the numbers are meaningless. */
void tally_count(struct tally *t, const struct profile *p, const struct slice *s);
/* For code that counts single tracks (single.h): tally_clear() sets everything to zero;
 * tally_add_track() adds the numbers of one track to `cell`, `calls` and `lines`, whatever
 * slice->tracks says. */
void tally_clear(struct tally *t, const struct profile *p);
void tally_add_track(struct tally *t, const struct profile *p, const struct slice *slice,
		     track_id track);
/* Returns those of the slice's tracks that may have something in its range, and so in any part of
 * it: [track] 1; the caller frees it.  For code that counts many times: most threads of a long
 * recording had ended before its last seconds. */
uint8_t *tally_tracks(const struct profile *p, const struct slice *s);
/* Returns the sum of the metric on one track, without stacks: from the sums of its series, at
 * the cost of a few searches each. Includes samples without a stack. */
int64_t tally_track(const struct profile *p, track_id track, const struct slice *s);

#endif
