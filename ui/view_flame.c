/* view_flame.c - boxes as wide as their cost, callees below (or above) their callers.
 *
 * Rows are laid out from the zoomed frame down, as far as the screen needs, and kept until
 * fold, zoom or width change.  The columns of a box are the running sums of its heavier
 * siblings, scaled; a box gets none when it is thinner than half a column, and all that is
 * left of a row then is one box "…".  A level has at most as many boxes as the screen has
 * columns, and only the children of boxes are asked for: the cost follows the screen.
 *
 * Above the zoomed frame its callers are shown, one a row and full width; of a long path
 * the root and the nearest three, with a row that counts the others.
 *
 * What colours say is said by characters: a system function has ◦ before its name, an
 * intrinsic one ·, a search hit *, and the selected box stands in brackets. */
#include "ui/view.h"

#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include "model/vec.h"
#include "ui/show.h"
#include "ui/text.h"

#define PATH_ROWS 4

struct box {
	node_id node; /* NODE_NONE: the rest of a row, or left-out callers */
	int x, w;
	uint32_t left_out; /* how many frames a rest stands for */
};

struct flame {
	VEC(struct box) boxes;
	VEC(size_t) row; /* [row] its first box; one more at the end */
	size_t path_rows;
	bool complete; /* there is no further row */
	int w;
	uint64_t folds, moves;
	node_id zoom;
	struct area area;
	int top;     /* first row shown */
	bool upside; /* root at the bottom */
};

static void *
flame_create(void)
{
	struct flame *v = mem_zalloc(1, sizeof *v);
	v->folds = UINT64_MAX;
	return v;
}

static void
flame_destroy(void *view)
{
	struct flame *v = view;
	vec_release(&v->boxes);
	vec_release(&v->row);
	free(v);
}

static int
rows_of(const struct flame *v)
{
	return (int)v->row.n - 1;
}

/* Ends a row. */
static void
end_row(struct flame *v)
{
	*vec_push(&v->row) = v->boxes.n;
}

static void
lay_path(struct flame *v, const struct scene *s)
{
	const node_id *parent = s->fold->tree->parent;
	uint32_t depth = outline_depth(s->outline, s->nav->zoom);
	node_id near[PATH_ROWS];
	uint32_t n = 0;
	for (node_id i = s->nav->zoom; i != NODE_ROOT && n < PATH_ROWS;) {
		i = parent[i];
		near[n++] = i;
	}
	if (depth > PATH_ROWS) {
		*vec_push(&v->boxes) = (struct box){NODE_ROOT, 0, v->w, 0};
		end_row(v);
		*vec_push(&v->boxes) =
			(struct box){NODE_NONE, 0, v->w, depth - PATH_ROWS};
		end_row(v);
		n = PATH_ROWS - 1;
	}
	while (n-- > 0) {
		*vec_push(&v->boxes) = (struct box){near[n], 0, v->w, 0};
		end_row(v);
	}
	v->path_rows = v->row.n - 1;
}

static void
lay_out(struct flame *v, const struct scene *s)
{
	v->boxes.n = 0;
	v->row.n = 0;
	v->complete = false;
	v->folds = s->folds;
	v->zoom = s->nav->zoom;
	*vec_push(&v->row) = 0;
	lay_path(v, s);
	*vec_push(&v->boxes) = (struct box){s->nav->zoom, 0, v->w, 0};
	end_row(v);
}

/* The children of one box; the row is the last one. */
static void
lay_children(struct flame *v, const struct scene *s, struct box b)
{
	const int64_t *total = s->fold->now.total;
	double whole = (double)total[b.node], sum = 0;
	uint32_t left = 0;
	int x = b.x, end;
	if (whole <= 0)
		return;
	node_id c = outline_first(s->outline, b.node);
	for (; c != NODE_NONE; c = outline_next(s->outline, c)) {
		double cols = (double)total[c] / whole * b.w;
		if (cols < 0.5)
			break;
		sum += (double)total[c];
		end = b.x + (int)(sum / whole * b.w + 0.5);
		if (end <= x)
			break;
		*vec_push(&v->boxes) = (struct box){c, x, end - x, 0};
		x = end;
	}
	for (; c != NODE_NONE; c = outline_next(s->outline, c)) {
		sum += (double)total[c];
		left++;
	}
	end = b.x + (int)(sum / whole * b.w + 0.5);
	if (left && end > x)
		*vec_push(&v->boxes) = (struct box){NODE_NONE, x, end - x, left};
}

