/* app_effects.h - measures the changes of a guide's step and compares them with those that the
 * manual states (struct inspection_effect). */
#ifndef PNAV_UI_APP_APP_EFFECTS_H
#define PNAV_UI_APP_APP_EFFECTS_H

#include "ui/app/app_inside.h"

/* Measures the visible state.  Requested changes that are not visible yet are not included. */
struct guide_facts app_effects_measure(const struct app *a);
/* True if the change happened between `before` and `now`.  Appends the state, "1 of 27 tracks", in
 * either case; nothing if the screen shows it anyway. */
bool app_effects_hold(const struct app *a, const struct inspection_effect *c,
		      const struct guide_facts *before, const struct guide_facts *now,
		      struct buf *say);
/* True if this metric satisfies a step that changes the metric. */
bool app_effects_metric(const struct profile *p, const char *wanted, metric_id m,
			metric_id now);

#endif
