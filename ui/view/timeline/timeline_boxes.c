/* timeline_boxes.c - the stacks of a lane: boxes with labels and shades.
 *
 *	│parse        one call, or one sample
 *	parse ×620    many, in one box; light where little of the column runs (model/picture/cells.h)
 *
 * Boxes below LABEL_COLS columns have a colour and no letters.  A shade is said by a
 * character as well: on a canvas of ASCII `#`, `=` and `-`.  Where less than all of a column
 * runs the dots have the box's colour and the ground has none, under a label, too: black
 * dots on a filled ground are the fuller the fewer there are.  A label has the ink of most of
 * its columns: letters that change theirs are not read.  The slice under the cursor is
 * drawn over its box, which may hold hundreds of others. */
#include <inttypes.h>
#include <string.h>

#include "model/profile/human.h"
#include "model/base/sum.h"
#include "ui/part/hues.h"
#include "ui/part/show.h"
#include "ui/screen/text.h"
#include "ui/view/timeline/timeline.h"

#define LABEL_COLS 3
#define CUT_COLS 4 /* two letters of many tell nothing: a name that is cut needs more */

static bool
out_of_range(const struct timeline *v, const struct scene *s, int x)
{
	if (s->fold->whole)
		return false;
	return timeline_moment(v, x + 1) <= v->range_from ||
	       timeline_moment(v, x) >= v->range_to;
}

static void
write_label(const struct scene *s, const struct lane *lane, const struct cell_box *b,
	    bool hit, struct buf *out)
{
	key_id key = s->fold->tree->key[b->node];
	if (b->calls == 1 && !b->about)
		buf_adds(out, "│");
	if (hit)
		buf_addc(out, '*');
	hues_sign(s, key, out);
	if (!show_nameless(s, key, out))
		show_key(s, key, out);
	if (b->calls > 1 && lane->run.series->kind == SERIES_STEPS) {
		buf_adds(out, b->about ? " ×~" : " ×");
		human_count(out, (int64_t)b->calls);
	}
}

static uint32_t
shade_char(enum shade shade, bool ascii)
{
	switch (shade) {
	case SHADE_FULL:
		return ascii ? '#' : ' ';
	case SHADE_HALF:
		return ascii ? '=' : 0x2592;
	case SHADE_LIGHT:
		return ascii ? '-' : 0x2591;
	case SHADE_NONE:
		break;
	}
	return ' ';
}

/* The ink of column k of a box. */
static enum ink
cell_ink(const struct timeline *v, const struct scene *s, const struct lane *lane,
	 unsigned row, int k, enum ink ink)
{
	if (out_of_range(v, s, k))
		return INK_REST;
	struct time_cell cell = cells_at(&lane->cells->shown, (unsigned)k, row);
	if (cell.astray)
		return INK_DIM;
	return cell.shade == SHADE_FULL ? ink : theme_sparse(ink);
}

/* The slice under the cursor in columns [first, end) of a box, as far as they are seen.  One that
 * is too narrow for brackets only has its cells, with what is written over them. */
static void
draw_here(struct canvas *c, int y, int left, int first, int end)
{
	if (end - first < LABEL_COLS) {
		for (int x = left + first; x < left + end; x++)
			canvas_char(c, y, x, INK_BOX_HERE, canvas_cell(c, y, x)->ch[0]);
		return;
	}
	canvas_fill(c, (struct area){y, left + first, 1, end - first}, INK_BOX_HERE, ' ');
	canvas_char(c, y, left + first, INK_BOX_HERE, '[');
	canvas_char(c, y, left + end - 1, INK_BOX_HERE, ']');
}

/* The ink of most of the columns that a label is written over. */
static enum ink
label_ink(const struct timeline *v, const struct scene *s, const struct lane *lane,
	  unsigned row, int x, int w, const char *text, enum ink ink)
{
	int cols = text_cols(text), full = 0;
	cols = cols < w ? cols : w;
	if (out_of_range(v, s, x))
		return INK_REST;
	for (int k = x; k < x + cols; k++)
		full += cells_at(&lane->cells->shown, (unsigned)k, row).shade == SHADE_FULL;
	return full * 2 >= cols ? ink : theme_sparse(ink);
}

