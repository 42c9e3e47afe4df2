/* source_code.h - the instructions of the selected function, alone or between their source
 * lines, in the view of a source file. */
#ifndef PNAV_UI_VIEW_SOURCE_SOURCE_CODE_H
#define PNAV_UI_VIEW_SOURCE_SOURCE_CODE_H

#include "model/base/vec.h"
#include "ui/part/code.h"
#include "ui/part/grid.h"
#include "ui/view/source/source_files.h"
#include "ui/view/view.h"

enum code_shown { CODE_NOT, CODE_ALONE, CODE_BETWEEN, CODE_SHOWN };

/* An instruction, or the line of source before it. */
struct code_row {
	uint32_t instruction; /* of the scene's source */
	bool source;
	uint32_t file, line;
};

struct code_file {
	char *name; /* as recorded */
	struct source_file *text; /* NULL: not found */
};

/* A function without events, shown because the user followed a call to it. */
struct code_visit {
	char *name;
	uint64_t address;
};

/* The origin of a jump that the user followed. */
struct code_step {
	key_id key;
	uint64_t address;
	size_t visit;
};

struct source_code {
	enum code_shown shown, rows_of; /* the mode; the mode for which rows were made */
	struct fold *fold;              /* by address */
	uint64_t made_folds;
	function_id made_function;
	size_t visit, made_visit; /* index of the visit shown, from 1; 0: the selection */
	function_id visit_from;   /* the selection at the first visit */
	VEC(struct code_visit) visits;
	bool made;       /* the scene's code source has the instructions of made_function */
	bool placed;     /* the cursor has been placed in them */
	uint64_t edits;  /* scene.edits of the open files */
	uint64_t wanted; /* the cursor's next address; ADDRESS_NONE: go to `line` instead */
	struct buf line_file;
	uint32_t line;
	uint64_t at;     /* address of the cursor, for sessions; ADDRESS_NONE: none */
	VEC(struct code_row) rows;
	VEC(struct code_file) files;
	VEC(char *) text; /* of the rows on the screen */
	VEC(struct code_step) steps;
	struct buf why;   /* the reason why code is missing */
	struct scroll scroll;
	int left;         /* columns of the text that are scrolled away */
	int notes;        /* rows on the screen that show `why` */
};

void source_code_init(struct source_code *c);
void source_code_release(struct source_code *c);
/* Switches to the next mode (source, instructions, both); the cursor goes to this line. */
void source_code_next(struct source_code *c, const char *file, uint32_t line);
/* Ends the visits of calls if fn is not the selection at which they began. */
void source_code_leave(struct source_code *c, function_id fn);
/* Appends the name of the function whose instructions are shown. */
void source_code_name(const struct source_code *c, const struct scene *s, function_id fn,
		      struct buf *out);
/* Returns true if source_code_make() is needed.  That computes the rows from `fold`, which the
 * caller makes, by address; it calls `pace`. */
bool source_code_is_stale(const struct source_code *c, const struct scene *s, function_id fn);
void source_code_make(struct source_code *c, const struct scene *s, function_id fn,
		      struct pace *pace);
/* Adapts the rows to the area. */
void source_code_arrange(struct source_code *c, const struct scene *s, struct area a);
void source_code_draw(const struct source_code *c, const struct scene *s, function_id fn,
		      struct canvas *cv, struct area a);
enum reply source_code_act(struct source_code *c, struct scene *s, function_id fn,
			   enum action action);
bool source_code_click(struct source_code *c, int y);
bool source_code_find(struct source_code *c, const struct scene *s, int dir);
void source_code_hits(const struct source_code *c, const struct scene *s, struct standing *out);
/* The instruction under the cursor; its file is NULL if there is none. */
struct code_hit source_code_here(const struct source_code *c, const struct scene *s);
/* Save and restore the state: "instructions 0x401136", or "both" and the cursor's address. */
void source_code_keep(const struct source_code *c, struct buf *out);
bool source_code_recall(struct source_code *c, const char *words);
/* "0x401136 in " and the name. */
bool source_code_where(const struct source_code *c, const struct scene *s, function_id fn,
		       struct buf *out, struct buf *name);

/* ---- shared by its own files ---- */

/* Follow the jump or call under the cursor, and return to its origin. */
enum reply source_code_follow(struct source_code *c, struct scene *s, function_id fn);
enum reply source_code_step_back(struct source_code *c, struct scene *s);
/* The instruction or source line of a row; and the first row at or after an address, n if none. */
struct code_hit source_code_hit_of(const struct scene *s, const struct code_row *row);
int64_t source_code_row_from(const struct source_code *c, const struct scene *s, uint64_t address);

#define CODE_NO_ROW (-1)
/* Returns true if the row matches the search. */
bool source_code_row_hits(const struct source_code *c, const struct scene *s, int64_t row);
/* The target row of the row's jump; CODE_NO_ROW if it has none in this function. */
int64_t source_code_target(const struct source_code *c, const struct scene *s, int64_t row);

#endif
