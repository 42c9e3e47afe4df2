/* app_draw.h - places the parts of the screen and draws them. */
#ifndef PNAV_UI_APP_APP_DRAW_H
#define PNAV_UI_APP_APP_DRAW_H

#include "ui/app/app_inside.h"

#define MIN_COLS 40
#define MIN_ROWS 10

/* True if the screen is too small for a picture: nothing is arranged then. */
bool app_too_small(const struct app *a);
/* Fits places, view and scrubber to fold, selection and size; call it before act, click and
 * draw. */
void app_arrange(struct app *a);
/* Returns the state of the open view, arranged for the current fold.  A view uses cached parts of
 * the fold, so callers of its find, act and click take its state from here. */
void *app_view_ready(struct app *a);
/* Draws everything.  The canvas has the size of the application's, and may be the same. */
void app_draw(const struct app *a, struct canvas *c);

#endif
