/* mixture.h - how a cell of a timeline (model/picture/cells.h) shows the functions that it
 * holds.
 *
 *	MIX_ONE   the colour of its function
 *	MIX_TWO   the upper part has the colour of the larger, the lower part that of the other
 *	MIX_MANY  neutral dots
 *
 * Without colours, in ASCII, and where both functions have one colour MIX_TWO is `%`; MIX_MANY is
 * `&` in ASCII.  Where less than 7/8 of the column runs, the colours have one of seven shades, by
 * eighths.  On terminals with fewer than 256 colours there are dots instead, on the terminal's own
 * ground; of MIX_TWO each column has the dots of one of them, as often as its share says. */
#ifndef PNAV_UI_PART_MIXTURE_H
#define PNAV_UI_PART_MIXTURE_H

#include "model/picture/cells.h"
#include "ui/part/scene.h"
#include "ui/screen/canvas.h"

/* Draws a cell at (y, x), x being also the column that chooses among sparse dots; `ink` and
 * `second` are those of its functions. */
void mixture_draw(struct canvas *c, int y, int x, const struct time_cell *cell, enum ink ink,
		  enum ink second);
/* The inks of a cell of a box whose functions have these: where functions take turns, a cell may
 * hold the second one alone, or a third. */
struct mixture_inks {
	enum ink first, second;
};
struct mixture_inks mixture_inks(const struct scene *s, const struct cell_box *b,
				 const struct time_cell *cell, struct mixture_inks of);
/* Draws the columns of a box from `a` on, as if all of each column ran. */
void mixture_draw_box(const struct scene *s, struct canvas *c, struct area a,
		      const struct cells *cells, const struct cell_box *b, struct mixture_inks of);
/* Appends what a box holds besides its first function: " + NAME", " + 3 more", or nothing. */
void mixture_write_rest(const struct scene *s, const struct cell_box *b, struct buf *out);
/* Appends the name of a key as boxes show it; of a frame without a name its module. */
void mixture_write_name(const struct scene *s, key_id key, struct buf *out);

#endif
