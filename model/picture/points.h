/* points.h - a series of points in columns of a screen: counters, states, marks.
 *
 * A column costs the blocks under it, not the points; no projection is needed, since points
 * have no stacks.  Times are absolute, in the unit of the axis. */
#ifndef PNAV_MODEL_POINTS_H
#define PNAV_MODEL_POINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile/tracks.h"

struct point_column {
	bool has; /* min, max and last are set: also by a point before the column */
	uint64_t events; /* points in the column itself */
	double min, max; /* with the value that holds when the column begins */
	double last;     /* what holds when it ends */
};

/* n columns of [from, to); empty ones of a series that is not sorted, or not of points. */
void points_columns(const struct series *s, int64_t from, int64_t to, unsigned n,
		    struct point_column *out);
/* Lowest and highest value of a series of points; false when it is empty. */
bool points_extremes(const struct series *s, double *min, double *max);

#endif
