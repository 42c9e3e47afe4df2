/* grid.h - rows on a screen: common parts of tables, lists and texts.
 *
 * A *scroll* holds the cursor's place among the rows and the visible part of them.  A *grid* holds
 * the displayed columns: those of model/table/columns.h and a few that only a screen has, in the
 * available width.  The view owns the rows and passes one at a time.
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

#include "model/fold/order.h"
#include "model/table/columns.h"
#include "ui/part/scene.h"
#include "ui/screen/canvas.h"

/* ---- where the cursor is ---- */

struct scroll {
	int64_t at, top; /* the row of the cursor; the first visible one */
	int h;           /* rows on the screen, at least 1 */
};

/* Returns how many rows an action moves on a screen of h rows; the first and the last row are
 * further away than any.  0: it does not move through rows. */
#define SCROLL_FAR (INT64_MAX / 4)
int64_t scroll_by(enum action action, int h);
/* Returns the nearest of n rows; 0 if there is none. */
int64_t scroll_clip(int64_t row, int64_t n);
/* Moves the cursor into n rows, and the screen to the cursor: as little as possible, without empty
 * lines after the last row if possible. */
void scroll_fit(struct scroll *s, int64_t n);
/* For a text, which has no cursor: moves the screen over n lines.  Returns false if the action does
 * not move. */
bool scroll_text(struct scroll *s, enum action action, int64_t n);
/* Returns the next of n rows after `from` (dir < 0: before it) that is a hit, from the end to the
 * beginning again, with `from` last; -1 if there is none. */
int64_t scroll_find(int64_t from, int64_t n, int dir,
		    bool (*hit)(const void *of, int64_t row), const void *of);

/* ---- columns ---- */

/* The columns that only a screen has. */
enum grid_cell {
	GRID_NUMBER, /* of the table */
	GRID_BAR,    /* the total's part of everything, as a bar */
	GRID_MARK,   /* ▲ ▼ + ×: the change of the total */
	GRID_WHERE,  /* the place, else the module */
	GRID_SPARK,  /* when the function ran: sparks.h */
};

struct grid_column {
	enum grid_cell cell;
	const struct table_column *of; /* of GRID_NUMBER */
	const char *title;
	int width;        /* 0: the rest */
	bool sorted;      /* the rows are sorted by it */
	const char *mark; /* beside the title: "▾"; NULL: none */
	bool arrows;      /* a change shows its direction itself */
};

#define GRID_COLUMNS 64
struct grid {
	const struct scene *s;
	const struct look *look;
	unsigned n;
	struct grid_column column[GRID_COLUMNS];
	uint64_t spark; /* whose curve the next row has (sparks.h); 0: its function's */
};

void grid_init(struct grid *g, const struct scene *s, const struct look *look);
/* Appends a column of the table; the caller may change it.  Returns NULL if there is no room for
 * more. */
struct grid_column *grid_add(struct grid *g, const struct table_column *of);
/* Appends a column that only a screen has. */
struct grid_column *grid_add_cell(struct grid *g, enum grid_cell cell, const char *title,
				  int width);
/* Drops columns in the order of their `drop`, except the sorted one, until the widest has name_min
 * columns of a screen of width w, and gives that one the rest. */
void grid_fit(struct grid *g, int w, int name_min);
/* True if it has the table's column of this name. */
bool grid_shows(const struct grid *g, const char *column);
/* Returns the column at x; NULL: none. */
const struct grid_column *grid_column_at(const struct grid *g, int x);

/* Draws the name in w columns, in `ink`: INK_HERE, or INK_TEXT and inks of the view. */
typedef void grid_name(const void *of, struct canvas *c, int y, int x, int w, enum ink ink);

void grid_draw_head(const struct grid *g, struct canvas *c, int y, int x, int w);
/* Draws "12 of 1,093" after a head, at the right end, or "1,093 rows" if the cursor is on none;
 * nothing without room or rows. */
void grid_draw_standing(struct canvas *c, int y, int x, int w, const struct standing *st);
/* `name` NULL: as in the table, with a mark on a search hit. */
void grid_draw_row(const struct grid *g, struct canvas *c, int y, int x, const struct row *r,
		   bool here, grid_name *name, const void *of);

/* ---- their order ---- */

/* The column of table_columns that sorts the rows, and whether it is reversed. */
struct grid_order {
	unsigned column;
	bool reverse;
};

/* Goes to the next column of the table on either side that `has` accepts; returns false if there is
 * none. */
bool grid_order_step(struct grid_order *o, int step,
		     bool (*has)(const void *of, unsigned column), const void *of);
/* Sorts by this column; reverses the order if it is the current one. */
void grid_order_by(struct grid_order *o, unsigned column);
/* Returns the mark of the order if this is the sorted column; else "". */
const char *grid_order_mark(const struct grid_order *o, const struct table_column *column);

/* Lazily sorted rows (model/fold/order.h): valid as long as what it points to. */
struct grid_sorting {
	const struct grid_order *order;
	const struct look *look;
	const struct rows *rows;
};
struct order_by grid_sorting_by(const struct grid_sorting *s);

#endif
