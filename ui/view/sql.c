/* sql.c - the result of an SQL query, as a table.
 *
 * A query reads the current lens, so it runs again whenever that changes, like the numbers of every
 * view.  The previous result stays on the screen until the new one is complete.  Columns called
 * stack, function, track, time, start or end link a row to that place, and Enter goes there. */
#include "model/base/escape.h"
#include "ui/view/view.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "ui/part/answer.h"
#include "ui/part/grid.h"
#include "ui/part/show.h"
#include "ui/screen/text.h"

#define HEAD_ROWS 2
#define WIDEST 48 /* the widest column on the screen, except the last one */

struct sql_view {
	struct work *work;
	const struct scene *scene; /* the scene that the work reads */
	struct answer answer, next;
	struct err err, next_err;
	uint64_t question, folds; /* the inputs of the result */
	bool makes, done;
	bool broken;        /* the user cancelled it */
	VEC(uint32_t) rows; /* the displayed rows, in order */
	VEC(int) width;     /* of the columns */
	bool sorts, reverse;
	size_t sorted;        /* the sorted column */
	size_t first;         /* the first column on the screen */
	struct pattern *only; /* shows only rows that match; NULL: all */
	struct scroll scroll;
};

static void *
sql_create(void)
{
	return mem_zalloc(1, sizeof(struct sql_view));
}

static void
sql_destroy(void *view)
{
	struct sql_view *v = view;
	work_free(v->work);
	answer_release(&v->answer);
	answer_release(&v->next);
	vec_release(&v->rows);
	vec_release(&v->width);
	pattern_unref(v->only);
	free(v);
}

/* ---- asking ---- */

static void
sql_make(void *ctx, struct pace *pace)
{
	struct sql_view *v = ctx;
	const struct answer_request *q = v->scene->question;
	answer_reset(&v->next);
	err_init(&v->next_err);
	v->done = q->source->ask(q->source->ctx, v->scene->lens, q->text, pace, &v->next,
				 &v->next_err) || err_is_set(&v->next_err);
}

static void
sql_begin(struct sql_view *v, const struct scene *s)
{
	if (!v->work)
		v->work = work_new(s->works);
	work_drop(v->work);
	if (v->question != s->question->n) {
		v->sorts = false;
		v->first = 0;
		v->scroll = (struct scroll){.h = v->scroll.h};
	}
	v->scene = s;
	v->question = s->question->n;
	v->folds = s->folds;
	v->done = v->broken = false;
	work_begin(v->work, sql_make, v);
	v->makes = true;
}

/* ---- rows ---- */

static bool
row_matches(const struct answer *a, size_t row, struct pattern *p)
{
	for (size_t i = 0; i < a->columns.n; i++) {
		size_t len;
		const char *at = answer_shown(a, answer_cell(a, row, i), &len);
		if (pattern_matches_bytes(p, at, len) != pattern_negated(p))
			return true;
	}
	return false;
}

/* Orders numbers before texts, the largest first; texts from a on; NULL last. */
static int
sql_compare_rows(const void *x, const void *y, void *context)
{
	const struct sql_view *v = context;
	const struct answer_cell *a = answer_cell(&v->answer, *(const uint32_t *)x, v->sorted);
	const struct answer_cell *b = answer_cell(&v->answer, *(const uint32_t *)y, v->sorted);
	bool words_a = a->kind == ANSWER_TEXT, words_b = b->kind == ANSWER_TEXT;
	int order = 0;
	if (!a->kind || !b->kind) {
		order = !a->kind - !b->kind;
	} else if (words_a != words_b) {
		order = words_a - words_b;
	} else if (words_a) {
		size_t n, m;
		const char *p = answer_shown(&v->answer, a, &n);
		const char *q = answer_shown(&v->answer, b, &m);
		order = memcmp(p, q, n < m ? n : m);
		order = order ? order : (n > m) - (n < m);
	} else if (a->kind == ANSWER_WHOLE && b->kind == ANSWER_WHOLE) {
		order = (a->as.whole < b->as.whole) - (a->as.whole > b->as.whole);
	} else {
		double r = a->kind == ANSWER_REAL ? a->as.real : (double)a->as.whole;
		double t = b->kind == ANSWER_REAL ? b->as.real : (double)b->as.whole;
		order = (r < t) - (r > t);
	}
	if (order)
		return v->reverse ? -order : order;
	return *(const uint32_t *)x < *(const uint32_t *)y ? -1 : 1;
}

