/* source_code_draw.c - draws instructions: costs, addresses, jumps.
 *
 * An arrow at every jump shows the direction of its target: above, below, or elsewhere.  The path
 * of the jump at the cursor is drawn as far as it is on the screen; all paths at once would be
 * unreadable. */
#include "ui/view/source/source_code.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "ui/part/show.h"
#include "ui/screen/text.h"

#define WAY_COLS 4

struct code_columns {
	int self_x, share_x, heat_x, address_x, address_w, line_x, way_x, text_x;
};

static int
source_digits(uint64_t address)
{
	int n = 1;

	while (address >>= 4)
		n++;
	return n;
}

static struct code_columns
columns_of(const struct source_code *c, const struct scene *s, struct area a)
{
	struct code_columns at = {.self_x = a.w >= 100 ? 0 : -1};
	struct code_hit last = s->code->at(s->code->ctx, c->rows.at[c->rows.n - 1].instruction);

	at.share_x = at.self_x >= 0 ? 10 : 0;
	at.heat_x = at.share_x + 7;
	at.address_x = at.heat_x + 2;
	at.address_w = source_digits(last.is->address) < 6 ? 6 : source_digits(last.is->address);
	at.line_x = c->shown == CODE_ALONE ? at.address_x + at.address_w : -1;
	at.way_x = at.address_x + at.address_w + (at.line_x >= 0 ? 7 : 1);
	at.text_x = at.way_x + WAY_COLS;
	return at;
}

static void
draw_head(const struct source_code *c, const struct scene *s, function_id fn, struct canvas *cv,
	  struct area a)
{
	struct code_columns at = columns_of(c, s, a);
	struct buf text = BUF_INIT, name = BUF_INIT;
	struct standing st = {.at = (uint64_t)c->scroll.at + 1, .all = c->rows.n};

	canvas_fill(cv, (struct area){a.y, a.x, 1, a.w}, INK_HEAD, ' ');
	if (at.self_x >= 0)
		canvas_right(cv, a.y, a.x, 9, INK_HEAD, "self");
	canvas_right(cv, a.y, a.x + at.share_x, 6, INK_HEAD, "self%");
	canvas_right(cv, a.y, a.x + at.address_x, at.address_w, INK_HEAD,
		     at.address_w > 6 ? "address" : "at");
	if (at.line_x >= 0)
		canvas_right(cv, a.y, a.x + at.line_x, 6, INK_HEAD, "line");
	standing_write(&st, &text);
	int room = a.w - at.text_x - text_cols(buf_str(&text)) - 3;
	source_code_name(c, s, fn, &name);
	canvas_fit(cv, a.y, a.x + at.text_x, room, INK_HEAD, buf_str(&name));
	grid_draw_standing(cv, a.y, a.x, a.w, &st);
	buf_release(&text);
	buf_release(&name);
}

static void
draw_why(const struct source_code *c, struct canvas *cv, struct area a)
{
	const char *at = buf_str(&c->why);

	for (int i = 0; i < c->notes; i++) {
		size_t len = text_wrap(at, a.w);
		char *part = mem_dup(at, len);
		canvas_text(cv, a.y + 1 + i, a.x, a.w, INK_STRONG, part);
		free(part);
		at += len;
	}
}

static void
draw_cost(const struct scene *s, struct canvas *cv, struct area a, int y,
	  const struct code_columns *at, int64_t self, bool here)
{
	int64_t whole = s->fold->now.everything;
	enum ink ink = here ? INK_HERE : theme_heat(self, whole);
	double part = whole > 0 ? (double)self / (double)whole : 0;
	struct buf text = BUF_INIT;

	if (!self)
		return;
	show_share(s, self, &text);
	canvas_right(cv, y, a.x + at->share_x, 6, ink, buf_str(&text));
	buf_reset(&text);
	show_value(s, self, &text);
	if (at->self_x >= 0)
		canvas_right(cv, y, a.x + at->self_x, 9, ink, buf_str(&text));
	canvas_char(cv, y, a.x + at->heat_x, ink,
		    part >= 0.10   ? 0x2588
		    : part >= 0.01 ? 0x258C
				   : 0x258F);
	buf_release(&text);
}

