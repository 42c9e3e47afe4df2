/* app_range.h - the range and the scrubber. */
#ifndef PNAV_UI_APP_APP_RANGE_H
#define PNAV_UI_APP_APP_RANGE_H

#include "ui/app/app_inside.h"

/* True for an action of the range or of the scrubber. */
bool app_range_takes(enum action action);
void app_range_act(struct app *a, enum action action);
/* Returns the kind of its steps, which join those of the same kind. */
enum range_step app_range_step(enum action action);
/* ":from T", ":to T", ":range A B": times, percents or "-" for an open end.  Returns false with
 * usage in *e for an invalid or empty range. */
bool app_range_set(struct app *a, const char *word, const char *value, struct err *e);
/* ":last T": a range of this length at the end of the data read, sliding with it; "": ends that.
 * Returns false with usage in *e for an invalid duration. */
/* Queries the store for the range and these tracks, and shows the result until the user returns or
 * quits. */
void app_range_again(struct app *a);
bool app_range_last(struct app *a, const char *value, struct err *e);
/* True if the range slides. */
bool app_range_slides(const struct app *a);
/* Handles the mouse at column x of the scrubber: a begin, or (drag) the other end. */
void app_range_point(struct app *a, int x, bool drag);
/* Makes nav's range the range of the lens: a separate step of the history. */
void app_range_take(struct app *a);
/* The same, undone together with the previous steps: a drag. */
void app_range_take_step(struct app *a);

#endif
