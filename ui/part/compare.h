/* compare.h - a fold with a base: what grew, what shrank, what came and what went.
 *
 * Everything here is about fold->compares; without a base nothing has changed and the
 * weights are the totals, so that views need not ask before they call. */
#ifndef PNAV_UI_PART_COMPARE_H
#define PNAV_UI_PART_COMPARE_H

#include "model/compare/compare.h"
#include "ui/screen/theme.h"
#include "ui/part/scene.h"

enum fate compare_node(const struct fold *f, node_id node);
/* One character: "▲" grew, "▼" shrank, "+" new, "×" gone, "=" neither, "~" it changed, and
 * that may be chance (SURE_NO). */
const char *compare_mark(enum fate fate, enum sure sure);
/* Of a text; of a box in the flame, stronger where a quarter of the base has changed. */
enum ink compare_ink(enum fate fate, enum sure sure);
enum ink compare_box_ink(int64_t now, int64_t base, enum sure sure);

/* The line that says what is compared with what, and how they differ altogether.  `kept`:
 * the range that was kept; NULL where the profile itself is a comparison. */
void compare_say(const struct scene *s, const struct lens *kept, struct buf *out);

#endif
