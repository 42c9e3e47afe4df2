/* app_greet.h - messages about loading, while a screen covers standard error. */
#ifndef PNAV_UI_APP_APP_GREET_H
#define PNAV_UI_APP_APP_GREET_H

#include "ui/app/app_inside.h"
#include "ui/app/settings.h"

/* Reports the files that could not be read since the last call. */
void app_say_missed(struct app *a);
/* Called when everything is loaded and visible: reports problems, and chooses the view unless the
 * user has. */
void app_greet(struct app *a);
/* Reports the first ignored line of a settings file, unless another message is shown. *all becomes
 * the list of them for the view info, as long as f lives. */
void app_say_faults(struct app *a, const struct faults *f, struct ignored_lines *all);

#endif
