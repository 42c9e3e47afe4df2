/* chains.h - frames that add nothing but their names: shown as one line.
 *
 * A frame is a link when nothing was spent in it and it called one function alone.  With
 * scene.chains set, a link has no line or box of its own: it stands in that of the frame at
 * the end of its chain, as "main › run › loop".  Without it, every function here says that
 * a frame stands for itself. */
#ifndef PNAV_UI_PART_CHAINS_H
#define PNAV_UI_PART_CHAINS_H

#include "ui/part/scene.h"

/* The frame whose line shows this one. */
node_id chain_end(const struct scene *s, node_id n);
/* The first frame in the line of this one. */
node_id chain_head(const struct scene *s, node_id n);
bool chain_is_link(const struct scene *s, node_id n);
/* A search hit from head to end. */
bool chain_hits(const struct scene *s, node_id head, node_id end);
/* Appends the names from head to end in at most `cols` columns: the last one first of all,
 * and "… ›" for those that have no room. */
void chain_name(const struct scene *s, node_id head, node_id end, int cols, struct buf *out);

#endif
