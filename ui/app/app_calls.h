/* app_calls.h - the limit of the list of calls. */
#ifndef PNAV_UI_APP_APP_CALLS_H
#define PNAV_UI_APP_APP_CALLS_H

#include "ui/app/app_inside.h"

/* Lists only calls that last longer than this ("3ms"; "": all).  Returns false with usage in *e. */
bool app_calls_over(struct app *a, const char *length, struct err *e);

#endif
