/* clock.h - a monotonic clock for code that reads and records. Its zero has no meaning. */
#ifndef PNAV_SRC_INPUT_CLOCK_H
#define PNAV_SRC_INPUT_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t
clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline int64_t
clock_ms(void)
{
	return clock_ns() / 1000000;
}

#endif
