/* compare.h - a fold with a base: frames that grew, shrank, are new, or are gone.
 *
 * All functions use fold->compares.  Without a base nothing has changed and the weights are the
 * totals, so views can call them in any case. */
#ifndef PNAV_UI_PART_COMPARE_H
#define PNAV_UI_PART_COMPARE_H

#include "model/compare/compare.h"
#include "ui/part/scene.h"
#include "ui/screen/canvas.h"

enum fate compare_node(const struct fold *f, node_id node);
/* Returns one character: "▲" grew, "▼" shrank, "+" new, "×" gone, "=" unchanged, "~" changed,
 * perhaps by chance (SURE_NO). */
const char *compare_mark(enum fate fate, enum sure sure);
/* Return the inks of a text, and of a box in the flame: stronger if a quarter of the base has
 * changed. */
enum ink compare_ink(enum fate fate, enum sure sure);
enum ink compare_box_ink(struct sides x, enum sure sure);
/* Returns the shade of such a box in eighths, for canvas_shade(): a step more each time that its
 * change doubles, from a 16th of the base to all of it. */
unsigned compare_box_shade(struct sides x, enum sure sure);

/* Draws in the first line of the area what the marks mean. */
void compare_draw_legend(struct canvas *c, struct area a);
/* Writes the line with both sides and their total difference.  `kept`: the range that was kept;
 * NULL if the profile itself is a comparison.  `name`: of the base then; NULL: that of its file. */
void compare_say(const struct scene *s, const struct lens *kept, const char *name,
		 struct buf *out);

#endif
