/* app_marks.h - marks: a range and a selection that have a name. */
#ifndef PNAV_UI_APP_APP_MARKS_H
#define PNAV_UI_APP_APP_MARKS_H

#include "ui/app/app_inside.h"

/* A mark of this name, of the range and the selection as they are. */
void app_mark(struct app *a, const char *name);

#endif
