/* functions.c - a table of everything that has a cost of its own.
 *
 * The rows are those of `pnav report`; they are sorted when the fold or the order changes,
 * not when the cursor moves.  The selection is a key: moving the cursor here selects the
 * heaviest stack of that function in the other views.  Columns are those of
 * model/columns.c that have a title. */
#include "ui/view/view.h"

#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include "ui/part/grid.h"

#define NAME_MIN 22

struct functions {
	struct rows rows;
	int64_t shown, user; /* self of all rows, and of those that are user code */
	struct grid_order order;
	bool unsorted;
	bool compares;
	uint64_t folds, moves;
	struct scroll scroll;
	int w;
};

/* The column that a table is sorted by at the start. */
static unsigned
first_column(bool compares)
{
	return (unsigned)((compares ? column_find("delta_self", 10, ROWS_FOLD)
				    : column_find("self", 4, ROWS_FOLD)) -
			  table_columns);
}

static void *
functions_create(void)
{
	struct functions *v = mem_zalloc(1, sizeof *v);
	v->folds = UINT64_MAX;
	v->order.column = first_column(false);
	return v;
}

static void
functions_destroy(void *view)
{
	struct functions *v = view;
	rows_release(&v->rows);
	free(v);
}

static struct look
look_of(const struct functions *v, const struct scene *s)
{
	struct look look;
	look_init(&look, s->p, s->fold);
	look.shown = v->shown;
	look.user = v->user;
	return look;
}

/* ---- which columns there are ---- */

struct columns {
	const struct scene *s;
	const struct look *look;
};

static bool
is_there(const void *of, unsigned c)
{
	const struct columns *t = of;
	const struct table_column *col = &table_columns[c];
	if (!col->title || !(col->rows & ROWS_FOLD))
		return false;
	if (t->s->facts->columns && !t->look->compares && !(t->s->facts->columns >> c & 1))
		return false;
	return column_is_there(col, t->look);
}

/* One column of the screen stays free at the right. */
static void
lay_out(const struct functions *v, const struct scene *s, const struct look *look, int w,
	struct grid *g)
{
	struct columns there = {s, look};
	grid_init(g, s, look);
	for (unsigned i = 0; i < n_table_columns; i++) {
		struct grid_column *c =
			is_there(&there, i) ? grid_add(g, &table_columns[i]) : NULL;
		if (!c)
			continue;
		c->mark = grid_order_mark(&v->order, c->of);
		c->sorted = i == v->order.column;
		c->arrows = true;
	}
	grid_fit(g, w - 1, NAME_MIN);
}

/* ---- the rows ---- */

static void
refill(struct functions *v, const struct scene *s)
{
	fold_rows(s->fold, s->p, &v->rows);
	struct look look = look_of(v, s);
	v->shown = v->user = 0;
	for (uint32_t i = 0; i < v->rows.n; i++) {
		const struct row *r = &v->rows.at[i];
		v->shown += r->self;
		v->user += look_is_user(&look, r) ? r->self : 0;
	}
	if (s->fold->compares && !v->compares && v->order.column == first_column(false))
		v->order.column = first_column(true);
	v->compares = s->fold->compares;
	if (!is_there(&(struct columns){s, &look}, v->order.column))
		v->order.column = first_column(false);
}

static void
sort(struct functions *v, const struct scene *s)
{
	struct look look = look_of(v, s);
	grid_sort(&v->order, &look, &v->rows);
}

static int64_t
row_of_selection(const struct functions *v, const struct scene *s)
{
	for (uint32_t i = 0; i < v->rows.n; i++)
		if (v->rows.at[i].key == s->nav->key)
			return i;
	return v->scroll.at;
}

static void
functions_arrange(void *view, struct scene *s, struct area a)
{
	struct functions *v = view;
	bool anew = v->folds != s->folds, sorts = anew || v->unsorted;
	key_id before = v->scroll.at < v->rows.n ? v->rows.at[v->scroll.at].key : KEY_NONE;
	int64_t row = v->scroll.at - v->scroll.top;
	v->w = a.w;
	v->scroll.h = a.h > 1 ? a.h - 1 : 1;
	if (anew)
		refill(v, s);
	if (sorts)
		sort(v, s);
	/* the row that is shown as selected is selected, from the first picture on */
	if (v->rows.n && (s->nav->proposed ? sorts : nav_is_free(s->nav)))
		nav_propose(s->nav, s->fold, s->p, v->rows.at[0].key);
	if (sorts || v->moves != s->nav->moves)
		v->scroll.at = row_of_selection(v, s);
	/* none of these lines is the selection: what costs most here is worth seeing */
	if (anew && s->nav->away)
		v->scroll.at = v->scroll.top = 0;
	v->folds = s->folds;
	v->moves = s->nav->moves;
	v->unsorted = false;
	/* other numbers: the selected line stays where it is on the screen */
	if (anew && before != KEY_NONE && before == s->nav->key)
		v->scroll.top = v->scroll.at - row;
	scroll_fit(&v->scroll, v->rows.n);
}

