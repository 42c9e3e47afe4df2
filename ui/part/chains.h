/* chains.h - shows frames that add nothing but their names as one line.
 *
 * A frame is a link if it has no self value and called a single function.  With scene.chains set, a
 * link has no line or box of its own: it is part of the line of the frame at the end of its chain,
 * as "main › run › loop".  Otherwise every function here treats a frame as its own chain. */
#ifndef PNAV_UI_PART_CHAINS_H
#define PNAV_UI_PART_CHAINS_H

#include "ui/part/scene.h"

/* Returns the frame whose line shows this one. */
node_id chain_end(const struct scene *s, node_id n);
/* Returns the first frame in the line of this one. */
node_id chain_head(const struct scene *s, node_id n);
bool chain_is_link(const struct scene *s, node_id n);
/* True if a frame from head to end matches the search. */
bool chain_hits(const struct scene *s, node_id head, node_id end);
/* Appends the names from head to end in at most `cols` columns: the last one has priority, and "…
 * ›" replaces those that do not fit. */
void chain_name(const struct scene *s, node_id head, node_id end, int cols, struct buf *out);

#endif
