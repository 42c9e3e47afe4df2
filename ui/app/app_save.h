/* app_save.h - files: screens, filters, exports, sessions. */
#ifndef PNAV_UI_APP_APP_SAVE_H
#define PNAV_UI_APP_APP_SAVE_H

#include "ui/app/app_inside.h"
#include "ui/app/session.h"

/* What a file prompt is for; from FILE_EXPORT on: the formats that can be written. */
enum asked_file {
	FILE_SCREEN,
	FILE_ANSI,
	FILE_SESSION,
	FILE_SPEC,
	FILE_LOAD_SPEC,
	FILE_EXPORT,
};

void app_ask_file(struct app *a, int what);
/* Shows what the session says: once, when all is loaded. */
void app_restore(struct app *a);
/* What is looked at and how, into an empty session: all but files, options and marks. */
void app_keep(const struct app *a, struct session *s);

#endif
