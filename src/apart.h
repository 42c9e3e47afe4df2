/* apart.h - a call that cannot rest, beside whoever waits for it.
 *
 * A library that opens a large file does so in one go.  Work that is to rest (model/base/pace.h)
 * has it done on a thread, and rests meanwhile:
 *
 *	if (!apart_call(&a, open_it, it, pace))
 *		return;         -- given up, but the call goes on: `it` is not ours yet
 *
 * With no pace it is an ordinary call. */
#ifndef PNAV_SRC_APART_H
#define PNAV_SRC_APART_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "model/base/pace.h"

/* Zero-initialised is idle. */
struct apart {
	pthread_t thread;
	bool runs;
	atomic_bool over;
	void (*call)(void *ctx);
	void *ctx;
};

/* Waits until the call before is over, then for this one.  False when the pace gave up: until
 * apart_wait() is true, what a call uses belongs to it.  Signals are blocked in the call where
 * the caller has blocked them. */
bool apart_call(struct apart *a, void (*call)(void *ctx), void *ctx, struct pace *pace);
/* Is nothing running any more?  With no pace it waits for that. */
bool apart_wait(struct apart *a, struct pace *pace);

#endif
