/* sides.h - a number and its base, as they are before they are rounded for display.
 *
 * A comparison may scale a side (changes.h). Then 3 samples of a base that ran ten times as long
 * are 0.3: displayed as 0, but not new. */
#ifndef PNAV_MODEL_FOLD_SIDES_H
#define PNAV_MODEL_FOLD_SIDES_H

struct sides {
	double now, base;
};

static inline double
sides_change(struct sides x)
{
	return x.now - x.base;
}

#endif
