/* app_marks.h - marks: named ranges with a selection. */
#ifndef PNAV_UI_APP_APP_MARKS_H
#define PNAV_UI_APP_APP_MARKS_H

#include "ui/app/app_inside.h"

/* Makes a mark of this name from the current range and selection. */
void app_mark(struct app *a, const char *name);

#endif
