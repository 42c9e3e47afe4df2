/* flame.c - boxes as wide as their cost, with callees below (or above) their callers.
 *
 * flame_layout.h places the boxes.  This file draws them and moves from one to the next.  By
 * time (T) a repeated frame has many boxes: the selection is all of them, and the cursor, in
 * brackets, is the one nearest to its last position.  In a comparison a mark shows the change
 * of a box (compare.h); frames that are gone are hatched.
 *
 * Characters repeat what colours show: ◦ precedes a system function, · an intrinsic one, * a
 * search hit, and the selected box is in brackets. */
#include "ui/view/view.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "ui/part/chains.h"
#include "ui/part/compare.h"
#include "ui/part/mixture.h"
#include "ui/part/show.h"
#include "ui/screen/text.h"
#include "ui/view/flame_label.h"
#include "ui/view/flame_layout.h"

struct flame {
	struct flame_layout lay;
	uint64_t moves;
	struct area area;
	int top;     /* first row shown */
	bool upside; /* root at the bottom */
	size_t at;   /* the box of the cursor */
};

static void *
flame_create(void)
{
	struct flame *v = mem_zalloc(1, sizeof *v);
	flame_layout_init(&v->lay);
	return v;
}

static void
flame_destroy(void *view)
{
	struct flame *v = view;
	flame_layout_release(&v->lay);
	free(v);
}

/* Omits the line that describes the x axis. */
static struct area
flame_inside(const struct flame *v, struct area a)
{
	if (v->lay.by_time && a.h > 1) {
		a.y++;
		a.h--;
	}
	return a;
}

static void
flame_arrange(void *view, struct scene *s, struct area a)
{
	struct flame *v = view;
	show_selection(s);
	bool anew = flame_is_stale(&v->lay, s, a.w);
	a = flame_inside(v, a);
	bool moved = v->moves != s->nav->moves || v->area.h != a.h;
	v->area = a;
	if (anew)
		flame_lay_out(&v->lay, s, a.w);
	if (anew || moved) {
		int row;
		v->at = flame_box_of(&v->lay, s, s->nav->node, &row);
		if (row < v->top)
			v->top = row;
		if (row >= v->top + a.h)
			v->top = row - a.h + 1;
	}
	v->moves = s->nav->moves;
	flame_extend(&v->lay, s, v->top + a.h);
	if (v->top > 0 && v->top + a.h > flame_rows(&v->lay))
		v->top = flame_rows(&v->lay) > a.h ? flame_rows(&v->lay) - a.h : 0;
}

static int
screen_y(const struct flame *v, struct area a, int row)
{
	return v->upside ? a.y + a.h - 1 - (row - v->top) : a.y + row - v->top;
}

static void
draw_rest(struct canvas *c, int y, struct area a, const struct flame_box *b, bool callers)
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
	 int y, const struct flame_box *b, bool here)
{
	bool hit = b->node != NODE_ROOT && chain_hits(s, b->head, b->node);
	bool path = b->node != v->lay.zoom && nav_is_above(s->fold, b->node, v->lay.zoom);
	bool same = here || flame_covers(s, b, s->nav->node);
	int room = here && b->w >= 3 ? b->w - 2 : b->x > 0 ? b->w - 1 : b->w;
	enum ink ink = same   ? b->node == NODE_ROOT ? INK_PATH : INK_BOX_HERE
		       : hit  ? INK_BOX_HIT
		       : path ? INK_PATH
			      : flame_box_ink(s, b->node, b->w);
	struct area part = {y, a.x + b->x, 1, b->w};
	struct buf label = BUF_INIT;
	bool gone = compare_node(s->fold, b->node) == FATE_GONE;
	flame_write_label(s, b, hit, v->lay.timed, room, &label);
	canvas_fill(c, part, ink, gone ? 0x2591 : ' ');
	bool mixed = b->held.mix != MIX_ONE && !same && !path;
	/* narrow boxes of a kind share one ink, so two functions would look the same */
	if (mixed)
		mixture_draw_box(s, c, part, &v->lay.chrono.cells, &b->held,
				 (struct mixture_inks){
					 b->w < 3 ? flame_box_ink(s, b->node, 3) : ink,
					 flame_box_ink(s, b->held.second, 3)});
	if (mixed && b->w == 1) {
		/* the bar would hide the content */
	} else if (here && b->w >= 3) {
		canvas_char(c, y, part.x, ink, '[');
		canvas_char(c, y, part.x + b->w - 1, ink, ']');
		canvas_middle(c, y, part.x + 1, b->w - 2, ink, buf_str(&label));
	} else if (b->x > 0) {
		canvas_char(c, y, part.x, ink, here ? '[' : 0x2502);
		canvas_middle(c, y, part.x + 1, b->w - 1, ink, buf_str(&label));
	} else {
		canvas_middle(c, y, part.x, b->w, ink, buf_str(&label));
	}
	if (!same && !hit && !path && !mixed && !v->lay.timed)
		canvas_shade(c, part, flame_box_shade(s->fold, b->node));
	buf_release(&label);
}

