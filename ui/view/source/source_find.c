/* source_find.c - searches the view of a file: lines of its text, files, or instructions. */
#include "ui/view/source/source.h"

#include <stdlib.h>

#define FIND_LINES 2000000u

/* Finds the next matching line of the text, from the end to the beginning again. */
bool
source_find_line(void *view, struct scene *s, int dir)
{
	struct source_panes *v = view;
	uint32_t row = source_row_of(v, v->at), start = row;
	if (v->makes)
		return false;
	if (v->listing) {
		bool found = source_tree_find(&v->tree, s, dir);
		if (found)
			source_select_file(v, s);
		return found;
	}
	if (v->code.shown)
		return source_code_find(&v->code, s, dir);
	for (uint32_t i = 0; v->rows.n && i < FIND_LINES; i++) {
		struct shown_line l;
		row = dir > 0 ? row + 1 : row - 1;
		if (dir < 0 && row == UINT32_MAX)
			row = v->text ? source_file_last(v->text) - 1
				      : (uint32_t)v->costs.all.n - 1;
		if (!source_fill_row(v, row, &l)) {
			row = UINT32_MAX;
			if (dir < 0)
				break;
			continue;
		}
		bool hit = source_line_hits(v, s, &l);
		free(l.text);
		if (hit) {
			v->at = l.line;
			source_select_line(v, s);
			return true;
		}
		if (row == start)
			break;
	}
	return false;
}

static void
list_hits(struct source_panes *v, const struct scene *s)
{
	struct shown_line l;
	v->hits.n = 0;
	v->more_hits = false;
	v->searches = s->search->updates;
	for (uint32_t row = 0; v->rows.n && source_fill_row(v, row, &l); row++) {
		v->more_hits = row == SOURCE_COUNT_LINES;
		if (!v->more_hits && source_line_hits(v, s, &l))
			*vec_push(&v->hits) = l.line;
		free(l.text);
		if (v->more_hits)
			break;
	}
}

void
source_search_position(void *view, const struct scene *s, struct standing *out)
{
	struct source_panes *v = view;
	*out = (struct standing){0};
	if (v->makes)
		return;
	if (v->listing) {
		source_tree_hits(&v->tree, s, out);
		return;
	}
	if (v->code.shown) {
		source_code_hits(&v->code, s, out);
		return;
	}
	if (v->searches != s->search->updates)
		list_hits(v, s);
	*out = (struct standing){.all = v->hits.n, .more = v->more_hits};
	for (size_t i = 0; i < v->hits.n && v->hits.at[i] <= v->at; i++) {
		out->at = i + 1;
		out->here = v->hits.at[i] == v->at;
	}
	if (v->more_hits && out->at == v->hits.n && !out->here)
		out->at = 0;
}

