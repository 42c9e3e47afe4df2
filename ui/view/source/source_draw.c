/* source_draw.c - draws the file of the selected function: numbers, heat, text. */
#include "ui/view/source/source.h"

#include <inttypes.h>
#include <string.h>

#include "ui/part/show.h"
#include "ui/screen/shorten.h"
#include "ui/screen/text.h"

#define VALUE_COLS 9 /* of a value, with a blank before it; counts may need more */

struct columns_at {
	int value_w, self_x, share_x, total_x, total_share_x, heat_x, line_w, text_x;
};

/* A narrow screen shows only the shares. */
static struct columns_at
columns_at(const struct source_panes *v, const struct scene *s, struct area a)
{
	struct columns_at at = {.line_w = 4, .value_w = VALUE_COLS};
	struct buf most = BUF_INIT;
	show_value(s, v->fold->now.everything, &most);
	at.value_w = text_cols(buf_str(&most)) >= VALUE_COLS ? text_cols(buf_str(&most)) + 1
							     : VALUE_COLS;
	buf_release(&most);
	uint32_t last = v->rows.n ? v->rows.at[v->rows.n - 1].line : 0;
	for (uint32_t n = 10000; at.line_w < 10 && n <= last; n *= 10)
		at.line_w++;
	bool values = a.w >= 100;
	at.self_x = values ? 0 : -1;
	at.share_x = values ? at.value_w : 0;
	at.total_x = values ? at.share_x + 6 : -1;
	at.total_share_x = values ? at.total_x + at.value_w + 1 : at.share_x + 6;
	at.heat_x = at.total_share_x + 7;
	at.text_x = at.heat_x + 2 + 1 + at.line_w + 1;
	return at;
}

static void
draw_head(const struct source_panes *v, const struct scene *s, struct canvas *c, struct area a)
{
	struct columns_at at = columns_at(v, s, a);
	struct buf text = BUF_INIT;
	canvas_fill(c, (struct area){a.y, a.x, 1, a.w}, INK_HEAD, ' ');
	if (at.self_x >= 0) {
		canvas_right(c, a.y, a.x, at.value_w, INK_HEAD, "self");
		canvas_right(c, a.y, a.x + at.total_x, at.value_w + 1, INK_HEAD, "total");
	}
	canvas_right(c, a.y, a.x + at.share_x, 6, INK_HEAD,
		     at.self_x >= 0 ? "%" : "self%");
	canvas_right(c, a.y, a.x + at.total_share_x, 6, INK_HEAD,
		     at.self_x >= 0 ? "%" : "tot%");
	canvas_right(c, a.y, a.x + at.heat_x + 3, at.line_w, INK_HEAD, "line");
	struct standing st;
	source_standing(v, &st);
	standing_write(&st, &text);
	int cols = text_cols(buf_str(&text)), room = a.w - at.text_x - 1 - cols - 2;
	buf_reset(&text);
	if (room < 12)
		room += cols + 2;
	if (v->text) {
		canvas_fit_tail(c, a.y, a.x + at.text_x, room, INK_HEAD, buf_str(&v->path));
	} else {
		struct buf file = BUF_INIT;
		profile_show_name(s->p, v->file, &file);
		shorten_name(buf_str(&file), room / 3, &text);
		buf_addf(&text, " %s", buf_str(&v->why));
		canvas_fit(c, a.y, a.x + at.text_x, room, INK_HEAD, buf_str(&text));
		buf_release(&file);
	}
	grid_draw_standing(c, a.y, a.x, a.w, &st);
	buf_release(&text);
}

static void
draw_cost(const struct source_panes *v, const struct scene *s, struct canvas *c, struct area a,
	  int y, const struct linecost *cost, bool here)
{
	struct columns_at at = columns_at(v, s, a);
	int64_t whole = v->fold->now.everything;
	enum ink self = here ? INK_HERE : theme_heat(cost->self, whole),
		 total = here ? INK_HERE : theme_heat(cost->total, whole);
	struct buf text = BUF_INIT;
	if (cost->self) {
		show_share(s, cost->self, &text);
		canvas_right(c, y, a.x + at.share_x, 6, self, buf_str(&text));
		buf_reset(&text);
		show_value(s, cost->self, &text);
		if (at.self_x >= 0)
			canvas_right(c, y, a.x + at.self_x, at.value_w, self, buf_str(&text));
		buf_reset(&text);
	}
	show_share(s, cost->total, &text);
	canvas_right(c, y, a.x + at.total_share_x, 6, total, buf_str(&text));
	buf_reset(&text);
	show_value(s, cost->total, &text);
	if (at.total_x >= 0)
		canvas_right(c, y, a.x + at.total_x, at.value_w + 1, total, buf_str(&text));
	/* from ten percent, from one, below: the hotter, the fuller */
	double part = whole > 0 ? (double)cost->total / (double)whole : 0;
	canvas_char(c, y, a.x + at.heat_x, total,
		    part >= 0.10   ? 0x2588
		    : part >= 0.01 ? 0x258C
				   : 0x258F);
	if (cost->whole)
		canvas_char(c, y, a.x + at.heat_x + 2, here ? INK_HERE : INK_DIM, 0x2022);
	buf_release(&text);
}

/* Writes the functions of a line whose text is missing. */
static void
source_write_function(const struct source_panes *v, const struct scene *s,
		      const struct linecost *cost, int cols, struct buf *out)
{
	struct buf name = BUF_INIT;
	profile_show_name(s->p, projection_key_name(v->fold->tree, s->p, cost->key), &name);
	shorten_name(buf_str(&name), cols, out);
	buf_release(&name);
}

