/* grid.c - see grid.h.
 *
 * Scrolling consists of three numbers and rules that hold for every list, so it does not depend on
 * rows.  model/table/columns.c writes the cells; this file places and colours them.
 *
 * Every change of ink costs bytes on the line, with each key, for each row of each page.  So the
 * blank between two columns has the ink of the second one, the highlight ends with the name, and
 * the position of the cursor beside the head has no colour. */
#include "ui/part/grid.h"

#include <assert.h>
#include <string.h>

#include "model/profile/human.h"
#include "ui/part/compare.h"
#include "ui/part/show.h"
#include "ui/part/sparks.h"
#include "ui/screen/shorten.h"
#include "ui/screen/text.h"

#define DROPS 8

/* ---- where the cursor is ---- */

int64_t
scroll_by(enum action action, int h)
{
	switch ((int)action) {
	case ACTION_DOWN:
		return 1;
	case ACTION_UP:
		return -1;
	case ACTION_HALF_DOWN:
		return h > 1 ? h / 2 : 1;
	case ACTION_HALF_UP:
		return h > 1 ? -(h / 2) : -1;
	case ACTION_PAGE_DOWN:
		return h;
	case ACTION_PAGE_UP:
		return -h;
	case ACTION_FIRST:
		return -SCROLL_FAR;
	case ACTION_LAST:
		return SCROLL_FAR;
	default:
		return 0;
	}
}

int64_t
scroll_clip(int64_t row, int64_t n)
{
	return row < 0 || n <= 0 ? 0 : row >= n ? n - 1 : row;
}

void
scroll_fit(struct scroll *s, int64_t n)
{
	int64_t h = s->h > 0 ? s->h : 1;

	s->at = scroll_clip(s->at, n);
	if (s->top > s->at)
		s->top = s->at;
	if (s->top <= s->at - h)
		s->top = s->at - h + 1;
	if (s->top > n - h)
		s->top = n - h;
	if (s->top < 0)
		s->top = 0;
}

bool
scroll_text(struct scroll *s, enum action action, int64_t n)
{
	int64_t by = scroll_by(action, s->h);

	s->top = scroll_clip(s->top + by, n > s->h ? n - s->h + 1 : 0);
	return by != 0;
}

int64_t
scroll_find(int64_t from, int64_t n, int dir, bool (*hit)(const void *of, int64_t row),
	    const void *of)
{
	for (int64_t i = 1; i <= n; i++) {
		int64_t row = ((dir > 0 ? from + i : from - i) % n + n) % n;
		if (hit(of, row))
			return row;
	}
	return -1;
}

/* ---- columns ---- */

void
grid_init(struct grid *g, const struct scene *s, const struct look *look)
{
	g->s = s;
	g->look = look;
	g->n = 0;
	g->spark = 0;
}

struct grid_column *
grid_add(struct grid *g, const struct table_column *of)
{
	assert(of);
	struct grid_column *c = grid_add_cell(g, GRID_NUMBER, of->title, of->width);
	if (c)
		c->of = of;
	return c;
}

struct grid_column *
grid_add_cell(struct grid *g, enum grid_cell cell, const char *title, int width)
{
	if (g->n == GRID_COLUMNS)
		return NULL;
	struct grid_column *c = &g->column[g->n++];
	*c = (struct grid_column){.cell = cell, .title = title, .width = width};
	return c;
}

bool
grid_shows(const struct grid *g, const char *column)
{
	for (unsigned i = 0; i < g->n; i++)
		if (g->column[i].of && !strcmp(g->column[i].of->name, column))
			return true;
	return false;
}

/* Returns the width of all columns and the blanks after them, except the widest. */
static int
used_cols(const struct grid *g)
{
	int used = 0;

	for (unsigned i = 0; i < g->n; i++)
		used += g->column[i].width ? g->column[i].width + 1 : 0;
	return used;
}

static void
take_out(struct grid *g, unsigned i)
{
	for (g->n--; i < g->n; i++)
		g->column[i] = g->column[i + 1];
}

/* The head of a numeric column leaves room for the mark of the order. */
static void
make_room_for_marks(struct grid *g)
{
	for (unsigned i = 0; i < g->n; i++) {
		struct grid_column *c = &g->column[i];
		int need = c->mark && *c->mark ? text_cols(c->mark) + text_cols(c->title) : 0;
		if (c->width && c->width < need)
			c->width = need;
	}
}

void
grid_fit(struct grid *g, int w, int name_min)
{
	make_room_for_marks(g);
	for (unsigned drop = 1; drop <= DROPS; drop++)
		for (unsigned i = g->n; i-- > 0 && used_cols(g) + name_min > w;)
			if (g->column[i].of && g->column[i].of->drop == drop &&
			    !g->column[i].sorted)
				take_out(g, i);
	int left = w - used_cols(g);
	for (unsigned i = 0; i < g->n; i++)
		if (!g->column[i].width)
			g->column[i].width = left;
}

