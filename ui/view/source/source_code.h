/* source_code.h - the instructions of the selected function, alone or between the lines that
 * they were made from: another half of the view of a file. */
#ifndef PNAV_UI_VIEW_SOURCE_CODE_H
#define PNAV_UI_VIEW_SOURCE_CODE_H

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
	char *name; /* as the instructions have it */
	struct source_file *text; /* NULL: not here */
};

/* A function that the profile does not have, shown because a call was followed to it. */
struct code_visit {
	char *name;
	uint64_t address;
};

/* Where a jump was followed from. */
struct code_step {
	key_id key;
	uint64_t address;
	size_t visit;
};

struct source_code {
	enum code_shown shown, rows_of; /* what is shown; what the rows are for */
	struct fold *fold;              /* by address */
	uint64_t made_folds;
	function_id made_function;
	size_t visit, made_visit; /* which of the visits is shown, from 1; 0: the selection */
	function_id visit_from;   /* the selection that it began at */
	VEC(struct code_visit) visits;
	bool made;       /* for those: what the source has is ours */
	bool placed;     /* the cursor has been put somewhere in them */
	uint64_t edits;  /* of the files that are open */
	uint64_t wanted; /* where the cursor goes when they are made; ADDRESS_NONE: to the line */
	struct buf line_file;
	uint32_t line;
	uint64_t at;     /* that of the cursor, for sessions; ADDRESS_NONE: it is nowhere */
	VEC(struct code_row) rows;
	VEC(struct code_file) files;
	VEC(char *) text; /* of the rows on the screen */
	VEC(struct code_step) steps;
	struct buf why;   /* there is no code of some */
	struct scroll scroll;
	int left;         /* columns of the text that are scrolled away */
	int notes;        /* rows on the screen that say why */
};

void source_code_init(struct source_code *c);
void source_code_release(struct source_code *c);
/* Source, instructions, both, and round; the cursor goes to this line of the file. */
void source_code_next(struct source_code *c, const char *file, uint32_t line);
/* Another function may be selected: then that is shown, not what was called from the last. */
void source_code_leave(struct source_code *c, function_id fn);
/* Appends whose instructions they are. */
void source_code_name(const struct source_code *c, const struct scene *s, function_id fn,
		      struct buf *out);
/* Do the instructions have to be made?  With rests, from the fold's numbers; `fold`, by
 * address, is brought in line by the caller. */
bool source_code_is_stale(const struct source_code *c, const struct scene *s, function_id fn);
void source_code_make(struct source_code *c, const struct scene *s, function_id fn,
		      struct pace *pace);
/* In line with what was made. */
void source_code_arrange(struct source_code *c, const struct scene *s, struct area a);
void source_code_draw(const struct source_code *c, const struct scene *s, function_id fn,
		      struct canvas *cv, struct area a);
enum reply source_code_act(struct source_code *c, struct scene *s, function_id fn,
			   enum action action);
bool source_code_click(struct source_code *c, int y);
bool source_code_find(struct source_code *c, const struct scene *s, int dir);
void source_code_hits(const struct source_code *c, const struct scene *s, struct standing *out);
/* The instruction of the cursor; its file is NULL where there is none. */
struct code_hit source_code_here(const struct source_code *c, const struct scene *s);
/* As a view's: "instructions 0x401136", or "both" and where the cursor is. */
void source_code_keep(const struct source_code *c, struct buf *out);
bool source_code_recall(struct source_code *c, const char *words);
/* "0x401136 in " and the name. */
bool source_code_where(const struct source_code *c, const struct scene *s, function_id fn,
		       struct buf *out, struct buf *name);

/* ---- for its own files ---- */

/* The jump or call of the cursor, and back to where it was followed from. */
enum reply source_code_follow(struct source_code *c, struct scene *s, function_id fn);
enum reply source_code_step_back(struct source_code *c, struct scene *s);
/* What is in a row; the first row with this address, or behind it; n: none. */
struct code_hit source_code_hit_of(const struct scene *s, const struct code_row *row);
int64_t source_code_row_from(const struct source_code *c, const struct scene *s, uint64_t address);

#define CODE_NO_ROW (-1)
/* Is it a hit of the search? */
bool source_code_row_hits(const struct source_code *c, const struct scene *s, int64_t row);
/* The row that this one's jump goes to; CODE_NO_ROW where it jumps nowhere in here. */
int64_t source_code_target(const struct source_code *c, const struct scene *s, int64_t row);

#endif
