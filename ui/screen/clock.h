/* clock.h - the time that passes for the browser, from no moment in particular.
 *
 * The same stands in src/input/clock.h: what reads files and what draws know nothing of each
 * other, and model/, which both know, has no clock on purpose. */
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

/* What the calling thread has used of a processor. */
static inline int64_t
clock_used_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline int64_t
clock_ms(void)
{
	return clock_ns() / 1000000;
}

#endif
