/* canvas.c - see canvas.h.
 *
 * Every character on the screen passes through canvas_put().  It clips, keeps wide characters
 * whole (an overwritten half becomes a blank), attaches combining marks to the previous cell,
 * and puts text_ascii() in place of characters on an ASCII canvas.  So views write "▾" or "…" as
 * plain text and need no second set of glyphs.  An enum of glyphs with two columns was rejected,
 * since it made the drawing code unreadable.
 *
 * Invariant: a cell with cols == 0 follows each cell with cols == 2, and no other cell has cols
 * == 0. */
#include "ui/screen/canvas.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/escape.h"
#include "model/base/mem.h"
#include "ui/screen/text.h"

static struct cell *
cell_at(struct canvas *c, int y, int x)
{
	if (y < 0 || y >= c->h || x < 0 || x >= c->w)
		return NULL;
	return &c->cell[(size_t)y * (size_t)c->w + (size_t)x];
}

static void
blank(struct cell *cell)
{
	cell->ch[0] = ' ';
	cell->ch[1] = cell->ch[2] = 0;
	cell->cols = 1;
	cell->lower = 0;
	cell->shade = cell->part = cell->second = 0;
}

/* Makes (y, x) free of halves of wide characters. */
static void
canvas_split(struct canvas *c, int y, int x)
{
	struct cell *here = cell_at(c, y, x);
	/* the halves of a wide character are adjacent */
	assert(here && (here->cols || x > 0) && (here->cols < 2 || x + 1 < c->w));
	if (here->cols == 0)
		blank(here - 1);
	else if (here->cols == 2)
		blank(here + 1);
	blank(here);
}

/* Puts the ASCII form of a character, as much as fits before `limit`. */
static int
canvas_put_ascii(struct canvas *c, int y, int x, int limit, enum ink ink, uint32_t ch)
{
	char form[TEXT_ASCII_MAX];
	int n = (int)text_ascii(ch, form), used = 0;

	for (; used < n && x + used < limit; used++) {
		struct cell *cell = cell_at(c, y, x + used);
		if (!cell)
			continue;
		canvas_split(c, y, x + used);
		cell->ch[0] = (unsigned char)form[used];
		cell->ink = (uint8_t)ink;
	}
	return used ? used : -1;
}

/* Puts one character; returns its columns, or -1 if it does not fit before `limit`. */
static int
canvas_put(struct canvas *c, int y, int x, int limit, enum ink ink, uint32_t ch)
{
	if (escape_hides(ch)) /* names were made printable before; this is the last check */
		ch = TEXT_BAD;
	if (c->ascii)
		return canvas_put_ascii(c, y, x, limit, ink, ch);
	int cols = text_char_cols(ch);
	if (cols == 0) {
		struct cell *before = cell_at(c, y, x - 1);
		if (before && before->cols == 0)
			before--;
		for (int i = 1; before && i < CELL_CHARS; i++)
			if (!before->ch[i]) {
				before->ch[i] = ch;
				break;
			}
		return 0;
	}
	if (x + cols > limit)
		return -1;
	struct cell *cell = cell_at(c, y, x);
	struct cell *last = cell_at(c, y, x + cols - 1);
	if (!cell || !last)
		return cols;
	canvas_split(c, y, x);
	if (cols == 2) {
		canvas_split(c, y, x + 1);
		last->ch[0] = 0;
		last->cols = 0;
		last->ink = (uint8_t)ink;
	}
	cell->ch[0] = ch;
	cell->cols = (uint8_t)cols;
	cell->ink = (uint8_t)ink;
	return cols;
}

void
canvas_init(struct canvas *c, int w, int h, bool ascii)
{
	*c = (struct canvas){.ascii = ascii, .cursor_y = -1};
	canvas_resize(c, w, h);
}

void
canvas_release(struct canvas *c)
{
	free(c->cell);
	vec_release(&c->late);
	vec_release(&c->links);
	c->cell = NULL;
	c->w = c->h = 0;
}

