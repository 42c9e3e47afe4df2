/* heat.c - the run as a map of heat: a column for each step of time, from left to right, and in it
 * a row for each part of the step, from top to bottom, after FlameScope.
 *
 *	 0 ns      ░▒█▒░ ░▒▓▒░
 *	 20 ms     ░▒▒▒░ ░▒▒▒░        what repeats in time with the steps is a row,
 *	 40 ms         ░░░   ░░       what happens once is a spot
 *	          │0     │500 ms
 *
 * A cell is as dark as its cost, of the fullest cell, in four characters of one ink: a map must not
 * cost more bytes than a slow line takes at once, so it has at most CELLS_MAX cells.  Two corners
 * make a range, which reads like text: from the first cell down its column, then on with the next
 * column, to the last cell.
 *
 * The cells are a curve (curve.h) of columns * rows parts, of the selected function or of all. */
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/picture/curve.h"
#include "ui/part/ruler.h"
#include "ui/part/show.h"
#include "ui/screen/text.h"
#include "ui/view/view.h"

#define CELLS_MAX 2600
#define LABEL_COLS 10
#define OTHER_ROWS 2 /* the caption and the axis */
#define PORTION 250000u
#define LEVELS 4

/* The inputs of the cells; others need other cells. */
struct heat_of {
	uint64_t folds;
	key_id key;
	int cols, rows;
};

struct heat {
	struct layout layout;
	struct curve curve;
	struct heat_of of;   /* of the curve */
	double *value;       /* [column * rows + row] complete ones; NULL: none yet */
	double most;
	int cols, rows;      /* of the values */
	int64_t part;        /* the length of a cell */
	int64_t run;
	int64_t at;          /* the begin of the cursor's cell */
	int64_t corner;      /* the begin of the first corner's cell; -1: none */
	int64_t drag_from;   /* the begin of the cell that was clicked; -1: none */
};

static void *
heat_create(void)
{
	struct heat *v = mem_zalloc(1, sizeof *v);

	layout_init(&v->layout);
	curve_init(&v->curve);
	v->corner = v->drag_from = -1;
	return v;
}

static void
heat_destroy(void *view)
{
	struct heat *v = view;

	curve_release(&v->curve);
	layout_release(&v->layout);
	free(v->value);
	free(v);
}

/* ---- cells ---- */

/* Returns the time at which a cell begins, saturated: runs may be as long as numbers go. */
static int64_t
heat_time(const struct heat *v, int64_t cell)
{
	int64_t at;

	return __builtin_mul_overflow(cell, v->part, &at) ? INT64_MAX : at;
}

/* Chooses rows that divide a round step well, and columns for the run. */
static void
choose_shape(int64_t run, struct area a, struct heat_of *of, int64_t *part)
{
	static const int rows[] = {40, 25, 20, 10, 5, 4, 2, 1};
	int room = a.h - OTHER_ROWS, cols;
	size_t i = 0;

	while (rows[i] > room && rows[i] > 1)
		i++;
	cols = a.w - LABEL_COLS - 1;
	if (cols * rows[i] > CELLS_MAX) /* a low and wide map shows more steps */
		while (rows[i] > 10 && cols * rows[i] > CELLS_MAX)
			i++;
	if (cols * rows[i] > CELLS_MAX)
		cols = CELLS_MAX / rows[i];
	cols = cols > 1 ? cols : 1;
	int64_t step = ruler_step(run, cols, 1);
	step = step < rows[i] ? rows[i] : step;
	*part = step / rows[i] + (step % rows[i] != 0);
	of->rows = rows[i];
	of->cols = (int)(run / *part / rows[i]) + 1;
	of->cols = of->cols < cols ? of->cols : cols;
}

static void
begin_cells(struct heat *v, const struct scene *s)
{
	const struct projection *t = s->fold->tree;
	uint8_t *tracks = mem_zalloc(s->p->n_tracks + 1u, 1), *in = mem_zalloc(t->n_stacks + 1u, 1);

	for (track_id i = 0; i < s->p->n_tracks; i++)
		tracks[i] = fold_has_track(s->fold, i);
	layout_look(&v->layout, s->p, t);
	curve_stacks_of(t, v->of.key, in);
	curve_begin(&v->curve, s->p,
		    &(struct curve_of){.layout = &v->layout,
				       .metric = s->fold->metric,
				       .in = in,
				       .n_stacks = t->n_stacks,
				       .tracks = tracks,
				       .n_tracks = s->p->n_tracks,
				       .end = heat_time(v, (int64_t)v->of.rows * v->of.cols),
				       .cols = (unsigned)(v->of.rows * v->of.cols)});
	free(tracks);
	free(in);
}

