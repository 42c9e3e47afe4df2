/* callers.c - one function in the middle, its callers above, its callees below.
 *
 * Both are trees that open and close, and both grow away from the function: below it a line
 * stands above what it calls, above it a line stands below what calls it.  So the rows are
 * one sequence, and up and down mean the same everywhere.
 *
 * Moving through the rows moves the selection that all views share, or a transform and the
 * source would be those of another frame than the one under the cursor.  The function in
 * the middle stays meanwhile: it changes on Enter, and when another view has selected
 * something.  That is told apart by the count of nav's moves.  While nothing is selected it
 * is the function that costs the most itself.
 *
 * Numbers come from model/around.h.  Percentages are shares of the function's total, the
 * line below the view has those of everything.  Rows are walked to from the cursor, so
 * that only what is on the screen is made, whatever is open; which rows are open is kept
 * by a hash of the way to them, so that it survives ranges and filters. */
#include "ui/view/view.h"

#include <stdlib.h>
#include <string.h>

#include "model/around.h"
#include "model/human.h"
#include "model/mem.h"
#include "model/vec.h"
#include "ui/part/compare.h"
#include "ui/screen/shorten.h"
#include "ui/part/show.h"
#include "ui/screen/text.h"

#define OPEN_SHARE 5 /* 1/5: from 20 % on */
#define BAR_COLS 10
#define FIND_ROWS 100000

enum rule { RULE_HEAVY, RULE_ALL, RULE_NONE };

struct mark {
	uint64_t hash;
	bool open;
};

struct callers {
	struct around around;
	struct fold *upright; /* made when the fold of the scene is turned over */
	bool found;           /* the function occurs */
	key_id center;
	enum granularity by;
	uint64_t folds, moves;
	key_id seen; /* nav's key after our own last move, or when we last looked */
	enum rule rule;
	VEC(struct mark) marks;
	around_id at;           /* the cursor; the function: AROUND_CALLEES */
	VEC(key_id) way;        /* to the cursor, from the function outwards */
	bool way_up;            /* of a caller */
	VEC(around_id) rows;    /* on the screen */
	int row;                /* of the cursor */
	int h;
	struct row described; /* the function under the cursor, all that it costs */
};

static void *
callers_create(void)
{
	struct callers *v = mem_zalloc(1, sizeof *v);
	around_init(&v->around);
	v->folds = UINT64_MAX;
	v->center = v->seen = KEY_NONE;
	v->row = -1;
	return v;
}

static void
callers_destroy(void *view)
{
	struct callers *v = view;
	around_release(&v->around);
	fold_free(v->upright);
	vec_release(&v->marks);
	vec_release(&v->way);
	vec_release(&v->rows);
	free(v);
}

/* ---- what is open ---- */

static uint64_t
way_hash(const struct callers *v, around_id i)
{
	uint64_t h = 0x9E3779B97F4A7C15u;
	for (; around_get(&v->around, i)->parent != AROUND_NONE;
	     i = around_get(&v->around, i)->parent) {
		h = (h ^ around_get(&v->around, i)->key) * 0xD6E8FEB86659FD93u;
		h ^= h >> 32;
	}
	return (h ^ v->center) * 2 + (i == AROUND_CALLERS);
}

static struct mark *
mark_of(const struct callers *v, uint64_t hash)
{
	for (size_t i = 0; i < v->marks.n; i++)
		if (v->marks.at[i].hash == hash)
			return &v->marks.at[i];
	return NULL;
}

static bool
is_open(const struct callers *v, around_id i)
{
	const struct around_node *n = around_get(&v->around, i);
	const struct mark *mark;
	if (n->parent == AROUND_NONE)
		return true;
	if (v->marks.n && (mark = mark_of(v, way_hash(v, i))))
		return mark->open;
	if (v->rule == RULE_HEAVY)
		return n->total > 0 &&
		       n->total >=
			       around_get(&v->around, AROUND_CALLERS)->total / OPEN_SHARE;
	return v->rule == RULE_ALL;
}

static void
set_open(struct callers *v, around_id i, bool open)
{
	if (around_get(&v->around, i)->parent == AROUND_NONE || is_open(v, i) == open)
		return;
	uint64_t hash = way_hash(v, i);
	struct mark *mark = mark_of(v, hash);
	if (mark)
		mark->open = open;
	else
		*vec_push(&v->marks) = (struct mark){hash, open};
}

