/* app_rest.h - parts of the screen that are not redrawn while a key is held. */
#ifndef PNAV_UI_APP_APP_REST_H
#define PNAV_UI_APP_APP_REST_H

#include "ui/app/app_inside.h"

/* Notes an event of the user. */
void app_rest_heard(struct app *a);
/* True while keys come one after the other. */
bool app_rest_hurries(const struct app *a);
/* Called after app_draw(): puts back what may wait. */
void app_rest_drawn(struct app *a);
/* Shortens the wait for input to when the rest of the picture is due. */
void app_rest_wait(const struct app *a, int *wait_ms);

#endif
