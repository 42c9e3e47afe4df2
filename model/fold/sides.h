/* sides.h - a number and its base, as they are before they are rounded for display.
 *
 * A comparison may scale a side (changes.h). Then 3 samples of a base that ran ten times as long
 * are 0.3, which is not new. Fractions are displayed below ten, where they matter, with two digits.
 * A displayed change is the difference of the two displayed numbers, so a reader who subtracts them
 * gets it; rows are sorted by it, and limits (--fail-if) apply to it. */
#ifndef PNAV_MODEL_FOLD_SIDES_H
#define PNAV_MODEL_FOLD_SIDES_H

#include <math.h>
#include <stdbool.h>

#define SIDES_LEAST 0.01 /* less is displayed as "<0.01", and counts as 0 */

struct sides {
	double now, base;
};

static inline double
sides_change(struct sides x)
{
	return x.now - x.base;
}

/* Returns true if a number is displayed with a fraction. */
static inline bool
sides_has_fraction(double exact)
{
	return fabs(exact) < 9.95 && exact != round(exact);
}

/* Returns the number as it is displayed. */
static inline double
sides_shown(double exact)
{
	if (!sides_has_fraction(exact))
		return round(exact);
	if (fabs(exact) < SIDES_LEAST)
		return 0;
	double digits = fabs(exact) < 0.0995 ? 1000 : fabs(exact) < 0.995 ? 100 : 10;
	return round(exact * digits) / digits;
}

/* Returns the difference of the displayed numbers. */
static inline double
sides_shown_change(struct sides x)
{
	return sides_shown(sides_shown(x.now) - sides_shown(x.base));
}

#endif