void
canvas_resize(struct canvas *c, int w, int h)
{
	c->w = w < 1 ? 1 : w;
	c->h = h < 1 ? 1 : h;
	free(c->cell);
	c->cell = mem_zalloc((size_t)c->w * (size_t)c->h, sizeof *c->cell);
	canvas_clear(c);
}

void
canvas_clear(struct canvas *c)
{
	size_t n = (size_t)c->w * (size_t)c->h;
	for (size_t i = 0; i < n; i++) {
		blank(&c->cell[i]);
		c->cell[i].ink = INK_TEXT;
	}
	c->cursor_y = -1;
	c->late.n = c->links.n = 0;
}

void
canvas_link(struct canvas *c, struct area a, unsigned link)
{
	*vec_push(&c->links) = (struct link_area){a, link};
}

unsigned
canvas_link_at(const struct canvas *c, int y, int x)
{
	for (size_t i = c->links.n; i-- > 0;) {
		struct area a = c->links.at[i].at;
		if (y >= a.y && y < a.y + a.h && x >= a.x && x < a.x + a.w)
			return c->links.at[i].link;
	}
	return 0;
}

void
canvas_late(struct canvas *c, struct area a, uint64_t of)
{
	if (a.y >= 0 && a.x >= 0 && a.h > 0 && a.w > 0 && a.y + a.h <= c->h && a.x + a.w <= c->w)
		*vec_push(&c->late) = (struct late_area){a, of};
}

static bool
same_late(const struct late_area *a, const struct late_area *b)
{
	return a->of == b->of && a->at.y == b->at.y && a->at.x == b->at.x &&
	       a->at.h == b->at.h && a->at.w == b->at.w;
}

static bool
keep_area(struct canvas *c, const struct canvas *before, struct area a)
{
	bool changed = false;
	for (int y = a.y; y < a.y + a.h; y++) {
		size_t at = (size_t)y * (size_t)c->w + (size_t)a.x;
		size_t bytes = (size_t)a.w * sizeof *c->cell;
		changed |= memcmp(&c->cell[at], &before->cell[at], bytes) != 0;
		memcpy(&c->cell[at], &before->cell[at], bytes);
	}
	return changed;
}

bool
canvas_keep_late(struct canvas *c, const struct canvas *before)
{
	bool changed = false;
	if (c->w != before->w || c->h != before->h)
		return false;
	for (size_t i = 0; i < c->late.n; i++)
		for (size_t k = 0; k < before->late.n; k++)
			if (same_late(&c->late.at[i], &before->late.at[k])) {
				changed |= keep_area(c, before, c->late.at[i].at);
				break;
			}
	return changed;
}

static bool
same_row(const struct canvas *c, int y, const struct canvas *before, int was, struct area a)
{
	size_t at = (size_t)y * (size_t)c->w + (size_t)a.x;
	size_t from = (size_t)was * (size_t)c->w + (size_t)a.x;

	return !memcmp(&c->cell[at], &before->cell[from], (size_t)a.w * sizeof *c->cell);
}

bool
canvas_scrolls(const struct canvas *c, const struct canvas *before, struct area a)
{
	int up = 0, down = 0;
	if (c->w != before->w || c->h != before->h || a.x + a.w > c->w || a.y + a.h > c->h)
		return false; /* the area is that of another size */
	for (int y = a.y; y < a.y + a.h; y++) {
		if (same_row(c, y, before, y, a))
			continue;
		up += y + 1 < a.y + a.h && same_row(c, y, before, y + 1, a);
		down += y > a.y && same_row(c, y, before, y - 1, a);
	}
	return (up > down ? up : down) * 2 > a.h;
}

void
canvas_copy(struct canvas *c, const struct canvas *from)
{
	if (!c->cell || c->w != from->w || c->h != from->h)
		canvas_resize(c, from->w, from->h);
	memcpy(c->cell, from->cell, (size_t)c->w * (size_t)c->h * sizeof *c->cell);
	c->ascii = from->ascii;
	c->cursor_y = from->cursor_y;
	c->cursor_x = from->cursor_x;
	c->late.n = 0;
	for (size_t i = 0; i < from->late.n; i++)
		*vec_push(&c->late) = from->late.at[i];
}

