/* callrows.h - rows of per-call statistics: durations of calls, and distances between them.
 *
 * For each function on each track:
 *
 *	NET      in the function itself, while it ran
 *	GROSS    including its callees
 *	CALL     from entry to exit, the time of other tasks included
 *	PERIOD   from entry to next entry
 *	OUTSIDE  from exit to next entry
 *
 * Totals of NET and GROSS include the recorded parts of incomplete calls. Minimum, average and
 * maximum, and all of CALL, PERIOD and OUTSIDE, cover only calls with both ends recorded. The
 * total of GROSS counts recursion once; the other numbers count each call. OUTSIDE begins when
 * the outermost call ends.
 *
 * Rows are computed from the steps of a profile (callstats.h). A file without a timeline may
 * state them itself; its decoder adds them to profile->recorded (callrows). */
#ifndef PNAV_MODEL_PROFILE_CALLROWS_H
#define PNAV_MODEL_PROFILE_CALLROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile/frames.h"
#include "model/profile/metrics.h"
#include "model/profile/tracks.h"

enum call_time { CALL_NET, CALL_GROSS, CALL_CALL, CALL_PERIOD, CALL_OUTSIDE };
#define CALL_TIMES 5
enum call_number { CALL_TOTAL, CALL_MIN, CALL_AVG, CALL_MAX };
#define CALL_NUMBERS 4
/* The bit in `has` of one number. */
#define CALLSTATS_BIT(time, number) (1u << ((time)*CALL_NUMBERS + (number)))
/* The bits of all numbers of a time. */
#define CALLSTATS_ALL(time) (((1u << CALL_NUMBERS) - 1) << ((time)*CALL_NUMBERS))

/* The tracks of each side of a comparison. */
#define CALLS_OLD (TRACK_NONE - 2)
#define CALLS_NEW (TRACK_NONE - 1)

struct callstats_row {
	track_id track; /* TRACK_NONE: all tracks; CALLS_OLD, CALLS_NEW */
	function_id function;
	uint32_t has; /* CALLSTATS_BIT()s of the values that are present */
	int64_t calls;
	int64_t value[CALL_TIMES][CALL_NUMBERS];
};

/* Returns "gross" etc. */
const char *call_time_name(enum call_time time);

/* One time of such a row. Calls that were watched (callstats.h) have more numbers. */
struct callstats_line {
	const struct callstats_row *of;
	enum call_time time;
	bool watched;
	bool exact; /* p50 and p99 are exact; else within 1.6 % */
	uint64_t n; /* number of complete ones */
	int64_t p50, p99;
};

/* A zero-initialised list is empty. */
struct callstats {
	struct callstats_row *at;
	uint32_t n, cap;
	bool per_call; /* the rows contain more than totals, so the view `calls` shows them */
};

/* The rows that files state, with only the numbers that they have. A zero-initialised list is
 * empty. */
struct callrows {
	struct callrow {
		track_id track;
		function_id function;
		uint32_t has;
		size_t first; /* in `number`: the calls, then the values that are present */
	} * at;
	int64_t *number;
	size_t n_numbers, numbers_cap;
	uint32_t n, cap;
	bool per_call; /* as in callstats */
	uint8_t unit; /* enum unit of its times, which may be costs; UNIT_NS in a profile with a
		       * clock */
};

void callrows_release(struct callrows *c);
struct callrows callrows_copy(const struct callrows *from);
/* Appends a row, without the values that are not present. */
void callrows_add(struct callrows *c, const struct callstats_row *row);
/* Returns row i; values that are not present are 0. */
struct callstats_row callrows_get(const struct callrows *c, uint32_t i);

/* Sets the two totals of a finished row, which include the recorded parts of incomplete calls.
 * Removes the total of periods, since periods overlap. */
void callstats_totals(struct callstats_row *row, int64_t net, int64_t gross);

void callstats_release(struct callstats *c);
/* Appends a row without any number and returns it. */
struct callstats_row *callstats_add(struct callstats *c, track_id track,
				    function_id function);

#endif