bool
source_line_hits(const struct source_panes *v, const struct scene *s, const struct shown_line *l)
{
	if (!s->search->pattern)
		return false;
	if (v->text)
		return pattern_matches_bytes(s->search->pattern, l->text, strlen(l->text));
	name_id name = projection_key_name(v->fold->tree, s->p, v->costs.all.at[l->cost].key);
	return pattern_matches_name(s->search->pattern, &s->p->names, name);
}

/* An ink as on paper: colours only repeat the kind that the words show. */
static enum ink
ink_of(uint8_t kind)
{
	static const enum ink inks[] = {
		[SYNTAX_PLAIN] = INK_TEXT,
		[SYNTAX_COMMENT] = INK_CODE_COMMENT,
		[SYNTAX_TEXT] = INK_CODE_TEXT,
		[SYNTAX_KEYWORD] = INK_CODE_KEYWORD,
	};
	return inks[kind];
}

/* Draws from the first visible column; … marks hidden text on either side.  `ink` is that of the
 * whole line, or INK_TEXT to colour each part by its kind. */
static void
draw_text(const struct source_panes *v, const struct shown_line *l, struct canvas *c, int y, int x,
	  int w, enum ink ink)
{
	size_t len = strlen(l->text), at = v->left ? text_fit(l->text, v->left + 1) : 0;
	int used = 0;
	struct buf part = BUF_INIT;
	if (at)
		used += canvas_text(c, y, x, w, ink, "…");
	bool cut = text_cols(l->text + at) > w - used;
	while (at < len && used < w) {
		bool parted = l->kind && ink == INK_TEXT;
		size_t end = parted ? at + 1 : len;
		while (end < len && l->kind[end] == l->kind[at])
			end++;
		buf_reset(&part);
		buf_add(&part, l->text + at, end - at);
		used += canvas_text(c, y, x + used, w - used, parted ? ink_of(l->kind[at]) : ink,
				    buf_str(&part));
		at = end;
	}
	if (cut && w > 0)
		canvas_text(c, y, x + w - 1, 1, ink, "…");
	buf_release(&part);
}

static void
draw_row(const struct source_panes *v, const struct scene *s, struct canvas *c, struct area a,
	 int y, const struct shown_line *l)
{
	struct columns_at at = columns_at(v, s, a);
	bool here = l->line == v->at, hit = source_line_hits(v, s, l);
	enum ink ink = here ? INK_HERE : INK_TEXT;
	struct buf text = BUF_INIT;
	int room = a.w - at.text_x;
	if (here)
		canvas_fill(c, (struct area){y, a.x, 1, at.text_x}, ink, ' ');
	if (l->cost != LINECOST_NONE)
		draw_cost(v, s, c, a, y, &v->costs.all.at[l->cost], here);
	buf_addf(&text, "%u", l->line);
	canvas_right(c, y, a.x + at.heat_x + 3, at.line_w, here ? ink : INK_DIM,
		     buf_str(&text));
	buf_reset(&text);
	if (hit)
		canvas_char(c, y, a.x + at.text_x - 1, INK_HIT, '*');
	ink = here ? INK_HERE : hit ? INK_HIT : INK_TEXT;
	if (v->text) {
		draw_text(v, l, c, y, a.x + at.text_x, room, ink);
	} else {
		source_write_function(v, s, &v->costs.all.at[l->cost], room, &text);
		canvas_text(c, y, a.x + at.text_x, room, ink, buf_str(&text));
	}
	if (here)
		canvas_char(c, y, a.x, INK_HERE, '>');
	buf_release(&text);
}

static void
draw_missing(const struct source_panes *v, const struct scene *s, struct canvas *c, struct area a)
{
	struct buf text = BUF_INIT;
	if (v->picked == KEY_NONE) {
		buf_adds(&text, "No function has a cost here.  3 lists them all.");
	} else if (v->file == NAME_EMPTY) {
		show_key(s, v->picked, &text);
		buf_adds(&text, ": the profile does not name its file.");
	} else {
		profile_show_name(s->p, v->file, &text);
		buf_addf(&text, " %s; no line of it is known.", buf_str(&v->why));
	}
	int cols = text_cols(buf_str(&text));
	cols = cols > a.w ? a.w : cols;
	canvas_fit(c, a.y + a.h / 2, a.x + (a.w - cols) / 2, cols, INK_STRONG,
		   buf_str(&text));
	buf_release(&text);
}

void
source_draw(const void *view, const struct scene *s, struct canvas *c, struct area a)
{
	const struct source_panes *v = view;
	if (v->makes) {
		canvas_text(c, a.y + a.h / 2, a.x + a.w / 2 - 4, a.w / 2, INK_STRONG, "working…");
		return;
	}
	if (v->listing && v->fits) {
		source_tree_draw(&v->tree, s, v->fold, c, a);
		return;
	}
	if (v->code.shown) {
		source_code_draw(&v->code, s, v->function, c, a);
		return;
	}
	if (!v->rows.n) {
		draw_missing(v, s, c, a);
		return;
	}
	draw_head(v, s, c, a);
	for (size_t i = 0; i < v->rows.n; i++)
		draw_row(v, s, c, a, a.y + 1 + (int)i, &v->rows.at[i]);
}

const char *
source_word(const void *view, enum action action)
{
	const struct source_panes *v = view;
	return action == ACTION_FILES && v->listing ? "text" : NULL;
}
