/* functions.c - a table of all functions with a cost.
 *
 * The rows are those of `pnav report`.  They are sorted lazily: only the positions on the
 * screen, and those on the way there, get sorted, since two million rows are never read.  Even
 * this takes longer than a key may, so new rows and new orders are made in the background
 * (functions_rows.c) and then replace the old ones.  The selection is a key: moving the cursor
 * here selects the heaviest stack of that function in the other views.  The columns are those
 * of columns.c that have a title.
 *
 * Invariant: `rows` and `sorted` belong together, by the order in sorted_by. */
#include "ui/view/functions.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/calls/callwalk.h"
#include "ui/part/sparks.h"

#define NAME_MIN 22
#define TIMES_PORTION 60000u /* events a frame */
#define TIMES_COLS 110
#define TIMES_EVENTS 5000000u

static void *
functions_create(void)
{
	struct functions_state *v = mem_zalloc(1, sizeof *v);
	v->folds = UINT64_MAX;
	v->order.column = functions_first_column(false);
	order_init(&v->sorted);
	order_init(&v->next.sorted);
	return v;
}

static void
functions_destroy(void *view)
{
	struct functions_state *v = view;
	work_free(v->work);
	rows_release(&v->rows);
	rows_release(&v->next.rows);
	order_release(&v->sorted);
	order_release(&v->next.sorted);
	calltimes_free(v->times);
	pattern_unref(v->only);
	buf_release(&v->title);
	free(v);
}

/* ---- which columns there are ---- */

/* The last column of the screen stays free. */
static void
lay_out(const struct functions_state *v, const struct scene *s, const struct look *look, int w,
	struct grid *g)
{
	struct functions_columns there = {s, look};
	grid_init(g, s, look);
	for (unsigned i = 0; i < n_table_columns; i++) {
		struct grid_column *c =
			functions_has_column(&there, i) ? grid_add(g, &table_columns[i]) : NULL;
		if (!c)
			continue;
		c->mark = grid_order_mark(&v->order, c->of);
		c->sorted = i == v->order.column;
		c->arrows = true;
		if (v->only && !c->width)
			c->title = buf_str(&v->title);
		if (!c->width && sparks_cols(s, w))
			grid_add_cell(g, GRID_SPARK, "over time", sparks_cols(s, w));
	}
	grid_fit(g, w - 1, NAME_MIN);
}

/* ---- the rows ---- */

/* True if a chosen column needs the replayed calls.  By default a wide screen shows such columns,
 * if the trace can be replayed in a few frames. */
static bool
wants_times(const struct functions_state *v, const struct scene *s)
{
	bool wanted = !s->facts->columns && (v->w >= TIMES_COLS || !s->fold->whole) &&
		      s->p->events <= TIMES_EVENTS && callwalk_has_calls(s->p);
	for (unsigned i = 0; i < n_table_columns; i++)
		if (column_replays(&table_columns[i], s->fold->whole) &&
		    table_columns[i].rows & ROWS_FOLD)
			wanted |= s->facts->columns >> column_bit(&table_columns[i]) & 1 ||
				  i == v->order.column; /* ... though it may have no room */
	return wanted && callwalk_has_calls(s->p);
}

/* Replays them, a portion a frame; returns true when all are known. */
static bool
read_times(struct functions_state *v, struct scene *s, bool anew)
{
	if (!wants_times(v, s))
		return false;
	if (anew || !v->times) {
		uint8_t *tracks;
		struct slice slice = fold_slice(s->fold, s->p, &tracks);
		calltimes_free(v->times);
		v->times = calltimes_new(s->p, &slice);
		v->timed = false;
		free(tracks);
	}
	if (v->timed)
		return false;
	v->timed = calltimes_run(v->times, TIMES_PORTION);
	s->again |= !v->timed;
	return v->timed;
}

static struct row
row_at(struct functions_state *v, const struct scene *s, int64_t place)
{
	struct functions_sorting is;
	functions_sorting(&is, v, s);
	return rows_get(&v->rows, order_at(&v->sorted, (uint32_t)place, &is.by));
}

