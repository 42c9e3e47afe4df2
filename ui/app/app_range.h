/* app_range.h - the range and the scrubber. */
#ifndef PNAV_UI_APP_APP_RANGE_H
#define PNAV_UI_APP_APP_RANGE_H

#include "ui/app/app_inside.h"

/* Is it an action of the range or of the scrubber? */
bool app_range_takes(enum action action);
void app_range_act(struct app *a, enum action action);
/* Its steps join those of the same kind. */
enum range_step app_range_step(enum action action);
/* ":from T", ":to T", ":range A B": times, percents or "-" for an open end.  False with
 * usage in *e when that is no range, or one with nothing in it. */
bool app_range_set(struct app *a, const char *word, const char *value, struct err *e);
/* ":last T": a range of this length at the end of what is read, as more is read; "": no
 * longer.  False with usage in *e when that is no length of time. */
/* Asks again for what is in the range and on these tracks, and looks at the answer until the user
 * comes back from it, or quits. */
void app_range_again(struct app *a);
bool app_range_last(struct app *a, const char *value, struct err *e);
/* Does the range slide so? */
bool app_range_slides(const struct app *a);
/* The mouse at column x of the scrubber: a begin, or (drag) the other end. */
void app_range_point(struct app *a, int x, bool drag);
/* Makes nav's range the range of the lens: a step of its own in the history. */
void app_range_take(struct app *a);
/* The same, undone together with the steps before it: a drag. */
void app_range_take_step(struct app *a);

#endif