const struct grid_column *
grid_column_at(const struct grid *g, int x)
{
	int end = 0;

	for (unsigned i = 0; i < g->n; i++) {
		end += g->column[i].width + 1;
		if (x < end)
			return &g->column[i];
	}
	return NULL;
}

/* ---- drawing ---- */

static bool
grid_is_name(const struct grid_column *c)
{
	return c->of && !c->of->width;
}

static bool
is_left(const struct grid_column *c)
{
	return c->of ? c->of->left : c->cell == GRID_WHERE || c->cell == GRID_SPARK;
}

void
grid_draw_head(const struct grid *g, struct canvas *c, int y, int x, int w)
{
	struct buf title = BUF_INIT;

	canvas_fill(c, (struct area){y, x, 1, w}, INK_HEAD, ' ');
	for (unsigned i = 0; i < g->n; i++) {
		const struct grid_column *col = &g->column[i];
		enum ink ink = col->sorted ? INK_HEAD_SORTED : INK_HEAD;
		const char *mark = col->mark ? col->mark : "";
		buf_reset(&title);
		if (is_left(col)) {
			buf_addf(&title, "%s%s%s", col->title, *mark ? " " : "", mark);
			int over = col->of ? 0 : 1; /* the blank before it */
			canvas_fit(c, y, x - over, col->width + over, ink,
				   buf_str(&title));
		} else {
			buf_addf(&title, "%s%s", mark, col->title);
			canvas_right(c, y, x, col->width, ink, buf_str(&title));
		}
		x += col->width + 1;
	}
	buf_release(&title);
}

void
grid_draw_standing(struct canvas *c, int y, int x, int w, const struct standing *st)
{
	struct buf text = BUF_INIT;

	if (st->at || st->more) {
		standing_write(st, &text);
	} else if (st->all) {
		human_count(&text, (int64_t)st->all);
		buf_adds(&text, st->all == 1 ? " row" : " rows");
	}
	int cols = text_cols(buf_str(&text)), from = x + w - 1 - cols;
	bool room = cols && from > x;
	for (int i = from - 1; room && i < x + w; i++)
		room = canvas_cell(c, y, i)->ch[0] == ' ';
	if (room) {
		canvas_fill(c, (struct area){y, from - 1, 1, x + w - from + 1}, INK_TEXT, ' ');
		canvas_text(c, y, from, cols, INK_TEXT, buf_str(&text));
	}
	buf_release(&text);
}

static enum ink
cell_ink(const struct grid *g, const struct grid_column *c, const struct row *r)
{
	const struct table_column *of = c->of;
	bool total = !of || of->part == PART_TOTAL;
	int64_t now = total ? r->total : r->self;
	struct sides x = total ? r->exact_total : r->exact_self;

	if (c->cell == GRID_BAR)
		return INK_BAR;
	if (grid_is_name(c))
		return search_hits_key(g->s->search, r->key) ? INK_HIT : INK_TEXT;
	if (is_left(c))
		return INK_DIM;
	if (c->cell == GRID_MARK || of->changes)
		return compare_ink(compare_fate(x), look_sure(g->look, r, total));
	if (of->part == PART_NONE || g->look->compares)
		return INK_TEXT;
	return theme_heat(now, g->look->whole);
}

/* Adds to a cell what only a screen shows: a mark for a search hit, and the direction of a change
 * if no column of marks shows it. */
static void
write_cell(const struct grid *g, const struct grid_column *c, const struct row *r,
	   struct buf *out)
{
	switch (c->cell) {
	case GRID_BAR:
	case GRID_SPARK:
		return;
	case GRID_MARK:
		buf_adds(out, compare_mark(compare_fate(r->exact_total),
					   look_sure(g->look, r, true)));
		return;
	case GRID_WHERE:
		show_place(g->s, r->key, out);
		if (!out->len)
			show_module(g->s, r->key, out);
		return;
	case GRID_NUMBER:
		break;
	}
	if (grid_is_name(c) && search_hits_key(g->s->search, r->key))
		buf_addc(out, '*');
	if (grid_is_name(c) && !grid_shows(g, "module") && show_nameless(g->s, r->key, out))
		buf_addc(out, ' ');
	if (c->arrows && c->of->unit == COLUMN_CHANGE) {
		bool total = c->of->part == PART_TOTAL;
		double change = sides_shown_change(total ? r->exact_total : r->exact_self);
		bool noise = look_sure(g->look, r, total) == SURE_NO;
		buf_adds(out, change == 0 ? "" : noise ? "~ " : change > 0 ? "▲ " : "▼ ");
	}
	column_text(c->of, g->look, r, out);
}

/* Draws from the left without padding. */
static void
draw_left(struct canvas *c, int y, int x, int w, enum ink ink, const char *text)
{
	if (text_cols(text) < w)
		canvas_text(c, y, x, w, ink, text);
	else
		canvas_fit(c, y, x, w, ink, text);
}