static void
take_cells(struct heat *v)
{
	size_t n = v->curve.cols;

	v->cols = v->of.cols;
	v->rows = v->of.rows;
	v->value = mem_realloc(v->value, n + 1, sizeof *v->value);
	memcpy(v->value, v->curve.value, n * sizeof *v->value);
	v->most = 0;
	for (size_t i = 0; i < n; i++)
		v->most = v->value[i] > v->most ? v->value[i] : v->most;
}

static bool
same_cells(const struct heat_of *a, const struct heat_of *b)
{
	return a->folds == b->folds && a->key == b->key && a->cols == b->cols && a->rows == b->rows;
}

static void
heat_arrange(void *view, struct scene *s, struct area a)
{
	struct heat *v = view;
	struct heat_of of = {.folds = s->folds,
			     .key = s->nav->key};

	v->run = s->fold->run;
	if (v->run <= 0 || s->fold->metric == METRIC_NONE) {
		v->cols = v->of.cols = 0;
		return;
	}
	choose_shape(v->run, a, &of, &v->part);
	if (!same_cells(&of, &v->of)) {
		v->of = of;
		begin_cells(v, s);
	}
	if (!v->curve.done || !v->value || v->cols != of.cols || v->rows != of.rows) {
		if (curve_go_on(&v->curve, PORTION))
			take_cells(v);
		else
			s->again = true;
	}
	if (v->at > v->run)
		v->at = v->run;
	v->at -= v->at % v->part;
}

/* ---- drawing ---- */

static uint32_t
heat_char(const struct heat *v, double value, bool ascii)
{
	static const uint32_t block[LEVELS + 1] = {' ', 0x2591, 0x2592, 0x2593, 0x2588};
	int level = value > 0 && v->most > 0 ? (int)(value / v->most * LEVELS + 0.999) : 0;

	level = level > LEVELS ? LEVELS : level;
	return ascii ? (uint32_t)" .:o#"[level] : block[level];
}

static void
draw_caption(const struct heat *v, const struct scene *s, struct canvas *c, struct area a)
{
	enum unit axis = show_axis(s);
	struct buf text = BUF_INIT, at = BUF_INIT;
	size_t cell = (size_t)(v->at / v->part);

	ruler_write(v->part * v->rows, axis, &text);
	buf_adds(&text, " a column, ");
	ruler_write(v->part, axis, &text);
	buf_adds(&text, " a row: ");
	show_key(s, v->of.key, &text);
	ruler_write(v->at, axis, &at);
	if (v->value && cell < (size_t)(v->cols * v->rows)) {
		buf_adds(&at, ": ");
		show_value(s, (int64_t)(v->value[cell] + 0.5), &at);
	}
	int cols = text_cols(buf_str(&at));
	canvas_fit(c, a.y, a.x + 1, a.w - cols - 4, INK_STRONG, buf_str(&text));
	canvas_text(c, a.y, a.x + a.w - cols - 1, cols, INK_TEXT, buf_str(&at));
	buf_release(&text);
	buf_release(&at);
}

/* Draws how long after the begin of its step a row begins. */
static void
draw_label(const struct heat *v, const struct scene *s, struct canvas *c, struct area a, int row)
{
	struct buf text = BUF_INIT;

	ruler_write(v->part * row, show_axis(s), &text);
	canvas_right(c, a.y + 1 + row, a.x, LABEL_COLS - 1, INK_DIM, buf_str(&text));
	buf_release(&text);
}

static void
heat_draw(const void *view, const struct scene *s, struct canvas *c, struct area a)
{
	const struct heat *v = view;
	int64_t from, to;

	if (!v->cols || a.h <= OTHER_ROWS || a.w <= LABEL_COLS + 1) {
		const char *why = v->run > 0 ? "nothing with a cost over time"
					     : show_no_times(s->p);
		canvas_fit(c, a.y + a.h / 2, a.x + 1, a.w - 1, INK_STRONG, why);
		return;
	}
	show_range(s, &from, &to);
	draw_caption(v, s, c, a);
	int left = a.x + LABEL_COLS;
	for (int row = 0; row < v->rows; row++) {
		if (row * 4 % v->rows < 4)
			draw_label(v, s, c, a, row);
		for (int x = 0; v->value && x < v->cols; x++) {
			int64_t begin = heat_time(v, (int64_t)x * v->rows + row);
			bool in = sum_clipped(begin, v->part) > from && begin < to;
			canvas_char(c, a.y + 1 + row, left + x, in ? INK_BAR : INK_DIM,
				    heat_char(v, v->value[x * v->rows + row], c->ascii));
			if (begin == v->at)
				canvas_char(c, a.y + 1 + row, left + x, INK_BOX_HERE, '+');
			else if (begin == v->corner)
				canvas_char(c, a.y + 1 + row, left + x, INK_BOX_HERE, '[');
		}
	}
	ruler_draw(c, (struct area){a.y + 1 + v->rows, left, 1, v->cols},
		   heat_time(v, (int64_t)v->rows * v->cols), show_axis(s));
}

