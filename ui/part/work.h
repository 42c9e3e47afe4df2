/* work.h - coroutines for everything in the browser that takes longer than a frame.
 *
 * A work is a plain function that calls a pace (model/base/pace.h).  It runs a portion at a time,
 * between keys, on a stack of its own, and may be dropped while it is suspended.  The work and
 * its owner never run at the same time, so they share data without locks.  Data that the work
 * reads must not change while it is suspended: the browser drops all works before it makes
 * another fold.  The loader's thread changes the profile under a lock.  works_hold() and
 * works_let_go() are the only way to that lock; letting go drops every work, so none is
 * suspended, or runs, while the loader writes.
 *
 *	work_begin(v->work, make_rows, v);      -- drops the previous function
 *	if (work_on(v->work, scene->portion_ns))
 *		... it is complete; else the application's loop continues it, then arranges and
 *		    draws again */
#ifndef PNAV_UI_PART_WORK_H
#define PNAV_UI_PART_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/pace.h"
#include "model/base/vec.h"

#define WORK_ALL INT64_MAX /* a portion without end: runs to completion */
#define WORK_FIRST_NS 12000000

/* The first portion of a picture with nothing to show yet.  The usual portion would show an empty
 * picture for a moment, even for little work.  12 ms are too short for users to notice. */
static inline int64_t
work_first(int64_t portion_ns)
{
	return portion_ns && portion_ns < WORK_FIRST_NS ? WORK_FIRST_NS : portion_ns;
}

struct work;

/* The lock of the data that works read.  All members NULL: no other thread changes it. */
struct works_lock {
	void *ctx;
	void (*take)(void *ctx); /* waits until the lock is free */
	void (*give)(void *ctx);
};

/* All works of an application.  Zero-initialised is none, without a lock. */
struct works {
	VEC(struct work *) all;
	struct works_hold *hold; /* private to work.c: the lock and its state; NULL: none */
	uint32_t every; /* steps between two calls of the pace, for new works; 0: the default */
	int64_t due_ns; /* time of the next picture; 0: not known */
};
/* Copies the lock, which must be free. */
void works_init(struct works *all, const struct works_lock *lock);
/* Call it after all works are freed and the lock is given back. */
void works_release(struct works *all);
/* Takes the lock, which the caller must not have.  Works run, and the profile is read, only
 * while it is held. */
void works_hold(struct works *all);
/* Drops every work, then gives the lock back.  Owners begin dropped works again later. */
void works_let_go(struct works *all);
/* Announces the next picture in `in_ns`: all portions until then together fit into that time,
 * except that each work gets a minimum, so that none starves. */
void works_due(struct works *all, int64_t in_ns);
/* Returns the end (clock_ns()) of a portion that begins now; `all` may be NULL. */
int64_t works_until(const struct works *all, int64_t portion_ns);
/* Returns true if a work has begun and not ended; and the age of the oldest such work. */
bool works_busy(const struct works *all);
int64_t works_age_ns(const struct works *all);
/* Continues all busy works except `but`, for about portion_ns in total. */
void works_on(struct works *all, int64_t portion_ns, const struct work *but);
void works_drop(struct works *all);

/* Returns an idle work; free it before works_release(). */
struct work *work_new(struct works *all);
void work_free(struct work *w);

/* Sets the function that the next portions run; it ends by itself or at pace_gives_up(). */
typedef void work_run(void *ctx, struct pace *pace);
void work_begin(struct work *w, work_run *run, void *ctx);
/* Runs for about portion_ns; true if nothing is left to do.  A function whose first portion is
 * WORK_ALL runs at once on the stack of the caller, without a pace. */
bool work_on(struct work *w, int64_t portion_ns);
/* Cancels the function; it has returned when this returns. */
void work_drop(struct work *w);
bool work_busy(const struct work *w);
/* How long it has been busy; 0 if it is idle. */
int64_t work_age_ns(const struct work *w);

#endif
