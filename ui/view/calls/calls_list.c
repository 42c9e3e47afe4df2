/* calls_list.c - see calls_list.h.
 *
 * The list for one function needs no column for it; the caller distinguishes its calls.  In the
 * list of all functions the row of the cursor is the selection, as in every table. */
#include "ui/view/calls/calls_list.h"

#include <string.h>

#include "model/profile/human.h"
#include "ui/part/show.h"
#include "ui/screen/text.h"

#define NAME_MIN 22
#define HEAD_ROWS 2

/* ---- which columns there are ---- */

/* The preferred columns come first. */
static const char *const names[] = {"duration", "self",     "start",  "track",
				    "value",    "function", "caller", "cut"};
#define N_NAMES (sizeof names / sizeof *names)

static const struct table_column *
column_at(size_t i)
{
	return column_find(names[i], strlen(names[i]), ROWS_SLICES);
}

static bool
calls_is_there(const struct slowest *w, const struct table_column *c)
{
	if (!c->title || !(c->rows & ROWS_SLICES))
		return false;
	/* a screen finds calls by cursor, and shows the name of the single function above the
	 * list */
	if (!c->width ? !w->all : (c->rows & ROWS_FOLD) != 0)
		return false;
	return column_is_there(c, &w->look);
}

/* Names distinguish tracks: they get up to a quarter of a wide screen. */
static void
widen_track(const struct scene *s, int cols, int name_min, struct grid *g)
{
	struct grid_column *track = NULL;
	struct buf name = BUF_INIT;
	int used = name_min;

	for (unsigned i = 0; i < g->n; i++) {
		used += g->column[i].width + 1;
		if (!strcmp(g->column[i].of->name, "track"))
			track = &g->column[i];
	}
	int most = track ? track->width + cols - used : 0;
	most = most < cols / 4 ? most : cols / 4;
	for (track_id t = 0; track && t < s->p->n_tracks && track->width < most; t++) {
		buf_reset(&name);
		profile_show_name(s->p, s->p->track[t].name, &name);
		int wants = text_cols(buf_str(&name));
		wants = wants < most ? wants : most;
		track->width = wants > track->width ? wants : track->width;
	}
	buf_release(&name);
}

static void
calls_list_lay_out(const struct slowest *w, const struct scene *s, int cols, struct grid *g)
{
	grid_init(g, s, &w->look);
	for (size_t i = 0; i < N_NAMES; i++) {
		const struct table_column *of = column_at(i);
		struct grid_column *c = calls_is_there(w, of) ? grid_add(g, of) : NULL;
		if (!c)
			continue;
		c->mark = grid_order_mark(&w->order, of);
		c->sorted = of == &table_columns[w->order.column];
	}
	int name_min = w->all ? NAME_MIN : 0;
	widen_track(s, cols - 1, name_min, g);
	grid_fit(g, cols - 1, name_min);
}

/* ---- drawing ---- */

void
calls_list_arrange(struct calls_list *v, struct scene *s, key_id key, struct area a)
{
	struct slowest *w = s->calls;

	slowest_arrange(w, s, key);
	/* in the list of all functions the displayed selection becomes the real one */
	if (w->all && w->done && w->n && slowest_row(w, w->at).key != s->nav->key) {
		nav_select_key(s->nav, s->fold, s->p, slowest_row(w, w->at).key);
		s->again = true; /* its description is another one now */
	}
	v->w = a.w;
	v->scroll.h = a.h > HEAD_ROWS ? a.h - HEAD_ROWS : 1;
	v->scroll.at = w->at;
	scroll_fit(&v->scroll, w->n);
}

/* "Composite · 320 calls over 3.000 ms" */
static void
calls_list_write_title(const struct slowest *w, const struct scene *s, key_id key, struct buf *out)
{
	uint64_t found = slowest_found(w), read, all;

	if (w->only)
		buf_addf(out, "only '%s'", pattern_text(w->only));
	else if (w->all)
		buf_adds(out, "all functions");
	else
		show_frame(s, key, out);
	buf_adds(out, " · ");
	human_count(out, (int64_t)found);
	buf_adds(out, found == 1 ? " call" : " calls");
	if (w->over >= 0) {
		buf_adds(out, " over ");
		show_time(s, w->over, out);
	}
	if (slowest_omitted(w)) {
		buf_adds(out, " · without ");
		human_count(out, (int64_t)slowest_omitted(w));
		buf_adds(out, " unfinished");
	}
	if (!w->done || w->stopped) {
		slowest_progress(w, &read, &all);
		buf_adds(out, w->stopped ? " · cancelled after " : " · working… ");
		human_share(out, (int64_t)read, (int64_t)all);
		buf_adds(out, w->stopped ? "" : " read");
	}
	if (found > LISTED_MAX) {
		buf_adds(out, " · the first ");
		human_count(out, LISTED_MAX);
		buf_adds(out, " are listed");
	}
}

static void
calls_list_draw_title(const struct slowest *w, const struct scene *s, key_id key, struct canvas *c,
		      struct area a)
{
	struct buf text = BUF_INIT;

	if (w->n)
		standing_write(&(struct standing){.at = (uint64_t)w->at + 1, .all = w->n}, &text);
	int cols = text_cols(buf_str(&text));
	if (cols + 3 < a.w)
		canvas_text(c, a.y, a.x + a.w - cols - 1, cols, INK_TEXT, buf_str(&text));
	buf_reset(&text);
	calls_list_write_title(w, s, key, &text);
	canvas_fit(c, a.y, a.x + 1, a.w - cols - 4, INK_STRONG, buf_str(&text));
	buf_release(&text);
}

