/* app_odd.h - the key that goes to the part of the run that differs most from the rest. */
#ifndef PNAV_UI_APP_APP_ODD_H
#define PNAV_UI_APP_APP_ODD_H

#include "ui/app/app_inside.h"

/* Goes to the requested part once the parts are known. */
void app_odd_made(struct app *a);
void app_odd_release(struct app *a);

#endif
