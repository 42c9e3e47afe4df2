/* details.h - the detail pane: all that is known of the selection, where there is room.
 *
 * It is at the bottom, or at the right of a low and wide screen.  Nothing is computed for it
 * while it is hidden, and nothing again while neither the fold nor the selection is another.
 * Its lists cost the nodes of the fold, so they may come after the picture (work.h). */
#ifndef PNAV_UI_PART_DETAILS_H
#define PNAV_UI_PART_DETAILS_H

#include "model/fold/around.h"
#include "model/picture/curve.h"
#include "ui/part/scene.h"
#include "ui/screen/canvas.h"

#define DETAILS_ROWS 16u /* of a list, at most */

enum details_wish { DETAILS_AUTO, DETAILS_ON, DETAILS_OFF };

/* What costs the most, the most first. */
struct details_list {
	key_id key[DETAILS_ROWS];
	int64_t value[DETAILS_ROWS];
	unsigned n;
};

#define DETAILS_LABELS 4u

/* Labels of what is at and below the selected stack, the most first. */
struct details_labels {
	label_id label[DETAILS_LABELS];
	int64_t self[DETAILS_LABELS];
	unsigned n;
};

struct details {
	enum details_wish wish;
	struct area at; /* h is 0: hidden */
	uint64_t folds, moves; /* what the lists are of */
	struct details_list callers, callees, below;
	struct details_labels labels;
	struct around around;
	struct work *work;  /* makes them */
	bool whole;         /* they are made */
	const struct scene *scene;
};

void details_init(struct details *d);
void details_release(struct details *d);
/* Takes its part of *view on a screen of w columns and h rows, unless `fits` is false or it
 * is not wanted. */
void details_place(struct details *d, bool fits, int w, int h, struct area *view);
/* The fold or the selection may be another; does nothing while it is hidden. */
void details_arrange(struct details *d, const struct scene *s);
/* `row`: the numbers of the selection, NULL where it has none now; `curve`: what it costs
 * over the run, NULL where that is not known. */
void details_draw(const struct details *d, const struct scene *s, const struct row *row,
		  const struct curve *curve, struct canvas *c);

#endif