/* Sorts the positions that drawing will read. */
static void
sort_screen(struct functions_state *v, const struct scene *s)
{
	struct functions_sorting is;
	const struct scroll *at = &v->scroll;
	functions_sorting(&is, v, s);
	for (int64_t i = at->top; i < v->rows.n && i < at->top + at->h; i++)
		order_at(&v->sorted, (uint32_t)i, &is.by);
}

/* If the selection is not among the displayed rows, one of those is selected. */
static void
go_to_selection(struct functions_state *v, const struct scene *s)
{
	struct functions_sorting is;
	functions_sorting(&is, v, s);
	for (uint32_t i = 0; i < v->rows.n; i++)
		if (v->rows.key[i] == s->nav->key) {
			v->scroll.at = order_place(&v->sorted, i, &is.by);
			return;
		}
	if ((v->only || v->unsure) && v->rows.n) {
		v->scroll.at = scroll_clip(v->scroll.at, v->rows.n);
		nav_select_key(s->nav, s->fold, s->p, row_at(v, s, v->scroll.at).key);
	}
}

/* Moves the cursor to the selection. */
static void
settle(struct functions_state *v, struct scene *s, bool anew, bool sorts)
{
	key_id before = v->here;
	int64_t row = v->scroll.at - v->scroll.top;
	/* the displayed selection is the real one from the first picture on */
	if (v->rows.n && (s->nav->proposed ? sorts : nav_is_free(s->nav)))
		nav_propose(s->nav, s->fold, s->p, row_at(v, s, 0).key);
	if (sorts || v->moves != s->nav->moves)
		go_to_selection(v, s);
	/* none of the rows is the selection, so show the costliest one */
	if (anew && s->nav->away)
		v->scroll.at = v->scroll.top = 0;
	v->moves = s->nav->moves;
	/* new numbers: the selected line stays in place on the screen */
	if (anew && before != KEY_NONE && before == s->nav->key)
		v->scroll.top = v->scroll.at - row;
	scroll_fit(&v->scroll, v->rows.n);
	sort_screen(v, s);
	v->here = v->rows.n ? row_at(v, s, v->scroll.at).key : KEY_NONE;
}

static void
make_sparks(const struct functions_state *v, struct scene *s)
{
	VEC(spark_id) seen = VEC_INIT;
	if (!sparks_cols(s, v->w))
		return;
	for (int64_t i = v->scroll.top; i < v->rows.n && i < v->scroll.top + v->scroll.h; i++)
		*vec_push(&seen) =
			spark_of_key(v->rows.key[order_get(&v->sorted, (uint32_t)i)]);
	sparks_make(s->sparks, s, seen.at, seen.n);
	vec_release(&seen);
}

static void
functions_arrange(void *view, struct scene *s, struct area a)
{
	struct functions_state *v = view;
	bool anew = v->folds != s->folds, sorts = false, refills = false;
	if (anew)
		work_drop(v->work); /* the work also reads the times */
	v->w = a.w;
	bool timed = read_times(v, s, anew);
	v->scroll.h = a.h > 1 ? a.h - 1 : 1;
	/* a new fold, displayed or in the making, drops works that rest */
	bool dropped = v->makes && !work_busy(v->work) && !v->next.done;
	if (anew || v->unsorted || timed || dropped)
		functions_begin_rows(v, s, anew);
	if (v->makes && work_on(v->work, s->portion_ns)) {
		v->makes = false;
		refills = v->next.refills;
		sorts = true;
		functions_take_rows(v);
	}
	if (!v->makes) {
		settle(v, s, refills, sorts);
	} else {
		scroll_fit(&v->scroll, v->rows.n);
		sort_screen(v, s);
	}
	make_sparks(v, s);
}

