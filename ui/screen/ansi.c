/* ansi.c - see ansi.h.
 *
 * Each run of cells with the same ink begins with its whole look, and each line ends with
 * the plain one, so that any line of the file can be shown alone.  Only sequences that all
 * terminals since the VT100 and xterm's 256 colours know are used: the file is for `cat`
 * and `less -R`, not for the terminal it came from, whose terminfo it would need. */
#include "ui/screen/ansi.h"

static void
write_sgr(const struct style *s, struct buf *out)
{
	buf_adds(out, "\033[0");
	if (s->attr & STYLE_BOLD)
		buf_adds(out, ";1");
	if (s->attr & STYLE_DIM)
		buf_adds(out, ";2");
	if (s->attr & STYLE_UNDERLINE)
		buf_adds(out, ";4");
	if (s->attr & STYLE_REVERSE)
		buf_adds(out, ";7");
	if (s->fg >= 16)
		buf_addf(out, ";38;5;%d", s->fg);
	else if (s->fg >= 0)
		buf_addf(out, ";%d", s->fg < 8 ? 30 + s->fg : 82 + s->fg);
	if (s->bg >= 16)
		buf_addf(out, ";48;5;%d", s->bg);
	else if (s->bg >= 0)
		buf_addf(out, ";%d", s->bg < 8 ? 40 + s->bg : 92 + s->bg);
	buf_addc(out, 'm');
}

void
ansi_write(const struct canvas *c, const struct theme *theme, int colours,
	   struct buf *out)
{
	struct canvas line = {.w = 1, .h = 1};
	for (int y = 0; y < c->h; y++) {
		int last = -1;
		for (int x = 0; x < c->w; x++) {
			const struct cell *cell = canvas_cell(c, y, x);
			if (cell->ink != last) {
				struct style s = theme_style(
					theme, (enum ink)cell->ink, colours);
				write_sgr(&s, out);
				last = cell->ink;
			}
			if (!cell->cols)
				continue;
			/* canvas_write() drops trailing blanks, which may be coloured. */
			if (cell->ch[0] == ' ') {
				buf_addc(out, ' ');
				continue;
			}
			struct cell one = *cell;
			line.cell = &one;
			canvas_write(&line, out);
			out->len--;
		}
		buf_adds(out, "\033[0m\n");
	}
}
