/* app_stand.h - the state of the browser, to return to it. */
#ifndef PNAV_UI_APP_APP_STAND_H
#define PNAV_UI_APP_APP_STAND_H

#include "ui/app/app_inside.h"
#include "ui/app/session.h"

/* All that a session has, and what it omits: the way back through the views, the scrubber. */
struct app_stand {
	struct session look;
	struct buf views[VIEWS_MAX]; /* the state of each */
	struct app_stand_scrubber {
		bool focus, placed;
		int64_t cursor;
	} scrubber;
	const struct view_ops *before[VIEWS_MAX];
	size_t n_before;
	bool proposed;
};

/* Returns the state; app_stand_free() frees it. `moves`: for a profile that begins at another time,
 * see shift_times() in view.h. */
struct app_stand *app_stand_of(const struct app *a, bool moves);
void app_stand_free(struct app_stand *s);
/* Restores it.  Its lens becomes a change, which can be undone. */
void app_stand_restore(struct app *a, const struct app_stand *s);

#endif
