/* source.h - the view of a file, for its own files alone. */
#ifndef PNAV_UI_VIEW_SOURCE_H
#define PNAV_UI_VIEW_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "model/linecost.h"
#include "model/vec.h"
#include "ui/part/grid.h"
#include "ui/view/source_files.h"
#include "ui/view/view.h"

struct shown_line {
	uint32_t line;
	size_t cost; /* LINECOST_NONE */
	char *text;
};

struct source {
	struct fold *fold;
	uint64_t folds, moves, edits;
	key_id key;    /* of nav, when we last looked */
	key_id picked; /* the same, or the hottest where nothing is selected */
	name_id file; /* NAME_EMPTY: the selection has none */
	function_id function;
	struct linecosts costs;
	struct source_file *text;
	struct buf path, why; /* where it is; why it is not shown */
	uint32_t at;          /* the line of the cursor */
	struct scroll scroll; /* over rows */
	VEC(struct shown_line) rows;
};

/* Is it a hit of the search: its text, or the function that costs the most there? */
bool source_line_hits(const struct source *v, const struct scene *s,
		      const struct shown_line *l);
/* struct view_ops' draw(). */
void source_draw(const void *view, const struct scene *s, struct canvas *c, struct area a);

#endif