/* By time: draws the time axis and the name of its track. */
static void
draw_times(const struct flame *v, const struct scene *s, struct canvas *c, struct area a)
{
	struct buf text = BUF_INIT;
	int64_t from, to;
	canvas_fill(c, (struct area){a.y, a.x, 1, a.w}, INK_HEAD, ' ');
	if (!v->lay.timed) {
		canvas_fit(c, a.y, a.x, a.w, INK_HEAD,
			   "no times here: the heaviest at the left");
		return;
	}
	show_range(s, &from, &to);
	show_time(s, to, &text);
	int right = text_cols(buf_str(&text));
	canvas_right(c, a.y, a.x, a.w, INK_HEAD, buf_str(&text));
	buf_reset(&text);
	show_time(s, from, &text);
	buf_adds(&text, " → ");
	if (v->lay.chrono.tracks == 1)
		profile_show_name(s->p, s->p->track[v->lay.chrono.track].name, &text);
	else
		buf_addf(&text, "%u tracks, the busiest in each column",
			 v->lay.chrono.tracks);
	canvas_fit(c, a.y, a.x, a.w - right - 1, INK_HEAD, buf_str(&text));
	buf_release(&text);
}

/* Boxes have no width if no frame has a value; returns false if some do. */
static bool
draw_zeros(const struct flame *v, const struct scene *s, struct canvas *c, struct area a)
{
	struct buf text = BUF_INIT;
	if (v->lay.timed || fold_weight(s->fold, NODE_ROOT) || !a.h ||
	    outline_is_empty(s->outline))
		return false;
	if (s->fold->metric != METRIC_NONE)
		profile_show_name(s->p, s->p->metric[s->fold->metric].name, &text);
	buf_adds(&text, text.len ? ": all values here are 0.  " : "All values here are 0.  ");
	buf_adds(&text, "3 lists the functions, m the metrics.");
	int cols = text_cols(buf_str(&text)) < a.w ? text_cols(buf_str(&text)) : a.w;
	canvas_fit(c, a.y + a.h / 2, a.x + (a.w - cols) / 2, cols, INK_STRONG,
		   buf_str(&text));
	buf_release(&text);
	return true;
}

static void
flame_draw(const void *view, const struct scene *s, struct canvas *c, struct area a)
{
	const struct flame *v = view;
	if (v->lay.by_time)
		draw_times(v, s, c, a);
	a = flame_inside(v, a);
	if (draw_zeros(v, s, c, a))
		return;
	for (int row = v->top; row < flame_rows(&v->lay) && row < v->top + a.h; row++) {
		int y = screen_y(v, a, row);
		for (size_t i = v->lay.row.at[row]; i < v->lay.row.at[row + 1]; i++) {
			const struct flame_box *b = &v->lay.boxes.at[i];
			if (b->node == NODE_NONE)
				draw_rest(c, y, a, b, (size_t)row < v->lay.path_rows);
			else
				draw_box(v, s, c, a, y, b,
					 i == v->at && flame_covers(s, b, s->nav->node));
		}
	}
}

static void
flame_go(struct scene *s, node_id node)
{
	nav_select(s->nav, s->fold, s->p, node);
}

static void
go_box(struct flame *v, struct scene *s, size_t at)
{
	const struct flame_box *b = &v->lay.boxes.at[at];
	v->lay.cursor_x = b->x + b->w / 2;
	flame_go(s, b->node);
}

/* Moves to the nearest frame to the left or right in the row. */
static void
step_aside(struct flame *v, struct scene *s, int by)
{
	int row;
	size_t at = flame_box_of(&v->lay, s, s->nav->node, &row);
	size_t from = v->lay.row.at[row], to = v->lay.row.at[row + 1];
	if (!flame_covers(s, &v->lay.boxes.at[at], s->nav->node)) {
		go_box(v, s, at);
		return;
	}
	while (by < 0 ? at > from : at + 1 < to) {
		at += by < 0 ? (size_t)-1 : 1;
		if (v->lay.boxes.at[at].node != NODE_NONE) {
			go_box(v, s, at);
			return;
		}
	}
}

