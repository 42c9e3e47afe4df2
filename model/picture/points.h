/* points.h - a series of points in columns of a screen: counters, states, marks.
 *
 * The cost of a column is its blocks, not its points. Points have no stacks, so no projection is
 * needed. Times are absolute, in the unit of the axis. */
#ifndef PNAV_MODEL_PICTURE_POINTS_H
#define PNAV_MODEL_PICTURE_POINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile/tracks.h"

struct point_column {
	bool has; /* min, max and last are set, perhaps by a point before the column */
	uint64_t events; /* number of points in the column itself */
	double min, max; /* include the value that holds when the column begins */
	double last;     /* the value that holds when the column ends */
};

/* Fills n columns of [from, to). They are empty if the series is not sorted, or not of points. */
void points_columns(const struct series *s, int64_t from, int64_t to, unsigned n,
		    struct point_column *out);
/* Finds the first moment in [from, to) at which the value is the highest of that time, or the
 * lowest; returns false if there is no value. */
bool points_find_extreme(const struct series *s, int64_t from, int64_t to, bool highest,
			 int64_t *when);
/* Finds the lowest and highest value of a series of points; returns false if it is empty. */
bool points_extremes(const struct series *s, double *min, double *max);

#endif
