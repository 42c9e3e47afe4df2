/* app_ask.h - the prompts: search, filter, commands. */
#ifndef PNAV_UI_APP_APP_ASK_H
#define PNAV_UI_APP_APP_ASK_H

#include "ui/app/app_inside.h"

void app_ask_filter(struct app *a);
/* An entry: `at` is SIZE_MAX for a new one. */
void app_ask_entry(struct app *a, enum verb verb, size_t at);
/* Shows what is typed at the filter prompt. */
void app_preview(struct app *a);
void app_ask_release(struct app *a);

#endif
