/* details.h - the detail pane: all facts about the selection, if there is room.
 *
 * It is at the right of a wide screen, else at the bottom; below tables where there are rows,
 * since terminals scroll whole lines.  While it is hidden, nothing is computed, and nothing is
 * computed again until the fold or the selection changes.  Its lists cost the nodes of the fold,
 * so they may appear after the picture (work.h).
 */
#ifndef PNAV_UI_PART_DETAILS_H
#define PNAV_UI_PART_DETAILS_H

#include "model/fold/around.h"
#include "model/picture/curve.h"
#include "ui/part/scene.h"
#include "ui/screen/canvas.h"

#define DETAILS_ROWS 16u /* of a list, at most */

enum details_wish { DETAILS_AUTO, DETAILS_ON, DETAILS_OFF };

/* The largest values, in falling order. */
struct details_list {
	key_id key[DETAILS_ROWS];
	int64_t value[DETAILS_ROWS];
	unsigned n;
};

#define DETAILS_LABELS 4u

/* Labels at and below the selected stack, in falling order. */
struct details_labels {
	label_id label[DETAILS_LABELS];
	int64_t self[DETAILS_LABELS];
	unsigned n;
};

struct details {
	enum details_wish wish;
	struct area at;        /* h is 0: hidden */
	uint64_t folds, moves; /* the inputs of the lists */
	struct details_list callers, callees, below;
	struct details_labels labels;
	struct changes bars; /* error bars of the numbers of the fold */
	uint64_t bars_folds; /* their input */
	struct row own;      /* the numbers of the selected key */
	struct around around;
	struct work *work; /* makes them */
	bool whole;        /* they are complete */
	const struct scene *scene;
};

void details_init(struct details *d);
void details_release(struct details *d);
/* The screen, and what the view asks for. */
struct details_room {
	bool fits;  /* false: the view takes no pane */
	bool selected; /* the user, or the view, has selected something */
	bool below; /* it takes none at its right while there are rows */
	int w, h;   /* columns and rows of the screen */
};
/* Takes its part of *view, unless the view takes no pane, it is switched off, or, where the pane
 * opens by itself, nothing has been selected. */
void details_place(struct details *d, const struct details_room *room, struct area *view);
/* Updates the pane after a change of the fold or the selection; does nothing while it is hidden. */
void details_arrange(struct details *d, const struct scene *s);
/* `row`: the numbers of the selection, NULL if it has none now; `curve`: its cost over the run,
 * NULL if that is unknown. */
void details_draw(const struct details *d, const struct scene *s, const struct row *row,
		  const struct curve *curve, struct canvas *c);

#endif