/* By time: moves to a callee of the cursor's box, at the cursor's position or next to it. */
static void
step_in_time(struct flame *v, struct scene *s)
{
	int row;
	size_t at = flame_box_of(&v->lay, s, s->nav->node, &row), best = SIZE_MAX;
	flame_extend(&v->lay, s, row + 2);
	const struct flame_box *b = &v->lay.boxes.at[at];
	for (size_t i = row + 1 < flame_rows(&v->lay) ? v->lay.row.at[row + 1] : SIZE_MAX;
	     i < v->lay.boxes.n && i < v->lay.row.at[row + 2]; i++) {
		const struct flame_box *in = &v->lay.boxes.at[i];
		if (in->x >= b->x && in->x < b->x + b->w &&
		    (best == SIZE_MAX ||
		     flame_distance(&v->lay, in) <
			     flame_distance(&v->lay, &v->lay.boxes.at[best])))
			best = i;
	}
	if (best != SIZE_MAX)
		flame_go(s, v->lay.boxes.at[best].node);
}

/* Returns the node's first callee, at the end of its line; the node itself if it has none. */
static node_id
inner(const struct scene *s, node_id n)
{
	node_id c = outline_first(s->outline, chain_end(s, n));
	return c == NODE_NONE ? n : chain_end(s, c);
}

static void
step_in(struct flame *v, struct scene *s)
{
	node_id n = s->nav->node, to;
	if (v->lay.timed)
		step_in_time(v, s);
	else if ((to = inner(s, n)) != n)
		flame_go(s, to);
}

static void
step_out(struct flame *v, struct scene *s)
{
	int row;
	size_t at = flame_box_of(&v->lay, s, s->nav->node, &row);
	if (!flame_covers(s, &v->lay.boxes.at[at], s->nav->node))
		flame_go(s, v->lay.boxes.at[at].node);
	else if (v->lay.boxes.at[at].head != NODE_ROOT)
		flame_go(s, s->fold->tree->parent[v->lay.boxes.at[at].head]);
}

static void
step_far(struct flame *v, struct scene *s, int by)
{
	for (int i = 0; i < (by < 0 ? -by : by); i++)
		if (by < 0)
			step_out(v, s);
		else
			step_in(v, s);
}

/* Moves to the innermost callee.  Selecting costs the depth, so only the leaf is selected. */
static void
step_to_leaf(struct flame *v, struct scene *s)
{
	node_id before = s->nav->node, to;
	if (!v->lay.timed) {
		for (node_id n = before; (to = inner(s, n)) != n;)
			n = to;
		if (to != before)
			flame_go(s, to);
		return;
	}
	do {
		before = s->nav->node;
		step_in(v, s);
	} while (s->nav->node != before);
}

static bool
flame_has_effect(const void *view, const struct scene *s, enum action action)
{
	const struct flame *v = view;
	if (action == ACTION_ENTER)
		return s->nav->node != s->nav->zoom;
	if (action == ACTION_CHRONO)
		return v->lay.by_time || lens_run(s->p) > 0;
	return action != ACTION_OUT || s->nav->zoom != NODE_ROOT;
}

static enum reply
flame_act(void *view, struct scene *s, enum action action)
{
	struct flame *v = view;
	int down = v->upside ? -1 : 1;
	switch ((int)action) {
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
		flame_go(s, v->lay.zoom);
		return REPLY_DONE;
	case ACTION_LAST:
		step_to_leaf(v, s);
		return REPLY_DONE;
	case ACTION_ENTER:
		if (s->nav->node == s->nav->zoom)
			buf_adds(&s->say, "this box has the whole width: h j k l select others");
		nav_zoom(s->nav, s->fold, s->nav->node);
		return REPLY_DONE;
	case ACTION_OUT:
		return nav_zoom_out(s->nav, s->fold) ? REPLY_DONE : REPLY_PASS;
	case ACTION_FLIP:
		v->upside = !v->upside;
		return REPLY_DONE;
	case ACTION_CHRONO:
		if (!flame_has_effect(v, s, action)) {
			buf_adds(&s->say, "no times in this file: the heaviest is at the left");
			return REPLY_DONE;
		}
		v->lay.by_time = !v->lay.by_time;
		v->lay.folds = UINT64_MAX;
		return REPLY_DONE;
	default:
		return REPLY_PASS;
	}
}

