/* functions.c - a table of everything that has a cost of its own.
 *
 * The rows are those of `pnav report`; they are sorted when the fold or the order changes,
 * not when the cursor moves.  The selection is a key: moving the cursor here selects the
 * heaviest stack of that function in the other views.  Columns are those of
 * model/columns.c that have a title. */
#include "ui/view/view.h"

#include <stdlib.h>
#include <string.h>

#include "model/columns.h"
#include "model/mem.h"
#include "ui/part/compare.h"
#include "ui/screen/shorten.h"
#include "ui/part/show.h"
#include "ui/screen/text.h"

#define NAME_MIN 22
#define DROPS 8
#define COLUMNS_MAX 64

struct functions {
	struct rows rows;
	int64_t shown, user; /* self of all rows, and of those that are user code */
	unsigned sort;
	bool reverse;
	bool unsorted;
	bool compares;
	uint64_t folds, moves;
	uint32_t at, top;
	int w, h;
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
	v->sort = first_column(false);
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

struct order {
	const struct functions *v;
	const struct look *look;
};

static int
compare(const void *a, const void *b, void *ctx)
{
	const struct order *o = ctx;
	int order = column_compare(&table_columns[o->v->sort], o->look, a, b);
	return o->v->reverse ? -order : order;
}

static bool
is_there(const struct scene *s, const struct look *look, unsigned c)
{
	const struct table_column *col = &table_columns[c];
	if (!col->title || !(col->rows & ROWS_FOLD))
		return false;
	if (s->facts->columns && !s->fold->compares && !(s->facts->columns >> c & 1))
		return false;
	return column_is_there(col, look);
}

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
	if (s->fold->compares && !v->compares && v->sort == first_column(false))
		v->sort = first_column(true);
	v->compares = s->fold->compares;
	if (!is_there(s, &look, v->sort))
		v->sort = first_column(false);
}

static void
functions_arrange(void *view, struct scene *s, struct area a)
{
	struct functions *v = view;
	bool anew = v->folds != s->folds;
	key_id before = v->at < v->rows.n ? v->rows.at[v->at].key : KEY_NONE;
	uint32_t row = v->at - v->top;
	v->w = a.w;
	v->h = a.h > 1 ? a.h - 1 : 1;
	if (anew)
		refill(v, s);
	if (anew || v->unsorted) {
		struct look look = look_of(v, s);
		struct order o = {v, &look};
		if (v->rows.n)
			qsort_r(v->rows.at, v->rows.n, sizeof *v->rows.at, compare, &o);
	}
	/* the row that is shown as selected is selected, from the first picture on */
	if (v->rows.n && (s->nav->proposed ? anew || v->unsorted : nav_is_free(s->nav)))
		nav_propose(s->nav, s->fold, s->p, v->rows.at[0].key);
	if (anew || v->unsorted || v->moves != s->nav->moves)
		for (uint32_t i = 0; i < v->rows.n; i++)
			if (v->rows.at[i].key == s->nav->key) {
				v->at = i;
				break;
			}
	/* none of these lines is the selection: what costs most here is worth seeing */
	if (anew && s->nav->away)
		v->at = v->top = 0;
	v->folds = s->folds;
	v->moves = s->nav->moves;
	v->unsorted = false;
	/* other numbers: the selected line stays where it is on the screen */
	if (anew && before != KEY_NONE && before == s->nav->key)
		v->top = v->at > row ? v->at - row : 0;
	if (v->at >= v->rows.n)
		v->at = v->rows.n ? v->rows.n - 1 : 0;
	if (v->at < v->top)
		v->top = v->at;
	if (v->at >= v->top + (uint32_t)v->h)
		v->top = v->at - (uint32_t)v->h + 1;
	if (v->top + (uint32_t)v->h > v->rows.n)
		v->top = v->rows.n > (uint32_t)v->h ? v->rows.n - (uint32_t)v->h : 0;
}

/* ---- drawing ---- */

struct layout {
	unsigned n;
	unsigned column[COLUMNS_MAX];
	int width[COLUMNS_MAX];
};

static struct layout
lay_out(const struct scene *s, const struct look *look, int w)
{
	bool use[COLUMNS_MAX];
	int used = 0;
	for (unsigned i = 0; i < n_table_columns; i++) {
		use[i] = is_there(s, look, i);
		used += use[i] ? table_columns[i].width + 1 : 0;
	}
	for (unsigned drop = 1; used + NAME_MIN > w && drop <= DROPS; drop++)
		for (unsigned i = n_table_columns; i-- > 0 && used + NAME_MIN > w;)
			if (use[i] && table_columns[i].drop == drop) {
				use[i] = false;
				used -= table_columns[i].width + 1;
			}
	struct layout l = {0};
	for (unsigned i = 0; i < n_table_columns; i++)
		if (use[i]) {
			l.column[l.n] = i;
			l.width[l.n++] = table_columns[i].width ? table_columns[i].width
								: w - used;
		}
	return l;
}

