/* app_guide.h - an inspection of the manual, played step by step in the browser. */
#ifndef PNAV_UI_APP_APP_GUIDE_H
#define PNAV_UI_APP_APP_GUIDE_H

#include "ui/app/app_inside.h"

/* The questions that fit this profile, those of a comparison first, then those for the view
 * that is open: places in the list of the configuration.  The caller's, to be released. */
struct guide_list {
	VEC(size_t) at;
};
void app_guide_list(const struct app *a, struct guide_list *out);
/* Begins with one; says so when the profile has not what it needs. */
void app_guide_start(struct app *a, const struct inspection *q);
/* The same by its name; false with usage in *e when there is none of that name. */
bool app_guide_named(struct app *a, const char *name, struct err *e);
/* Does one of the guide's own keys; false when the key is not one, or no guide is there. */
bool app_guide_key(struct app *a, uint32_t key);
/* The same at a menu that a step has opened: Space takes its row, Backspace the step back. */
bool app_guide_menu_key(struct app *a, uint32_t key);
/* Measures what the last step has changed, once that is seen; `now`: it is waited for. */
void app_guide_settle(struct app *a, bool now);
/* Is there a key to be played?  Then *wait_ms is when, at the latest. */
bool app_guide_plays(const struct app *a, int *wait_ms);
/* The key that is due, to be handled between app_guide_begin() and app_guide_done(); false
 * when none is: with `at_once`, when there is none at all. */
bool app_guide_next(struct app *a, bool at_once, struct event_in *out);
/* The keys of the page are the default ones, whatever the user has bound. */
void app_guide_begin(struct app *a);
void app_guide_done(struct app *a);
/* After an event: was that the choice that a step waits for? */
void app_guide_watch(struct app *a);
void app_guide_release(struct app *a);

#endif