static void
list_rows(struct sql_view *v)
{
	size_t n = answer_rows(&v->answer);
	v->rows.n = 0;
	for (size_t i = 0; i < n; i++)
		if (!v->only || row_matches(&v->answer, i, v->only))
			*vec_push(&v->rows) = (uint32_t)i;
	if (v->sorts && v->sorted < v->answer.columns.n && v->rows.n > 1)
		qsort_r(v->rows.at, v->rows.n, sizeof *v->rows.at, sql_compare_rows, v);
	scroll_fit(&v->scroll, (int64_t)v->rows.n);
}

static void
measure(struct sql_view *v)
{
	const struct answer *a = &v->answer;
	size_t rows = answer_rows(a);
	v->width.n = 0;
	for (size_t i = 0; i < a->columns.n; i++) {
		int width = text_cols(a->columns.at[i]) + 1;
		for (size_t r = 0; r < rows && r < 1000 && width < WIDEST; r++) {
			size_t len;
			const char *at = answer_shown(a, answer_cell(a, r, i), &len);
			char *text = mem_dup(at, len < 4 * WIDEST ? len : 4 * WIDEST);
			int cols = text_cols(text);
			width = cols > width ? cols : width;
			free(text);
		}
		*vec_push(&v->width) = width < WIDEST ? width : WIDEST;
	}
}

static void
sql_take(struct sql_view *v)
{
	struct answer was = v->answer;
	v->answer = v->next;
	v->next = was;
	v->err = v->next_err;
	v->makes = false;
	measure(v);
	list_rows(v);
}

static void
sql_arrange(void *view, struct scene *s, struct area a)
{
	struct sql_view *v = view;
	v->scroll.h = a.h > HEAD_ROWS ? a.h - HEAD_ROWS : 1;
	scroll_fit(&v->scroll, (int64_t)v->rows.n);
	if (!s->question->text || !s->question->source)
		return;
	/* a new fold, displayed or in the making, drops works that rest */
	bool dropped = v->makes && !work_busy(v->work) && !v->done && !v->broken;
	if (v->question != s->question->n || v->folds != s->folds || dropped)
		sql_begin(v, s);
	if (v->makes && work_on(v->work, s->portion_ns) && v->done)
		sql_take(v);
}

/* ---- drawing ---- */

static void
sql_draw_title(const struct sql_view *v, const struct scene *s, struct canvas *c, struct area a)
{
	struct buf text = BUF_INIT, shown = BUF_INIT;
	if (v->rows.n)
		standing_write(&(struct standing){.at = (uint64_t)v->scroll.at + 1,
						  .all = v->rows.n,
						  .more = v->answer.cut}, &text);
	int cols = text_cols(buf_str(&text));
	if (cols + 3 < a.w)
		canvas_text(c, a.y, a.x + a.w - cols - 1, cols, INK_TEXT, buf_str(&text));
	buf_reset(&text);
	for (const char *at = s->question->text; *at; at++) /* on one line */
		buf_addc(&text, *at == '\n' || *at == '\t' ? ' ' : *at);
	escape_shown(&shown, buf_str(&text), text.len, false);
	if (v->broken)
		buf_adds(&shown, " · broken off");
	else if (v->makes)
		buf_adds(&shown, " · working…");
	canvas_fit(c, a.y, a.x + 1, a.w - cols - 4, INK_STRONG, buf_str(&shown));
	buf_release(&text);
	buf_release(&shown);
}

static bool
sql_is_number(const struct answer_cell *c)
{
	return c->kind == ANSWER_WHOLE || c->kind == ANSWER_REAL;
}

