/* app_labels.h - the list of labels, which may take some portions to make. */
#ifndef PNAV_UI_APP_APP_LABELS_H
#define PNAV_UI_APP_APP_LABELS_H

#include "ui/app/app_inside.h"

/* Opens the list that was asked for, once it is made. */
void app_labels_made(struct app *a);
/* Another key was pressed: it is not wanted any more. */
void app_labels_forget(struct app *a);
void app_labels_release(struct app *a);

#endif
