/* slowest.h - the calls of a function, or of all, slowest first: one list, which the view of
 * calls shows and the timeline is walked by.
 *
 * The steps are read in portions: slowest_arrange() reads one and sets scene.again while
 * there is more, so keys are heard meanwhile.  The list keeps LISTED_MAX calls, the first in
 * its order, and counts all. */
#ifndef PNAV_UI_PART_SLOWEST_H
#define PNAV_UI_PART_SLOWEST_H

#include "model/calls/calllist.h"
#include "ui/part/grid.h"

#define LISTED_MAX 10000u

/* What is asked of the list. */
struct slowest_wish {
	bool all;
	int64_t over;
	struct grid_order order;
};

struct slowest {
	bool all;     /* of all functions, else of the selected one */
	int64_t over; /* only those that last longer; < 0: all */
	struct grid_order order;
	struct pattern *only; /* of functions that match; NULL: of any */
	int64_t at;          /* the call that is pointed at */
	struct call here;    /* the same, which other orders and ranges keep */
	bool pointed;        /* somebody pointed: `here` is known */
	const struct call *call; /* [n] in order */
	uint32_t n;
	bool done, stopped;
	struct look look; /* what their rows are seen in */
	/* private */
	struct calllist *list;
	struct call *copy;
	uint64_t folds, sorted; /* how many were found when they were sorted last */
	key_id key;
	bool stale; /* another list is wanted */
	int step;   /* 0: nothing; else so many on or back, when all is read */
};

void slowest_init(struct slowest *w);
void slowest_release(struct slowest *w);
/* Makes the list that of this key (or of all), and reads a portion of it. */
void slowest_arrange(struct slowest *w, struct scene *s, key_id key);
/* Reads no more: what was found is the list. */
void slowest_stop(struct slowest *w);
void slowest_all(struct slowest *w, bool all);
void slowest_over(struct slowest *w, int64_t over);
/* Only the calls of functions that match, of whatever is selected; takes the pattern over. */
void slowest_only(struct slowest *w, struct pattern *only);
/* Another order: w->order has changed. */
void slowest_reorder(struct slowest *w);
/* All of it at once, and as it is now. */
void slowest_set(struct slowest *w, const struct slowest_wish *wish);
struct slowest_wish slowest_wish(const struct slowest *w);
/* In words, each behind a blank: " self reversed all over 3000000", the length in units of the
 * axis; nothing for what it begins with.  And back: false when they are none. */
void slowest_write(const struct slowest_wish *wish, struct buf *out);
bool slowest_read(struct slowest_wish *wish, const char *words);
/* How many there are, kept or not; how much of the steps was read. */
uint64_t slowest_found(const struct slowest *w);
void slowest_progress(const struct slowest *w, uint64_t *read, uint64_t *all);
struct row slowest_row(const struct slowest *w, int64_t i);
/* Points at a row. */
void slowest_point(struct slowest *w, int64_t i);
/* nav's moment becomes the call that is pointed at, and its function is selected; false when
 * there is none. */
bool slowest_moment(struct slowest *w, struct scene *s);
/* Asks for the call after (dir > 0) or before the one that nav's moment is; without one, for
 * the first.  slowest_arrange() makes it nav's moment, and counts nav->jumps up, as soon as
 * the list is known. */
void slowest_step(struct slowest *w, int dir);
/* Is somebody waiting for that? */
static inline bool
slowest_waits(const struct slowest *w)
{
	return w->step != 0;
}

#endif