/* Calls `cell` with place and width of each column that fits. */
static void
sql_draw_line(const struct sql_view *v, struct canvas *c, int y, struct area a,
	      size_t row, enum ink ink)
{
	const struct answer *an = &v->answer;
	int x = a.x + 1, end = a.x + a.w;
	for (size_t i = v->first; i < an->columns.n && x < end; i++) {
		int w = i + 1 == an->columns.n ? end - x : v->width.at[i];
		w = w < end - x ? w : end - x;
		const struct answer_cell *cell = row == SIZE_MAX ? NULL : answer_cell(an, row, i);
		bool right = sql_is_number(cell              ? cell
					   : answer_rows(an) ? answer_cell(an, 0, i)
							     : &(struct answer_cell){0});
		struct buf text = BUF_INIT;
		if (cell) {
			size_t len;
			const char *at = answer_shown(an, cell, &len);
			buf_add(&text, at, len);
		} else {
			buf_adds(&text, an->columns.at[i]);
			if (v->sorts && v->sorted == i)
				buf_adds(&text, v->reverse ? "▴" : "▾");
		}
		int cols = text_cols(buf_str(&text)), column = v->width.at[i];
		int indent = right && cols < column && column <= w ? column - cols : 0;
		canvas_fit(c, y, x + indent, w - indent, ink, buf_str(&text));
		buf_release(&text);
		x += v->width.at[i] + 2;
	}
}

static void
draw_why(const struct sql_view *v, const struct scene *s, struct canvas *c, struct area a)
{
	const char *why = !s->question->source ? "this pnav was built without SQLite"
			  : !s->question->text ? "no query yet: ; runs one"
			  : err_is_set(&v->err) ? v->err.text
			  : v->makes || v->broken ? ""
			  : v->only               ? "no row matches; f changes the pattern"
			  : v->answer.columns.n   ? "no row"
						  : "done";
	enum ink ink = err_is_set(&v->err) ? INK_HOT : INK_TEXT;
	/* the word that helps is the last one */
	for (int y = a.y + HEAD_ROWS; *why && y < a.y + a.h && a.w > 1; y++) {
		size_t n = y + 1 < a.y + a.h ? text_wrap(why, a.w - 1) : strlen(why);
		char *line = mem_dup(why, n);
		canvas_fit(c, y, a.x + 1, a.w - 1, ink, line);
		free(line);
		why += n;
	}
}

static void
sql_draw(const void *view, const struct scene *s, struct canvas *c, struct area a)
{
	const struct sql_view *v = view;
	const struct scroll *at = &v->scroll;
	if (s->question->text)
		sql_draw_title(v, s, c, a);
	if (v->answer.columns.n && !err_is_set(&v->err))
		sql_draw_line(v, c, a.y + 1, a, SIZE_MAX, INK_DIM);
	if (!v->rows.n) {
		draw_why(v, s, c, a);
		return;
	}
	for (int64_t i = at->top; i < (int64_t)v->rows.n && i < at->top + at->h; i++) {
		int y = a.y + HEAD_ROWS + (int)(i - at->top);
		bool here = i == at->at;
		if (here) {
			canvas_fill(c, (struct area){y, a.x, 1, a.w}, INK_HERE, ' ');
			canvas_char(c, y, a.x, INK_HERE, '>');
		}
		sql_draw_line(v, c, y, a, v->rows.at[i], here ? INK_HERE : INK_TEXT);
	}
}

/* ---- where a row points ---- */

/* Reads an integer from the column of this name. */
static bool
sql_number_of(const struct sql_view *v, size_t row, const char *column, int64_t *out)
{
	size_t i = answer_find(&v->answer, column);
	if (i == SIZE_MAX || answer_cell(&v->answer, row, i)->kind != ANSWER_WHOLE)
		return false;
	*out = answer_cell(&v->answer, row, i)->as.whole;
	return true;
}

/* True if the column holds this name. */
static bool
is_called(const struct sql_view *v, const struct scene *s, size_t row, const char *column,
	  name_id name)
{
	size_t i = answer_find(&v->answer, column), len;
	if (i == SIZE_MAX || answer_cell(&v->answer, row, i)->kind != ANSWER_TEXT)
		return false;
	const char *at = answer_shown(&v->answer, answer_cell(&v->answer, row, i), &len);
	struct buf shown = BUF_INIT;
	profile_write_name(s->p, name, &shown);
	bool same = shown.len == len && (!len || !memcmp(shown.at, at, len));
	buf_release(&shown);
	return same;
}

