/* source_rows.c - the lines of the file on the screen.
 *
 * Lines and their syntax are read when they become visible.  The syntax depends on lines far above,
 * where a comment may begin.  So the file is scanned in blocks of SYNTAX_BLOCK lines.  The state
 * before a block is computed from SYNTAX_BLOCKS blocks above it and cached.  A jump to the end of a
 * file of a million lines therefore scans a few thousand lines, each time the same ones.  Only a
 * longer comment is mistaken for code. */
#include "ui/view/source/source.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"

#define SYNTAX_BLOCK 256u
#define SYNTAX_BLOCKS 16u

void
source_drop_rows(struct source_panes *v)
{
	for (size_t i = 0; i < v->rows.n; i++) {
		free(v->rows.at[i].text);
		free(v->rows.at[i].kind);
	}
	v->rows.n = 0;
}

uint32_t
source_row_of(const struct source_panes *v, uint32_t line)
{
	return v->text ? line - 1 : (uint32_t)linecosts_from(&v->costs, line);
}

bool
source_fill_row(struct source_panes *v, uint32_t row, struct shown_line *out)
{
	struct buf text = BUF_INIT;
	bool there;
	if (v->text) {
		*out = (struct shown_line){row + 1, linecosts_at(&v->costs, row + 1), NULL, NULL};
		there = source_file_line(v->text, row + 1, &text);
	} else {
		there = row < v->costs.all.n;
		if (there)
			*out = (struct shown_line){v->costs.all.at[row].line, row, NULL, NULL};
	}
	if (there)
		out->text = mem_dup(buf_str(&text), text.len);
	buf_release(&text);
	return there;
}

/* Returns the number of rows if it is at most `most`, else a larger number. */
static uint32_t
rows_within(struct source_panes *v, uint32_t most)
{
	if (!v->text)
		return (uint32_t)v->costs.all.n;
	return source_file_has(v->text, most + 1) ? most + 1 : source_file_last(v->text);
}

/* Does not read a long file to its end only for the count. */
void
source_standing(const struct source_panes *v, struct standing *out)
{
	*out = (struct standing){.at = (uint64_t)v->scroll.at + 1, .all = v->all};
	out->more = v->text && v->all > SOURCE_COUNT_LINES;
	if (out->more)
		out->all = (uint64_t)v->at > SOURCE_COUNT_LINES ? v->at : SOURCE_COUNT_LINES;
}

/* ---- comments, texts, keywords ---- */

/* Returns the state before the first line of a block.  Scans from SYNTAX_BLOCKS blocks above, as if
 * nothing were open there. */
static unsigned
state_of_block(struct source_panes *v, uint32_t block)
{
	unsigned state = SYNTAX_START;
	uint32_t from = block > SYNTAX_BLOCKS ? block - SYNTAX_BLOCKS : 0;
	if (v->syntax.known && v->syntax.block == block)
		return v->syntax.state;
	for (uint32_t row = from * SYNTAX_BLOCK; row < block * SYNTAX_BLOCK; row++) {
		struct shown_line l;
		if (!source_fill_row(v, row, &l))
			break;
		state = syntax_line(v->language, state, l.text, strlen(l.text), NULL);
		free(l.text);
	}
	v->syntax.block = block;
	v->syntax.state = state;
	v->syntax.known = true;
	return state;
}

static void
find_kinds(struct source_panes *v)
{
	uint32_t block = (uint32_t)v->scroll.top / SYNTAX_BLOCK;
	if (!v->language || !v->text || !v->rows.n)
		return;
	unsigned state = state_of_block(v, block);
	for (uint32_t row = block * SYNTAX_BLOCK; row < v->scroll.top; row++) {
		struct shown_line l;
		if (!source_fill_row(v, row, &l))
			return;
		state = syntax_line(v->language, state, l.text, strlen(l.text), NULL);
		free(l.text);
	}
	for (size_t i = 0; i < v->rows.n; i++) {
		struct shown_line *l = &v->rows.at[i];
		size_t len = strlen(l->text);
		l->kind = mem_zalloc(len + 1, 1);
		state = syntax_line(v->language, state, l->text, len, l->kind);
	}
}

void
source_fill_rows(struct source_panes *v, bool center)
{
	struct scroll *at = &v->scroll;
	at->at = source_row_of(v, v->at);
	if (center)
		at->top = at->at > at->h / 3 ? at->at - at->h / 3 : 0;
	/* read no further than the screen may reach */
	int64_t far = at->at > at->top ? at->at : at->top;
	scroll_fit(at, rows_within(v, (uint32_t)(far + at->h)));
	v->all = rows_within(v, SOURCE_COUNT_LINES);
	source_drop_rows(v);
	for (int i = 0; i < at->h; i++) {
		struct shown_line l;
		if (!source_fill_row(v, (uint32_t)at->top + (uint32_t)i, &l))
			break;
		*vec_push(&v->rows) = l;
	}
	find_kinds(v);
}
