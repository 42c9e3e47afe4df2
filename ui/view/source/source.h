/* source.h - the view of a file, for its own files alone. */
#ifndef PNAV_UI_VIEW_SOURCE_H
#define PNAV_UI_VIEW_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "model/fold/linecost.h"
#include "model/base/vec.h"
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
	uint8_t *kind; /* [byte of text] enum syntax; NULL: all of it is plain */
};

/* Of more rows nobody counts hits, or how many there are. */
#define SOURCE_COUNT_LINES 20000u

struct source {
	struct fold *fold; /* by line */
	uint64_t folds, moves, edits;
	key_id key;    /* of nav, when we last looked */
	key_id picked; /* the same, or the hottest where nothing is selected */
	name_id file; /* NAME_EMPTY: the selection has none */
	function_id function;
	struct linecosts costs;
	struct work *work;    /* makes fold, costs and those of the tree */
	struct scene *scene;  /* of which */
	bool makes;           /* nothing may be asked of them now */
	bool moved;           /* while they were made: the cursor follows the selection */
	bool fits;            /* there is such a fold */
	uint64_t made_folds, making_folds; /* what they were made for, are being made for */
	name_id made_file, making_file;
	function_id making_function;
	struct source_file *text;
	const struct language *language; /* of text; NULL: none that is known */
	struct {
		uint32_t block; /* the one whose */
		unsigned state; /* state is */
		bool known;
	} syntax;
	struct buf path, why; /* where it is; why it is not shown */
	uint32_t at;          /* the line of the cursor */
	int left;             /* columns of the text that are scrolled away */
	uint32_t all;         /* rows that there are, or more than are counted */
	struct scroll scroll; /* over rows */
	struct source_tree tree;
	struct source_code code;
	bool listing;   /* the files are shown, not the text */
	bool for_rows;  /* because rows of it were asked for */
	bool to_file;   /* the cursor goes to the file of the selection */
	VEC(struct shown_line) rows;
	VEC(uint32_t) hits; /* lines that the search hits, */
	uint64_t searches;  /* this one, in this file; 0: not looked for */
	bool more_hits;     /* and nobody looked further */
	struct source_held {
		uint32_t at;
		int64_t top;
		function_id function;
	} held; /* where a search began */
};

/* Is it a hit of the search: its text, or the function that costs the most there? */
bool source_line_hits(const struct source *v, const struct scene *s,
		      const struct shown_line *l);
/* Brings what lines and files cost in line with fold and file, a portion at a time: true when
 * it is. */
bool source_make_costs(struct source *v, struct scene *s);
/* Rows count lines of the file, or of the costs where there is no file. */
uint32_t source_row_of(const struct source *v, uint32_t line);
/* One row, its text for the caller to free; false when there is none. */
bool source_fill_row(struct source *v, uint32_t row, struct shown_line *out);
/* Those on the screen, which goes to the cursor; `center`: with some of what is above. */
void source_fill_rows(struct source *v, bool center);
void source_drop_rows(struct source *v);
/* Which of its lines the cursor is on: of the file's, or of those that cost something. */
void source_standing(const struct source *v, struct standing *out);
/* What costs the most in the line of the cursor is the selection; a line that costs nothing
 * changes nothing: false then. */
bool source_select_line(struct source *v, struct scene *s);
/* The file of the cursor, of the list of files. */
void source_select_file(struct source *v, struct scene *s);
/* struct view_ops' find(), hits() and draw(). */
bool source_find_line(void *view, struct scene *s, int dir);
void source_hits(void *view, const struct scene *s, struct standing *out);
void source_draw(const void *view, const struct scene *s, struct canvas *c, struct area a);

#endif