/* Makes rows until there are `rows`, or no more. */
static void
extend(struct flame *v, const struct scene *s, int rows)
{
	while (rows_of(v) < rows && !v->complete) {
		size_t from = v->row.at[v->row.n - 2], to = v->row.at[v->row.n - 1];
		for (size_t i = from; i < to; i++)
			if (v->boxes.at[i].node != NODE_NONE)
				lay_children(v, s, v->boxes.at[i]);
		if (v->boxes.n == to)
			v->complete = true;
		else
			end_row(v);
	}
}

/* The box that shows a node, or the nearest of its callers that is shown. */
static size_t
box_of(struct flame *v, const struct scene *s, node_id node, int *row)
{
	const node_id *parent = s->fold->tree->parent;
	VEC(node_id) way = VEC_INIT;
	size_t found = v->row.at[v->path_rows];
	*row = (int)v->path_rows;
	if (!nav_is_above(s->fold, v->zoom, node)) {
		/* A caller of the zoomed frame, or beside it. */
		for (size_t i = 0; i < found; i++)
			if (v->boxes.at[i].node == node) {
				*row = (int)i;
				return i;
			}
		return found;
	}
	for (node_id i = node; i != v->zoom; i = parent[i])
		*vec_push(&way) = i;
	while (way.n) {
		node_id want = way.at[--way.n];
		size_t i, end;
		extend(v, s, *row + 2);
		if (*row + 1 >= rows_of(v))
			break;
		end = v->row.at[*row + 2];
		for (i = v->row.at[*row + 1]; i < end && v->boxes.at[i].node != want; i++)
			continue;
		if (i == end)
			break;
		found = i;
		(*row)++;
	}
	vec_release(&way);
	return found;
}

static void
flame_arrange(void *view, struct scene *s, struct area a)
{
	struct flame *v = view;
	bool anew = v->folds != s->folds || v->w != a.w || v->zoom != s->nav->zoom;
	bool moved = v->moves != s->nav->moves || v->area.h != a.h;
	v->area = a;
	v->w = a.w;
	if (anew)
		lay_out(v, s);
	if (anew || moved) {
		int row;
		box_of(v, s, s->nav->node, &row);
		if (row < v->top)
			v->top = row;
		if (row >= v->top + a.h)
			v->top = row - a.h + 1;
	}
	v->moves = s->nav->moves;
	extend(v, s, v->top + a.h);
	if (v->top > 0 && v->top + a.h > rows_of(v))
		v->top = rows_of(v) > a.h ? rows_of(v) - a.h : 0;
}

static int
screen_y(const struct flame *v, struct area a, int row)
{
	return v->upside ? a.y + a.h - 1 - (row - v->top) : a.y + row - v->top;
}

/* The inks of a box: warm for user code, green for intrinsics, blue for the system; which
 * shade depends on the name, so that a function looks the same everywhere. */
static enum ink
box_ink(const struct scene *s, key_id key)
{
	if (key == KEY_NONE)
		return INK_PATH;
	name_id name = projection_key_name(s->fold->tree, s->p, key);
	uint32_t hash = names_get(&s->p->names, name).hash;
	switch (show_kind(s, key)) {
	case KIND_SYSTEM:
		return hash & 1 ? INK_SYSTEM_1 : INK_SYSTEM_2;
	case KIND_INTRINSIC:
		return hash & 1 ? INK_INTRINSIC_1 : INK_INTRINSIC_2;
	case KIND_USER:
		break;
	}
	static const enum ink shades[] = {INK_USER_1, INK_USER_2, INK_USER_3, INK_USER_4};
	return shades[hash & 3];
}

static void
write_label(const struct scene *s, key_id key, bool hit, struct buf *out)
{
	enum kind kind = show_kind(s, key);
	if (hit)
		buf_addc(out, '*');
	if (kind == KIND_SYSTEM)
		buf_adds(out, "◦");
	if (kind == KIND_INTRINSIC)
		buf_adds(out, "·");
	show_key(s, key, out);
}