/* ---- walking the rows ---- */

/* Away from the function; AROUND_NONE at the end. */
static around_id
row_out(struct callers *v, around_id i)
{
	if (is_open(v, i)) {
		around_id first = around_first(&v->around, i);
		if (first != AROUND_NONE)
			return first;
	}
	while (i != AROUND_NONE && around_next(&v->around, i) == AROUND_NONE)
		i = around_get(&v->around, i)->parent;
	return i == AROUND_NONE ? AROUND_NONE : around_next(&v->around, i);
}

static around_id
row_in(struct callers *v, around_id i)
{
	around_id prev = around_prev(&v->around, i);
	if (prev == AROUND_NONE)
		return around_get(&v->around, i)->parent;
	for (;;) {
		around_id last = is_open(v, prev) ? around_last(&v->around, prev)
						  : AROUND_NONE;
		if (last == AROUND_NONE)
			return prev;
		prev = last;
	}
}

/* The row below (dir > 0) or above; AROUND_NONE: there is none.  The function has one row
 * and is always AROUND_CALLEES here. */
static around_id
row_beside(struct callers *v, around_id i, int dir)
{
	if (i == AROUND_CALLEES)
		return row_out(v, dir > 0 ? AROUND_CALLEES : AROUND_CALLERS);
	bool caller = around_is_caller(&v->around, i);
	around_id to = (dir > 0) != caller ? row_out(v, i) : row_in(v, i);
	return to == AROUND_CALLERS ? AROUND_CALLEES : to;
}

/* ---- in line with fold and selection ---- */

static void
remember_way(struct callers *v)
{
	v->way.n = 0;
	v->way_up = around_is_caller(&v->around, v->at);
	for (around_id i = v->at; around_get(&v->around, i)->parent != AROUND_NONE;
	     i = around_get(&v->around, i)->parent)
		*vec_push(&v->way) = around_get(&v->around, i)->key;
}

/* Follows the way as far as it still goes. */
static around_id
follow_way(struct callers *v)
{
	around_id at = v->way_up && v->way.n ? AROUND_CALLERS : AROUND_CALLEES;
	for (size_t k = v->way.n; k-- > 0;) {
		around_id c = around_first(&v->around, at);
		while (c != AROUND_NONE &&
		       around_get(&v->around, c)->key != v->way.at[k])
			c = around_next(&v->around, c);
		if (c == AROUND_NONE)
			break;
		at = c;
	}
	return at == AROUND_CALLERS ? AROUND_CALLEES : at;
}

/* The fold that is looked at: that of the scene, or one that is not turned over. */
static const struct fold *
upright_fold(struct callers *v, const struct scene *s)
{
	struct lens l;
	struct err e;
	if (!s->fold->tree->inverted)
		return s->fold;
	if (!v->upright)
		v->upright = fold_new();
	err_init(&e);
	lens_copy(&l, s->lens);
	l.invert = false;
	v->upright->only_track = s->fold->only_track;
	bool done = fold_update(v->upright, s->p, &l, NULL, &e);
	lens_release(&l);
	return done ? v->upright : NULL;
}

/* What the function under the cursor costs in all, as the table of functions has it. */
static void
describe(struct callers *v)
{
	key_id key = around_get(&v->around, v->at)->key;
	const struct fold *f = v->around.fold;
	const struct projection *t = f->tree;
	v->described = (struct row){.key = key, .calls = f->now.calls ? 0 : -1, .lines = -1};
	for (node_id i = 1; key != KEY_NONE && i < t->n; i++) {
		if (t->key[i] != key)
			continue;
		v->described.self += f->now.self[i];
		v->described.total += t->outermost[i] ? f->now.total[i] : 0;
		v->described.calls += f->now.calls ? f->now.calls[i] : 0;
		v->described.base_self += f->compares ? f->base.self[i] : 0;
		v->described.base_total +=
			f->compares && t->outermost[i] ? f->base.total[i] : 0;
	}
}

static void
look(struct callers *v, struct scene *s, key_id center)
{
	const struct fold *f = upright_fold(v, s);
	if (center != v->center || v->by != s->fold->tree->by) {
		v->way.n = 0;
		v->row = -1;
	}
	v->center = center;
	v->by = s->fold->tree->by;
	v->found = f && around_look(&v->around, f, s->p, center);
	v->at = AROUND_CALLEES;
	if (!v->found)
		return;
	v->at = follow_way(v);
	describe(v);
}

