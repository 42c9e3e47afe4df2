/* app_draw.h - where the parts of the screen are, and drawing them. */
#ifndef PNAV_UI_APP_APP_DRAW_H
#define PNAV_UI_APP_APP_DRAW_H

#include "ui/app/app_inside.h"

#define MIN_COLS 40
#define MIN_ROWS 10

/* Too small for a picture: nothing is arranged then. */
bool app_too_small(const struct app *a);
/* Brings places, view and scrubber in line with fold, selection and size; before act, click
 * and draw. */
void app_arrange(struct app *a);
/* The state of the view that is open, arranged for what is seen now.  A view reads what it has
 * kept of the fold, so whoever asks it anything (find, act, click) takes its state from here. */
void *app_view_ready(struct app *a);
/* Draws all.  The canvas is as large as the application's, perhaps that itself. */
void app_draw(const struct app *a, struct canvas *c);

#endif