/* The text in the middle of what it may use, or cut off at its end. */
static void
draw_label(struct canvas *c, int y, int x, int w, enum ink ink, const char *text)
{
	int cols = text_cols(text);
	if (w < 1)
		return;
	if (cols <= w)
		canvas_text(c, y, x + (w - cols) / 2, cols, ink, text);
	else if (w >= 3)
		canvas_fit(c, y, x, w, ink, text);
	else
		canvas_text(c, y, x, w, ink, text);
}

static void
draw_rest(struct canvas *c, int y, struct area a, const struct box *b, bool callers)
{
	struct area part = {y, a.x + b->x, 1, b->w};
	struct buf text = BUF_INIT;
	canvas_fill(c, part, INK_REST, ' ');
	canvas_text(c, y, part.x, 1, INK_REST, "…");
	if (callers)
		buf_addf(&text, "%u callers", b->left_out);
	else
		buf_addf(&text, "%u more", b->left_out);
	if (text_cols(buf_str(&text)) + 2 <= b->w)
		canvas_text(c, y, part.x + 2, b->w - 2, INK_REST, buf_str(&text));
	buf_release(&text);
}

static void
draw_box(const struct flame *v, const struct scene *s, struct canvas *c, struct area a,
	 int y, const struct box *b, bool here)
{
	key_id key = s->fold->tree->key[b->node];
	bool hit = key != KEY_NONE && search_hits_key(s->search, key);
	bool path = b->node != v->zoom && nav_is_above(s->fold, b->node, v->zoom);
	enum ink ink = here   ? INK_BOX_HERE
		       : hit  ? INK_BOX_HIT
		       : path ? INK_PATH
			      : box_ink(s, key);
	struct area part = {y, a.x + b->x, 1, b->w};
	struct buf label = BUF_INIT;
	write_label(s, key, hit, &label);
	canvas_fill(c, part, ink, ' ');
	if (here && b->w >= 3) {
		canvas_char(c, y, part.x, ink, '[');
		canvas_char(c, y, part.x + b->w - 1, ink, ']');
		draw_label(c, y, part.x + 1, b->w - 2, ink, buf_str(&label));
	} else if (b->x > 0) {
		canvas_char(c, y, part.x, ink, here ? '[' : 0x2502);
		draw_label(c, y, part.x + 1, b->w - 1, ink, buf_str(&label));
	} else {
		draw_label(c, y, part.x, b->w, ink, buf_str(&label));
	}
	buf_release(&label);
}

static void
flame_draw(const void *view, const struct scene *s, struct canvas *c, struct area a)
{
	const struct flame *v = view;
	for (int row = v->top; row < rows_of(v) && row < v->top + a.h; row++) {
		int y = screen_y(v, a, row);
		for (size_t i = v->row.at[row]; i < v->row.at[row + 1]; i++) {
			const struct box *b = &v->boxes.at[i];
			if (b->node == NODE_NONE)
				draw_rest(c, y, a, b, (size_t)row < v->path_rows);
			else
				draw_box(v, s, c, a, y, b, b->node == s->nav->node);
		}
	}
}

static void
go(struct scene *s, node_id node)
{
	nav_select(s->nav, s->fold, s->p, node);
}

/* The nearest box to the left or right in the row that is a frame. */
static void
step_aside(struct flame *v, struct scene *s, int by)
{
	int row;
	size_t at = box_of(v, s, s->nav->node, &row);
	size_t from = v->row.at[row], to = v->row.at[row + 1];
	if (v->boxes.at[at].node != s->nav->node) {
		go(s, v->boxes.at[at].node);
		return;
	}
	while (by < 0 ? at > from : at + 1 < to) {
		at += by < 0 ? (size_t)-1 : 1;
		if (v->boxes.at[at].node != NODE_NONE) {
			go(s, v->boxes.at[at].node);
			return;
		}
	}
}

static void
step_in(struct scene *s)
{
	node_id c = outline_first(s->outline, s->nav->node);
	if (c != NODE_NONE)
		go(s, c);
}

static void
step_out(struct flame *v, struct scene *s)
{
	int row;
	size_t at = box_of(v, s, s->nav->node, &row);
	if (v->boxes.at[at].node != s->nav->node)
		go(s, v->boxes.at[at].node);
	else if (s->nav->node != NODE_ROOT)
		go(s, s->fold->tree->parent[s->nav->node]);
}

