/* callstats.h - per-call statistics: how long calls took, and how far apart they were.
 *
 * Rows (callrows.h) come from the steps of a profile, or are those that the file itself
 * says. */
#ifndef PNAV_MODEL_CALLSTATS_H
#define PNAV_MODEL_CALLSTATS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile/callrows.h"
#include "model/base/pace.h"

struct profile;
struct slice;

/* Adds the rows of the steps in this range and these tracks (the slice's metric does not
 * matter), by track, then in order of first appearance.  O(events in the range).  A call
 * belongs to the range that it begins in, and is complete when it ends there too. */
void callstats_compute(const struct profile *p, const struct slice *s,
		       struct callstats *out);
/* The same with rests; rows of which the pace gave up mean nothing. */
void callstats_compute_paced(const struct profile *p, const struct slice *s,
			     struct callstats *out, struct pace *pace);

/* ---- each function, over all tracks ---- */

/* Of CALL_CALL, of the calls that were recorded at both ends. */
struct calltime {
	bool has_max, has_p99;
	int64_t max, p99; /* p99: as callwatch_percentile() has it */
	uint64_t n;       /* of calls that were replayed; 0: the file says the longest alone */
	int64_t total;    /* of these */
};

struct calltimes;
/* Of the steps of the slice, and what the file says itself.  The slice's tracks are copied;
 * of a profile that grows start again, as with callwatch. */
struct calltimes *calltimes_new(const struct profile *p, const struct slice *s);
/* Reads about so many events; true when all were read. */
bool calltimes_run(struct calltimes *c, uint64_t events);
void calltimes_free(struct calltimes *c);
/* NULL where no call of it is known, and until all were read. */
const struct calltime *calltimes_of(const struct calltimes *c, function_id f);

/* ---- one function, call by call ---- */

/* Reads the steps in portions, so that a reader can show how far it is.  The slice's
 * tracks are copied.  The profile may grow meanwhile: what is read then may or may not
 * count, so start again when it has. */
struct callwatch;
struct callwatch *callwatch_new(const struct profile *p, const struct slice *s,
				function_id f);
void callwatch_free(struct callwatch *w);
/* Reads about so many events; true when all were read. */
bool callwatch_run(struct callwatch *w, uint64_t events);
void callwatch_progress(const struct callwatch *w, uint64_t *read, uint64_t *all);

/* Row 0 is all tracks, then one each with the function; each as callstats_compute() has it.
 * Complete when run() said so. */
uint32_t callwatch_rows(const struct callwatch *w);
struct callstats_row callwatch_row(const struct callwatch *w, uint32_t i);
/* A time of row i, which `of` is. */
struct callstats_line callwatch_line(const struct callwatch *w, uint32_t i,
				     const struct callstats_row *of, enum call_time time);
/* Where the longest of the complete ones was, and when, from the first event of its file;
 * false when there is none. */
bool callwatch_longest(const struct callwatch *w, uint32_t i, enum call_time time,
		       track_id *track, int64_t *from, int64_t *to);
/* The value that so many percent of the complete ones do not exceed.  Exact up to 4096
 * of them; beyond, within 1.6 %, and *exact is false. */
int64_t callwatch_percentile(const struct callwatch *w, uint32_t row, enum call_time time,
			     unsigned percent, bool *exact);

struct call_bar {
	int64_t from, to; /* [from, to) */
	uint64_t n;
};
/* How often which values came: at most `max` bars, all of one width.  *octaves: on a
 * logarithmic scale, each bar one power of two or several; else on a linear one. */
uint32_t callwatch_histogram(const struct callwatch *w, uint32_t row, enum call_time time,
			     struct call_bar *out, uint32_t max, bool *octaves);

#endif
