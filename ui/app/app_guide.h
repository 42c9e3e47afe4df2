/* app_guide.h - an inspection of the manual, played step by step in the browser. */
#ifndef PNAV_UI_APP_APP_GUIDE_H
#define PNAV_UI_APP_APP_GUIDE_H

#include "ui/app/app_inside.h"

/* The questions that fit this profile, those of a comparison first, then those for the open view:
 * indexes into the configuration's list.  The caller releases it. */
struct guide_list {
	VEC(size_t) at;
};
void app_guide_list(const struct app *a, struct guide_list *out);
/* Starts a question; reports it if the profile lacks a requirement. */
void app_guide_start(struct app *a, const struct inspection *q);
/* Starts a question by its name; returns false with usage in *e for an unknown name. */
bool app_guide_named(struct app *a, const char *name, struct err *e);
/* Handles one of the guide's own keys; returns false for other keys, or without a guide. */
bool app_guide_key(struct app *a, uint32_t key);
/* The same in a menu that a step opened: Space takes its row, Backspace undoes the step. */
bool app_guide_menu_key(struct app *a, uint32_t key);
/* Measures the last step's changes, once they are visible; with `now` waits for that. */
void app_guide_settle(struct app *a, bool now);
/* True if a key is to be played; *wait_ms is then the maximum delay. */
bool app_guide_plays(const struct app *a, int *wait_ms);
/* Returns the due key, to be handled between app_guide_begin() and app_guide_done(); false if none
 * is due, or with `at_once` if there is none at all. */
bool app_guide_next(struct app *a, bool at_once, struct event_in *out);
/* Activates the default keys, which the page uses, whatever the user has bound. */
void app_guide_begin(struct app *a);
void app_guide_done(struct app *a);
/* Checks after an event whether it was the choice that a step waits for. */
void app_guide_watch(struct app *a);
void app_guide_release(struct app *a);

#endif
