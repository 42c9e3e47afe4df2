/* apart.c - see apart.h.
 *
 * The waiting thread polls every fifth of a millisecond: it has its own time slice anyway, in which
 * it would otherwise do the work itself. */
#include "src/apart.h"

#include <time.h>

#define LOOK_NS 200000

static void *
apart_run(void *arg)
{
	struct apart *a = arg;

	a->call(a->ctx);
	atomic_store(&a->over, true);
	return NULL;
}

bool
apart_wait(struct apart *a, struct pace *pace)
{
	const struct timespec look = {.tv_nsec = LOOK_NS};

	if (!a->runs)
		return true;
	while (pace && !atomic_load(&a->over)) {
		nanosleep(&look, NULL);
		if (!pace_on(pace, pace->every))
			return false;
	}
	pthread_join(a->thread, NULL);
	a->runs = false;
	return true;
}

bool
apart_call(struct apart *a, void (*call)(void *ctx), void *ctx, struct pace *pace)
{
	if (!apart_wait(a, pace))
		return false;
	a->call = call;
	a->ctx = ctx;
	atomic_store(&a->over, false);
	a->runs = pace && !pthread_create(&a->thread, NULL, apart_run, a);
	if (!a->runs) {
		call(ctx);
		return true;
	}
	return apart_wait(a, pace);
}
