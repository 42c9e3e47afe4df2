/* strip.c - see strip.h.
 *
 * The text continues in the second line.  There it replaces the title first and the hints last,
 * because users need the hints to continue. */
#include "ui/part/strip.h"

#include <string.h>

#include "ui/screen/text.h"

void
strip_release(struct strip *s)
{
	buf_release(&s->count);
	buf_release(&s->keys);
	buf_release(&s->text);
	buf_release(&s->title);
	buf_release(&s->hints);
}

/* Returns the bytes of the text that fit, in whole words if possible. */
static size_t
fitting(const char *text, int cols)
{
	size_t fits = text_fit(text, cols), words = fits;
	if (!text[fits])
		return fits;
	while (words && text[words] != ' ')
		words--;
	return words ? words : fits;
}

void
strip_draw(const struct strip *s, struct canvas *c, struct area a)
{
	const char *text = buf_str(&s->text), *hints = buf_str(&s->hints);
	struct buf first = BUF_INIT;
	if (!s->open || a.h < STRIP_ROWS)
		return;
	canvas_fill(c, a, INK_MENU, ' ');
	int x = a.x + 1, end = a.x + a.w - 1;
	x += canvas_text(c, a.y, x, end - x, INK_MENU_TITLE, buf_str(&s->count)) + 2;
	if (s->keys.len)
		x += canvas_text(c, a.y, x, end - x, INK_MENU_KEY, buf_str(&s->keys)) + 2;
	size_t cut = end > x ? fitting(text, end - x) : 0;
	buf_add(&first, text, cut);
	canvas_text(c, a.y, x, end - x, INK_MENU, buf_str(&first));
	text += cut;
	text += *text == ' ';
	int cols = text_cols(hints), room = a.w - 2 - cols - 2;
	canvas_text(c, a.y + 1, end - cols > a.x ? end - cols : a.x + 1, a.w - 1,
		    INK_MENU_KEY, hints);
	if (room > 0)
		canvas_fit(c, a.y + 1, a.x + 1, room, *text ? INK_MENU : INK_MENU_DIM,
			   *text ? text : buf_str(&s->title));
	buf_release(&first);
}
