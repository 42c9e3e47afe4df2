/* app_save.h - files: screens, filters, exports, sessions. */
#ifndef PNAV_UI_APP_APP_SAVE_H
#define PNAV_UI_APP_APP_SAVE_H

#include "ui/app/app_inside.h"
#include "ui/app/session.h"

/* The purpose of a file prompt; from FILE_EXPORT on: the formats for export. */
enum asked_file {
	FILE_SCREEN,
	FILE_ANSI,
	FILE_SESSION,
	FILE_SPEC,
	FILE_LOAD_SPEC,
	FILE_EXPORT,
};

void app_ask_file(struct app *a, int what);
/* Restores the session, once, when everything is loaded. */
void app_restore(struct app *a);
/* Writes the current state into an empty session: everything but files, options and marks. */
void app_keep(const struct app *a, struct session *s);

#endif