static void
functions_draw(const void *view, const struct scene *s, struct canvas *c, struct area a)
{
	const struct functions_state *v = view;
	const struct scroll *at = &v->scroll;
	struct look look = functions_look(v, s);
	struct grid g;
	lay_out(v, s, &look, a.w, &g);
	grid_draw_head(&g, c, a.y, a.x, a.w);
	grid_draw_standing(c, a.y, a.x, a.w,
			   &(struct standing){.at = v->rows.n ? (uint64_t)at->at + !s->nav->away
							    : 0,
					      .all = v->rows.n});
	if (v->only && !v->rows.n)
		canvas_text(c, a.y + 1, a.x + 1, a.w - 1, INK_TEXT,
			    "No row matches.  f changes the pattern, Esc shows all.");
	else if (v->unsure && !v->rows.n)
		canvas_text(c, a.y + 1, a.x + 1, a.w - 1, INK_TEXT,
			    "No change is more than chance here.");
	for (int64_t i = at->top; i < v->rows.n && i < at->top + at->h; i++) {
		struct row r = rows_get(&v->rows, order_get(&v->sorted, (uint32_t)i));
		grid_draw_row(&g, c, a.y + 1 + (int)(i - at->top), a.x, &r,
			      i == at->at && !s->nav->away, NULL, NULL);
	}
}

static bool
functions_shows_column(const void *view, const struct scene *s, const char *column)
{
	const struct functions_state *v = view;
	struct look look = functions_look(v, s);
	struct grid g;
	lay_out(v, s, &look, v->w, &g);
	return grid_shows(&g, column);
}

/* ---- actions ---- */

static void
functions_go(struct functions_state *v, struct scene *s, int64_t to)
{
	if (!v->rows.n)
		return;
	v->scroll.at = scroll_clip(to, v->rows.n);
	nav_select_key(s->nav, s->fold, s->p, row_at(v, s, v->scroll.at).key);
	v->moves = s->nav->moves;
}

static void
functions_set_row_filter(void *view, struct pattern *p)
{
	struct functions_state *v = view;
	work_drop(v->work); /* the work may be using the pattern */
	pattern_unref(v->only);
	v->only = p;
	v->folds = UINT64_MAX; /* the rows change */
	if (v->scroll.at)
		v->here = KEY_NONE;
	v->scroll.at = 0;
	buf_reset(&v->title);
	if (p)
		buf_addf(&v->title, "only '%s'", pattern_text(p));
}

static struct pattern *
functions_row_filter(const void *view)
{
	return ((const struct functions_state *)view)->only;
}

static enum reply
functions_act(void *view, struct scene *s, enum action action)
{
	struct functions_state *v = view;
	struct look look = functions_look(v, s);
	struct functions_columns there = {s, &look};
	int64_t at = s->nav->away ? -1 : v->scroll.at, by = scroll_by(action, v->scroll.h);
	if (by) {
		functions_go(v, s, at + by);
		return REPLY_DONE;
	}
	switch ((int)action) {
	case ACTION_SORT_LEFT:
	case ACTION_LEFT:
		v->unsorted |= grid_order_step(&v->order, -1, functions_has_column, &there);
		return REPLY_DONE;
	case ACTION_SORT_RIGHT:
	case ACTION_RIGHT:
		v->unsorted |= grid_order_step(&v->order, 1, functions_has_column, &there);
		return REPLY_DONE;
	case ACTION_SORT_REVERSE:
		v->order.reverse = !v->order.reverse;
		v->unsorted = true;
		return REPLY_DONE;
	case ACTION_ENTER:
		functions_go(v, s, at);
		return REPLY_STACKS;
	case ACTION_CANCEL:
		if (!v->only)
			return REPLY_PASS;
		functions_set_row_filter(v, NULL);
		return REPLY_DONE;
	default:
		return REPLY_PASS;
	}
}

