/* chrono.h - which frames run in each column of a picture whose x is the time.
 *
 * The range of the lens is cut into columns.  Each is that of the track with most of the
 * metric in it (of those that show anything there), and says row by row which function had
 * most of the column (model/picture/cells.h: a picture costs its columns, however many events there
 * are).
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
	unsigned tracks; /* that are drawn; with one, `track` is it */
	track_id track;
	/* private */
	VEC(struct layout_lane) lanes;
	VEC(int64_t) starts;       /* of the file of each lane */
	struct chrono_best *best; /* [column] */
	uint16_t *row; /* [node] below the zoomed frame, links left out; 0: none */
	node_id *as;   /* [node] the end of its chain */
	struct chrono_of { /* what the rows are of; another one, other rows */
		uint64_t tree, generation, folds;
		node_id zoom;
		bool chains;
	} rows_of;
};

struct chrono_box {
	node_id head, node; /* of a chain of frames (chains.h): its first and last */
	int x, w;
};

void chrono_init(struct chrono *c);
void chrono_release(struct chrono *c);
/* Looks at the scene.  False when nothing that is looked at has times, or the pace (NULL: no
 * rests) gave up; nothing may be asked then. */
bool chrono_look(struct chrono *c, const struct scene *s, unsigned cols, struct pace *pace);
/* Finds the boxes of a row, 0 being what the zoomed frame calls: the first at or behind
 * column *x, which moves behind it.  False: no more. */
bool chrono_box(const struct chrono *c, const struct scene *s, unsigned row, int *x,
		struct chrono_box *out);

#endif
