/* app_effects.h - what a step of a guide changes: measured before and after it, and held against
 * what the manual says of the step (struct inspection_effect). */
#ifndef PNAV_UI_APP_APP_EFFECTS_H
#define PNAV_UI_APP_APP_EFFECTS_H

#include "ui/app/app_inside.h"

/* Measures what is shown now.  What was asked for and is not made yet is not in it. */
struct guide_facts app_effects_measure(const struct app *a);
/* Is the change there, between `before` and `now`?  Appends what is there, "1 of 27 tracks", in
 * either case; nothing for what the screen tells anyway. */
bool app_effects_hold(const struct app *a, const struct inspection_effect *c,
		      const struct guide_facts *before, const struct guide_facts *now,
		      struct buf *say);
/* Does this metric fit the change of a metric that a step asks for? */
bool app_effects_metric(const struct profile *p, const char *wanted, metric_id m,
			metric_id now);

#endif
