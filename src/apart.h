/* apart.h - runs a blocking call on a thread while its caller yields to the browser.
 *
 * A library that opens a large file does so in one call. Work with a pace (model/base/pace.h) runs
 * such a call on a thread, and yields meanwhile:
 *
 *	if (!apart_call(&a, open_it, it, pace))
 *		return;         -- cancelled; the call continues and still owns `it`
 *
 * Without a pace it is an ordinary call. */
#ifndef PNAV_SRC_APART_H
#define PNAV_SRC_APART_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "model/base/pace.h"

/* A zero-initialised structure is idle. */
struct apart {
	pthread_t thread;
	bool runs;
	atomic_bool over;
	void (*call)(void *ctx);
	void *ctx;
};

/* Waits until the previous call is over, then runs this one. Returns false if the pace cancelled
 * the wait; the call then owns its context until apart_wait() returns true. The call inherits the
 * blocked signals of its caller. */
bool apart_call(struct apart *a, void (*call)(void *ctx), void *ctx, struct pace *pace);
/* Returns true if no call is running. Without a pace it waits for that. */
bool apart_wait(struct apart *a, struct pace *pace);

#endif
