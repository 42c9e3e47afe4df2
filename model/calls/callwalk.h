/* callwalk.h - the steps of a slice replayed as calls, track after track, in portions.
 *
 * For callwatch.c and calllist.c.
 *
 *	callwalk_init(&w, profile, slice);
 *	w.r.heard = ...; w.r.ctx = ...;       -- what is wanted of the replay
 *	while (!callwalk_run(&w, 100000))
 *		;
 *	callwalk_release(&w);
 *
 * The profile may grow meanwhile: what is read then may or may not count. */
#ifndef PNAV_MODEL_CALLWALK_H
#define PNAV_MODEL_CALLWALK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/calls/callreplay.h"
#include "model/fold/tally.h"

struct callwalk {
	struct replay r;
	/* told when the steps of a track begin, and when all were read and r.known is whole;
	 * with r.ctx; NULL: nobody wants it */
	void (*begins)(void *ctx, track_id t);
	void (*ends)(void *ctx, track_id t);
	uint64_t read, all; /* events */
	bool done;
	struct slice range; /* its tracks are these: */
	uint8_t *tracks;    /* [n_tracks] */
	track_id n_tracks;
	track_id track; /* that is read */
	/* private */
	uint32_t n_functions; /* that r.place has room for */
	uint32_t series;      /* of the track, the one that is read or comes next */
	bool turns;           /* what callwalk_init() was given */
	bool begun;           /* the track has steps */
};

/* The slice's metric does not matter; its tracks are copied.  With `turns`, the
 * turns of tasks on a processor are replayed like calls; without, they are left out. */
void callwalk_init(struct callwalk *w, const struct profile *p, const struct slice *s,
		   bool turns);
void callwalk_release(struct callwalk *w);
/* Reads about so many events; true when all were read. */
bool callwalk_run(struct callwalk *w, uint64_t events);
/* How many of how many events were read. */
void callwalk_progress(const struct callwalk *w, uint64_t *read, uint64_t *all);
/* When the first event of the track's file was. */
int64_t callwalk_start(const struct callwalk *w);
/* Do the steps of the profile say where calls begin and end? */
bool callwalk_has_calls(const struct profile *p);

#endif
