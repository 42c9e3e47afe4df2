/* callstats.h - per-call statistics: durations of calls and distances between them.
 *
 * Rows (callrows.h) come from the steps of a profile, or from the file itself. */
#ifndef PNAV_MODEL_CALLS_CALLSTATS_H
#define PNAV_MODEL_CALLS_CALLSTATS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/pace.h"
#include "model/profile/callrows.h"

struct profile;
struct slice;

/* Appends the rows of the steps in this range and these tracks, sorted by track, then in order
 * of first appearance. The slice's metric is ignored. O(events in the range). A call belongs to
 * the range in which it begins, and is complete if it ends there, too. If the pace cancels, the
 * rows are meaningless. */
void callstats_compute(const struct profile *p, const struct slice *s, struct callstats *out,
		       struct pace *pace);

/* ---- each function, over all tracks ---- */

/* CALL_CALL of the calls whose entry and exit were recorded. */
struct calltime {
	bool has_max, has_p99;
	int64_t max, p99; /* p99: as in a callstats_line */
	uint64_t n;       /* number of replayed calls; 0: the file states only the longest */
	int64_t total;    /* sum of their durations */
};

struct calltimes;
/* Starts on the steps of the slice and on the file's own statistics. Copies the slice's tracks.
 * If the profile grows, start again, as with callwatch. */
struct calltimes *calltimes_new(const struct profile *p, const struct slice *s);
/* Reads about `events` events; returns true when all were read. */
bool calltimes_run(struct calltimes *c, uint64_t events);
void calltimes_free(struct calltimes *c);
/* Returns NULL if no call of the function is known, and until all events were read. */
const struct calltime *calltimes_of(const struct calltimes *c, function_id f);

/* ---- one function, call by call ---- */

/* Reads the steps in portions, so that the caller can show progress. Copies the slice's tracks, and
 * `base`: [n_tracks] 1: a track of the base of a comparison, in the same range; NULL: none.
 * The profile may grow meanwhile: events added then may or may not count, so start again after
 * growth. */
struct callwatch;
struct callwatch *callwatch_new(const struct profile *p, const struct slice *s,
				const uint8_t *base, function_id f);
void callwatch_free(struct callwatch *w);
/* Reads about `events` events; returns true when all were read. */
bool callwatch_run(struct callwatch *w, uint64_t events);
void callwatch_progress(const struct callwatch *w, uint64_t *read, uint64_t *all);

/* Return the rows, each as callstats_compute() makes it: row 0 is all tracks, the others one
 * track each with the function. In a comparison, row 0 is the new side and row 1 the old one:
 * a mean of both would be that of neither. Complete once callwatch_run() returned true. */
uint32_t callwatch_rows(const struct callwatch *w);
struct callstats_row callwatch_row(const struct callwatch *w, uint32_t i);
/* Returns one time of row i; `of` is that row. The complete ones that exceed p99 are 1 % or less;
 * it is exact up to 4096 of them, and within 1.6 % beyond (`exact` is false). */
struct callstats_line callwatch_line(const struct callwatch *w, uint32_t i,
				     const struct callstats_row *of, enum call_time time);
/* Finds the longest complete one of row i: its track, and its time from the first event of its
 * file. Returns false if there is none. */
bool callwatch_longest(const struct callwatch *w, uint32_t i, enum call_time time,
		       track_id *track, int64_t *from, int64_t *to);

struct call_bar {
	int64_t from, to; /* [from, to) */
	uint64_t n;
};
/* Writes a histogram of the values, at most `max` bars of equal width, and returns their number.
 * *octaves is true for a logarithmic scale, on which each bar covers one or several powers of
 * two; else the scale is linear. */
uint32_t callwatch_histogram(const struct callwatch *w, uint32_t row, enum call_time time,
			     struct call_bar *out, uint32_t max, bool *octaves);

#endif
