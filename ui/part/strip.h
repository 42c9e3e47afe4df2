/* strip.h - two lines of a guide below the view: a step, its keys, what to look at.
 *
 * It is only shown: keys go to the view as ever, but for the few that the owner takes. */
#ifndef PNAV_UI_PART_STRIP_H
#define PNAV_UI_PART_STRIP_H

#include <stdbool.h>

#include "model/base/buf.h"
#include "ui/screen/canvas.h"

#define STRIP_ROWS 2

struct strip {
	bool open;
	struct buf count; /* "2/5" */
	struct buf keys;  /* of the step; the one that is played just now in brackets */
	struct buf text;  /* what to look at */
	struct buf title; /* of the question */
	struct buf hints; /* which keys the guide itself takes */
};

void strip_release(struct strip *s);
void strip_draw(const struct strip *s, struct canvas *c, struct area a);

#endif