static void
step_far(struct flame *v, struct scene *s, int by)
{
	for (int i = 0; i < (by < 0 ? -by : by); i++)
		if (by < 0)
			step_out(v, s);
		else
			step_in(s);
}

static enum reply
flame_act(void *view, struct scene *s, enum action action)
{
	struct flame *v = view;
	int down = v->upside ? -1 : 1;
	switch (action) {
	case ACTION_DOWN:
		step_far(v, s, down);
		return REPLY_DONE;
	case ACTION_UP:
		step_far(v, s, -down);
		return REPLY_DONE;
	case ACTION_LEFT:
		step_aside(v, s, -1);
		return REPLY_DONE;
	case ACTION_RIGHT:
		step_aside(v, s, 1);
		return REPLY_DONE;
	case ACTION_HALF_DOWN:
	case ACTION_PAGE_DOWN:
		step_far(v, s, down * v->area.h / (action == ACTION_HALF_DOWN ? 2 : 1));
		return REPLY_DONE;
	case ACTION_HALF_UP:
	case ACTION_PAGE_UP:
		step_far(v, s, -down * v->area.h / (action == ACTION_HALF_UP ? 2 : 1));
		return REPLY_DONE;
	case ACTION_FIRST:
		go(s, v->zoom);
		return REPLY_DONE;
	case ACTION_LAST:
		while (outline_first(s->outline, s->nav->node) != NODE_NONE)
			step_in(s);
		return REPLY_DONE;
	case ACTION_ENTER:
		nav_zoom(s->nav, s->fold, s->nav->node);
		return REPLY_DONE;
	case ACTION_OUT:
		nav_zoom_out(s->nav, s->fold);
		return REPLY_DONE;
	case ACTION_FLIP:
		v->upside = !v->upside;
		return REPLY_DONE;
	default:
		return REPLY_PASS;
	}
}

static enum reply
flame_click(void *view, struct scene *s, int y, int x, bool twice)
{
	struct flame *v = view;
	int row = v->top + (v->upside ? v->area.h - 1 - y : y);
	if (row < 0 || row >= rows_of(v))
		return REPLY_PASS;
	for (size_t i = v->row.at[row]; i < v->row.at[row + 1]; i++) {
		const struct box *b = &v->boxes.at[i];
		if (b->node == NODE_NONE || x < b->x || x >= b->x + b->w)
			continue;
		go(s, b->node);
		if (twice)
			nav_zoom(s->nav, s->fold, s->nav->node);
		return REPLY_DONE;
	}
	return REPLY_PASS;
}

static bool
flame_find(void *view, struct scene *s, int dir)
{
	(void)view;
	node_id n = search_next(s->search, s->outline, s->nav->node, dir);
	if (n == NODE_NONE)
		return false;
	/* A hit outside the zoom is worth leaving it. */
	while (!nav_is_above(s->fold, s->nav->zoom, n))
		nav_zoom_out(s->nav, s->fold);
	go(s, n);
	return true;
}

static bool
flame_describe(const void *view, const struct scene *s, struct row *out)
{
	(void)view;
	return show_node(s, s->nav->node, out);
}

static const enum action flame_keys[] = {
	ACTION_ENTER,     ACTION_OUT,    ACTION_SEARCH, ACTION_FILTER,
	ACTION_TRANSFORM, ACTION_METRIC, ACTION_INVERT, ACTION_UNDO,
	ACTION_HELP,      ACTION_BACK,   ACTION_NONE,
};

const struct view_ops flame_view = {
	.name = "flame",
	.digit = '1',
	.open = ACTION_VIEW_FLAME,
	.scope = SCOPE_FLAME,
	.about =
		"Each box is a frame, as wide as its total; the boxes below it are what\n"
		"it called, the heaviest at the left.  What is too narrow is summed up\n"
		"as \"…\".\n"
		"[name] is selected, *name is a search hit, ◦name is system code, ·name\n"
		"intrinsic.\n",
	.enter = "zoom",
	.keys = flame_keys,
	.create = flame_create,
	.destroy = flame_destroy,
	.arrange = flame_arrange,
	.draw = flame_draw,
	.act = flame_act,
	.click = flame_click,
	.find = flame_find,
	.describe = flame_describe,
};
