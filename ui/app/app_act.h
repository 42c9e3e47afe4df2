/* app_act.h - what actions do. */
#ifndef PNAV_UI_APP_APP_ACT_H
#define PNAV_UI_APP_APP_ACT_H

#include "ui/app/app_inside.h"

void app_act(struct app *a, enum action action);
/* Only what the action's row says: nothing for actions of views and of the scrubber. */
void app_act_row(struct app *a, enum action action);
/* Goes on to the next matches that were asked for before any was found. */
void app_find_steps(struct app *a);
/* Does what a view asks for; false when it leaves all to the application. */
bool app_answer(struct app *a, enum reply reply);

#endif