int
canvas_text(struct canvas *c, int y, int x, int cols, enum ink ink, const char *text)
{
	const char *end = text + strlen(text);
	int start = x;
	while (text < end) {
		int used = canvas_put(c, y, x, start + cols, ink, text_next(&text, end));
		if (used < 0)
			break;
		x += used;
	}
	return x - start;
}

void
canvas_fit(struct canvas *c, int y, int x, int cols, enum ink ink, const char *text)
{
	if (cols <= 0)
		return;
	bool cut = text_cols(text) > cols;
	int used = canvas_text(c, y, x, cut ? cols - 1 : cols, ink, text);
	if (cut)
		used += canvas_text(c, y, x + used, cols - used, ink, "…");
	while (used < cols)
		canvas_put(c, y, x + used++, x + cols, ink, ' ');
}

void
canvas_rest(struct canvas *c, struct area row, enum ink ink, const char *text, int cols)
{
	size_t cut = text_fit(text, cols - 1);
	if (!text[text_fit(text, cols)])
		return;
	while (cut && text[cut - 1] != ' ')
		cut--;
	canvas_fit(c, row.y, row.x, row.w, ink, " …");
	canvas_fit(c, row.y, row.x + 2, row.w - 3, ink, text + cut);
}

void
canvas_fit_tail(struct canvas *c, int y, int x, int cols, enum ink ink, const char *text)
{
	int over = text_cols(text) - cols;
	if (over > 0 && cols > 1) {
		const char *end = text + strlen(text);
		for (over++; over > 0 && text < end;)
			over -= text_char_cols(text_next(&text, end));
		canvas_text(c, y, x++, 1, ink, "…");
		cols--;
	}
	canvas_fit(c, y, x, cols, ink, text);
}

void
canvas_right(struct canvas *c, int y, int x, int cols, enum ink ink, const char *text)
{
	int used = text_cols(text), lead = cols - used;
	if (lead < 0) {
		canvas_fit(c, y, x, cols, ink, text);
		return;
	}
	for (int i = 0; i < lead; i++)
		canvas_put(c, y, x + i, x + cols, ink, ' ');
	canvas_text(c, y, x + lead, used, ink, text);
}

void
canvas_middle(struct canvas *c, int y, int x, int cols, enum ink ink, const char *text)
{
	int used = text_cols(text);
	if (used <= cols)
		canvas_text(c, y, x + (cols - used) / 2, used, ink, text);
	else
		canvas_fit(c, y, x, cols, ink, text);
}

void
canvas_char(struct canvas *c, int y, int x, enum ink ink, uint32_t ch)
{
	canvas_put(c, y, x, x + 1, ink, ch);
}

void
canvas_two(struct canvas *c, int y, int x, enum ink ink, enum ink lower, unsigned eighths)
{
	struct cell *cell = cell_at(c, y, x);
	canvas_char(c, y, x, ink, c->ascii ? '%' : 0x2580 + eighths);
	if (cell && !c->ascii)
		cell->lower = (uint8_t)lower;
}

void
canvas_shade(struct canvas *c, struct area a, unsigned eighths)
{
	for (int y = a.y; y < a.y + a.h; y++)
		for (int x = a.x; x < a.x + a.w; x++) {
			struct cell *cell = cell_at(c, y, x);
			if (cell)
				cell->shade = (uint8_t)(eighths & 15);
		}
}

void
canvas_two_shaded(struct canvas *c, int y, int x, enum ink ink, enum ink lower,
		  unsigned eighths, unsigned shade, uint32_t ch, bool second)
{
	struct cell *cell = cell_at(c, y, x);
	canvas_char(c, y, x, theme_sparse(second ? lower : ink), ch);
	if (!cell)
		return;
	cell->lower = (uint8_t)theme_sparse(second ? ink : lower);
	cell->shade = (uint8_t)(shade & 15);
	cell->part = eighths & 7;
	cell->second = second;
}

static bool
cell_is_dots(uint32_t ch)
{
	return ch >= 0x2591 && ch <= 0x2593;
}

