/* flame_label.h - what the boxes of the flame look like, and what they say. */
#ifndef PNAV_UI_VIEW_FLAME_LABEL_H
#define PNAV_UI_VIEW_FLAME_LABEL_H

#include "ui/view/flame_layout.h"

/* Returns the ink of a box of `cols` columns.  Boxes too narrow for a name share the first shade of
 * their kind: distinguishing them costs a dozen bytes per column on the line to the terminal. */
enum ink flame_box_ink(const struct scene *s, node_id node, int cols);
/* Returns the shade of a box in eighths: by its self, or, in a comparison, by its change. */
unsigned flame_box_shade(const struct fold *f, node_id node);
/* Appends the label of a box in at most `room` columns: signs, its name, and its numbers if they
 * fit.  `hit`: the search finds it; `timed`: the boxes are in order of time. */
void flame_write_label(const struct scene *s, const struct flame_box *b, bool hit, bool timed,
		       int room, struct buf *out);

#endif