/* How many rows there are from the cursor on, at most `max`. */
static int
rows_from(struct callers *v, int dir, int max)
{
	int n = 0;
	around_id i = v->at;
	while (n < max && (i = row_beside(v, i, dir)) != AROUND_NONE)
		n++;
	return n;
}

/* Fills rows[] so that the cursor stays where it is, as far as that leaves no gap. */
static void
fill_rows(struct callers *v, int h)
{
	int above = rows_from(v, -1, h), below = rows_from(v, 1, h);
	if (v->row < 0)
		v->row = above < h / 2 ? above : h / 2;
	if (v->row > h - 1)
		v->row = h - 1;
	if (v->row + below < h - 1)
		v->row = h - 1 - below;
	if (v->row > above)
		v->row = above;
	around_id i = v->at;
	for (int k = 0; k < v->row; k++)
		i = row_beside(v, i, -1);
	v->rows.n = 0;
	for (; i != AROUND_NONE && (int)v->rows.n < h; i = row_beside(v, i, 1))
		*vec_push(&v->rows) = i;
}

/* What is in the middle is the selection. */
static void
propose_hottest(const struct scene *s)
{
	key_id key = nav_hottest(s->fold, s->p);
	if (key != KEY_NONE)
		nav_propose(s->nav, s->fold, s->p, key);
}

static void
callers_arrange(void *view, struct scene *s, struct area a)
{
	struct callers *v = view;
	if (s->nav->key == KEY_NONE && !s->nav->away)
		propose_hottest(s);
	bool refolded = v->folds != s->folds, moved = v->moves != s->nav->moves;
	int h = a.h > 1 ? a.h - 1 : 1;
	/* A fold settles the selection, which moves it to where it was. */
	bool elsewhere = s->nav->key != v->seen || (moved && !refolded);
	if (v->by != s->fold->tree->by)
		elsewhere = true;
	if (refolded || elsewhere) {
		key_id key = elsewhere ? s->nav->key : v->center;
		look(v, s, key);
	}
	v->folds = s->folds;
	v->moves = s->nav->moves;
	v->seen = s->nav->key;
	v->h = h;
	v->rows.n = 0;
	if (v->found)
		fill_rows(v, h);
}

/* ---- drawing ---- */

/* Where the columns stand; 0 wide: not there. */
struct columns_at {
	int calls_w, bar_w, name_x, name_w, place_w;
};

static struct columns_at
columns_at(const struct callers *v, struct area a)
{
	struct columns_at at = {0};
	bool compares = v->around.fold->compares;
	if (v->around.fold->now.calls && !compares)
		at.calls_w = 10;
	if (a.w >= 100 && !compares)
		at.bar_w = BAR_COLS + 1;
	at.name_x = (compares ? COMPARE_COLS : 34) + at.calls_w + at.bar_w;
	at.place_w = a.w >= 120 ? a.w / 4 : 0;
	at.name_w = a.w - at.name_x - at.place_w;
	return at;
}

static void
draw_head(const struct callers *v, struct canvas *c, struct area a)
{
	struct columns_at at = columns_at(v, a);
	canvas_fill(c, (struct area){a.y, a.x, 1, a.w}, INK_HEAD, ' ');
	if (v->around.fold->compares) {
		compare_draw_head(c, a.y, a.x);
	} else {
		canvas_right(c, a.y, a.x, 9, INK_HEAD_SORTED, "total ▾");
		canvas_right(c, a.y, a.x + 9, 7, INK_HEAD, "% of •");
		canvas_right(c, a.y, a.x + 17, 9, INK_HEAD, "self");
		canvas_right(c, a.y, a.x + 26, 7, INK_HEAD, "% of •");
	}
	if (at.calls_w)
		canvas_right(c, a.y, a.x + 34, at.calls_w - 1, INK_HEAD, "calls");
	canvas_fit(c, a.y, a.x + at.name_x, at.name_w, INK_HEAD,
		   "callers, • function, callees");
	if (at.place_w)
		canvas_fit(c, a.y, a.x + at.name_x + at.name_w, at.place_w, INK_HEAD,
			   "where");
}

