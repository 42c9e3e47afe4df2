/* chrono.h - which frames run in each column of a picture whose x is the time.
 *
 * The range of the lens is cut into columns, and each shows the stack that was seen longest
 * in it, over all tracks that are looked at (model/layout.h: a picture costs its columns,
 * however many events there are).
 *
 *	if (chrono_look(&c, scene, cols))
 *		for (row = 0; chrono_row(&c, row, next, ctx); row++) ... */
#ifndef PNAV_UI_PART_CHRONO_H
#define PNAV_UI_PART_CHRONO_H

#include "model/layout.h"
#include "ui/part/scene.h"

#define CHRONO_ROWS_MAX 2000u

struct chrono {
	struct layout layout;
	unsigned n;       /* columns */
	node_id *node;    /* [column] NODE_NONE: nothing runs */
	uint16_t *keep;   /* [column] frames that go on from the column before */
	size_t *path;     /* [column] where in `way` its frames begin; one more at the end */
	VEC(node_id) way; /* below the zoomed frame, outermost first */
	unsigned tracks;  /* that are drawn; with one, `track` is it */
	track_id track;
};

struct chrono_box {
	node_id head, node; /* of a chain of frames (chains.h): its first and last */
	int x, w;
};

void chrono_init(struct chrono *c);
void chrono_release(struct chrono *c);
/* Looks at the scene.  False when nothing that is looked at has times. */
bool chrono_look(struct chrono *c, const struct scene *s, unsigned cols);
/* Finds the boxes of a row, 0 being what the zoomed frame calls: the first at or behind
 * column *x, which moves behind it.  False: no more. */
bool chrono_box(const struct chrono *c, const struct scene *s, unsigned row, int *x,
		struct chrono_box *out);

#endif
