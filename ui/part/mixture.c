/* mixture.c - see mixture.h.
 *
 * A column of the screen cannot show two functions that alternate within it.  If it shows the
 * larger one alone, two functions that alternate become long phases of one and the other, which
 * never happened.  So a cell shows both, by shares. */
#include "ui/part/mixture.h"

#include "model/profile/human.h"
#include "ui/part/hues.h"
#include "ui/part/show.h"

#define DOTS_FULL 0x2593
#define DOTS_HALF 0x2592
#define DOTS_LIGHT 0x2591
#define EVEN_POINTS 15 /* both halves of a cell stay where they are in the box */

static uint32_t
fill_char(unsigned fill, bool ascii)
{
	if (fill == CELL_FULL)
		return ascii ? '#' : ' ';
	if (fill >= CELL_HALF)
		return ascii ? '=' : DOTS_HALF;
	return ascii ? '-' : DOTS_LIGHT;
}

static uint32_t
many_char(unsigned fill, bool ascii)
{
	if (ascii)
		return '&';
	return fill == CELL_FULL ? DOTS_FULL : fill >= CELL_HALF ? DOTS_HALF : DOTS_LIGHT;
}

/* The lower part of a full cell, in eighths: never more than half. */
static unsigned
lower_eighths(const struct time_cell *cell)
{
	unsigned both = cell->share + cell->second_share, eighths;
	eighths = both ? (cell->second_share * 8u + both / 2) / both : 1;
	return eighths < 1 ? 1 : eighths > 4 ? 4 : eighths;
}

/* True if column x of a sparse cell has the second function's dots. */
static bool
is_second_column(const struct time_cell *cell, int x)
{
	unsigned both = cell->share + cell->second_share, at = (unsigned)x;
	return both && (at + 1) * cell->second_share / both > at * cell->second_share / both;
}

void
mixture_draw(struct canvas *c, int y, int x, const struct time_cell *cell, enum ink ink,
	     enum ink second)
{
	bool sparse = cell->fill != CELL_FULL;
	if (cell->mix == MIX_MANY)
		canvas_char(c, y, x, theme_sparse(INK_HUE_REST), many_char(cell->fill, c->ascii));
	else if (cell->mix == MIX_TWO && c->ascii)
		canvas_char(c, y, x, sparse ? theme_sparse(ink) : ink, '%');
	else if (cell->mix == MIX_TWO && !sparse)
		canvas_two(c, y, x, ink, second, lower_eighths(cell));
	else if (cell->mix == MIX_TWO)
		canvas_two_shaded(c, y, x, ink, second, lower_eighths(cell), cell->fill,
				  fill_char(cell->fill, false), is_second_column(cell, x));
	else
		canvas_char(c, y, x, sparse ? theme_sparse(ink) : ink,
			    fill_char(cell->fill, c->ascii));
	if (cell->mix == MIX_ONE && sparse && !c->ascii)
		canvas_shade(c, (struct area){y, x, 1, 1}, cell->fill);
}

static enum ink
mixture_ink(const struct scene *s, const struct cell_box *b, node_id node, struct mixture_inks of)
{
	const key_id *key = s->fold->tree->key;
	if (key[node] == key[b->node])
		return of.first;
	if (b->second != NODE_NONE && key[node] == key[b->second])
		return of.second;
	return hues_ink(s, key[node], false);
}

struct mixture_inks
mixture_inks(const struct scene *s, const struct cell_box *b, const struct time_cell *cell,
	     struct mixture_inks of)
{
	bool even = cell->mix == MIX_TWO && cell->share - cell->second_share <= EVEN_POINTS;
	if (b->mix == MIX_ONE || (b->mix == MIX_TWO && even))
		return of;
	return (struct mixture_inks){mixture_ink(s, b, cell->node, of),
				     cell->second == NODE_NONE
					     ? of.second
					     : mixture_ink(s, b, cell->second, of)};
}

void
mixture_draw_box(const struct scene *s, struct canvas *c, struct area a,
		 const struct cells *cells, const struct cell_box *b, struct mixture_inks of)
{
	for (int k = 0; k < b->w; k++) {
		struct time_cell cell = cells_at(cells, (unsigned)(b->x + k), b->row);
		struct mixture_inks inks = mixture_inks(s, b, &cell, of);
		cell.fill = CELL_FULL;
		mixture_draw(c, a.y, a.x + k, &cell, inks.first, inks.second);
	}
}

void
mixture_write_name(const struct scene *s, key_id key, struct buf *out)
{
	if (!show_nameless(s, key, out))
		show_key(s, key, out);
}

void
mixture_write_rest(const struct scene *s, const struct cell_box *b, struct buf *out)
{
	if (b->mix == MIX_TWO && b->second != NODE_NONE) {
		buf_adds(out, " + ");
		mixture_write_name(s, s->fold->tree->key[b->second], out);
	} else if (b->mix == MIX_MANY) {
		buf_adds(out, " + ");
		if (b->more)
			human_count(out, (int64_t)b->more);
		buf_adds(out, b->more ? " more" : "more");
	}
}