static void
draw_number(const struct callers *v, const struct scene *s, struct canvas *c, int y, int x,
	    int64_t value, enum ink ink, bool here)
{
	int64_t whole = around_get(&v->around, AROUND_CALLEES)->total;
	struct buf text = BUF_INIT;
	if (!here)
		ink = theme_heat(value, whole);
	show_value(s, value, &text);
	canvas_right(c, y, x, 9, ink, buf_str(&text));
	buf_reset(&text);
	if (whole)
		buf_addf(&text, "%.1f", 100.0 * (double)value / (double)whole);
	canvas_right(c, y, x + 9, 7, ink, buf_str(&text));
	buf_release(&text);
}

static void
draw_name(const struct callers *v, const struct scene *s, struct canvas *c, int y, int x,
	  int w, around_id i, enum ink ink)
{
	const struct around_node *n = around_get(&v->around, i);
	bool hit = n->key != KEY_NONE && search_hits_key(s->search, n->key);
	bool center = i == AROUND_CALLEES, here = ink != INK_TEXT;
	struct buf text = BUF_INIT, name = BUF_INIT;
	int indent = center ? 0 : (n->depth > 10000 ? 10000 : (int)n->depth) * 2;
	if (indent > w / 2) {
		indent = w / 2;
		buf_addf(&text, "%u› ", n->depth);
	}
	if (hit)
		buf_addc(&text, '*');
	if (n->key == KEY_NONE)
		buf_adds(&name, "(no caller)");
	else
		show_key(s, n->key, &name);
	shorten_name(buf_str(&name), w - indent - 2 - text_cols(buf_str(&text)), &text);
	const char *mark = center                      ? "• "
			   : !around_has(&v->around, i) ? "  "
			   : !is_open(v, i)             ? "▸ "
			   : around_is_caller(&v->around, i) ? "▴ "
							     : "▾ ";
	canvas_text(c, y, x + indent, 2, here ? ink : INK_DIM, mark);
	canvas_fit(c, y, x + indent + 2, w - indent - 2,
		   here     ? ink
		   : hit    ? INK_HIT
		   : center ? INK_STRONG
			    : INK_TEXT,
		   buf_str(&text));
	buf_release(&text);
	buf_release(&name);
}

static void
draw_row(const struct callers *v, const struct scene *s, struct canvas *c, struct area a,
	 int y, around_id i)
{
	const struct around_node *n = around_get(&v->around, i);
	struct columns_at at = columns_at(v, a);
	bool here = i == v->at;
	enum ink ink = here ? INK_HERE : INK_TEXT;
	struct buf text = BUF_INIT;
	canvas_fill(c, (struct area){y, a.x, 1, at.name_x + at.name_w}, ink, ' ');
	if (s->fold->compares) {
		compare_draw(s, c, y, a.x, n->total, n->base_total, ink);
	} else {
		draw_number(v, s, c, y, a.x, n->total, ink, here);
		draw_number(v, s, c, y, a.x + 17, n->self, ink, here);
	}
	if (at.calls_w) {
		human_count(&text, n->calls);
		canvas_right(c, y, a.x + 34, at.calls_w - 1, ink, buf_str(&text));
	}
	if (at.bar_w)
		canvas_bar(c, y, a.x + at.name_x - at.bar_w, at.bar_w - 1,
			   here ? ink : INK_BAR, n->total,
			   around_get(&v->around, AROUND_CALLEES)->total);
	draw_name(v, s, c, y, a.x + at.name_x, at.name_w, i, ink);
	if (at.place_w) {
		buf_reset(&text);
		show_place(s, n->key, &text);
		if (!text.len)
			show_module(s, n->key, &text);
		canvas_fit_tail(c, y, a.x + at.name_x + at.name_w + 1, at.place_w - 1,
				INK_DIM, buf_str(&text));
	}
	if (here)
		canvas_char(c, y, a.x, ink, '>');
	buf_release(&text);
}

static void
draw_missing(const struct callers *v, const struct scene *s, struct canvas *c, struct area a)
{
	struct buf text = BUF_INIT;
	if (v->center == KEY_NONE) {
		buf_adds(&text, "No function has cost anything here.  3 lists them all.");
	} else {
		show_key(s, v->center, &text);
		buf_adds(&text, " is not in what is shown.  3 lists what is.");
	}
	int cols = text_cols(buf_str(&text));
	cols = cols > a.w ? a.w : cols;
	canvas_fit(c, a.y + a.h / 2, a.x + (a.w - cols) / 2, cols, INK_STRONG,
		   buf_str(&text));
	buf_release(&text);
}

