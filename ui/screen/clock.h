/* clock.h - a monotonic clock for the browser. Its zero has no meaning.
 *
 * src/input/clock.h is the same: the code that reads files and the code that draws are independent
 * of each other, and model/, which both use, has no clock on purpose. */
#ifndef PNAV_UI_SCREEN_CLOCK_H
#define PNAV_UI_SCREEN_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t
clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Returns the processor time that all threads have used, in ns. */
static inline int64_t
clock_used_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline int64_t
clock_ms(void)
{
	return clock_ns() / 1000000;
}

#endif
