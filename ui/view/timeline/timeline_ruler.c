/* timeline_ruler.c - the ruler of the timeline.
 *
 * Times have all their digits and are never rounded: users look for single nanoseconds here. */
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "ui/part/ruler.h"
#include "ui/part/show.h"
#include "ui/screen/text.h"
#include "ui/view/timeline/timeline.h"

#define TICK_COLS 16

/* The parts of the ruler that are written already and must not be overwritten. */
struct written {
	struct canvas *c;
	int y, left, cols;
	uint8_t *taken; /* [column] */
};

/* Writes the text, or nothing (and returns false) if it does not fit completely. */
static bool
timeline_ruler_put(struct written *r, int x, enum ink ink, const char *text)
{
	int w = text_cols(text);
	if (x < 0 || w > r->cols - x)
		return false;
	for (int i = x; i < x + w; i++)
		if (r->taken[i])
			return false;
	memset(r->taken + x, 1, (size_t)w);
	canvas_text(r->c, r->y, r->left + x, w, ink, text);
	return true;
}

/* Keeps a blank before the text that follows. */
static void
keep_free(struct written *r, int x)
{
	if (x >= 0 && x < r->cols)
		r->taken[x] = 1;
}

/* Writes the cursor and its time, on the side where it fits. */
static void
put_cursor(struct written *r, const struct timeline *v, const struct scene *s)
{
	struct buf text = BUF_INIT;
	int x = timeline_column(v, v->when);
	buf_adds(&text, "▾");
	ruler_write(v->when, show_axis(s), &text);
	int w = text_cols(buf_str(&text));
	if (timeline_ruler_put(r, x, INK_STRONG, buf_str(&text))) {
		keep_free(r, x + w);
	} else {
		buf_reset(&text);
		ruler_write(v->when, show_axis(s), &text);
		buf_adds(&text, "▾");
		if (timeline_ruler_put(r, x - w + 1, INK_STRONG, buf_str(&text)))
			keep_free(r, x - w);
		else
			timeline_ruler_put(r, x, INK_STRONG, "▾");
	}
	canvas_char(r->c, r->y, r->left + x, INK_SCRUB_HERE, 0x25BE);
	buf_release(&text);
}

/* Writes the duration of the window at the right end. */
static void
put_width(struct written *r, const struct timeline *v, const struct scene *s)
{
	struct buf text = BUF_INIT;
	buf_adds(&text, "← ");
	show_time(s, v->to - v->from, &text);
	buf_adds(&text, " →");
	int x = r->cols - text_cols(buf_str(&text)), least = x - 2;
	/* the end of the range may be there */
	for (; x >= least; x--)
		if (timeline_ruler_put(r, x, INK_RANGE, buf_str(&text))) {
			keep_free(r, x - 1);
			break;
		}
	buf_release(&text);
}

/* Keeps both brackets visible, even in one column or at the cursor. */
static void
put_range(struct written *r, const struct timeline *v, const struct scene *s)
{
	int64_t from, to;
	if (s->fold->whole)
		return;
	show_range(s, &from, &to);
	int first = timeline_column(v, from), last = timeline_column(v, to - 1);
	if (first >= 0 && first < v->cols && !timeline_ruler_put(r, first, INK_SCRUB_EDGE, "["))
		timeline_ruler_put(r, first - 1, INK_SCRUB_EDGE, "[");
	if (last >= 0 && last < v->cols && !timeline_ruler_put(r, last, INK_SCRUB_EDGE, "]"))
		timeline_ruler_put(r, last + 1, INK_SCRUB_EDGE, "]");
}

static void
put_ticks(struct written *r, const struct timeline *v, const struct scene *s)
{
	int64_t step = ruler_step(v->to - v->from, v->cols, TICK_COLS);
	int64_t t = (v->from + step - 1) / step * step;
	struct buf text = BUF_INIT;
	for (; t < v->to; t += step) {
		int x = timeline_column(v, t);
		if (timeline_ruler_put(r, x, INK_RULE, "│")) {
			buf_reset(&text);
			ruler_write(t, show_axis(s), &text);
			timeline_ruler_put(r, x + 1, INK_DIM, buf_str(&text));
		}
		if (t > INT64_MAX - step)
			break;
	}
	buf_release(&text);
}

/* Writes the most important parts first; nothing overwrites the digits of another. */
void
timeline_draw_ruler(const struct timeline *v, const struct scene *s, struct canvas *c,
		    struct area a)
{
	struct written r = {c, a.y, a.x + v->label_cols + 1, v->cols, NULL};
	if (v->order != ORDER_BUSIEST)
		canvas_fit(c, a.y, a.x + 1, v->label_cols - 1, INK_DIM,
			   timeline_order_word(v));
	r.taken = mem_zalloc((size_t)v->cols, 1);
	int here = timeline_column(v, v->when);
	keep_free(&r, here);
	put_range(&r, v, s);
	r.taken[here] = 0;
	put_cursor(&r, v, s);
	put_width(&r, v, s);
	put_ticks(&r, v, s);
	free(r.taken);
}
