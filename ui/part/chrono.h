/* chrono.h - the frames that run in each column of a picture over time.
 *
 * The range of the lens is divided into columns.  Each shows the track with most of the metric in
 * it (among those with visible frames), and for each row the function with most of the column
 * (model/picture/cells.h: the cost of a picture depends on its columns, not on the events).
 *
 *	if (chrono_look(&c, scene, cols))
 *		while (chrono_box(&c, scene, row, &x, &box)) ... */
#ifndef PNAV_UI_PART_CHRONO_H
#define PNAV_UI_PART_CHRONO_H

#include "model/picture/cells.h"
#include "ui/part/scene.h"

#define CHRONO_ROWS_MAX 2000u

struct chrono_best;

struct chrono {
	struct layout layout;
	struct cells cells;
	unsigned n;      /* columns */
	unsigned tracks; /* that are drawn; if 1, `track` is it */
	track_id track;
	/* private */
	VEC(struct layout_lane) lanes;
	VEC(int64_t) starts;      /* of the file of each lane */
	struct chrono_best *best; /* [column] */
	uint16_t *row;            /* [node] below the zoomed frame, without links; 0: none */
	node_id *as;              /* [node] the end of its chain */
	struct chrono_of {        /* the inputs of the rows */
		uint64_t tree, generation, folds;
		node_id zoom;
		bool chains;
	} rows_of;
};

struct chrono_box {
	node_id head, node; /* of a chain of frames (chains.h): its first and last */
	int x, w;
	const struct cell_box *box; /* its content; valid until chrono_look() */
};

void chrono_init(struct chrono *c);
void chrono_release(struct chrono *c);
/* Updates the picture.  Returns false if no chosen track has times, or the pace (NULL: no rests)
 * cancelled; then no box may be read. */
bool chrono_look(struct chrono *c, const struct scene *s, unsigned cols, struct pace *pace);
/* Finds the boxes of a row, where row 0 has the callees of the zoomed frame: the first one at or
 * after column *x, which then moves after it.  Returns false at the end. */
bool chrono_box(const struct chrono *c, const struct scene *s, unsigned row, int *x,
		struct chrono_box *out);

#endif