static void
functions_draw(const void *view, const struct scene *s, struct canvas *c, struct area a)
{
	const struct functions *v = view;
	const struct scroll *at = &v->scroll;
	struct look look = look_of(v, s);
	struct grid g;
	lay_out(v, s, &look, a.w, &g);
	grid_draw_head(&g, c, a.y, a.x, a.w);
	for (int64_t i = at->top; i < v->rows.n && i < at->top + at->h; i++)
		grid_draw_row(&g, c, a.y + 1 + (int)(i - at->top), a.x, &v->rows.at[i],
			      i == at->at && !s->nav->away, NULL, NULL);
}

/* ---- actions ---- */

static void
go(struct functions *v, struct scene *s, int64_t to)
{
	if (!v->rows.n)
		return;
	v->scroll.at = scroll_clip(to, v->rows.n);
	nav_select_key(s->nav, s->fold, s->p, v->rows.at[v->scroll.at].key);
	v->moves = s->nav->moves;
}

static enum reply
functions_act(void *view, struct scene *s, enum action action)
{
	struct functions *v = view;
	struct look look = look_of(v, s);
	struct columns there = {s, &look};
	int64_t at = s->nav->away ? -1 : v->scroll.at, by = scroll_by(action, v->scroll.h);
	if (by) {
		go(v, s, at + by);
		return REPLY_DONE;
	}
	switch ((int)action) {
	case ACTION_SORT_LEFT:
	case ACTION_LEFT:
		v->unsorted |= grid_order_step(&v->order, -1, is_there, &there);
		return REPLY_DONE;
	case ACTION_SORT_RIGHT:
	case ACTION_RIGHT:
		v->unsorted |= grid_order_step(&v->order, 1, is_there, &there);
		return REPLY_DONE;
	case ACTION_SORT_REVERSE:
		v->order.reverse = !v->order.reverse;
		v->unsorted = true;
		return REPLY_DONE;
	case ACTION_ENTER:
		go(v, s, at);
		return REPLY_STACKS;
	default:
		return REPLY_PASS;
	}
}

/* A click on a heading sorts by it; on the sorted one, the other way round. */
static enum reply
functions_click(void *view, struct scene *s, int y, int x, bool twice)
{
	struct functions *v = view;
	if (y == 0) {
		struct look look = look_of(v, s);
		struct grid g;
		lay_out(v, s, &look, v->w, &g);
		const struct grid_column *c = grid_column_at(&g, x);
		if (!c)
			return REPLY_PASS;
		grid_order_by(&v->order, (unsigned)(c->of - table_columns));
		v->unsorted = true;
		return REPLY_DONE;
	}
	if (v->scroll.top + y - 1 >= v->rows.n)
		return REPLY_PASS;
	go(v, s, v->scroll.top + y - 1);
	return twice ? REPLY_STACKS : REPLY_DONE;
}

struct sought {
	const struct rows *rows;
	const struct search *search;
};

static bool
hits(const void *of, int64_t row)
{
	const struct sought *f = of;
	return search_hits_key(f->search, f->rows->at[row].key);
}

static bool
functions_find(void *view, struct scene *s, int dir)
{
	struct functions *v = view;
	struct sought sought = {&v->rows, s->search};
	int64_t row = scroll_find(v->scroll.at, v->rows.n, dir, hits, &sought);
	if (row >= 0)
		go(v, s, row);
	return row >= 0;
}

static bool
functions_describe(const void *view, const struct scene *s, struct row *out)
{
	const struct functions *v = view;
	(void)s;
	if (v->scroll.at >= v->rows.n)
		return false;
	*out = v->rows.at[v->scroll.at];
	return true;
}

/* "total", or "total reversed"; nothing for the order that it begins with. */
static void
functions_keep(const void *view, struct buf *out)
{
	const struct functions *v = view;
	if (v->order.column == first_column(v->compares) && !v->order.reverse)
		return;
	buf_addf(out, "%s%s", table_columns[v->order.column].name,
		 v->order.reverse ? " reversed" : "");
}

static bool
functions_recall(void *view, const char *words)
{
	struct functions *v = view;
	size_t len = strcspn(words, " ");
	const struct table_column *of = column_find(words, len, ROWS_FOLD);
	if (!of || !of->title)
		return false;
	v->order.column = (unsigned)(of - table_columns);
	v->order.reverse = !strcmp(words + len, " reversed");
	v->unsorted = true;
	return true;
}

static const enum action functions_keys[] = {
	ACTION_SORT_LEFT, ACTION_SORT_RIGHT, ACTION_SORT_REVERSE, ACTION_ENTER,
	ACTION_SEARCH,    ACTION_FILTER,     ACTION_TRANSFORM,    ACTION_METRIC,
	ACTION_BY,        ACTION_HELP,       ACTION_BACK,         ACTION_NONE,
};

const struct view_ops functions_view = {
	.name = "functions",
	.digit = '3',
	.open = ACTION_VIEW_FUNCTIONS,
	.scope = SCOPE_TABLE,
	.about =
		"Each line is a function: self was spent in it, total with all that it\n"
		"called.  Self% and Total% are shares of everything in range, Disp% of\n"
		"what is displayed, User% of the user's own functions.  Enter shows its\n"
		"heaviest stack.\n",
	.enter = "stacks",
	.keys = functions_keys,
	.create = functions_create,
	.destroy = functions_destroy,
	.arrange = functions_arrange,
	.draw = functions_draw,
	.act = functions_act,
	.click = functions_click,
	.find = functions_find,
	.describe = functions_describe,
	.keep = functions_keep,
	.recall = functions_recall,
};