static void
callers_draw(const void *view, const struct scene *s, struct canvas *c, struct area a)
{
	const struct callers *v = view;
	if (!v->found) {
		draw_missing(v, s, c, a);
		return;
	}
	draw_head(v, c, a);
	for (size_t i = 0; i < v->rows.n; i++)
		draw_row(v, s, c, a, a.y + 1 + (int)i, v->rows.at[i]);
}

/* ---- actions ---- */

static void
go(struct callers *v, struct scene *s, around_id to)
{
	key_id key = around_get(&v->around, to)->key;
	v->at = to;
	remember_way(v);
	describe(v);
	if (key == KEY_NONE)
		return;
	nav_select_key(s->nav, s->fold, s->p, key);
	v->moves = s->nav->moves;
	v->seen = key;
}

static void
step(struct callers *v, struct scene *s, int by)
{
	around_id at = v->at;
	for (; by; by += by < 0 ? 1 : -1) {
		around_id n = row_beside(v, at, by);
		if (n == AROUND_NONE)
			break;
		at = n;
		v->row += by < 0 ? -1 : 1;
	}
	v->row = v->row < 0 ? 0 : v->row;
	go(v, s, at);
}

static void
to_parent(struct callers *v, struct scene *s)
{
	around_id up = around_get(&v->around, v->at)->parent;
	v->row = -1;
	if (up != AROUND_NONE)
		go(v, s, up == AROUND_CALLERS ? AROUND_CALLEES : up);
}

/* Opens along the heaviest line, on the side of the cursor; from the function, callees. */
static void
hot_path(struct callers *v, struct scene *s)
{
	around_id at = v->at, first;
	bool caller = around_is_caller(&v->around, at);
	while ((first = around_first(&v->around, at)) != AROUND_NONE) {
		const struct around_node *n = around_get(&v->around, at);
		if (around_get(&v->around, first)->key == KEY_NONE ||
		    (!caller && n->self > around_get(&v->around, first)->total))
			break;
		set_open(v, at, true);
		at = first;
	}
	go(v, s, at);
}

static void
all_open(struct callers *v, struct scene *s, bool open)
{
	v->rule = open ? RULE_ALL : RULE_NONE;
	v->marks.n = 0;
	v->row = -1;
	if (!open)
		go(v, s, AROUND_CALLEES);
}

static void
center(struct callers *v, struct scene *s)
{
	key_id key = around_get(&v->around, v->at)->key;
	if (key == KEY_NONE)
		return;
	look(v, s, key);
	if (v->found)
		go(v, s, AROUND_CALLEES);
}

/* The rows of the function that is furthest out, or the function. */
/* The first (-1) or last row; the center has one. */
static around_id
end_row(struct callers *v, int dir)
{
	around_id at = dir > 0 ? AROUND_CALLEES : AROUND_CALLERS;
	for (;;) {
		around_id last = is_open(v, at) ? around_last(&v->around, at) : AROUND_NONE;
		if (last == AROUND_NONE)
			break;
		at = last;
	}
	return at == AROUND_CALLERS ? AROUND_CALLEES : at;
}

static void
to_end(struct callers *v, struct scene *s, int dir)
{
	v->row = dir > 0 ? v->h - 1 : 0;
	go(v, s, end_row(v, dir));
}

static enum reply
callers_move(struct callers *v, struct scene *s, enum action action)
{
	switch (action) {
	case ACTION_DOWN:
		step(v, s, 1);
		return REPLY_DONE;
	case ACTION_UP:
		step(v, s, -1);
		return REPLY_DONE;
	case ACTION_HALF_DOWN:
	case ACTION_PAGE_DOWN:
		step(v, s, action == ACTION_HALF_DOWN ? (v->h + 1) / 2 : v->h);
		return REPLY_DONE;
	case ACTION_HALF_UP:
	case ACTION_PAGE_UP:
		step(v, s, action == ACTION_HALF_UP ? -((v->h + 1) / 2) : -v->h);
		return REPLY_DONE;
	case ACTION_FIRST:
	case ACTION_LAST:
		to_end(v, s, action == ACTION_LAST ? 1 : -1);
		return REPLY_DONE;
	case ACTION_OUT:
		to_parent(v, s);
		return REPLY_DONE;
	default:
		return REPLY_PASS;
	}
}

