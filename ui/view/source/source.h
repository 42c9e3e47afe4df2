/* source.h - shared by the files of the view of a source file. */
#ifndef PNAV_UI_VIEW_SOURCE_SOURCE_H
#define PNAV_UI_VIEW_SOURCE_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "model/base/vec.h"
#include "model/fold/linecost.h"
#include "ui/part/grid.h"
#include "ui/view/source/source_code.h"
#include "ui/view/source/source_files.h"
#include "ui/view/source/source_syntax.h"
#include "ui/view/source/source_tree.h"
#include "ui/view/view.h"

struct shown_line {
	uint32_t line;
	size_t cost; /* LINECOST_NONE */
	char *text;
	uint8_t *kind; /* [byte of text] enum syntax; NULL: all plain */
};

/* Limit up to which rows and search hits are counted. */
#define SOURCE_COUNT_LINES 20000u

struct source_panes {
	struct fold *fold; /* by line */
	uint64_t folds, moves, edits;
	key_id key;    /* nav's key at the last arrange() */
	key_id picked; /* the same or, without a selection, the hottest */
	name_id file; /* NAME_EMPTY: the selection has none */
	function_id function;
	struct linecosts costs;
	struct work *work;    /* makes fold, costs and the costs of the tree */
	struct scene *scene;  /* of the work */
	bool makes;           /* the work runs; its results must not be read */
	bool moved;           /* the selection moved meanwhile: the cursor will follow it */
	bool fits;            /* the fold exists */
	uint64_t made_folds, making_folds; /* scene.folds of the results and of the work */
	name_id made_file, making_file;
	function_id making_function;
	struct source_file *text;
	const struct language *language; /* of text; NULL: unknown */
	struct { /* the state of the syntax before a block of lines */
		uint32_t block;
		unsigned state;
		bool known;
	} syntax;
	struct buf path, why; /* path of the file; the reason why it is not shown */
	uint32_t at;          /* the line of the cursor */
	int left;             /* columns of the text that are scrolled away */
	uint32_t all;         /* number of rows; above SOURCE_COUNT_LINES not counted */
	struct scroll scroll; /* over rows */
	struct source_tree tree;
	struct source_code code;
	bool listing;   /* the tree of files is shown, not the text */
	bool for_rows;  /* the tree is shown because the user filters rows */
	bool to_file;   /* the cursor will go to the file of the selection */
	VEC(struct shown_line) rows;
	VEC(uint32_t) hits; /* lines that match the search */
	uint64_t searches;  /* search.updates of the hits; 0: none yet */
	bool more_hits;     /* there may be more; counting stopped */
	struct source_held {
		uint32_t at;
		int64_t top;
		function_id function;
	} held; /* the cursor when a search began */
};

/* Returns true if the text of the line, or its most expensive function, matches the search. */
bool source_line_hits(const struct source_panes *v, const struct scene *s,
		      const struct shown_line *l);
/* Updates the costs of lines and files, a portion at a time; true if they match the scene. */
bool source_make_costs(struct source_panes *v, struct scene *s);
/* The row of a line.  Rows are lines of the file or, without a file, lines with costs. */
uint32_t source_row_of(const struct source_panes *v, uint32_t line);
/* Fills one row, whose text the caller frees; false if there is no such row. */
bool source_fill_row(struct source_panes *v, uint32_t row, struct shown_line *out);
/* Scrolls to the cursor and fills the rows on the screen; `center`: with some lines above. */
void source_fill_rows(struct source_panes *v, bool center);
void source_drop_rows(struct source_panes *v);
/* The position of the cursor among the lines of the file, or among those with costs. */
void source_standing(const struct source_panes *v, struct standing *out);
/* Selects the most expensive function in the line of the cursor; false, without a change, if the
 * line has no cost. */
bool source_select_line(struct source_panes *v, struct scene *s);
/* Opens the file under the cursor of the tree of files. */
void source_select_file(struct source_panes *v, struct scene *s);
/* The view's find(), search_position(), draw() and word(). */
bool source_find_line(void *view, struct scene *s, int dir);
void source_search_position(void *view, const struct scene *s, struct standing *out);
void source_draw(const void *view, const struct scene *s, struct canvas *c, struct area a);
const char *source_word(const void *view, enum action action);

#endif
