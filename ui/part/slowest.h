/* slowest.h - the calls of one function, or of all, slowest first.  The view of calls shows the
 * list, and the timeline goes from call to call along it.
 *
 * slowest_arrange() reads a portion of the steps and sets scene.again while there is more, so
 * the browser stays responsive.  The list keeps the first LISTED_MAX calls in its order, and
 * counts all. */
#ifndef PNAV_UI_PART_SLOWEST_H
#define PNAV_UI_PART_SLOWEST_H

#include "model/calls/calllist.h"
#include "ui/part/grid.h"

#define LISTED_MAX 10000u

/* The user's choice of calls and order. */
struct slowest_wish {
	bool all, unfinished;
	int64_t over;
	struct grid_order order;
};

struct slowest {
	bool all;     /* calls of all functions, else of the selected one */
	bool unfinished; /* also calls whose end the file lacks */
	int64_t over; /* only calls longer than this; < 0: all */
	struct grid_order order;
	struct pattern *only; /* only functions that match; NULL: any */
	int64_t at;          /* index of the current call */
	struct call here;    /* the current call, kept across orders and ranges */
	bool pointed;        /* the user has chosen a call: `here` is valid */
	const struct call *call; /* [n] in order */
	uint32_t n;
	bool done, stopped;
	struct look look; /* for the columns of their rows */
	/* private */
	struct calllist *list;
	struct call *copy;
	uint64_t folds, sorted; /* calls found at the last sorting */
	key_id key;
	bool stale; /* the list has to be read again */
	int step;   /* calls to move, back if < 0, once all is read; 0: none */
};

void slowest_init(struct slowest *w);
void slowest_release(struct slowest *w);
/* Selects the calls of this key (or all) and reads a portion of the steps. */
void slowest_arrange(struct slowest *w, struct scene *s, key_id key);
/* Stops reading; the list keeps the calls found so far. */
void slowest_stop(struct slowest *w);
void slowest_all(struct slowest *w, bool all);
void slowest_over(struct slowest *w, int64_t over);
void slowest_unfinished(struct slowest *w, bool unfinished);
/* Restricts the list to functions that match, independent of the selection; takes ownership. */
void slowest_only(struct slowest *w, struct pattern *only);
/* Call it after a change of w->order. */
void slowest_reorder(struct slowest *w);
/* Set and get all of the choices. */
void slowest_set(struct slowest *w, const struct slowest_wish *wish);
struct slowest_wish slowest_wish(const struct slowest *w);
/* Converts the choices to words, each after a blank, such as " self reversed all unfinished over
 * 3000000", the length in units of the axis; defaults give no word.  slowest_read() converts
 * back; false for unknown words. */
void slowest_write(const struct slowest_wish *wish, struct buf *out);
bool slowest_read(struct slowest_wish *wish, const char *words);
/* The number of calls found, kept or not; of those omitted as unfinished; and the number of steps
 * read, of all. */
uint64_t slowest_found(const struct slowest *w);
uint64_t slowest_omitted(const struct slowest *w);
void slowest_progress(const struct slowest *w, uint64_t *read, uint64_t *all);
struct row slowest_row(const struct slowest *w, int64_t i);
/* Makes row i the current call. */
void slowest_point(struct slowest *w, int64_t i);
/* Sets the moment of nav to the current call and selects its function; false if there is no
 * current call. */
bool slowest_moment(struct slowest *w, struct scene *s);
/* Requests the call after (dir > 0) or before the moment of nav; without one, the first call.
 * Once the list is complete, slowest_arrange() sets the moment of nav and increments
 * nav->jumps. */
void slowest_step(struct slowest *w, int dir);
/* Returns true if a requested step is still to be made. */
static inline bool
slowest_waits(const struct slowest *w)
{
	return w->step != 0;
}

#endif
