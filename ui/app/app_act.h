/* app_act.h - performs actions. */
#ifndef PNAV_UI_APP_APP_ACT_H
#define PNAV_UI_APP_APP_ACT_H

#include "ui/app/app_inside.h"

void app_act(struct app *a, enum action action);
/* Runs only the action's row; does nothing for actions of views and of the scrubber. */
void app_act_row(struct app *a, enum action action);
/* Goes to the next matches that the user requested before any was found. */
void app_find_steps(struct app *a);
/* Performs the request of a view; returns false if the application should act. */
bool app_answer(struct app *a, enum reply reply);

#endif