/* A click on a heading sorts by it, or reverses the order if it is sorted already. */
static enum reply
functions_click(void *view, struct scene *s, int y, int x, bool twice)
{
	struct functions_state *v = view;
	if (y == 0) {
		struct look look = functions_look(v, s);
		struct grid g;
		lay_out(v, s, &look, v->w, &g);
		const struct grid_column *c = grid_column_at(&g, x);
		if (!c || !c->of)
			return REPLY_PASS;
		grid_order_by(&v->order, (unsigned)(c->of - table_columns));
		v->unsorted = true;
		return REPLY_DONE;
	}
	if (v->scroll.top + y - 1 >= v->rows.n)
		return REPLY_PASS;
	functions_go(v, s, v->scroll.top + y - 1);
	return twice ? REPLY_STACKS : REPLY_DONE;
}

static bool
functions_hover(void *view, const struct scene *s, int y, int x, struct row *out,
		struct buf *more)
{
	const struct functions_state *v = view;
	int64_t at = v->scroll.top + y - 1;
	(void)s;
	(void)x;
	(void)more;
	if (y < 1 || at >= v->rows.n)
		return false;
	*out = rows_get(&v->rows, order_get(&v->sorted, (uint32_t)at));
	return true;
}

struct functions_sought {
	const struct functions_state *v;
	const struct search *search;
};

static bool
functions_is_hit(const void *of, uint32_t row)
{
	const struct functions_sought *x = of;
	return search_hits_key(x->search, x->v->rows.key[row]);
}

/* Finds the nearest hit, from the end to the beginning again. */
static bool
functions_find(void *view, struct scene *s, int dir)
{
	struct functions_state *v = view;
	struct functions_sorting is;
	struct functions_sought sought = {v, s->search};
	functions_sorting(&is, v, s);
	if (!v->rows.n || v->makes || v->folds != s->folds || !s->search->keys)
		return false;
	uint32_t end = dir > 0 ? 0 : v->rows.n - 1;
	uint32_t to = order_seek(&v->sorted, (uint32_t)v->scroll.at, dir, functions_is_hit, &sought,
				 &is.by);
	if (to == v->rows.n && functions_is_hit(&sought, order_at(&v->sorted, end, &is.by)))
		to = end;
	if (to == v->rows.n)
		to = order_seek(&v->sorted, end, dir, functions_is_hit, &sought, &is.by);
	if (to == v->rows.n)
		return false;
	functions_go(v, s, to);
	return true;
}

/* Counts the hits in rows [from, to).  The caller has sorted those positions, or nothing follows
 * the last one. */
static uint64_t
count_hits(const struct functions_state *v, const struct scene *s, uint32_t from, uint32_t to)
{
	uint64_t n = 0;
	for (uint32_t i = from; i < to; i++)
		n += search_hits_key(s->search, v->rows.key[order_get(&v->sorted, i)]);
	return n;
}

/* The total is counted once a search; the number before the cursor is updated from its last
 * position. */
static void
functions_search_position(void *view, const struct scene *s, struct standing *out)
{
	struct functions_state *v = view;
	struct functions_counted *c = &v->counted;
	struct functions_sorting is;
	*out = (struct standing){0};
	if (c->search != s->search->updates || c->made != v->made) {
		*c = (struct functions_counted){.search = s->search->updates, .made = v->made};
		for (uint32_t i = 0; s->search->keys && i < v->rows.n; i++)
			c->all += search_hits_key(s->search, v->rows.key[i]);
	}
	out->all = c->all;
	if (s->nav->away || !v->rows.n || v->makes || v->folds != s->folds || !c->all)
		return;
	functions_sorting(&is, v, s);
	uint32_t at = (uint32_t)v->scroll.at;
	out->here = search_hits_key(s->search,
				    v->rows.key[order_at(&v->sorted, at, &is.by)]);
	if (at > v->rows.n / 2 && c->to == 0) {
		c->to = v->rows.n;
		c->before = c->all;
	}
	if (at >= c->to)
		c->before += count_hits(v, s, c->to, at + 1);
	else
		c->before -= count_hits(v, s, at + 1, c->to);
	c->to = at + 1;
	out->at = c->before;
}

