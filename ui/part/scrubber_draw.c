/* scrubber_draw.c - draws the scrubber.
 *
 * From top to bottom: the tracks, matches of the search, the selection, the times.  The height of a
 * track is relative to the busiest column of all tracks; that of the selection is its share of
 * everything in the column.  So a rare function differs visibly from an idle program. */
#include <math.h>

#include "ui/part/ruler.h"
#include "ui/part/scrubber.h"
#include "ui/part/show.h"
#include "ui/screen/shorten.h"

#define WINDOW_LINE 0x2550u

/* Draws both ends of a range; in one column they are side by side. */
static void
draw_ends(const struct scrubber *sc, struct canvas *c, int y, int left, int from, int to,
	  const char *ends)
{
	if (from == to && to + 1 < sc->cols)
		to++;
	else if (from == to && from)
		from--;
	canvas_char(c, y, left + from, INK_SCRUB_EDGE, (uint32_t)ends[0]);
	canvas_char(c, y, left + to, INK_SCRUB_EDGE, (uint32_t)ends[1]);
}

/* Draws the base range in parentheses; brackets may cover them. */
static void
draw_base(const struct scrubber *sc, const struct scene *s, struct canvas *c, int y,
	  int left)
{
	int64_t from, to;
	bool whole;
	struct err none;
	err_init(&none);
	if (!s->base || !lens_range(s->base, s->p, &from, &to, &whole, &none) || whole)
		return;
	draw_ends(sc, c, y, left, scrubber_column(sc, from), scrubber_column(sc, to - 1),
		  "()");
}

/* Returns one eighth for each eighth of the whole, at least one. */
static uint32_t
scrubber_bar_of(double part, double whole)
{
	if (!(part > 0 && whole > 0) || isinf(whole))
		return ' ';
	int level = (int)(part / whole * 8 + 0.5);
	return 0x2581 + (uint32_t)(level < 1 ? 0 : level > 8 ? 7 : level - 1);
}

/* Draws the ranges and the cursor over a line; brackets stay visible at the cursor. */
static void
draw_marks(const struct scrubber *sc, const struct scene *s, struct canvas *c, int y,
	   int left)
{
	int64_t first, behind;
	show_range(s, &first, &behind);
	draw_base(sc, s, c, y, left);
	if (!s->fold->whole)
		draw_ends(sc, c, y, left, scrubber_column(sc, first),
			  scrubber_column(sc, behind - 1), "[]");
	if (!sc->focus)
		return;
	int here = left + scrubber_column(sc, sc->cursor);
	const struct cell *under = canvas_cell(c, y, here);
	canvas_char(c, y, here, INK_SCRUB_HERE,
		    under->ink == INK_SCRUB_EDGE ? under->ch[0] : 0x2502);
}

static void
draw_line(const struct scrubber *sc, const struct scene *s, struct canvas *c,
	  struct area a, const struct scrub_line *line, int y)
{
	struct buf name = BUF_INIT, label = BUF_INIT;
	int left = a.x + sc->label_cols + 1;
	int64_t first, behind;
	show_range(s, &first, &behind);
	int from = scrubber_column(sc, first), to = scrubber_column(sc, behind - 1);
	bool own = line->process == PROCESS_NONE ||
		   scrubber_is_main(s->p, line->process, line->track);
	profile_show_name(s->p,
			  own ? s->p->track[line->track].name : s->p->process[line->process].name,
			  &name);
	/* threads begin with their purpose and end with their number; of "file: track" the end
	 * matters more */
	if (s->p->n_groups > 1) {
		canvas_fit_tail(c, y, a.x + 1, sc->label_cols - 1, INK_DIM, buf_str(&name));
	} else {
		shorten_middle(buf_str(&name), sc->label_cols - 1, &label);
		canvas_fit(c, y, a.x + 1, sc->label_cols - 1, INK_DIM, buf_str(&label));
	}
	buf_release(&name);
	buf_release(&label);
	for (int x = 0; x < sc->cols; x++) {
		bool in = !s->fold->whole && x >= from && x <= to;
		canvas_char(c, y, left + x, in ? INK_SCRUB_IN : INK_SCRUB,
			    scrubber_bar_of(line->bin[x], sc->peak));
	}
	draw_marks(sc, s, c, y, left);
}

