/* canvas.h - a rectangle of cells that views draw into.
 *
 * A cell is a character and an ink, the meaning of the cell (theme.h defines its look). Drawing
 * outside is clipped. A canvas is independent of terminals: ui/screen/term.c paints it,
 * ui/screen/script.c prints it. On an ASCII canvas characters have their ASCII form
 * (text_ascii()). */
#ifndef PNAV_UI_SCREEN_CANVAS_H
#define PNAV_UI_SCREEN_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "ui/screen/theme.h"

#define CELL_CHARS 3 /* the character and up to two combining marks */

struct cell {
	uint32_t ch[CELL_CHARS]; /* unused ones are 0 */
	uint8_t ink;             /* enum ink */
	uint8_t lower;           /* enum ink of the lower part, see canvas_two(); 0: none */
	uint8_t cols;            /* 1, 2, or 0: the right half of the cell before it */
	/* canvas_shade(): eighths of the colour, 0: no shade; the eighths that are `lower`; and
	 * whether the character is that of the lower ink */
	uint8_t shade : 4, part : 3, second : 1;
};

/* A part of a canvas. */
struct area {
	int y, x, h, w;
};

/* A part that may show its previous contents for a moment: canvas_late(). */
struct late_area {
	struct area at;
	uint64_t of;
};

/* A part that a click acts on; what `link` means is up to the drawer: an action of keys.h. */
struct link_area {
	struct area at;
	unsigned link;
};

struct canvas {
	int w, h;
	bool ascii;
	int cursor_y, cursor_x; /* position of the terminal's cursor; y < 0: hidden */
	struct cell *cell;      /* [y * w + x] */
	VEC(struct late_area) late;
	VEC(struct link_area) links;
};

void canvas_init(struct canvas *c, int w, int h, bool ascii);
void canvas_release(struct canvas *c);
/* Changes the size; the contents are blank afterwards. */
void canvas_resize(struct canvas *c, int w, int h);
void canvas_clear(struct canvas *c);

/* Draws text in at most `cols` columns. Returns the columns used. */
int canvas_text(struct canvas *c, int y, int x, int cols, enum ink ink, const char *text);
/* The same, always `cols` wide: padded with blanks; a truncated text ends in "…". */
void canvas_fit(struct canvas *c, int y, int x, int cols, enum ink ink, const char *text);
/* Draws in a line what canvas_fit() cuts off in `cols` columns, from a word on; nothing if it cuts
 * nothing. */
void canvas_rest(struct canvas *c, struct area row, enum ink ink, const char *text, int cols);
/* The same as canvas_fit() for paths, whose end matters: a truncated path begins with "…". */
void canvas_fit_tail(struct canvas *c, int y, int x, int cols, enum ink ink,
		     const char *text);
/* Draws text right-aligned in `cols` columns. */
void canvas_right(struct canvas *c, int y, int x, int cols, enum ink ink,
		  const char *text);
/* Draws text in the middle of `cols` columns; a truncated text ends in "…". */
void canvas_middle(struct canvas *c, int y, int x, int cols, enum ink ink, const char *text);
/* Draws a character of one column. */
void canvas_char(struct canvas *c, int y, int x, enum ink ink, uint32_t ch);
/* Draws a cell of two colours: its lower `eighths` (1 to 7) have the background of `lower`, the
 * rest that of `ink`. If both look the same, without colours, and in ASCII it is `%`. */
void canvas_two(struct canvas *c, int y, int x, enum ink ink, enum ink lower, unsigned eighths);
/* Gives the cells of a part a shade: `eighths` (1 to 8) of the colour of their inks. Characters
 * stay, but with 256 colours dots (U+2591 to U+2593) become a ground of this shade. */
void canvas_shade(struct canvas *c, struct area a, unsigned eighths);
/* Draws a cell of two colours in a shade: with 256 colours as canvas_two(), else as `ch` in the
 * sparse form of `ink`, or, if `second`, of `lower`. */
void canvas_two_shaded(struct canvas *c, int y, int x, enum ink ink, enum ink lower,
		       unsigned eighths, unsigned shade, uint32_t ch, bool second);
/* Gets the look of a cell on a terminal with this number of colours. Returns the character that
 * replaces the cell's own; 0: none. */
uint32_t canvas_look(const struct cell *cell, const struct theme *t, int colours,
		     struct style *out);
/* Fills a part with a character. */
void canvas_fill(struct canvas *c, struct area a, enum ink ink, uint32_t ch);
/* Draws a frame with a title, filled with blanks. Returns the inside. */
struct area canvas_box(struct canvas *c, struct area a, const char *title);
/* Draws a bar in steps of eighths: `cols` columns long if part == whole. */
void canvas_bar(struct canvas *c, int y, int x, int cols, enum ink ink, int64_t part,
		int64_t whole);

/* Declares that a part may keep its previous contents while keys arrive faster than one reads, if
 * they were drawn for the same `of`: a number for all that it shows besides the selection. */
void canvas_late(struct canvas *c, struct area a, uint64_t of);
/* Puts the previous contents, from `before`, back into these parts; true if that changed a cell. */
bool canvas_keep_late(struct canvas *c, const struct canvas *before);
/* Returns true if most rows of this part are those of `before`, one row higher or lower. */
bool canvas_scrolls(const struct canvas *c, const struct canvas *before, struct area a);
/* The first declares the action of a click in this part; the second returns the action last
 * declared at a cell, 0 if there is none. */
void canvas_link(struct canvas *c, struct area a, unsigned link);
unsigned canvas_link_at(const struct canvas *c, int y, int x);
/* Makes *c, initialised or zero, a copy of the other, without its links. */
void canvas_copy(struct canvas *c, const struct canvas *from);

const struct cell *canvas_cell(const struct canvas *c, int y, int x);
/* Appends the whole canvas as lines of text without trailing blanks. */
void canvas_write(const struct canvas *c, struct buf *out);

#endif