static void
draw_head(const struct functions *v, struct canvas *c, struct area a,
	  const struct layout *l)
{
	int x = a.x;
	canvas_fill(c, (struct area){a.y, a.x, 1, a.w}, INK_HEAD, ' ');
	for (unsigned i = 0; i < l->n; i++) {
		const struct table_column *col = &table_columns[l->column[i]];
		bool sorted = l->column[i] == v->sort;
		enum ink ink = sorted ? INK_HEAD_SORTED : INK_HEAD;
		struct buf title = BUF_INIT;
		bool rising = v->reverse == (col->number != NULL);
		if (sorted && !col->left)
			buf_adds(&title, rising ? "▴" : "▾");
		buf_adds(&title, col->title);
		if (sorted && col->left)
			buf_adds(&title, rising ? " ▴" : " ▾");
		if (col->left)
			canvas_fit(c, a.y, x, l->width[i], ink, buf_str(&title));
		else
			canvas_right(c, a.y, x, l->width[i], ink, buf_str(&title));
		x += l->width[i] + 1;
		buf_release(&title);
	}
}

static enum ink
cell_ink(const struct scene *s, const struct table_column *col, const struct row *r)
{
	bool total = col->part == PART_TOTAL;
	int64_t now = total ? r->total : r->self;
	if (!col->width)
		return search_hits_key(s->search, r->key) ? INK_HIT : INK_TEXT;
	if (col->left)
		return INK_DIM;
	if (col->changes)
		return compare_ink(compare_fate(now, total ? r->base_total : r->base_self));
	if (col->part == PART_NONE || s->fold->compares)
		return INK_TEXT;
	return theme_heat(now, s->fold->now.everything);
}

/* What a screen adds: a mark for a search hit, and which way something changed. */
static void
write_cell(const struct scene *s, const struct look *look, const struct table_column *col,
	   const struct row *r, struct buf *out)
{
	if (!col->width && search_hits_key(s->search, r->key))
		buf_addc(out, '*');
	if (col->unit == COLUMN_CHANGE) {
		int64_t change = col->number(look, r).whole;
		buf_adds(out, change > 0 ? "▲ " : change < 0 ? "▼ " : "");
	}
	column_text(col, look, r, out);
}

static void
draw_short(struct canvas *c, int y, int x, int w, enum ink ink, const char *name)
{
	struct buf text = BUF_INIT;
	shorten_name(name, w, &text);
	if (text_cols(buf_str(&text)) < w)
		canvas_text(c, y, x, w, ink, buf_str(&text));
	else
		canvas_fit(c, y, x, w, ink, buf_str(&text));
	buf_release(&text);
}

/* The blank between two columns has the ink of the second one, and the highlight ends
 * with the name: each change of ink costs bytes on the line, on every row of every page. */
static void
draw_row(const struct functions *v, const struct scene *s, const struct look *look,
	 struct canvas *c, struct area a, int y, uint32_t at, const struct layout *l)
{
	const struct row *r = &v->rows.at[at];
	bool here = at == v->at && !s->nav->away;
	struct buf text = BUF_INIT;
	int x = a.x;
	for (unsigned i = 0; i < l->n; i++) {
		const struct table_column *col = &table_columns[l->column[i]];
		int w = l->width[i];
		bool lit = here && (!col->left || !col->width);
		enum ink ink = lit ? INK_HERE : cell_ink(s, col, r);
		buf_reset(&text);
		write_cell(s, look, col, r, &text);
		if (i)
			canvas_char(c, y, x - 1, ink, ' ');
		if (!col->left)
			canvas_right(c, y, x, w, ink, buf_str(&text));
		else if (!col->width)
			draw_short(c, y, x, w, ink, buf_str(&text));
		else if (col->path)
			canvas_fit_tail(c, y, x, w, ink, buf_str(&text));
		else if (text_cols(buf_str(&text)) < w)
			canvas_text(c, y, x, w, ink, buf_str(&text));
		else
			canvas_fit(c, y, x, w, ink, buf_str(&text));
		x += w + 1;
	}
	if (here)
		canvas_char(c, y, a.x, INK_HERE, '>');
	buf_release(&text);
}

static void
functions_draw(const void *view, const struct scene *s, struct canvas *c, struct area a)
{
	const struct functions *v = view;
	struct look look = look_of(v, s);
	struct layout l = lay_out(s, &look, a.w);
	draw_head(v, c, a, &l);
	for (int i = 0; i < v->h && v->top + (uint32_t)i < v->rows.n; i++)
		draw_row(v, s, &look, c, a, a.y + 1 + i, v->top + (uint32_t)i, &l);
}

