/* flame_layout.h - where the boxes of the flame are; how they look is view_flame.c's.
 *
 * Columns count from the left of the view, rows from the first one of the layout: the
 * callers of the zoomed frame come first, then the frame itself, then what it calls.
 *
 *	flame_lay_out(&l, s, w);           the fold, the zoom or the width is another
 *	flame_extend(&l, s, rows);         as far as it is looked at
 *	at = flame_box_of(&l, s, node, &row);
 *
 * Which way up the rows are drawn, and which are scrolled away, nothing here knows. */
#ifndef PNAV_UI_VIEW_FLAME_LAYOUT_H
#define PNAV_UI_VIEW_FLAME_LAYOUT_H

#include "model/base/vec.h"
#include "ui/part/chrono.h"
#include "ui/view/view.h"

struct flame_box {
	node_id node; /* NODE_NONE: the rest of a row, or left-out callers */
	int x, w;
	uint32_t left_out; /* how many frames a rest stands for */
	node_id head; /* the first of the frames that share the box; node is the last */
};

struct flame_layout {
	VEC(struct flame_box) boxes;
	VEC(size_t) row;  /* [row] its first box; one more at the end */
	size_t path_rows; /* callers of the zoomed frame, at the top */
	bool complete;    /* there is no further row */
	int w;
	uint64_t folds; /* which fold; UINT64_MAX: lay out anew */
	uint64_t tree; /* and the serial of its tree */
	node_id zoom;
	bool by_time, timed; /* asked for by the view; and the file has times */
	bool chains;         /* laid out so */
	struct chrono chrono;
	struct flame_moments *next; /* the next of those, which is made in portions */
	int cursor_x; /* by time: where the cursor was moved to */
};

void flame_layout_init(struct flame_layout *l);
void flame_layout_release(struct flame_layout *l);
/* Begins anew: the callers and the zoomed frame, over w columns.  By time that may take some
 * portions: until then what is there stays, or, of another tree, it is not by time; and it is
 * stale. */
void flame_lay_out(struct flame_layout *l, const struct scene *s, int w);
/* Is what was laid out another picture than this one would be? */
bool flame_is_stale(const struct flame_layout *l, const struct scene *s, int w);
/* Makes rows until there are `rows`, or no more. */
void flame_extend(struct flame_layout *l, const struct scene *s, int rows);
int flame_rows(const struct flame_layout *l);
/* The box that shows a node, or the nearest of its callers that is shown. */
size_t flame_box_of(struct flame_layout *l, const struct scene *s, node_id node,
		    int *row);
/* Is the frame one of those that share this box? */
bool flame_covers(const struct scene *s, const struct flame_box *b, node_id n);
/* How far a box is from the cursor, in columns. */
int flame_distance(const struct flame_layout *l, const struct flame_box *b);

#endif
