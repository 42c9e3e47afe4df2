/* work.h - long work of the browser: the one way in which anything takes longer than a frame.
 *
 * What is worked on is a plain function that takes rests (model/base/pace.h).  It runs a portion at
 * a time, between keys, and while it rests it may be dropped.  At any time but one of the work
 * and its owner runs, so they share what they like without locks; but what the work reads may
 * not change while it rests.  The browser that changes it (another fold) drops all works first.
 * The profile, which the loader's thread changes, has a lock; the works own the only way to it,
 * works_hold() and works_let_go(), and letting go drops every work: so none can rest, or run,
 * while the loader writes.
 *
 *	work_begin(v->work, make_rows, v);      -- drops what it did before
 *	if (work_on(v->work, scene->portion_ns))
 *		... all is made; else the loop of the application goes on with it, and arranges
 *		    and draws anew when it is over */
#ifndef PNAV_UI_PART_WORK_H
#define PNAV_UI_PART_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/pace.h"
#include "model/base/vec.h"

#define WORK_ALL INT64_MAX /* a portion that is all there is to do */
#define WORK_FIRST_NS 12000000

/* What is done at once where a picture has nothing to show before: the usual portion would
 * show it empty for a moment, even where little is to be done.  Longer nobody waits for a
 * picture, of whatever. */
static inline int64_t
work_first(int64_t portion_ns)
{
	return portion_ns && portion_ns < WORK_FIRST_NS ? WORK_FIRST_NS : portion_ns;
}

struct work;

/* The lock of what works read.  All members NULL: nothing else changes that. */
struct works_lock {
	void *ctx;
	void (*take)(void *ctx); /* waits until the lock is free */
	void (*give)(void *ctx);
};

/* All works of an application.  Zero-initialised is none, without a lock. */
struct works {
	VEC(struct work *) all;
	struct works_hold *hold; /* work.c's: the lock, and whether it is taken; NULL: none */
	uint32_t every; /* steps from rest to rest, of those made from now on; 0: the usual */
	int64_t due_ns; /* when the next picture is; 0: that is not known */
};
/* Copies the lock, which is not taken yet. */
void works_init(struct works *all, const struct works_lock *lock);
/* Every work has been freed, and the lock was let go. */
void works_release(struct works *all);
/* Takes the lock, which the caller does not have.  Only then works run, and the profile is read. */
void works_hold(struct works *all);
/* Drops every work, then gives the lock.  Whoever takes it again begins anew what was dropped. */
void works_let_go(struct works *all);
/* The next picture is due in so long: portions until then are together no longer, but for the
 * least that each of them has, since none may starve. */
void works_due(struct works *all, int64_t in_ns);
/* When a portion that begins now ends (clock_ns()); `all` may be NULL. */
int64_t works_until(const struct works *all, int64_t portion_ns);
/* Is one of them begun and not over?  And for how long at most. */
bool works_busy(const struct works *all);
int64_t works_age_ns(const struct works *all);
/* Works on those that are busy, but this one, for about so long in all. */
void works_on(struct works *all, int64_t portion_ns, const struct work *but);
void works_drop(struct works *all);

/* Idle; to be freed before `all` is released. */
struct work *work_new(struct works *all);
void work_free(struct work *w);

/* From the next portion on w does run(ctx, pace): to its end, or until pace_gives_up(). */
typedef void work_run(void *ctx, struct pace *pace);
void work_begin(struct work *w, work_run *run, void *ctx);
/* Works for about so long; true when nothing is left to do.  What WORK_ALL begins is done
 * right here. */
bool work_on(struct work *w, int64_t portion_ns);
/* Gives up what was begun; run() has returned then. */
void work_drop(struct work *w);
bool work_busy(const struct work *w);
/* For how long it has been busy; 0 when it is not. */
int64_t work_age_ns(const struct work *w);

#endif
