/* timeline.h - what the files of the timeline share; nobody else includes it.
 *
 * timeline.c        what is shown: window, cursor, keys
 * timeline_lanes.c  the lanes, their rows and columns
 * timeline_draw.c   how it looks
 *
 * A lane is a series of a track.  Times here count from the first event of the lane's
 * file, as everywhere in the browser. */
#ifndef PNAV_UI_VIEW_TIMELINE_H
#define PNAV_UI_VIEW_TIMELINE_H

#include "model/layout.h"
#include "model/points.h"
#include "model/vec.h"
#include "ui/view/view.h"

struct lane {
	struct layout_lane run; /* its series */
	track_id track;
	int64_t start; /* absolute time of the first event of its file */
	uint64_t measured; /* events when hold, min and max were found */
	int need;          /* rows for all its frames, as deep as was seen so far */
	int rows, y; /* on the screen, y from the top of the lanes; rows 0: not there */
	struct layout_column *column; /* of stacks; [cols] */
	struct point_column *point;   /* of points */
	double min, max;
	uint64_t stamp; /* which window the columns were made for */
};

struct timeline {
	VEC(struct lane) lanes;
	struct layout layout;
	uint64_t folds, stamp;
	uint64_t trees, generation; /* of the fold that the layout was made for */
	size_t sel, top;  /* the selected lane, the first one shown */
	int64_t from, to; /* the window */
	int64_t when;     /* the cursor */
	unsigned depth;   /* the frame it is on, 1: the root; 0: always the deepest */
	int deep;         /* frames scrolled away above, in the selected lane */
	struct layout_slice slice; /* under the cursor */
	bool has_slice;
	int64_t duration;
	int64_t range_from, range_to; /* of the lens, when it was looked at last */
	bool whole;                   /* it had none */
	uint64_t jumps;
	bool recalled; /* a session's window waits for the first arrange() */
	int64_t recalled_from, recalled_to, recalled_when;
	struct area area;
	int label_cols, cols; /* as the scrubber has them, so that times are aligned */
	int lane_rows, panel_rows;
	int64_t made_from, made_to; /* what the columns were made for */
	int made_cols;
};

#define RULER_ROWS 1

/* The lane that the cursor is on; NULL: there is none. */
static inline struct lane *
timeline_selected(struct timeline *v)
{
	return v->sel < v->lanes.n ? &v->lanes.at[v->sel] : NULL;
}
bool lane_has_stacks(const struct lane *lane);
void timeline_lane_release(struct lane *lane);
/* The fold is another one: its lanes, those of stacks first. */
void timeline_look(struct timeline *v, const struct scene *s);
/* Shares out the rows and makes the columns of the lanes in sight; there are lanes. */
void timeline_lay_lanes(struct timeline *v, const struct scene *s);
/* The column of a moment; < 0 or >= cols when it is not in the window. */
int timeline_column(const struct timeline *v, int64_t when);
/* The first moment of a column. */
int64_t timeline_moment(const struct timeline *v, int column);
void timeline_draw(const void *view, const struct scene *s, struct canvas *c,
		   struct area a);

#endif