/* Returns the box at a line and a column; NULL: there is none, or it has no frame. */
static const struct flame_box *
flame_box_at(const struct flame *v, int y, int x)
{
	y -= v->lay.by_time;
	int row = v->top + (v->upside ? v->area.h - 1 - y : y);
	if (row < 0 || row >= flame_rows(&v->lay))
		return NULL;
	for (size_t i = v->lay.row.at[row]; i < v->lay.row.at[row + 1]; i++) {
		const struct flame_box *b = &v->lay.boxes.at[i];
		if (b->node != NODE_NONE && x >= b->x && x < b->x + b->w)
			return b;
	}
	return NULL;
}

static enum reply
flame_click(void *view, struct scene *s, int y, int x, bool twice)
{
	struct flame *v = view;
	const struct flame_box *b = flame_box_at(v, y, x);
	if (!b)
		return REPLY_PASS;
	v->lay.cursor_x = x;
	flame_go(s, b->node);
	if (twice)
		nav_zoom(s->nav, s->fold, s->nav->node);
	return REPLY_DONE;
}

static bool
flame_hover(void *view, const struct scene *s, int y, int x, struct row *out,
	    struct buf *more)
{
	const struct flame_box *b = flame_box_at(view, y, x);
	(void)more;
	return b && show_node(s, b->node, out);
}

static bool
flame_find(void *view, struct scene *s, int dir)
{
	(void)view;
	node_id n = search_next(s->search, s->outline, s->nav->node, dir);
	if (n == NODE_NONE)
		return false;
	/* A hit outside the zoom leaves it. */
	while (!nav_is_above(s->fold, s->nav->zoom, n))
		nav_zoom_out(s->nav, s->fold);
	flame_go(s, n);
	return true;
}

static bool
flame_describe(const void *view, const struct scene *s, struct row *out)
{
	(void)view;
	return show_node(s, s->nav->node, out);
}

static void
flame_save_state(const void *view, struct buf *out)
{
	const struct flame *v = view;
	if (v->upside)
		buf_adds(out, "upside-down");
	if (v->lay.by_time)
		buf_adds(out, v->upside ? " by-time" : "by-time");
}

static bool
flame_restore_state(void *view, const char *words)
{
	struct flame *v = view;
	v->upside = strstr(words, "upside-down") != NULL;
	v->lay.by_time = strstr(words, "by-time") != NULL;
	v->lay.folds = UINT64_MAX;
	return true;
}

/* By time the view shows everything that ran. */
static uint64_t
flame_omitted_rows(const void *view, const struct scene *s)
{
	const struct flame *v = view;
	return v->lay.timed ? 0 : show_omitted_rows(view, s);
}

static bool
flame_is_hued(const void *view, const struct scene *s)
{
	const struct flame *v = view;
	return v->lay.timed || !s->fold->compares;
}

static const enum action flame_keys[] = {
	ACTION_ENTER, ACTION_SEARCH, ACTION_OUT, ACTION_TRANSFORM, ACTION_CHRONO,
	ACTION_FLIP, ACTION_INVERT, ACTION_CHAINS, ACTION_NONE,
};

const struct view_ops flame_view = {
	.name = "flame",
	.digit = '1',
	.open = ACTION_VIEW_FLAME,
	.scope = SCOPE_FLAME,
	.about =
		"Each box is a frame, as wide as its total; the boxes below it are its\n"
		"callees, the heaviest at the left.  \"…\" sums up boxes too narrow to\n"
		"draw.  T puts the boxes in order of time: a column is the stack seen\n"
		"longest in it.  c joins frames that call a single other one.\n"
		"Wide boxes show their share of everything in range, and their total.\n"
		"[name] is selected, *name is a search hit, ◦name is system code, ·name\n"
		"intrinsic.  Colours are modules where there are two: a letter marks\n"
		"where a module begins, a line below lists them.  A dark box has little\n"
		"self.  :colour kind (module, file) colours by these.\n",
	.enter = "zoom",
	.keys = flame_keys,
	.create = flame_create,
	.destroy = flame_destroy,
	.arrange = flame_arrange,
	.draw = flame_draw,
	.act = flame_act,
	.has_effect = flame_has_effect,
	.is_hued = flame_is_hued,
	.click = flame_click,
	.hover = flame_hover,
	.find = flame_find,
	.search_position = show_search_position,
	.describe = flame_describe,
	.omitted_rows = flame_omitted_rows,
	.save_state = flame_save_state,
	.restore_state = flame_restore_state,
};