int
timeline_name_place(const struct timeline *v, int x, int w, int cols)
{
	int at = timeline_column(v, v->when), room = x + w - at - 1;
	if (at < x || at >= x + cols || at >= x + w || (cols > room && at > x))
		return x;
	/* right behind the line it would look like that of one call */
	return at + 1 + (cols < room);
}

static void
draw_label(struct canvas *c, int y, int x, int w, enum ink ink, const char *text)
{
	if (text_cols(text) <= w)
		canvas_text(c, y, x, w, ink, text);
	else if (w >= CUT_COLS)
		canvas_fit(c, y, x, w, ink, text);
	else if (!strncmp(text, "│", 3))
		canvas_char(c, y, x, ink, 0x2502);
}

/* The label at column x, its bar where the box begins. */
static void
put_label(const struct timeline *v, struct canvas *c, int y, int left, int x, int w, enum ink ink,
	  const char *text)
{
	bool bar = !strncmp(text, "│", 3);
	int cols = text_cols(text) - bar, to = timeline_name_place(v, x + bar, w - bar, cols);
	if (to == x + bar) {
		draw_label(c, y, left + x, w, ink, text);
		return;
	}
	if (bar)
		canvas_char(c, y, left + x, ink, 0x2502);
	draw_label(c, y, left + to, x + w - to, ink, text + (bar ? 3 : 0));
}

static void
draw_box(const struct timeline *v, const struct scene *s, struct canvas *c, int y, int left,
	 const struct lane *lane, unsigned row, const struct cell_box *b, int first, int end)
{
	key_id key = s->fold->tree->key[b->node];
	bool hit = search_hits_key(s->search, key);
	enum ink ink = hit ? INK_BOX_HIT : hues_ink(s, key, false);
	bool wide = end - first >= LABEL_COLS, here = wide && first == b->x;
	int x = b->x, w = b->w;
	for (int k = b->x; k < b->x + b->w; k++) {
		struct time_cell cell = cells_at(&lane->cells->shown, (unsigned)k, row);
		bool out = out_of_range(v, s, k);
		canvas_char(c, y, left + k, cell_ink(v, s, lane, row, k, ink),
			    shade_char(out ? SHADE_LIGHT : (enum shade)cell.shade, c->ascii));
	}
	if (b->astray)
		return;
	struct buf label = BUF_INIT;
	write_label(s, lane, b, hit, &label);
	const char *text = buf_str(&label);
	if (wide)
		draw_here(c, y, left, first, end);
	if (here) { /* its bracket stands for the bar, and its end is not written over */
		text += strncmp(text, "│", 3) ? 0 : 3;
		x++;
		w = end - first - 2;
	}
	if (b->w >= LABEL_COLS)
		put_label(v, c, y, left, x, w,
			  here ? INK_BOX_HERE : label_ink(v, s, lane, row, x, w, text, ink), text);
	if (!wide)
		draw_here(c, y, left, first, end);
	buf_release(&label);
}

void
timeline_draw_boxes(const struct timeline *v, const struct scene *s, struct canvas *c, int y,
		    int left, const struct lane *lane, unsigned row)
{
	bool sel = lane_is_selected(v, lane) && v->has_slice && v->slice.shown;
	size_t n;
	if (!lane->cells)
		return;
	const struct cell_box *box = cells_boxes(&lane->cells->shown, row, &n);
	for (size_t i = 0; i < n; i++) {
		const struct cell_box *b = &box[i];
		int first = 0, end = 0;
		if (sel && (!row || v->layout.depth[v->slice.node] == row) &&
		    s->fold->tree->key[v->slice.node] == s->fold->tree->key[b->node]) {
			first = timeline_column(v, v->slice.start - lane->start);
			end = timeline_column(v, difference_clipped(v->slice.end,
								    lane->start) - 1) + 1;
			first = first > b->x ? first : b->x;
			end = end < b->x + b->w ? end : b->x + b->w;
		}
		draw_box(v, s, c, y, left, lane, row, b, first, end);
	}
}