static bool
functions_describe(const void *view, const struct scene *s, struct row *out)
{
	const struct functions_state *v = view;
	(void)s;
	if (v->scroll.at >= v->rows.n || v->sorted.n != v->rows.n)
		return false;
	*out = rows_get(&v->rows, order_get(&v->sorted, (uint32_t)v->scroll.at));
	return true;
}

/* Writes "total", "total reversed", "total only ^read"; nothing for the initial order. */
static void
functions_save_state(const void *view, struct buf *out)
{
	const struct functions_state *v = view;
	if (v->order.column == functions_first_column(v->compares) && !v->order.reverse && !v->only)
		return;
	buf_addf(out, "%s%s", table_columns[v->order.column].name,
		 v->order.reverse ? " reversed" : "");
	if (v->only)
		buf_addf(out, " only %s", pattern_text(v->only));
}

static bool
recall_only(struct functions_state *v, const char *text)
{
	struct err e;
	err_init(&e);
	struct pattern *p = pattern_new(text, strlen(text), &e);
	if (p)
		functions_set_row_filter(v, p);
	return p != NULL;
}

static bool
functions_restore_state(void *view, const char *words)
{
	struct functions_state *v = view;
	size_t len = strcspn(words, " ");
	const struct table_column *of = column_find(words, len, ROWS_FOLD);
	if (!of || !of->title)
		return false;
	v->order.column = (unsigned)(of - table_columns);
	words += len;
	len = strlen(" reversed");
	v->order.reverse = !strncmp(words, " reversed", len);
	v->unsorted = true;
	words += v->order.reverse ? len : 0;
	len = strlen(" only ");
	return !*words || (!strncmp(words, " only ", len) && recall_only(v, words + len));
}

static void
functions_sort_column(const void *view, struct buf *out)
{
	const struct grid_order *order = &((const struct functions_state *)view)->order;
	buf_addf(out, "%s%s", order->reverse ? "-" : "", table_columns[order->column].name);
}

static bool
functions_set_sort_column(void *view, const char *column)
{
	struct functions_state *v = view;
	bool reverse = *column == '-';
	const struct table_column *of =
		column_find(column + reverse, strlen(column + reverse), ROWS_FOLD);
	if (!of || !of->title)
		return false;
	v->order.column = (unsigned)(of - table_columns);
	v->order.reverse = reverse;
	return v->unsorted = true;
}

static uint64_t
functions_omitted_rows(const void *view, const struct scene *s)
{
	(void)s;
	return ((const struct functions_state *)view)->unsure;
}

static const enum action functions_keys[] = {
	ACTION_ENTER, ACTION_SEARCH, ACTION_SORT_LEFT, ACTION_SORT_RIGHT,
	ACTION_SORT_REVERSE, ACTION_TRANSFORM, ACTION_BY, ACTION_NONE,
};

const struct view_ops functions_view = {
	.name = "functions",
	.digit = '3',
	.open = ACTION_VIEW_FUNCTIONS,
	.scope = SCOPE_TABLE,
	.rows = true,
	.about =
		"Each line is a function: self was spent in it, total includes its\n"
		"callees.  Self% and Total% are shares of everything in range, Disp% of\n"
		"the displayed rows, User% of the user functions.  Enter shows the\n"
		"heaviest stack.\n",
	.enter = "stacks",
	.keys = functions_keys,
	.create = functions_create,
	.destroy = functions_destroy,
	.arrange = functions_arrange,
	.draw = functions_draw,
	.act = functions_act,
	.click = functions_click,
	.hover = functions_hover,
	.find = functions_find,
	.search_position = functions_search_position,
	.set_row_filter = functions_set_row_filter,
	.row_filter = functions_row_filter,
	.describe = functions_describe,
	.omitted_rows = functions_omitted_rows,
	.shows_column = functions_shows_column,
	.sort_column = functions_sort_column,
	.set_sort_column = functions_set_sort_column,
	.save_state = functions_save_state,
	.restore_state = functions_restore_state,
};
