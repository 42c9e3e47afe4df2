/* app_filters.h - the list of filters, whose shares may be computed in portions. */
#ifndef PNAV_UI_APP_APP_FILTERS_H
#define PNAV_UI_APP_APP_FILTERS_H

#include "ui/app/app_inside.h"

/* Shows the shares computed so far while the list is open. */
void app_filters_made(struct app *a);
void app_filters_release(struct app *a);

#endif
