/* callwalk.h - replays the steps of a slice as calls, track after track, in portions.
 *
 * Used by callstats.c, callwatch.c and calllist.c.
 *
 *	callwalk_init(&w, profile, slice);
 *	w.r.heard = ...; w.r.ctx = ...;       -- the callbacks of the replay
 *	while (!callwalk_run(&w, 100000))
 *		;
 *	callwalk_release(&w);
 *
 * The profile may grow meanwhile: events added then may or may not count. */
#ifndef PNAV_MODEL_CALLS_CALLWALK_H
#define PNAV_MODEL_CALLS_CALLWALK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/calls/callreplay.h"
#include "model/fold/tally.h"

struct callwalk {
	struct replay r;
	/* Callbacks, or NULL: called when the steps of a track begin, and when all were read and
	 * r.known is complete. ctx is r.ctx. */
	void (*begins)(void *ctx, track_id t);
	void (*ends)(void *ctx, track_id t);
	uint64_t read, all; /* numbers of events */
	bool done;
	struct slice range; /* its tracks are the next array */
	uint8_t *tracks;    /* [n_tracks] whether it is walked, and has overlap lanes or is one */
	track_id n_tracks;
	track_id track; /* the track being read */
	/* private */
	uint32_t n_functions; /* number of functions that r.place has room for */
	uint32_t series;      /* index in the track: the series being read or to be read next */
	bool turns;           /* the argument of callwalk_init() */
	bool begun;           /* the track has steps */
};

/* Prepares a walk. The slice's metric is ignored; its tracks are copied. With `turns`, the turns
 * of tasks on a processor are replayed like calls; else they are skipped. */
void callwalk_init(struct callwalk *w, const struct profile *p, const struct slice *s,
		   bool turns);
void callwalk_release(struct callwalk *w);
/* Reads about `events` events; returns true when all were read. */
bool callwalk_run(struct callwalk *w, uint64_t events);
/* Returns the number of events read and of all events. */
void callwalk_progress(const struct callwalk *w, uint64_t *read, uint64_t *all);
/* Returns the time of the first event of the track's file. */
int64_t callwalk_start(const struct callwalk *w);
/* Returns true if the steps of the profile record where calls begin and end. */
bool callwalk_has_calls(const struct profile *p);

#endif
