/* clock.h - clocks in nanoseconds, for code that reads and records: a monotonic one, whose zero has
 * no meaning, and the time of day, which counts from the epoch. */
#ifndef PNAV_SRC_INPUT_CLOCK_H
#define PNAV_SRC_INPUT_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t
clock_read(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline int64_t
clock_ns(void)
{
	return clock_read(CLOCK_MONOTONIC);
}

static inline int64_t
clock_day_ns(void)
{
	return clock_read(CLOCK_REALTIME);
}

static inline int64_t
clock_ms(void)
{
	return clock_ns() / 1000000;
}

#endif
