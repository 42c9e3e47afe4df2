/* flame_layout.h - the positions of the boxes of the flame; flame.c draws them.
 *
 * Columns count from the left of the view, rows from the first one of the layout: the
 * callers of the zoomed frame, then the frame itself, then its callees.
 *
 *	flame_lay_out(&l, s, w);           after a change of fold, zoom or width
 *	flame_extend(&l, s, rows);         lazily, as far as rows are visible
 *	at = flame_box_of(&l, s, node, &row);
 *
 * The layout is independent of scrolling and of the direction in which rows are drawn. */
#ifndef PNAV_UI_VIEW_FLAME_LAYOUT_H
#define PNAV_UI_VIEW_FLAME_LAYOUT_H

#include "model/base/vec.h"
#include "ui/part/chrono.h"
#include "ui/view/view.h"

struct flame_box {
	node_id node; /* NODE_NONE: the rest of a row, or omitted callers */
	int x, w;
	uint32_t left_out; /* frames that a rest represents */
	node_id head; /* the first of the frames that share the box; node is the last */
	struct cell_box held; /* ordered by time: the functions of its columns */
};

struct flame_layout {
	VEC(struct flame_box) boxes;
	VEC(size_t) row;  /* [row] index of its first box, and one more entry at the end */
	size_t path_rows; /* rows of callers of the zoomed frame, at the top */
	bool complete;    /* there are no further rows */
	int w;
	uint64_t folds; /* scene.folds of the layout; UINT64_MAX: none yet */
	uint64_t tree; /* serial of its tree */
	node_id zoom;
	bool by_time, timed; /* the view wants order by time; the file has times */
	bool chains;         /* scene.chains of the layout */
	struct chrono chrono;
	struct flame_moments *next; /* the next order by time, made in portions */
	int cursor_x; /* ordered by time: the column that the cursor was moved to */
};

void flame_layout_init(struct flame_layout *l);
void flame_layout_release(struct flame_layout *l);
/* Starts a layout of w columns with the callers and the zoomed frame.  Ordering by time may take
 * several portions.  Until it is complete the layout is stale: the previous one of the same tree
 * stays, for another tree the layout is ordered by weight. */
void flame_lay_out(struct flame_layout *l, const struct scene *s, int w);
/* Returns true if the layout does not match the scene and width. */
bool flame_is_stale(const struct flame_layout *l, const struct scene *s, int w);
/* Adds rows until there are `rows`, or no more. */
void flame_extend(struct flame_layout *l, const struct scene *s, int rows);
int flame_rows(const struct flame_layout *l);
/* Returns the box of a node, or of its nearest visible ancestor. */
size_t flame_box_of(struct flame_layout *l, const struct scene *s, node_id node,
		    int *row);
/* Returns true if the box shows the frame, alone or with others. */
bool flame_covers(const struct scene *s, const struct flame_box *b, node_id n);
/* Returns the distance of a box from the cursor, in columns. */
int flame_distance(const struct flame_layout *l, const struct flame_box *b);

#endif