/* ---- actions ---- */

static enum reply
take_range(struct heat *v, struct scene *s, int64_t a, int64_t b, enum reply reply)
{
	int64_t end = sum_clipped(a > b ? a : b, v->part), last = sum_clipped(v->run, 1);

	s->nav->from = a < b ? a : b;
	s->nav->to = end < last ? end : last;
	v->corner = -1;
	return reply;
}

static enum reply
heat_enter(struct heat *v, struct scene *s)
{
	if (v->corner >= 0)
		return take_range(v, s, v->corner, v->at, REPLY_RANGE);
	v->corner = v->at;
	buf_adds(&s->say, "the first corner: go to the last cell of the range, Enter; Esc: none");
	return REPLY_DONE;
}

/* Moves by cells of time, within the run. */
static enum reply
heat_go(struct heat *v, int64_t cells)
{
	int64_t at = v->at / v->part + cells, last = v->run / v->part;

	v->at = (at < 0 ? 0 : at > last ? last : at) * v->part;
	return REPLY_DONE;
}

static enum reply
heat_act(void *view, struct scene *s, enum action action)
{
	struct heat *v = view;

	if (!v->of.cols)
		return REPLY_PASS;
	switch ((int)action) {
	case ACTION_UP:
		return heat_go(v, -1);
	case ACTION_DOWN:
		return heat_go(v, 1);
	case ACTION_LEFT:
		return heat_go(v, -v->of.rows);
	case ACTION_RIGHT:
		return heat_go(v, v->of.rows);
	case ACTION_HALF_UP:
	case ACTION_PAGE_UP:
		return heat_go(v, -10 * (int64_t)v->of.rows);
	case ACTION_HALF_DOWN:
	case ACTION_PAGE_DOWN:
		return heat_go(v, 10 * (int64_t)v->of.rows);
	case ACTION_FIRST:
		return heat_go(v, -v->run / v->part - 1);
	case ACTION_LAST:
		return heat_go(v, v->run / v->part + 1);
	case ACTION_ENTER:
		return heat_enter(v, s);
	case ACTION_CANCEL:
		if (v->corner < 0)
			return REPLY_PASS;
		v->corner = -1;
		return REPLY_DONE;
	default:
		return REPLY_PASS;
	}
}

/* Returns the begin of the cell at a place of the view; -1 if there is none. */
static int64_t
cell_at(const struct heat *v, int y, int x)
{
	int64_t begin = heat_time(v, (int64_t)(x - LABEL_COLS) * v->rows + y - 1);

	return y < 1 || y > v->rows || x < LABEL_COLS || x >= LABEL_COLS + v->cols || begin > v->run
		       ? -1
		       : begin;
}

static enum reply
heat_click(void *view, struct scene *s, int y, int x, bool twice)
{
	struct heat *v = view;
	int64_t at = cell_at(v, y, x);

	v->drag_from = at;
	if (at < 0)
		return REPLY_PASS;
	v->at = at;
	return twice ? heat_enter(v, s) : REPLY_DONE;
}

static enum reply
heat_drag(void *view, struct scene *s, int y, int x)
{
	struct heat *v = view;
	int64_t at = cell_at(v, y, x);

	if (at < 0 || v->drag_from < 0 || at == v->at)
		return REPLY_DONE;
	v->at = at;
	return take_range(v, s, v->drag_from, at, REPLY_RANGE_STEP);
}

static bool
heat_find(void *view, struct scene *s, int dir)
{
	(void)view;
	(void)s;
	(void)dir;
	return false;
}

static bool
heat_describe(const void *view, const struct scene *s, struct row *out)
{
	(void)view;
	return show_node(s, s->nav->node, out);
}

/* Without a key of its own among the tabs: it is a picture for some questions. */
static bool
heat_is_available(const struct scene *s)
{
	(void)s;
	return false;
}

static const enum action heat_keys[] = {
	ACTION_ENTER, ACTION_COMPARE, ACTION_ODD_PART, ACTION_NONE,
};

const struct view_ops heat_view = {
	.name = "heat",
	.digit = '0',
	.open = ACTION_VIEW_HEAT,
	.scope = SCOPE_ANY,
	.says_why = true,
	.no_details = true,
	.about =
		"The run as a map: a column for each step of time, a row for each part of\n"
		"a step, as dark as the selected function, or all, costs there.  Enter at two\n"
		"cells, or a drag of the mouse, makes the time between them the range.\n",
	.enter = "corner",
	.keys = heat_keys,
	.create = heat_create,
	.destroy = heat_destroy,
	.is_available = heat_is_available,
	.arrange = heat_arrange,
	.draw = heat_draw,
	.act = heat_act,
	.click = heat_click,
	.drag = heat_drag,
	.find = heat_find,
	.describe = heat_describe,
};