static void
draw_hits(const struct scrubber *sc, struct canvas *c, struct area a, int y)
{
	canvas_fit(c, y, a.x + 1, sc->label_cols - 1, INK_HIT, "matches");
	for (int x = 0; sc->hit && x < sc->cols; x++)
		if (sc->hit[x])
			canvas_char(c, y, a.x + sc->label_cols + 1 + x, INK_HIT, '*');
}

/* If everything is selected, the share would be 1 everywhere, so the height shows the amount. */
static void
draw_curve(const struct scrubber *sc, const struct scene *s, struct canvas *c,
	   struct area a, int y)
{
	struct buf name = BUF_INIT, label = BUF_INIT;
	int left = a.x + sc->label_cols + 1;
	bool all = s->nav->key == KEY_NONE;
	show_frame(s, s->nav->key, &name);
	shorten_name(buf_str(&name), sc->label_cols - 1, &label);
	canvas_fit(c, y, a.x + 1, sc->label_cols - 1, INK_STRONG, buf_str(&label));
	const struct curve *curve = scrubber_curve(sc);
	for (int x = 0; curve && x < sc->cols; x++)
		canvas_char(
			c, y, left + x, INK_BAR,
			scrubber_bar_of(curve->value[x], all ? sc->curve_peak : curve->whole[x]));
	draw_marks(sc, s, c, y, left);
	if (!sc->focus)
		canvas_late(c, (struct area){y, a.x, 1, a.w}, s->folds);
	buf_release(&name);
	buf_release(&label);
}

/* True if the cell is no part of a label; the blank within a label is part of it. */
static bool
is_free(const struct canvas *c, int y, int x)
{
	const struct cell *cell = canvas_cell(c, y, x);
	return cell->ch[0] == ' ' || cell->ch[0] == WINDOW_LINE;
}

/* Draws the window of the timeline: a line between the times, its ends over everything. */
static void
draw_window(const struct scrubber *sc, const struct scene *s, struct canvas *c, int y,
	    int left)
{
	int64_t first = s->nav->window_from, behind = s->nav->window_to;
	if (behind <= first || (first <= 0 && behind > sc->duration))
		return;
	int from = scrubber_column(sc, first), to = scrubber_column(sc, behind - 1);
	for (int x = from; sc->has_axis && x <= to; x++)
		if (is_free(c, y, left + x) &&
		    (is_free(c, y, left + x - 1) || is_free(c, y, left + x + 1)))
			canvas_char(c, y, left + x, INK_SCRUB_EDGE, WINDOW_LINE);
	if (from == to && to + 1 < sc->cols)
		to++;
	canvas_char(c, y, left + from, INK_SCRUB_EDGE, 0x2039);
	canvas_char(c, y, left + to, INK_SCRUB_EDGE, 0x203A);
}

void
scrubber_draw(const struct scrubber *sc, const struct scene *s, struct canvas *c,
	      struct area a)
{
	int left = a.x + sc->label_cols + 1, y = a.y + sc->rows;
	if (a.h <= 0 || sc->cols < 1)
		return;
	for (size_t i = 0; i < sc->lines.n && (int)i < sc->rows; i++)
		draw_line(sc, s, c, a, &sc->lines.at[i], a.y + (int)i);
	if (sc->has_hits)
		draw_hits(sc, c, a, y++);
	if (sc->has_curve)
		draw_curve(sc, s, c, a, y++);
	if (sc->has_axis)
		ruler_draw(c, (struct area){y, left, 1, sc->cols}, sc->duration,
			   show_axis(s));
	draw_window(sc, s, c, sc->has_axis ? y : y - 1, left);
}

void
scrubber_say(const struct scrubber *sc, const struct scene *s, struct buf *out)
{
	if (sc->cols < 1 || sc->duration <= 0)
		return;
	if (sc->focus) {
		buf_adds(out, "   cursor ");
		show_time(s, sc->cursor, out);
	}
	if (sc->stands_in) {
		buf_adds(out, "   scrubber: ");
		profile_show_name(s->p, s->p->metric[sc->metric].name, out);
	}
}