/* ---- actions ---- */

static void
go(struct functions *v, struct scene *s, int64_t to)
{
	if (!v->rows.n)
		return;
	to = to < 0 ? 0 : to >= v->rows.n ? (int64_t)v->rows.n - 1 : to;
	v->at = (uint32_t)to;
	nav_select_key(s->nav, s->fold, s->p, v->rows.at[to].key);
	v->moves = s->nav->moves;
}

static void
sort_by(struct functions *v, const struct scene *s, int step)
{
	struct look look = look_of(v, s);
	for (int c = (int)v->sort + step; c >= 0 && c < (int)n_table_columns; c += step)
		if (is_there(s, &look, (unsigned)c)) {
			v->sort = (unsigned)c;
			v->reverse = false;
			v->unsorted = true;
			return;
		}
}

static enum reply
functions_act(void *view, struct scene *s, enum action action)
{
	struct functions *v = view;
	int64_t at = s->nav->away ? -1 : (int64_t)v->at;
	switch (action) {
	case ACTION_DOWN:
		go(v, s, at + 1);
		return REPLY_DONE;
	case ACTION_UP:
		go(v, s, at - 1);
		return REPLY_DONE;
	case ACTION_HALF_DOWN:
		go(v, s, at + v->h / 2);
		return REPLY_DONE;
	case ACTION_HALF_UP:
		go(v, s, at - v->h / 2);
		return REPLY_DONE;
	case ACTION_PAGE_DOWN:
		go(v, s, at + v->h);
		return REPLY_DONE;
	case ACTION_PAGE_UP:
		go(v, s, at - v->h);
		return REPLY_DONE;
	case ACTION_FIRST:
		go(v, s, 0);
		return REPLY_DONE;
	case ACTION_LAST:
		go(v, s, INT64_MAX);
		return REPLY_DONE;
	case ACTION_SORT_LEFT:
	case ACTION_LEFT:
		sort_by(v, s, -1);
		return REPLY_DONE;
	case ACTION_SORT_RIGHT:
	case ACTION_RIGHT:
		sort_by(v, s, 1);
		return REPLY_DONE;
	case ACTION_SORT_REVERSE:
		v->reverse = !v->reverse;
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
click_head(struct functions *v, const struct scene *s, int x)
{
	struct look look = look_of(v, s);
	struct layout l = lay_out(s, &look, v->w);
	int at = 0;
	for (unsigned i = 0; i < l.n; i++) {
		at += l.width[i] + 1;
		if (x >= at)
			continue;
		v->reverse = l.column[i] == v->sort && !v->reverse;
		v->sort = l.column[i];
		v->unsorted = true;
		return REPLY_DONE;
	}
	return REPLY_PASS;
}

static enum reply
functions_click(void *view, struct scene *s, int y, int x, bool twice)
{
	struct functions *v = view;
	if (y == 0)
		return click_head(v, s, x);
	if (v->top + (uint32_t)(y - 1) >= v->rows.n)
		return REPLY_PASS;
	go(v, s, (int64_t)v->top + y - 1);
	return twice ? REPLY_STACKS : REPLY_DONE;
}

static bool
functions_find(void *view, struct scene *s, int dir)
{
	struct functions *v = view;
	uint32_t n = v->rows.n;
	for (uint32_t i = 1; i <= n; i++) {
		uint32_t at = dir > 0 ? (v->at + i) % n : (v->at + n - i) % n;
		if (search_hits_key(s->search, v->rows.at[at].key)) {
			go(v, s, at);
			return true;
		}
	}
	return false;
}

static bool
functions_describe(const void *view, const struct scene *s, struct row *out)
{
	const struct functions *v = view;
	(void)s;
	if (v->at >= v->rows.n)
		return false;
	*out = v->rows.at[v->at];
	return true;
}

/* "total", or "total reversed"; nothing for the order that it begins with. */
static void
functions_keep(const void *view, struct buf *out)
{
	const struct functions *v = view;
	if (v->sort == first_column(v->compares) && !v->reverse)
		return;
	buf_addf(out, "%s%s", table_columns[v->sort].name, v->reverse ? " reversed" : "");
}

static bool
functions_recall(void *view, const char *words)
{
	struct functions *v = view;
	size_t len = strcspn(words, " ");
	const struct table_column *of = column_find(words, len, ROWS_FOLD);
	if (!of || !of->title)
		return false;
	v->sort = (unsigned)(of - table_columns);
	v->reverse = !strcmp(words + len, " reversed");
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
