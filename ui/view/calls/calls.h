/* calls.h - what the files of the view of calls share; nobody else includes it.
 *
 * calls.c        what is shown: keys, mouse
 * calls_draw.c   the numbers of all calls
 * calls_list.c   each call */
#ifndef PNAV_UI_VIEW_CALLS_H
#define PNAV_UI_VIEW_CALLS_H

#include "model/profile/callrows.h"
#include "model/table/columns.h"
#include "ui/part/slowest.h"
#include "ui/view/calls/calls_list.h"
#include "ui/view/view.h"

#define TRACK_COLS 40 /* of the list of tracks, where there is room */
#define HEAD_ROWS 2   /* the title, and the head of the table */

struct calls {
	struct callwatch *watch;
	uint64_t folds;
	key_id key; /* what is shown: the selection, or the busiest when there is none */
	function_id function;
	bool done, stopped;
	enum call_time time;
	uint32_t row; /* the track: 0 is all */
	bool listing; /* the half that is shown: each call */
	struct calls_list list;
	struct slowest *each; /* the list; NULL: not looked at yet */
	bool recalled;        /* `wish` is what a session asks of it */
	struct slowest_wish wish;
	struct pattern *only; /* ... and of which functions; NULL: not asked */
	struct row about; /* the numbers of the function */
	struct look look; /* what rows of calls are seen in */
	struct area area;
};

/* As the view's draw(). */
void calls_draw(const void *view, const struct scene *s, struct canvas *c, struct area a);

#endif
