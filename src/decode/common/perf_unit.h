/* perf_unit.h - derives the unit of a kernel event's counts from its name. */
#ifndef PNAV_SRC_DECODE_COMMON_PERF_UNIT_H
#define PNAV_SRC_DECODE_COMMON_PERF_UNIT_H

#include <stddef.h>
#include <string.h>

#include "model/profile/metrics.h"

/* "task-clock", "cpu-clock:u" count nanoseconds; others have no unit. */
static inline enum unit
perf_unit(const char *name, size_t len)
{
	const char *colon = len ? memchr(name, ':', len) : NULL;
	size_t bare = colon ? (size_t)(colon - name) : len;

	return (bare == 9 && !memcmp(name, "cpu-clock", 9)) ||
			       (bare == 10 && !memcmp(name, "task-clock", 10))
		       ? UNIT_NS
		       : UNIT_COUNT;
}

#endif
