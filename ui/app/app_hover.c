/* app_hover.c - see app_hover.h.
 *
 * A pointer that only crosses the screen shows nothing, and costs no byte on the line.  The card
 * changes neither the selection nor the view; it goes with the next key, or when the pointer
 * leaves what it describes. */
#include "ui/app/app_hover.h"

#include <string.h>

#include "ui/part/card.h"
#include "ui/screen/clock.h"
#include "ui/screen/text.h"

#define HOVER_NS 400000000
#define MS_NS 1000000
#define CARD_COLS 60

/* Finds what is under the pointer; false if that is nothing. */
static bool
find_row(struct app *a, struct row *row, struct buf *more)
{
	const struct app_hover *h = &a->hover;
	const struct view_ops *v = a->open.view;
	struct area at = a->at.view;
	if (!v->hover || modals_top(&a->front.stack) || a->open.arranged != v ||
	    a->open.arranged_folds != a->scene.folds || h->y < at.y || h->y >= at.y + at.h ||
	    h->x < at.x || h->x >= at.x + at.w)
		return false;
	*row = (struct row){.key = KEY_NONE, .calls = -1};
	return v->hover(app_view_state(a, v), &a->scene, h->y - at.y, h->x - at.x, row, more);
}

bool
app_hover_move(struct app *a, int y, int x)
{
	struct app_hover *h = &a->hover;
	bool shown = h->card.len > 0, stays = false;
	h->y = y;
	h->x = x;
	if (shown) {
		struct buf more = BUF_INIT;
		struct row row;
		stays = find_row(a, &row, &more) && row.key == h->key && row.node == h->node;
		buf_release(&more);
	}
	if (stays)
		return false;
	buf_reset(&h->card);
	h->due_ns = clock_ns() + HOVER_NS;
	return shown;
}

void
app_hover_leave(struct app *a)
{
	buf_reset(&a->hover.card);
	a->hover.due_ns = 0;
}

bool
app_hover_due(struct app *a)
{
	struct app_hover *h = &a->hover;
	struct buf more = BUF_INIT;
	struct row row;
	if (h->folds != a->scene.folds)
		buf_reset(&h->card);
	if (!h->due_ns || (!a->screen->scripted && clock_ns() < h->due_ns))
		return false;
	h->due_ns = 0;
	if (find_row(a, &row, &more)) {
		int cols = a->canvas.w - 4;
		card_write(&a->scene, &row, cols < CARD_COLS ? cols : CARD_COLS, &h->card);
		if (more.len)
			buf_addc(&h->card, '\n');
		buf_adds(&h->card, buf_str(&more));
		h->key = row.key;
		h->node = row.node;
		h->folds = a->scene.folds;
		h->card_y = h->y;
		h->card_x = h->x;
	}
	buf_release(&more);
	return h->card.len > 0;
}

void
app_hover_wait(const struct app *a, int *wait_ms)
{
	if (!a->hover.due_ns)
		return;
	int64_t left = a->hover.due_ns - clock_ns();
	int ms = left > 0 ? (int)((left + MS_NS - 1) / MS_NS) : 0;
	if (*wait_ms < 0 || ms < *wait_ms)
		*wait_ms = ms;
}

void
app_hover_release(struct app *a)
{
	buf_release(&a->hover.card);
}

/* Returns the next line of the text and moves behind it. */
static struct buf
hover_take_line(const char **text)
{
	struct buf line = BUF_INIT;
	size_t n = strcspn(*text, "\n");
	buf_add(&line, *text, n);
	*text += n + ((*text)[n] == '\n');
	return line;
}

/* The box is below the pointer and right of it, or on the other sides. */
void
app_hover_draw(const struct app *a, struct canvas *c)
{
	const struct app_hover *h = &a->hover;
	int rows = 0, cols = 0;
	for (const char *at = buf_str(&h->card); *at; rows++) {
		struct buf line = hover_take_line(&at);
		int w = text_cols(buf_str(&line));
		cols = w > cols ? w : cols;
		buf_release(&line);
	}
	struct area box = {h->card_y + 1, h->card_x + 2, rows + 2, cols + 4};
	if (box.y + box.h > c->h)
		box.y = h->card_y - box.h;
	if (box.x + box.w > c->w)
		box.x = c->w - box.w;
	if (!rows || box.y < 0 || box.x < 0)
		return;
	c->late.n = 0; /* the card may cover such parts */
	struct area in = canvas_box(c, box, "");
	const char *at = buf_str(&h->card);
	for (int y = 0; *at; y++) {
		struct buf line = hover_take_line(&at);
		canvas_text(c, in.y + y, in.x, in.w, y ? INK_MENU : INK_MENU_TITLE,
			    buf_str(&line));
		buf_release(&line);
	}
}
