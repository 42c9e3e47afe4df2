/* app_carry.h - from the browser of one part of a recording to that of a newer part. */
#ifndef PNAV_UI_APP_APP_CARRY_H
#define PNAV_UI_APP_APP_CARRY_H

#include "ui/app/app_inside.h"

/* Keeps the state for the next browser and returns true if a newer profile should replace this
 * one now.  If the user needs this one, reports that. */
bool app_carry_out(struct app *a);
/* Returns true if the browser before this one has left its state. */
bool app_carry_begin(const struct app_config *config);
/* Restores the state of the browser before, if the visible fold has data. */
void app_carry_in(struct app *a);
/* Returns the lens to begin with. */
const struct lens *app_carry_lens(const struct app_config *config);

#endif
