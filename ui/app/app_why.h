/* app_why.h - critical paths. */
#ifndef PNAV_UI_APP_APP_WHY_H
#define PNAV_UI_APP_APP_WHY_H

#include "ui/app/app_inside.h"

/* Shows the critical path of nav's actor, or of its track, in nav's range; if it has none, asks for
 * the thread as the key does. */
void app_why_target(struct app *a);

#endif
