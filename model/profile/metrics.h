/* metrics.h - the quantities that a profile measures. */
#ifndef PNAV_MODEL_PROFILE_METRICS_H
#define PNAV_MODEL_PROFILE_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile/names.h"

typedef uint32_t metric_id;
#define METRIC_NONE UINT32_MAX

enum unit { UNIT_NS, UNIT_SAMPLES, UNIT_BYTES, UNIT_OPS, UNIT_CALLS, UNIT_ENTRIES, UNIT_COUNT };

/* Returns "ns", "samples", "bytes", "ops", "calls", "entries" or "count". */
const char *unit_name(enum unit unit);

/* The role of a metric: how the model uses it besides summing it. Only role_adds() (tracks.h)
 * defines what an event adds to a metric of each role.
 *
 *	ROLE_VALUE   numbers that samples and totals carry
 *	ROLE_EVENTS  1 for every event: needs no memory
 *	ROLE_TIME    of steps: their duration, known when they end
 *	ROLE_CALLS   of steps: those that begin a call; fills the column `calls`
 *	ROLE_LINES   of steps: those that enter a line; never shown as a metric
 *	ROLE_WALL    of steps: their duration on the clock of the series (wallclock.h)
 *
 * Packed profiles contain these numbers (pnav-pack(5)): append new roles.  They never contain
 * ROLE_WALL.
 */
#define METRIC_ROLES(X) X(VALUE) X(EVENTS) X(TIME) X(CALLS) X(LINES) X(WALL)

#define ROLE_ENUM(role) ROLE_##role,
enum metric_role { METRIC_ROLES(ROLE_ENUM) };
#undef ROLE_ENUM

/* Returns the role's name for programs: "value", "events", ... */
const char *metric_role_name(enum metric_role role);

/* The part of a column's number that a metric uses. Metrics that derive from one another share a
 * column. An allocation is the live bytes where they are above 0; two bits of one number say
 * whether an event is an allocation or a free.
 *
 *	PART_ALL     the number
 *	PART_GAIN    the number where it is above 0, else 0
 *	PART_BIT_0   its lowest bit
 *	PART_BIT_1   the bit above that
 *	PART_SIGN_0  1 where its lowest bit is set, else -1
 */
enum value_part { PART_ALL, PART_GAIN, PART_BIT_0, PART_BIT_1, PART_SIGN_0 };

static inline int64_t
value_part(enum value_part part, int64_t v)
{
	switch (part) {
	case PART_ALL:
		return v;
	case PART_GAIN:
		return v > 0 ? v : 0;
	case PART_BIT_0:
		return v & 1;
	case PART_BIT_1:
		return v >> 1 & 1;
	case PART_SIGN_0:
		return 2 * (v & 1) - 1;
	}
	return v;
}

struct metric {
	name_id name;
	uint8_t unit;     /* enum unit */
	uint8_t role;     /* enum metric_role */
	uint8_t decimals; /* values are integers in units of 10^-decimals: 0 or 6 */
	bool unused; /* no event has a value; the metric only makes the column `calls` show zeros */
	bool computed; /* pnav computes it: events of the loaded profile do not have it, those of
			* a profile derived for it do (derived.h) */
};

#endif