/* Returns the function's key in the current fold; KEY_NONE if it has several. */
static key_id
sql_key_of(const struct scene *s, function_id f)
{
	const struct granularity_row *by = &granularity_rows[s->fold->tree->by];
	struct function fn = profile_function(s->p, f);

	return by->key_of ? by->key_of(&fn, f) : KEY_NONE;
}

static bool
has_key(const struct scene *s, key_id key)
{
	for (node_id n = 1; n < s->fold->tree->n; n++)
		if (s->fold->tree->key[n] == key)
			return true;
	return false;
}

static bool
select_function(const struct sql_view *v, struct scene *s, size_t row)
{
	int64_t id;
	bool known = sql_number_of(v, row, "function", &id);
	for (function_id f = 0; f < s->p->frames.n_functions; f++) {
		if (known ? f != id
			  : !is_called(v, s, row, "function", s->p->frames.function.name[f]))
			continue;
		key_id key = sql_key_of(s, f);
		if (key == KEY_NONE || !has_key(s, key))
			continue;
		nav_select_key(s->nav, s->fold, s->p, key);
		return true;
	}
	return false;
}

static bool
select_stack(const struct sql_view *v, struct scene *s, size_t row)
{
	const struct projection *t = s->fold->tree;
	int64_t id;
	if (!sql_number_of(v, row, "stack", &id) || id <= 0 || id >= t->n_stacks)
		return false;
	node_id node = t->leaf_of ? t->leaf_of[id] : NODE_NONE;
	if (node == NODE_NONE)
		node = t->node_of[id];
	if (node == NODE_NONE || node == NODE_ROOT)
		return false;
	nav_select(s->nav, s->fold, s->p, node);
	return true;
}

/* Finds the track of the row, if it has one. */
static bool
find_track(const struct sql_view *v, struct scene *s, size_t row, track_id *out)
{
	int64_t id;
	if (sql_number_of(v, row, "track", &id)) {
		*out = (track_id)id;
		return id >= 0 && id < s->p->n_tracks;
	}
	for (*out = 0; *out < s->p->n_tracks; ++*out)
		if (is_called(v, s, row, "track", s->p->track[*out].name))
			return true;
	return false;
}

/* A lone time is a moment in the timeline; a time with an end is a range, on its track if it has
 * one. */
static enum reply
sql_go(const struct sql_view *v, struct scene *s, size_t row)
{
	struct nav *nav = s->nav;
	bool selected = select_stack(v, s, row) || select_function(v, s, row);
	track_id track;
	bool tracked = find_track(v, s, row, &track);
	int64_t from, to;
	bool timed = sql_number_of(v, row, "start", &from) || sql_number_of(v, row, "time", &from);
	bool ends = timed && sql_number_of(v, row, "end", &to) && to > from;
	if (tracked)
		nav->track = track;
	nav->deep = 0;
	if (timed) {
		nav->from = from;
		nav->to = ends ? to : from < INT64_MAX ? from + 1 : from;
		if (ends && !tracked)
			return REPLY_RANGE;
		if (tracked)
			return REPLY_MOMENT;
		buf_adds(&s->say, "the row has a time but no track");
		return REPLY_DONE;
	}
	if (selected)
		return REPLY_STACKS;
	buf_adds(
		&s->say,
		"the row names no place: it needs a column stack or function, track and time, "
		"or start and end");
	return REPLY_DONE;
}

/* ---- actions ---- */

static enum reply
sql_sort_by(struct sql_view *v, int step)
{
	size_t n = v->answer.columns.n;
	if (!n)
		return REPLY_DONE;
	if (!v->sorts)
		v->sorted = step > 0 ? 0 : n - 1;
	else
		v->sorted = (v->sorted + n + (size_t)(step + (int)n) % n) % n;
	v->sorts = true;
	v->reverse = false;
	list_rows(v);
	return REPLY_DONE;
}