uint32_t
canvas_look(const struct cell *cell, const struct theme *t, int colours, struct style *out)
{
	enum ink ink = (enum ink)cell->ink, lower = (enum ink)cell->lower;
	struct style under;
	if (lower && !cell->part)
		return theme_two(t, ink, lower, colours, out) ? 0 : '%';
	bool shaded = cell->shade && theme_shade(t, ink, cell->shade, colours, out);
	if (!cell->shade)
		*out = theme_style(t, ink, colours);
	if (!shaded || !cell_is_dots(cell->ch[0]))
		return 0;
	if (!cell->part)
		return ' ';
	theme_shade(t, lower, cell->shade, colours, &under);
	if (out->bg == under.bg)
		theme_shade(t, lower, cell->shade < 5 ? cell->shade + 3u : cell->shade / 2u,
			    colours, &under);
	*out = cell->second ? (struct style){out->bg, under.bg, 0}
			    : (struct style){under.bg, out->bg, 0};
	return 0x2580 + cell->part;
}

void
canvas_fill(struct canvas *c, struct area a, enum ink ink, uint32_t ch)
{
	for (int y = a.y; y < a.y + a.h; y++)
		for (int x = a.x; x < a.x + a.w; x++)
			canvas_put(c, y, x, x + 1, ink, ch);
}

struct area
canvas_box(struct canvas *c, struct area a, const char *title)
{
	int right = a.x + a.w - 1, low = a.y + a.h - 1;
	canvas_fill(c, a, INK_MENU, ' ');
	for (int x = a.x + 1; x < right; x++) {
		canvas_char(c, a.y, x, INK_BORDER, 0x2500);
		canvas_char(c, low, x, INK_BORDER, 0x2500);
	}
	for (int y = a.y + 1; y < low; y++) {
		canvas_char(c, y, a.x, INK_BORDER, 0x2502);
		canvas_char(c, y, right, INK_BORDER, 0x2502);
	}
	canvas_char(c, a.y, a.x, INK_BORDER, 0x250C);
	canvas_char(c, a.y, right, INK_BORDER, 0x2510);
	canvas_char(c, low, a.x, INK_BORDER, 0x2514);
	canvas_char(c, low, right, INK_BORDER, 0x2518);
	if (title && *title && a.w > 6) {
		int used = text_cols(title);
		if (used > a.w - 6)
			used = a.w - 6;
		canvas_char(c, a.y, a.x + 2, INK_BORDER, ' ');
		canvas_fit(c, a.y, a.x + 3, used, INK_MENU_TITLE, title);
		canvas_char(c, a.y, a.x + 3 + used, INK_BORDER, ' ');
	}
	return (struct area){a.y + 1, a.x + 2, a.h - 2, a.w - 4};
}

void
canvas_bar(struct canvas *c, int y, int x, int cols, enum ink ink, int64_t part,
	   int64_t whole)
{
	if (whole <= 0 || part <= 0 || cols <= 0)
		return;
	double share = (double)part / (double)whole;
	int eighths = (int)((share > 1 ? 1 : share) * cols * 8 + 0.5);
	for (int i = 0; i < cols && eighths > 0; i++, eighths -= 8)
		canvas_char(c, y, x + i, ink,
			    eighths >= 8 ? 0x2588 : 0x2590 - (uint32_t)eighths);
}

const struct cell *
canvas_cell(const struct canvas *c, int y, int x)
{
	return &c->cell[(size_t)y * (size_t)c->w + (size_t)x];
}

void
canvas_write(const struct canvas *c, struct buf *out)
{
	for (int y = 0; y < c->h; y++) {
		size_t solid = out->len;
		for (int x = 0; x < c->w; x++) {
			const struct cell *cell = canvas_cell(c, y, x);
			for (int i = 0; cell->cols && i < CELL_CHARS && cell->ch[i]; i++)
				text_add(out, cell->ch[i]);
			if (cell->cols && cell->ch[0] != ' ')
				solid = out->len;
		}
		if (out->at) {
			out->len = solid;
			out->at[solid] = '\0';
		}
		buf_addc(out, '\n');
	}
}