static enum reply
callers_act(void *view, struct scene *s, enum action action)
{
	struct callers *v = view;
	if (!v->found)
		return REPLY_PASS;
	switch (action) {
	case ACTION_LEFT:
		if (is_open(v, v->at) && around_has(&v->around, v->at) &&
		    v->at != AROUND_CALLEES)
			set_open(v, v->at, false);
		else
			to_parent(v, s);
		return REPLY_DONE;
	case ACTION_RIGHT:
		if (is_open(v, v->at) && around_first(&v->around, v->at) != AROUND_NONE)
			go(v, s, around_first(&v->around, v->at));
		else
			set_open(v, v->at, true);
		return REPLY_DONE;
	case ACTION_TOGGLE:
		set_open(v, v->at, !is_open(v, v->at));
		return REPLY_DONE;
	case ACTION_OPEN:
	case ACTION_CLOSE:
		set_open(v, v->at, action == ACTION_OPEN);
		return REPLY_DONE;
	case ACTION_HOT:
		hot_path(v, s);
		return REPLY_DONE;
	case ACTION_OPEN_ALL:
	case ACTION_CLOSE_ALL:
		all_open(v, s, action == ACTION_OPEN_ALL);
		return REPLY_DONE;
	case ACTION_ENTER:
		center(v, s);
		return REPLY_DONE;
	default:
		return callers_move(v, s, action);
	}
}

static enum reply
callers_click(void *view, struct scene *s, int y, int x, bool twice)
{
	struct callers *v = view;
	(void)x;
	if (!v->found || y < 1 || (size_t)(y - 1) >= v->rows.n)
		return REPLY_PASS;
	v->row = y - 1;
	go(v, s, v->rows.at[y - 1]);
	if (twice)
		center(v, s);
	return REPLY_DONE;
}

/* Among the rows, going round at the ends. */
static bool
callers_find(void *view, struct scene *s, int dir)
{
	struct callers *v = view;
	around_id at = v->at;
	if (!v->found)
		return false;
	for (unsigned i = 0; i < FIND_ROWS; i++) {
		around_id n = row_beside(v, at, dir);
		if (n == AROUND_NONE)
			n = end_row(v, -dir);
		at = n;
		key_id key = around_get(&v->around, at)->key;
		if (key != KEY_NONE && search_hits_key(s->search, key)) {
			v->row = -1;
			go(v, s, at);
			return true;
		}
	}
	return false;
}

static bool
callers_describe(const void *view, const struct scene *s, struct row *out)
{
	const struct callers *v = view;
	(void)s;
	if (!v->found || v->described.key == KEY_NONE)
		return false;
	*out = v->described;
	return true;
}

/* The rule that E and C choose.  Rows that were opened one by one are not kept: they are
 * known by ids, which hold for one load alone. */
static void
callers_keep(const void *view, struct buf *out)
{
	const struct callers *v = view;
	if (v->rule != RULE_HEAVY)
		buf_adds(out, v->rule == RULE_ALL ? "open" : "closed");
}

static bool
callers_recall(void *view, const char *words)
{
	struct callers *v = view;
	if (strcmp(words, "open") && strcmp(words, "closed"))
		return false;
	v->rule = *words == 'o' ? RULE_ALL : RULE_NONE;
	return true;
}

static const enum action callers_keys[] = {
	ACTION_ENTER,  ACTION_TOGGLE,    ACTION_HOT,    ACTION_OPEN_ALL,
	ACTION_SEARCH, ACTION_TRANSFORM, ACTION_METRIC, ACTION_FILTER,
	ACTION_HELP,   ACTION_BACK,      ACTION_NONE,
};

const struct view_ops callers_view = {
	.name = "callers",
	.digit = '4',
	.open = ACTION_VIEW_CALLERS,
	.scope = SCOPE_TREE,
	.about =
		"The function • in the middle, above it who calls it, below it what it\n"
		"calls; Enter puts the selected line in the middle.  Numbers of a caller\n"
		"are the function's when it was called this way, those of a callee its\n"
		"own; % are shares of the function's total.  Where the function calls\n"
		"itself, each stack counts once, at the outermost call.\n",
	.enter = "to the middle",
	.keys = callers_keys,
	.create = callers_create,
	.destroy = callers_destroy,
	.arrange = callers_arrange,
	.draw = callers_draw,
	.act = callers_act,
	.click = callers_click,
	.find = callers_find,
	.describe = callers_describe,
	.keep = callers_keep,
	.recall = callers_recall,
};
