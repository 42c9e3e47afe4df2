/* ansi.c - see ansi.h.
 *
 * Each run of cells with the same ink begins with its complete attributes, and each line ends with
 * the plain ones, so any line of the file can be shown alone.  pnav writes only sequences that all
 * terminals since the VT100, and xterm's 256 colours, understand: the file is for `cat` and `less
 * -R` on any terminal, so terminfo of the current one does not help. */
#include "ui/screen/ansi.h"

#include "ui/screen/text.h"

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
		struct style last = {0};
		for (int x = 0; x < c->w; x++) {
			const struct cell *cell = canvas_cell(c, y, x);
			struct style s;
			uint32_t instead = canvas_look(cell, theme, colours, &s);
			if (x == 0 || s.fg != last.fg || s.bg != last.bg || s.attr != last.attr)
				write_sgr(&s, out);
			last = s;
			if (instead) {
				text_add(out, instead);
				continue;
			}
			if (!cell->cols)
				continue;
			/* canvas_write() drops trailing blanks, but coloured ones matter here. */
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
