/* app_greet.h - what the message line says of the reading, while a screen lies over standard
 * error. */
#ifndef PNAV_UI_APP_APP_GREET_H
#define PNAV_UI_APP_APP_GREET_H

#include "ui/app/app_inside.h"
#include "ui/app/settings.h"

/* Reports the files that could not be read since the last call. */
void app_say_missed(struct app *a);
/* All is read and seen: reports what is wrong with it, and chooses the view where nobody has. */
void app_greet(struct app *a);
/* Reports the first line of a file of settings that was left out, unless something else is said. */
void app_say_faults(struct app *a, const struct faults *f);

#endif
