/* event_run.h - some events of one series as columns.
 *
 * What an event costs on its way into a series, a run of them costs hardly more.  Who has
 * several at hand fills one and gives it to builder_sample_run(); series_pending.h gathers those
 * that come one by one. */
#ifndef PNAV_MODEL_EVENT_RUN_H
#define PNAV_MODEL_EVENT_RUN_H

#include <stdint.h>

#define EVENT_RUN_MAX 128u /* divides BLOCK_EVENTS */
#define EVENT_RUN_VALUES 6u

struct event_run {
	uint32_t n;
	int64_t time[EVENT_RUN_MAX];
	uint32_t stack[EVENT_RUN_MAX]; /* of steps with their STEP_ flags */
	int64_t value[EVENT_RUN_VALUES][EVENT_RUN_MAX]; /* [metric with ROLE_VALUE] */
};

#endif
