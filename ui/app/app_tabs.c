/* app_tabs.c - the line with a tab for each view. */
#include "ui/app/app_lines.h"
#include "ui/screen/text.h"

/* The forms of the tabs: with rules between them; with two blanks, one of them for the bracket of
 * the current tab; or only the current tab's name. */
enum tab_room { TABS_WIDE, TABS_CLOSE, TABS_DIGITS };

/* True if row i of views[] has a tab. */
static bool
has_tab(const struct app *a, size_t i)
{
	return !views[i]->is_available || views[i] == a->open.view ||
	       views[i]->is_available(&a->scene);
}

static enum tab_room
tab_room(const struct app *a, int w)
{
	int wide = 3, close = 0;
	for (size_t i = 0; views[i]; i++) {
		if (!has_tab(a, i))
			continue;
		wide += text_cols(views[i]->name) + 5;
		close += text_cols(views[i]->name) + 4;
	}
	return wide <= w ? TABS_WIDE : close <= w ? TABS_CLOSE : TABS_DIGITS;
}

/* Sets the column where the tab of row i of views[] begins; returns its width. */
static int
tab_place(const struct app *a, size_t i, int *x)
{
	enum tab_room room = tab_room(a, a->canvas.w);
	int at = room == TABS_WIDE ? 3 : 0;
	for (size_t k = 0;; k++) {
		int name = room == TABS_DIGITS && views[k] != a->open.view
				   ? 0
				   : text_cols(views[k]->name) + 1;
		if (k == i) {
			*x = at;
			return name + 3;
		}
		at += !has_tab(a, k) ? 0 : name + (room == TABS_WIDE ? 4 : 3);
	}
}

void
app_draw_tabs(const struct app *a, struct canvas *c)
{
	int y = a->at.tabs.y;
	canvas_fill(c, (struct area){y, 0, 1, c->w}, INK_RULE, 0x2500);
	/* draw the current tab last, over the blanks of its neighbours */
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; views[i]; i++) {
			int x, cols = tab_place(a, i, &x);
			bool here = views[i] == a->open.view;
			struct buf text = BUF_INIT;
			if (x + cols > c->w)
				break;
			if (here != pass || !has_tab(a, i))
				continue;
			buf_addf(&text, "%c%c", here ? '[' : ' ', views[i]->digit);
			if (cols > 3)
				buf_addf(&text, " %s", views[i]->name);
			buf_addc(&text, here ? ']' : ' ');
			canvas_text(c, y, x, cols, here ? INK_TAB_HERE : INK_TAB,
				    buf_str(&text));
			buf_release(&text);
		}
}

const struct view_ops *
app_tab_at(const struct app *a, int x)
{
	for (size_t i = 0; views[i]; i++) {
		int from, cols = tab_place(a, i, &from);
		if (has_tab(a, i) && x >= from && x < from + cols)
			return views[i];
	}
	return NULL;
}
