/* callrows.h - rows of per-call statistics: how long calls took, and how far apart they
 * were.
 *
 * For each function on each track:
 *
 *	NET      in the function itself, while it ran
 *	GROSS    with all that it called
 *	CALL     from entry to exit, the time of other tasks included
 *	PERIOD   from entry to next entry
 *	OUTSIDE  from exit to next entry
 *
 * Totals of NET and GROSS hold what was recorded of incomplete calls too; minimum,
 * average and maximum, and all of CALL, PERIOD and OUTSIDE, take what was recorded at
 * both ends.  GROSS counts recursion once in its total, each call by itself in the rest;
 * OUTSIDE begins when the outermost call ends.
 *
 * Rows are computed from the steps of a profile (callstats.h), or are those that a file
 * without a timeline says itself: such a decoder adds them to profile->recorded. */
#ifndef PNAV_MODEL_CALLROWS_H
#define PNAV_MODEL_CALLROWS_H

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
/* Those of all numbers of a time. */
#define CALLSTATS_ALL(time) (((1u << CALL_NUMBERS) - 1) << ((time)*CALL_NUMBERS))

struct callstats_row {
	track_id track; /* TRACK_NONE: all of them */
	function_id function;
	uint32_t has; /* CALLSTATS_BIT()s: other values are not there */
	int64_t calls;
	int64_t value[CALL_TIMES][CALL_NUMBERS];
};

/* "gross" */
const char *call_time_name(enum call_time time);

/* One time of such a row; of calls that were watched (callstats.h) there is more to tell. */
struct callstats_line {
	const struct callstats_row *of;
	enum call_time time;
	bool watched;
	bool exact; /* p50 and p99: else they are within 1.6 % */
	uint64_t n; /* complete ones */
	int64_t p50, p99;
};

/* Zero-initialised is empty. */
struct callstats {
	struct callstats_row *at;
	uint32_t n, cap;
	bool per_call; /* the rows say more than totals: the view `calls` shows them */
	uint8_t unit; /* enum unit of its times, which may be costs: UNIT_NS in a profile with
		       * a clock */
};

/* What a row of calls has in the end: these two totals, which hold what was recorded of
 * incomplete calls, and none of periods, which overlap. */
void callstats_totals(struct callstats_row *row, int64_t net, int64_t gross);

void callstats_release(struct callstats *c);
/* A new row, all its numbers not there. */
struct callstats_row *callstats_add(struct callstats *c, track_id track,
				    function_id function);

#endif
