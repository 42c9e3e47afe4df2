/* app_labels.h - the list of labels, which may be computed in portions. */
#ifndef PNAV_UI_APP_APP_LABELS_H
#define PNAV_UI_APP_APP_LABELS_H

#include "ui/app/app_inside.h"

/* Opens the requested list, once it is computed. */
void app_labels_made(struct app *a);
/* Drops the request after another key. */
void app_labels_forget(struct app *a);
void app_labels_release(struct app *a);

#endif
