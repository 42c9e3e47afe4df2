/* tally.h - numbers per stack, for a time range, tracks and a metric.
 *
 * Costs the stacks plus two partial chunks a series, not the events (tracks.h tells
 * how).  Numbers are in the metric's base unit. */
#ifndef PNAV_MODEL_TALLY_H
#define PNAV_MODEL_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "model/lens/lens.h"
#include "model/base/pace.h"
#include "model/profile/profile.h"

struct tally_cell {
	int64_t value;
	uint32_t hits; /* events, modulo 2^32 */
};

struct tally {
	uint32_t n;         /* stacks */
	int64_t *value;     /* of the metric */
	int64_t *calls;     /* NULL where calls are not counted */
	int64_t *lines;     /* entries of lines; NULL where they are not counted */
	uint8_t *present;   /* something was recorded on this very stack */
	uint64_t events;    /* how many events were read one by one: the cost */
	struct pace *pace; /* set by the caller; NULL (as made): nobody rests */
	struct tally_cell *cell; /* the sums while they are made */
};

/* What to count. */
struct slice {
	metric_id metric;
	bool whole;             /* no time range: totals without time count too */
	int64_t from, to;       /* from each group's first event, [from, to) */
	const uint8_t *tracks;  /* [track] 1: counted; NULL: all */
};

void tally_init(struct tally *t);
void tally_release(struct tally *t);
/* Counts anew, keeping memory.  What is counted when the pace gives up means nothing. */
void tally_count(struct tally *t, const struct profile *p, const struct slice *s);
/* For who counts tracks by themselves (single.h): all zero; then what one track has, added to
 * `cell`, `calls` and `lines`, whatever slice->tracks says. */
void tally_clear(struct tally *t, const struct profile *p);
void tally_add_track(struct tally *t, const struct profile *p, const struct slice *slice,
		     track_id track);
/* What the metric adds up to on one track, without the stacks: from what its series know of
 * themselves, some searches each.  Samples without a stack count here. */
int64_t tally_track(const struct profile *p, track_id track, const struct slice *s);

#endif
