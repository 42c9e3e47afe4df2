/* grid.h - rows on a screen: what tables, lists and texts do alike.
 *
 * A *scroll* is where the cursor stands among rows and which of them are on the screen.
 * A *grid* is what a table shows of them: columns of model/table/columns.h and a few that only a
 * screen has, in the width that there is.  The rows are the view's: it gives one at a time.
 *
 *	grid_init(&g, scene, &look);
 *	grid_add(&g, column_find("self", 4, ROWS_FOLD));   -- from left to right
 *	grid_fit(&g, width, name_min);
 *	grid_draw_head(&g, canvas, y, x);
 *	grid_draw_row(&g, canvas, y, x, &row, here, NULL, NULL); */
#ifndef PNAV_UI_PART_GRID_H
#define PNAV_UI_PART_GRID_H

#include <stdbool.h>
#include <stdint.h>

#include "model/table/columns.h"
#include "model/fold/order.h"
#include "ui/part/scene.h"
#include "ui/screen/canvas.h"

/* ---- where the cursor is ---- */

struct scroll {
	int64_t at, top; /* the row of the cursor; the first one on the screen */
	int h;           /* rows on the screen, at least 1 */
};

/* By how many rows an action moves, on a screen of h rows; the first and the last row are
 * further away than any.  0: it does not move through rows. */
#define SCROLL_FAR (INT64_MAX / 4)
int64_t scroll_by(enum action action, int h);
/* The nearest of n rows; 0 where there is none. */
int64_t scroll_clip(int64_t row, int64_t n);
/* Brings the cursor among n rows, and the screen to the cursor: it moves as little as it
 * must, and shows nothing behind the last row that it need not. */
void scroll_fit(struct scroll *s, int64_t n);
/* Of a text, which has no cursor: moves the screen over n lines.  False when the action
 * does not move. */
bool scroll_text(struct scroll *s, enum action action, int64_t n);
/* The next of n rows after `from` (dir < 0: before it) that is a hit, going round at the
 * ends and coming to `from` last; -1 when none is. */
int64_t scroll_find(int64_t from, int64_t n, int dir,
		    bool (*hit)(const void *of, int64_t row), const void *of);

/* ---- what its columns are ---- */

/* What a column shows that is none of the table's. */
enum grid_cell {
	GRID_NUMBER, /* of the table */
	GRID_BAR,    /* the total's part of everything, as a bar */
	GRID_MARK,   /* ▲ ▼ + ×: how the total changed */
	GRID_WHERE,  /* the place, or else the module */
};

struct grid_column {
	enum grid_cell cell;
	const struct table_column *of; /* of GRID_NUMBER */
	const char *title;
	int width; /* 0: what is left */
	bool sorted;      /* the rows are in its order */
	const char *mark; /* beside the title: "▾"; NULL: none */
	bool arrows;      /* a change says its direction itself */
};

#define GRID_COLUMNS 64
struct grid {
	const struct scene *s;
	const struct look *look;
	unsigned n;
	struct grid_column column[GRID_COLUMNS];
};

void grid_init(struct grid *g, const struct scene *s, const struct look *look);
/* Appends a column of the table as it is there; a change of it is the caller's.  NULL where
 * there is no room for more. */
struct grid_column *grid_add(struct grid *g, const struct table_column *of);
/* Appends one of a screen. */
struct grid_column *grid_add_cell(struct grid *g, enum grid_cell cell, const char *title,
				  int width);
/* Gives columns up in the order of their `drop`, but never the one that the rows are sorted
 * by, until the widest has name_min columns of a screen that is w wide, and gives that one
 * what is left. */
void grid_fit(struct grid *g, int w, int name_min);
/* Is there one of the table with this name? */
bool grid_shows(const struct grid *g, const char *column);
/* Which one stands at x; NULL: none. */
const struct grid_column *grid_column_at(const struct grid *g, int x);

/* Draws the name in w columns, in `ink`: INK_HERE, or INK_TEXT and what the view makes
 * of it. */
typedef void grid_name(const void *of, struct canvas *c, int y, int x, int w, enum ink ink);

void grid_draw_head(const struct grid *g, struct canvas *c, int y, int x, int w);
/* "12 of 1,093" behind a head, at the right end, "1,093 rows" where the cursor is on none;
 * nothing where there is no room, or no row. */
void grid_draw_standing(struct canvas *c, int y, int x, int w, const struct standing *st);
/* `name` NULL: as the table has it, with a mark where it is a search hit. */
void grid_draw_row(const struct grid *g, struct canvas *c, int y, int x, const struct row *r,
		   bool here, grid_name *name, const void *of);

/* ---- their order ---- */

/* The column of table_columns that rows are sorted by, and whether the other way round. */
struct grid_order {
	unsigned column;
	bool reverse;
};

/* To the next column of the table on either side that `has` says is there; false when there
 * is none. */
bool grid_order_step(struct grid_order *o, int step,
		     bool (*has)(const void *of, unsigned column), const void *of);
/* By this column; by the one that it is by already, the other way round. */
void grid_order_by(struct grid_order *o, unsigned column);
/* The mark of the order, where this column is the one; else "". */
const char *grid_order_mark(const struct grid_order *o, const struct table_column *column);

/* Rows in that order, of which only what is looked at is sorted (model/fold/order.h): valid as
 * long as what it points to. */
struct grid_sorting {
	const struct grid_order *order;
	const struct look *look;
	const struct rows *rows;
};
struct order_by grid_sorting_by(const struct grid_sorting *s);

#endif
