/* perf_unit.h - derives the unit of a kernel event's counts from its name. */
#ifndef PNAV_SRC_DECODE_COMMON_PERF_UNIT_H
#define PNAV_SRC_DECODE_COMMON_PERF_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "model/profile/metrics.h"

/* "task-clock", "cpu-clock:u" count nanoseconds, and so do the events of record --usage, except
 * "io", which counts bytes; others have no unit. */
static inline enum unit
perf_unit(const char *name, size_t len)
{
	const char *colon = len ? memchr(name, ':', len) : NULL;
	size_t bare = colon ? (size_t)(colon - name) : len;

	static const struct {
		const char *name;
		enum unit unit;
	} units[] = {
		{"cpu-clock", UNIT_NS}, {"task-clock", UNIT_NS},  {"waiting", UNIT_NS},
		{"blocked", UNIT_NS},   {"thread-time", UNIT_NS}, {"io", UNIT_BYTES},
		{"offcpu-time", UNIT_NS}, /* perf record --off-cpu */
	};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strlen(units[i].name) == bare && !memcmp(name, units[i].name, bare))
			return units[i].unit;
	return UNIT_COUNT;
}

/* Returns true for events that tell where the processor spent its time: clocks and cycles. */
static inline bool
perf_is_cpu_time(const char *name, size_t len)
{
	static const char *const clocks[] = {"cpu-clock", "task-clock", "cycles", "cpu-cycles"};
	const char *colon = len ? memchr(name, ':', len) : NULL;
	size_t bare = colon ? (size_t)(colon - name) : len;

	for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
		if (strlen(clocks[i]) == bare && !memcmp(name, clocks[i], bare))
			return true;
	return false;
}

#endif
