/* calls.h - shared by the files of the view of calls; no other file includes it.
 *
 * calls.c        the view's functions, keys, mouse
 * calls_draw.c   statistics of all calls
 * calls_list.c   the list of single calls */
#ifndef PNAV_UI_VIEW_CALLS_CALLS_H
#define PNAV_UI_VIEW_CALLS_CALLS_H

#include "model/profile/callrows.h"
#include "model/table/columns.h"
#include "ui/part/slowest.h"
#include "ui/view/calls/calls_list.h"
#include "ui/view/view.h"

#define TRACK_COLS 40 /* width of the list of tracks, if there is room */
#define HEAD_ROWS 2   /* the title, and the head of the table */

struct calls_state {
	struct callwatch *watch;
	uint64_t folds;
	key_id key; /* the selection or, without one, the heaviest function */
	function_id function;
	bool done, stopped;
	enum call_time time;
	uint32_t row; /* the track; 0: all */
	bool listing; /* show the list of calls, not the statistics */
	struct calls_list list;
	struct slowest *each; /* the list; NULL: not opened yet */
	bool recalled;        /* `wish` comes from a session */
	struct slowest_wish wish;
	struct pattern *only; /* the session's row filter; NULL: none */
	struct row about; /* the numbers of the function */
	struct look look; /* the context of the columns of calls */
	struct area area;
};

/* The view's draw(). */
void calls_draw(const void *view, const struct scene *s, struct canvas *c, struct area a);

#endif