void
calls_list_draw(const struct calls_list *v, const struct scene *s, key_id key,
		struct canvas *c, struct area a)
{
	const struct slowest *w = s->calls;
	const struct scroll *at = &v->scroll;
	struct grid g;

	calls_list_draw_title(w, s, key, c, a);
	if (!w->n) {
		canvas_fit(
			c, a.y + HEAD_ROWS, a.x + 1, a.w - 1, INK_TEXT,
			!w->done ? "none yet"
			: w->only
				? "no call of such a function; f changes the pattern, Esc shows all"
			: slowest_omitted(w) ? "only calls that never end; :unfinished lists them"
			: w->over >= 0 ? "no call lasts longer; :over removes the limit"
				       : "no calls here");
		return;
	}
	calls_list_lay_out(w, s, a.w, &g);
	grid_draw_head(&g, c, a.y + 1, a.x, a.w);
	for (int64_t i = at->top; i < w->n && i < at->top + at->h; i++) {
		struct row row = slowest_row(w, i);
		grid_draw_row(&g, c, a.y + HEAD_ROWS + (int)(i - at->top), a.x, &row,
			      i == at->at, NULL, NULL);
	}
}

/* ---- actions ---- */

static void
calls_list_go(struct scene *s, int64_t to)
{
	struct slowest *w = s->calls;

	if (!w->n)
		return;
	slowest_point(w, to);
	key_id key = slowest_row(w, w->at).key;
	if (w->all && key != s->nav->key)
		nav_select_key(s->nav, s->fold, s->p, key);
}

/* Sorts by the next column on the screen. */
static void
sort_by_next(struct slowest *w, int step)
{
	int at = 0;

	while (column_at((size_t)at) != &table_columns[w->order.column] &&
	       at + 1 < (int)N_NAMES)
		at++;
	for (at += step; at >= 0 && at < (int)N_NAMES; at += step)
		if (calls_is_there(w, column_at((size_t)at))) {
			w->order = (struct grid_order){
				.column = (unsigned)(column_at((size_t)at) - table_columns)};
			slowest_reorder(w);
			return;
		}
}

enum reply
calls_list_act(struct calls_list *v, struct scene *s, enum action action)
{
	struct slowest *w = s->calls;
	int64_t by = scroll_by(action, v->scroll.h);

	if (by) {
		calls_list_go(s, w->at + by);
		return REPLY_DONE;
	}
	switch ((int)action) {
	case ACTION_SORT_LEFT:
	case ACTION_LEFT:
	case ACTION_SORT_RIGHT:
	case ACTION_RIGHT:
		sort_by_next(w, action == ACTION_SORT_LEFT || action == ACTION_LEFT ? -1 : 1);
		return REPLY_DONE;
	case ACTION_SORT_REVERSE:
		w->order.reverse = !w->order.reverse;
		slowest_reorder(w);
		return REPLY_DONE;
	case ACTION_CALLS_ALL:
		slowest_all(w, !w->all || w->only);
		slowest_only(w, NULL);
		return REPLY_DONE;
	case ACTION_CANCEL:
		if (w->done && !w->only)
			return REPLY_PASS;
		if (w->done)
			slowest_only(w, NULL);
		else
			slowest_stop(w);
		return REPLY_DONE;
	case ACTION_WHY:
		s->nav->actor = ACTOR_NONE;
		return !s->lens->why && slowest_moment(w, s) ? REPLY_WHY : REPLY_PASS;
	case ACTION_ENTER:
		return slowest_moment(w, s) ? REPLY_MOMENT : REPLY_DONE;
	default:
		return REPLY_PASS;
	}
}

enum reply
calls_list_click(struct calls_list *v, struct scene *s, int y, int x, bool twice)
{
	struct slowest *w = s->calls;
	struct grid g;

	if (y < 1 || !w->n)
		return REPLY_PASS;
	if (y == 1) {
		calls_list_lay_out(w, s, v->w, &g);
		const struct grid_column *c = grid_column_at(&g, x);
		if (!c)
			return REPLY_PASS;
		grid_order_by(&w->order, (unsigned)(c->of - table_columns));
		slowest_reorder(w);
		return REPLY_DONE;
	}
	if (v->scroll.top + y - HEAD_ROWS >= w->n)
		return REPLY_PASS;
	calls_list_go(s, v->scroll.top + y - HEAD_ROWS);
	return twice && slowest_moment(w, s) ? REPLY_MOMENT : REPLY_DONE;
}

/* ---- search ---- */

/* The function, or its caller. */
static bool
calls_hits(const void *of, int64_t i)
{
	const struct scene *s = of;
	const struct slowest *w = s->calls;
	key_id caller = call_caller(w->look.tree, &w->call[i]);

	return (w->all && search_hits_key(s->search, slowest_row(w, i).key)) ||
	       (caller != KEY_NONE && search_hits_key(s->search, caller));
}

bool
calls_list_find(struct calls_list *v, struct scene *s, int dir)
{
	int64_t row = scroll_find(s->calls->at, s->calls->n, dir, calls_hits, s);

	(void)v;
	if (row >= 0)
		calls_list_go(s, row);
	return row >= 0;
}