static enum reply
sql_act(void *view, struct scene *s, enum action action)
{
	struct sql_view *v = view;
	int64_t by = scroll_by(action, v->scroll.h);
	if (by) {
		v->scroll.at = scroll_clip(v->scroll.at + by, (int64_t)v->rows.n);
		scroll_fit(&v->scroll, (int64_t)v->rows.n);
		return REPLY_DONE;
	}
	switch ((int)action) {
	case ACTION_SORT_LEFT:
		return sql_sort_by(v, -1);
	case ACTION_SORT_RIGHT:
		return sql_sort_by(v, 1);
	case ACTION_SORT_REVERSE:
		v->reverse = !v->reverse;
		list_rows(v);
		return REPLY_DONE;
	case ACTION_LEFT:
		v->first -= v->first > 0;
		return REPLY_DONE;
	case ACTION_RIGHT:
		v->first += v->first + 1 < v->answer.columns.n;
		return REPLY_DONE;
	case ACTION_CANCEL:
		if (!v->makes || v->broken)
			return REPLY_PASS;
		v->broken = true;
		work_drop(v->work);
		return REPLY_DONE;
	case ACTION_ENTER:
		return v->rows.n ? sql_go(v, s, v->rows.at[v->scroll.at]) : REPLY_DONE;
	default:
		return REPLY_PASS;
	}
}

static enum reply
sql_click(void *view, struct scene *s, int y, int x, bool twice)
{
	struct sql_view *v = view;
	int64_t row = v->scroll.top + y - HEAD_ROWS;
	(void)x;
	if (y < HEAD_ROWS || row >= (int64_t)v->rows.n)
		return REPLY_PASS;
	v->scroll.at = row;
	return twice ? sql_go(v, s, v->rows.at[row]) : REPLY_DONE;
}

/* ---- search ---- */

struct sql_looking {
	const struct sql_view *v;
	struct pattern *p;
};

static bool
sql_hits(const void *of, int64_t row)
{
	const struct sql_looking *l = of;
	return row_matches(&l->v->answer, l->v->rows.at[row], l->p);
}

static bool
sql_find(void *view, struct scene *s, int dir)
{
	struct sql_view *v = view;
	struct sql_looking l = {v, s->search->pattern};
	int64_t row = l.p ? scroll_find(v->scroll.at, (int64_t)v->rows.n, dir, sql_hits, &l) : -1;
	if (row < 0)
		return false;
	v->scroll.at = row;
	scroll_fit(&v->scroll, (int64_t)v->rows.n);
	return true;
}

static void
sql_search_position(void *view, const struct scene *s, struct standing *out)
{
	struct sql_view *v = view;
	struct sql_looking l = {v, s->search->pattern};
	*out = (struct standing){0};
	for (int64_t i = 0; l.p && i < (int64_t)v->rows.n; i++)
		if (sql_hits(&l, i)) {
			out->all++;
			out->at += i <= v->scroll.at;
			out->here |= i == v->scroll.at;
		}
}

static void
sql_set_row_filter(void *view, struct pattern *p)
{
	struct sql_view *v = view;
	pattern_unref(v->only);
	v->only = p;
	list_rows(v);
}

static struct pattern *
sql_row_filter(const void *view)
{
	return ((const struct sql_view *)view)->only;
}

static bool
sql_describe(const void *view, const struct scene *s, struct row *out)
{
	(void)view;
	return show_node(s, s->nav->node, out);
}

static bool
sql_is_available(const struct scene *s)
{
	return s->question->text != NULL;
}

static const enum action sql_keys[] = {
	ACTION_SQL, ACTION_SORT_RIGHT, ACTION_SORT_REVERSE, ACTION_ROWS, ACTION_NONE,
};

const struct view_ops sql_view = {
	.name = "sql",
	.digit = '9',
	.open = ACTION_VIEW_SQL,
	.scope = SCOPE_TABLE,
	.says_why = true,
	.no_details = true,
	.about =
		"The result of an SQL query: ; runs one.  A row with a stack, a function,\n"
		"a track or a time leads there.\n",
	.enter = "go there",
	.keys = sql_keys,
	.create = sql_create,
	.destroy = sql_destroy,
	.is_available = sql_is_available,
	.arrange = sql_arrange,
	.draw = sql_draw,
	.act = sql_act,
	.click = sql_click,
	.find = sql_find,
	.search_position = sql_search_position,
	.set_row_filter = sql_set_row_filter,
	.row_filter = sql_row_filter,
	.describe = sql_describe,
};
