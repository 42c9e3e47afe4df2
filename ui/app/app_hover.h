/* app_hover.h - the card of what is under the mouse pointer, once that rests. */
#ifndef PNAV_UI_APP_APP_HOVER_H
#define PNAV_UI_APP_APP_HOVER_H

#include "ui/app/app_inside.h"

/* Notes where the pointer is; returns true if the picture changes, because a card goes. */
bool app_hover_move(struct app *a, int y, int x);
/* Removes the card at any other event. */
void app_hover_leave(struct app *a);
/* Makes the card when it is due; returns true if there is one now. */
bool app_hover_due(struct app *a);
/* Shortens the wait for input to when the card is due. */
void app_hover_wait(const struct app *a, int *wait_ms);
/* Draws the card, if there is one, beside the pointer. */
void app_hover_draw(const struct app *a, struct canvas *c);
void app_hover_release(struct app *a);

#endif
