/* app_front.h - the modals in front of the view: prompt, menu, pager. */
#ifndef PNAV_UI_APP_APP_FRONT_H
#define PNAV_UI_APP_APP_FRONT_H

#include "ui/app/app_inside.h"

/* Each opens one in front of all; hooks get the application as their context. */
void app_prompt(struct app *a, const char *label, const char *text,
		const struct prompt_hooks *hooks, enum asked kind);
/* Opens a menu without items. */
struct menu *app_menu(struct app *a, const char *title, const struct menu_hooks *hooks);
struct pager *app_pager(struct app *a, const char *title, const char *text, size_t len);
void app_front_init(struct app *a);
void app_front_release(struct app *a);

#endif
