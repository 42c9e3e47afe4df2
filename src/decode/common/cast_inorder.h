/* cast_inorder.h - writes the slices of a track from its log of begins and ends; for cast_write.c.
 */
#ifndef PNAV_SRC_DECODE_COMMON_CAST_INORDER_H
#define PNAV_SRC_DECODE_COMMON_CAST_INORDER_H

#include "src/decode/common/cast.h"

/* Returns true if the log can be written so: slices of the track nest, and their times fit beside
 * the ns that were written before. */
bool cast_inorder_fits(const struct cast_track *t, int64_t spent);
/* Writes them. If this is the last writing, the log is empty afterwards. */
bool cast_inorder_write(struct cast *c, struct cast_track *t, struct slices_out *o,
			const struct slices_track *track, bool last, struct err *e);

#endif