/* A number that does not fit is written without commas.  Cutting it, or covering a digit with the
 * cursor's mark, would show another number. */
static void
drop_commas(struct buf *text)
{
	size_t n = 0;
	for (size_t i = 0; i < text->len; i++)
		if (text->at[i] != ',')
			text->at[n++] = text->at[i];
	text->len = n;
	text->at[n] = '\0';
}

/* Draws a text in the available room, shortened by the rule of its column. */
static void
draw_words(const struct grid_column *col, struct canvas *c, int y, int x, enum ink ink,
	   const char *text)
{
	enum column_cut cut = !col->of ? CUT_BEGIN : grid_is_name(col) ? CUT_NAME : col->of->cut;
	struct buf shown = BUF_INIT;
	int w = col->width;

	if (ink == INK_HERE && !grid_is_name(col))
		canvas_fill(c, (struct area){y, x, 1, w}, ink, ' ');
	if (cut == CUT_NAME)
		shorten_name(text, w, &shown);
	else if (cut == CUT_MIDDLE)
		shorten_middle(text, w, &shown);
	if (cut == CUT_BEGIN)
		canvas_fit_tail(c, y, x, w, ink, text);
	else
		draw_left(c, y, x, w, ink, cut == CUT_END ? text : buf_str(&shown));
	buf_release(&shown);
}

static void
grid_draw_cell(const struct grid *g, const struct grid_column *col, struct canvas *c, int y, int x,
	       enum ink ink, const struct row *r)
{
	struct buf text = BUF_INIT;
	int w = col->width;

	write_cell(g, col, r, &text);
	if (col->cell == GRID_BAR) {
		if (ink == INK_HERE)
			canvas_fill(c, (struct area){y, x, 1, w}, ink, ' ');
		canvas_bar(c, y, x, w, ink, r->total, g->look->whole);
	} else if (col->cell == GRID_SPARK) {
		sparks_draw(g->s->sparks, g->spark ? g->spark : spark_of_key(r->key), c, y, x, w);
	} else if (grid_is_name(col) || is_left(col)) {
		draw_words(col, c, y, x, ink, buf_str(&text));
	} else {
		if (text.len && text_cols(buf_str(&text)) > w - (col == g->column))
			drop_commas(&text);
		canvas_right(c, y, x, w, ink, buf_str(&text));
	}
	buf_release(&text);
}

void
grid_draw_row(const struct grid *g, struct canvas *c, int y, int x, const struct row *r,
	      bool here, grid_name *name, const void *of)
{
	int at = x;
	unsigned end = g->n; /* the cursor ends with the name */

	for (unsigned i = 0; i < g->n; i++)
		if (grid_is_name(&g->column[i]))
			end = i + 1;
	for (unsigned i = 0; i < g->n; i++) {
		const struct grid_column *col = &g->column[i];
		bool lit = here && i < end, own = name && grid_is_name(col);
		enum ink ink = lit ? INK_HERE : own ? INK_TEXT : cell_ink(g, col, r);
		if (i)
			canvas_char(c, y, at - 1, ink, ' ');
		if (own)
			name(of, c, y, at, col->width, ink);
		else
			grid_draw_cell(g, col, c, y, at, ink, r);
		at += col->width + 1;
	}
	if (here)
		canvas_char(c, y, x, INK_HERE, '>');
}

/* ---- their order ---- */

bool
grid_order_step(struct grid_order *o, int step,
		bool (*has)(const void *of, unsigned column), const void *of)
{
	for (int c = (int)o->column + step; c >= 0 && c < (int)n_table_columns; c += step)
		if (has(of, (unsigned)c)) {
			*o = (struct grid_order){.column = (unsigned)c};
			return true;
		}
	return false;
}

void
grid_order_by(struct grid_order *o, unsigned column)
{
	o->reverse = column == o->column && !o->reverse;
	o->column = column;
}

const char *
grid_order_mark(const struct grid_order *o, const struct table_column *column)
{
	/* numbers begin with the largest, words with a */
	bool rising = o->reverse == (column->number != NULL);

	return column != &table_columns[o->column] ? "" : rising ? "▴" : "▾";
}

static int64_t
grid_rank(const void *of, uint32_t row)
{
	const struct grid_sorting *s = of;
	struct row r = rows_get(s->rows, row);
	int64_t rank = column_rank(&table_columns[s->order->column], s->look, &r);

	return s->order->reverse ? ~rank : rank;
}

static int
compare(const void *of, uint32_t a, uint32_t b)
{
	const struct grid_sorting *s = of;
	struct row x = rows_get(s->rows, a), y = rows_get(s->rows, b);
	int order = column_compare(&table_columns[s->order->column], s->look, &x, &y);

	return s->order->reverse ? -order : order;
}

struct order_by
grid_sorting_by(const struct grid_sorting *s)
{
	return (struct order_by){grid_rank, compare, s, NULL};
}