/* Draws the path of the jump at the cursor, and the direction of every other jump. */
static void
draw_way(const struct source_code *c, const struct scene *s, struct canvas *cv, int y, int x,
	 int64_t row, enum ink ink)
{
	int64_t from = c->scroll.at, to = source_code_target(c, s, from);
	int64_t mine = source_code_target(c, s, row);
	const struct instruction *is = s->code->at(s->code->ctx, c->rows.at[row].instruction).is;
	bool jumps = !c->rows.at[row].source && (is->jumps || is->calls);

	if (jumps)
		canvas_char(cv, y, x + 2, ink,
			    mine == CODE_NO_ROW ? 0x2192
			    : mine > row        ? 0x2193
						: 0x2191);
	if (to == CODE_NO_ROW || to == from)
		return;
	int64_t first = from < to ? from : to, last = from < to ? to : from;
	if (row < first || row > last)
		return;
	canvas_char(cv, y, x, ink, row == first  ? 0x250C
				   : row == last ? 0x2514
						 : 0x2502);
	if (row == first || row == last)
		canvas_char(cv, y, x + 1, ink, 0x2500);
	if (row == to)
		canvas_char(cv, y, x + 2, ink, 0x2192);
}

static void
draw_text(const struct source_code *c, struct canvas *cv, int y, int x, int w, enum ink ink,
	  const char *text)
{
	size_t at = c->left ? text_fit(text, c->left + 1) : 0;
	int used = at ? canvas_text(cv, y, x, w, ink, "…") : 0;

	canvas_text(cv, y, x + used, w - used, ink, text + at);
	if (text_cols(text + at) > w - used && w > 0)
		canvas_text(cv, y, x + w - 1, 1, ink, "…");
}

static void
draw_row(const struct source_code *c, const struct scene *s, struct canvas *cv, struct area a,
	 int y, int64_t row)
{
	struct code_columns at = columns_of(c, s, a);
	const struct code_row *r = &c->rows.at[row];
	struct code_hit x = s->code->at(s->code->ctx, r->instruction);
	bool here = row == c->scroll.at, hit = source_code_row_hits(c, s, row);
	enum ink dim = here ? INK_HERE : INK_DIM;
	struct buf text = BUF_INIT;

	if (here)
		canvas_fill(cv, (struct area){y, a.x, 1, at.text_x}, INK_HERE, ' ');
	if (!r->source) {
		draw_cost(s, cv, a, y, &at, x.self, here);
		buf_addf(&text, "%" PRIx64, x.is->address);
		canvas_right(cv, y, a.x + at.address_x, at.address_w, dim, buf_str(&text));
		buf_reset(&text);
	}
	uint32_t line = r->source ? r->line : x.is->line;
	if (line && (r->source || at.line_x >= 0)) {
		buf_addf(&text, "%" PRIu32, line);
		canvas_right(cv, y, a.x + (r->source ? at.address_x : at.line_x),
			     r->source ? at.address_w : 6, dim, buf_str(&text));
	}
	draw_way(c, s, cv, y, a.x + at.way_x, row, dim);
	if (hit)
		canvas_char(cv, y, a.x + at.text_x - 1, INK_HIT, '*');
	draw_text(c, cv, y, a.x + at.text_x, a.w - at.text_x,
		  here        ? INK_HERE
		  : hit       ? INK_HIT
		  : r->source ? INK_STRONG
			      : INK_TEXT,
		  c->text.at[row - c->scroll.top]);
	if (here)
		canvas_char(cv, y, a.x, INK_HERE, '>');
	buf_release(&text);
}

/* Draws the reason why there are no rows. */
static void
draw_nothing(const struct source_code *c, const struct scene *s, function_id fn, struct canvas *cv,
	     struct area a)
{
	struct buf text = BUF_INIT, name = BUF_INIT;
	bool known = fn != UINT32_MAX;

	if (known)
		source_code_name(c, s, fn, &name);
	if (!s->code)
		buf_adds(&text, "Instructions are not available here.");
	else if (!known)
		buf_adds(&text, "No function is selected.  3 lists them all.");
	else if (!s->p->frames.address)
		buf_adds(&text, "The profile does not say which instructions ran.");
	else
		buf_addf(&text, "%s has no code here, and no hits.", buf_str(&name));
	int cols = text_cols(buf_str(&text));
	cols = cols > a.w ? a.w : cols;
	canvas_fit(cv, a.y + a.h / 2, a.x + (a.w - cols) / 2, cols, INK_STRONG, buf_str(&text));
	buf_release(&text);
	buf_release(&name);
}

void
source_code_draw(const struct source_code *c, const struct scene *s, function_id fn,
		 struct canvas *cv, struct area a)
{
	if (!c->made || !c->rows.n) {
		draw_nothing(c, s, fn, cv, a);
		draw_why(c, cv, a);
		return;
	}
	draw_head(c, s, fn, cv, a);
	draw_why(c, cv, a);
	for (size_t i = 0; i < c->text.n; i++)
		draw_row(c, s, cv, a, a.y + 1 + c->notes + (int)i, c->scroll.top + (int64_t)i);
}
