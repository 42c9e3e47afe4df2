/* app_lines.h - the lines around the view. */
#ifndef PNAV_UI_APP_APP_LINES_H
#define PNAV_UI_APP_APP_LINES_H

#include "ui/app/app_inside.h"

void app_draw_header(const struct app *a, struct canvas *c);
void app_draw_range(const struct app *a, struct canvas *c);
/* app_tabs.c */
void app_draw_tabs(const struct app *a, struct canvas *c);
void app_draw_details(const struct app *a, struct canvas *c);
void app_draw_progress(const struct app *a, struct canvas *c);
/* app_hints.c: returns true if an action of the view has an effect now; says that it has none;
 * draws a message, else the hints. */
bool app_means(const struct app *a, enum action action);
void app_say_idle(struct app *a, enum action action);
void app_draw_bottom(const struct app *a, struct canvas *c);
/* Returns the view whose tab is at this column, or NULL. */
const struct view_ops *app_tab_at(const struct app *a, int x);

#endif
