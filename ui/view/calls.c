/* calls.c - how long the calls of the selected function took.
 *
 * The numbers come from a replay of the steps that watches one function.  100 million
 * steps take a second, so the replay is done in portions, a few milliseconds a frame:
 * arrange() reads one and asks to be called again, and meanwhile the view shows how far it
 * is and what is known so far.  What was read is kept until fold or function change.
 *
 * The table has the five times of callrows.h as rows.  One is selected: its distribution
 * is drawn below, beside the tracks, and Enter shows its longest call in the timeline.
 * Left and right choose one track, or all.  A function of a file that has statistics but
 * no timeline shows what the file says; bars are not known then. */
#include <stdlib.h>
#include <string.h>

#include "model/callstats.h"
#include "model/callwalk.h"
#include "model/human.h"
#include "model/mem.h"
#include "model/vec.h"
#include "ui/part/show.h"
#include "ui/screen/text.h"
#include "ui/view/calls_list.h"
#include "ui/view/view.h"

#define PORTION 60000u /* events a frame */
#define BARS_MAX 24
#define TRACK_COLS 40
#define HEAD_ROWS 2 /* the title, and the head of the table */

struct calls {
	struct callwatch *watch;
	uint64_t folds;
	key_id key; /* what is shown: the selection, or the busiest when there is none */
	function_id function;
	bool done;
	enum call_time time;
	uint32_t row; /* the track: 0 is all */
	bool listing; /* the half that is shown: each call */
	struct calls_list list;
	struct row about; /* the numbers of the function */
	struct look look; /* what rows of calls are seen in */
	struct area area;
};

static const char *const about_time[CALL_TIMES] = {
	[CALL_NET] = "in the function itself",
	[CALL_GROSS] = "with all that it called",
	[CALL_CALL] = "from entry to exit",
	[CALL_PERIOD] = "from entry to next entry",
	[CALL_OUTSIDE] = "from exit to next entry",
};

static void *
calls_create(void)
{
	struct calls *v = mem_zalloc(1, sizeof *v);
	v->folds = UINT64_MAX;
	v->key = KEY_NONE;
	v->function = UINT32_MAX;
	v->time = CALL_GROSS;
	return v;
}

static void
calls_destroy(void *view)
{
	struct calls *v = view;
	callwatch_free(v->watch);
	free(v);
}

/* The key with the most time of its own, of those that were called in full sight: a thread's
 * first function mostly was not. */
static key_id
busiest(const struct fold *f)
{
	node_id best = NODE_ROOT;
	bool called = false;
	for (node_id n = 1; n < f->tree->n; n++) {
		bool calls = f->now.calls && f->now.calls[n] > 0;
		if (best == NODE_ROOT || calls > called ||
		    (calls == called && f->now.self[n] > f->now.self[best])) {
			best = n;
			called = calls;
		}
	}
	return f->tree->key[best];
}

/* The function that is wanted; UINT32_MAX: none. */
static function_id
wanted(struct calls *v, const struct scene *s)
{
	if (s->nav->key != KEY_NONE)
		v->key = s->nav->key;
	else if (v->folds != s->folds)
		v->key = busiest(s->fold);
	if (v->key == KEY_NONE)
		return UINT32_MAX;
	return projection_key_function(s->fold->tree, s->p, v->key);
}

static bool
has_steps(const struct scene *s)
{
	const struct profile *p = s->p;
	return callwalk_has_calls(p);
}

static void
start(struct calls *v, const struct scene *s)
{
	callwatch_free(v->watch);
	v->watch = NULL;
	v->done = true;
	if (v->function == UINT32_MAX || !has_steps(s))
		return;
	struct slice slice = {
		.metric = s->fold->metric,
		.whole = s->fold->whole,
		.from = s->fold->from,
		.to = s->fold->to,
	};
	uint8_t *tracks = mem_zalloc((size_t)s->p->n_tracks + 1, 1);
	for (track_id t = 0; t < s->p->n_tracks; t++)
		tracks[t] = lens_has_track(s->lens, s->p, t);
	slice.tracks = tracks;
	v->watch = callwatch_new(s->p, &slice, v->function);
	free(tracks);
	v->done = false;
}

static void
calls_arrange(void *view, struct scene *s, struct area a)
{
	struct calls *v = view;
	function_id f = wanted(v, s);
	v->area = a;
	look_init(&v->look, s->p, NULL);
	v->look.tree = s->fold->tree;
	if (v->folds != s->folds || v->function != f) {
		if (v->function != f)
			v->row = 0;
		v->folds = s->folds;
		show_row(s, v->key, &v->about);
		v->function = f;
		start(v, s);
	}
	if (v->listing) {
		calls_list_arrange(&v->list, s, v->key, a);
		return;
	}
	if (v->watch && !v->done) {
		v->done = callwatch_run(v->watch, PORTION);
		s->again |= !v->done;
	}
	if (v->watch && v->row >= callwatch_rows(v->watch))
		v->row = 0;
}

/* ---- drawing ---- */

static const struct table_column *
column(const char *name, unsigned rows)
{
	return column_find(name, strlen(name), rows);
}

/* The columns of the five times, in the width that these want.  Only those of calls that were
 * watched are known one by one. */
static void
lay_out_times(const struct calls *v, const struct scene *s, const struct callstats_line *line,
	      int cols, struct grid *g)
{
	static const struct {
		const char *name;
		bool watched;
	} columns[] = {{"time", false}, {"n", true},    {"total", false}, {"min", false},
		       {"avg", false},  {"p50", true}, {"p99", true},    {"max", false}};

	struct buf text = BUF_INIT;

	grid_init(g, s, &v->look);
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		if (!line[0].watched && columns[i].watched)
			continue;
		struct grid_column *c = grid_add(g, column(columns[i].name, ROWS_TIMES));
		for (unsigned t = 0; columns[i].watched && t < CALL_TIMES; t++) {
			buf_reset(&text);
			column_text(c->of, &v->look, &(struct row){.of.line = &line[t]}, &text);
			int need = text_cols(buf_str(&text));
			c->width = need > c->width ? need : c->width;
		}
	}
	buf_release(&text);
	grid_fit(g, cols, 0);
}

static void
draw_times(const struct calls *v, const struct scene *s, struct canvas *c, struct area a)
{
	struct callstats_row of = callwatch_row(v->watch, v->row);
	struct callstats_line line[CALL_TIMES];
	struct grid g;

	for (unsigned t = 0; t < CALL_TIMES; t++)
		line[t] = callwatch_line(v->watch, v->row, &of, (enum call_time)t);
	lay_out_times(v, s, line, a.w, &g);
	grid_draw_head(&g, c, a.y, a.x, a.w);
	for (int t = 0; t < CALL_TIMES && t + 1 < a.h; t++)
		grid_draw_row(&g, c, a.y + 1 + t, a.x, &(struct row){.of.line = &line[t]},
			      t == (int)v->time, NULL, NULL);
}

/* "Page · 3 calls · all tracks" */
static void
write_title(const struct calls *v, const struct scene *s, const struct callstats_row *of,
	    struct buf *out)
{
	struct row row = {.track = of->track};

	show_frame(s, v->key, out);
	buf_adds(out, " · ");
	human_count(out, of->calls);
	buf_adds(out, of->calls == 1 ? " call · " : " calls · ");
	column_text(column("track", ROWS_CALLS), &v->look, &row, out);
}

static void
draw_title(const struct calls *v, const struct scene *s, struct canvas *c, struct area a)
{
	struct callstats_row of = callwatch_row(v->watch, v->row);
	struct buf text = BUF_INIT;
	uint64_t read, all;

	write_title(v, s, &of, &text);
	callwatch_progress(v->watch, &read, &all);
	if (!v->done) {
		buf_adds(&text, " · so far: ");
		human_share(&text, (int64_t)read, (int64_t)all);
		buf_adds(&text, " read");
	} else if (s->nav->key == KEY_NONE) {
		buf_adds(&text, " · the busiest: 3 chooses another");
	}
	canvas_fit(c, a.y, a.x + 1, a.w - 2, INK_STRONG, buf_str(&text));
	buf_release(&text);
}

/* Ends of bars are round enough with three digits. */
static void
write_length(const struct scene *s, int64_t v, struct buf *out)
{
	struct metric m = {.unit = (uint8_t)show_axis(s)};

	human_value(out, v, &m);
}

/* The distribution of the selected time: a bar for each class of lengths. */
static void
draw_bars(const struct calls *v, const struct scene *s, struct canvas *c, struct area a)
{
	struct call_bar bar[BARS_MAX];
	bool octaves;
	struct buf text = BUF_INIT;
	uint64_t most = 1;
	if (a.h < 2)
		return;
	uint32_t max = a.h - 1 < BARS_MAX ? (uint32_t)(a.h - 1) : BARS_MAX;
	uint32_t n = callwatch_histogram(v->watch, v->row, v->time, bar, max, &octaves);
	buf_adds(&text, call_time_name(v->time));
	if (n && octaves) {
		buf_adds(&text, " · log, ×");
		human_count(&text, bar[0].from ? bar[0].to / bar[0].from
					       : bar[n > 1].to / (bar[n > 1].from + !bar[n > 1].from));
		buf_adds(&text, " a bar");
	} else if (n) {
		buf_adds(&text, " · linear, ");
		write_length(s, bar[0].to - bar[0].from, &text);
		buf_adds(&text, " a bar");
	}
	buf_addf(&text, " · %s", about_time[v->time]);
	canvas_fit(c, a.y, a.x + 1, a.w - 1, INK_DIM, buf_str(&text));
	if (!n)
		canvas_fit(c, a.y + 1, a.x + 1, a.w - 1, INK_TEXT,
			   v->done ? "none that is complete" : "none yet");
	for (uint32_t i = 0; i < n; i++)
		most = bar[i].n > most ? bar[i].n : most;
	for (uint32_t i = 0; i < n; i++) {
		int y = a.y + 1 + (int)i;
		buf_reset(&text);
		buf_adds(&text, "from ");
		write_length(s, bar[i].from, &text);
		canvas_right(c, y, a.x, 14, INK_TEXT, buf_str(&text));
		buf_reset(&text);
		human_count(&text, (int64_t)bar[i].n);
		canvas_right(c, y, a.x + 14, 9, bar[i].n ? INK_TEXT : INK_DIM,
			     buf_str(&text));
		canvas_bar(c, y, a.x + 24, a.w - 25, INK_BAR, (int64_t)bar[i].n,
			   (int64_t)most);
	}
	buf_release(&text);
}

/* The tracks that have calls of it, with the longest of the selected time. */
static void
draw_tracks(const struct calls *v, const struct scene *s, struct canvas *c, struct area a)
{
	uint32_t n = callwatch_rows(v->watch), room = (uint32_t)a.h - 1, top = 0;
	struct buf name = BUF_INIT;
	struct grid g;

	if (a.h < 2)
		return;
	if (v->row >= room)
		top = v->row - room + 1;
	buf_addf(&name, "%s_max", call_time_name(v->time));
	grid_init(&g, s, &v->look);
	grid_add(&g, column("calls", ROWS_CALLS));
	grid_add(&g, column(buf_str(&name), ROWS_CALLS))->title = "max";
	grid_add(&g, column("track", ROWS_CALLS));
	grid_draw_head(&g, c, a.y, a.x, a.w);
	for (uint32_t i = top; i < n && i - top < room; i++) {
		struct callstats_row of = callwatch_row(v->watch, i);
		struct row row = {.track = of.track, .calls = of.calls, .of.call = &of};
		grid_draw_row(&g, c, a.y + 1 + (int)(i - top), a.x, &row, i == v->row, NULL,
			      NULL);
	}
	buf_release(&name);
}

/* What the file says of the function on one track, from line y on; how many lines. */
static int
draw_file_says(const struct calls *v, const struct scene *s, const struct callstats_row *of,
	       struct canvas *c, struct area a)
{
	struct callstats_line line[CALL_TIMES] = {0};
	struct buf title = BUF_INIT;
	struct grid g;
	int y = 1;

	write_title(v, s, of, &title);
	canvas_fit(c, a.y, a.x + 1, a.w - 2, INK_STRONG, buf_str(&title));
	buf_release(&title);
	lay_out_times(v, s, line, a.w, &g);
	if (y < a.h)
		grid_draw_head(&g, c, a.y + y++, a.x, a.w);
	for (unsigned t = 0; t < CALL_TIMES && y < a.h; t++) {
		line[t] = (struct callstats_line){.of = of, .time = (enum call_time)t};
		if (of->has & CALLSTATS_ALL(t))
			grid_draw_row(&g, c, a.y + y++, a.x,
				      &(struct row){.of.line = &line[t]}, false, NULL, NULL);
	}
	return y;
}

/* What the file itself says of the function, track by track. */
static bool
draw_recorded(const struct calls *v, const struct scene *s, struct canvas *c,
	      struct area a)
{
	int y = 0;

	for (uint32_t i = 0; i < s->p->recorded.n && y < a.h - 1; i++) {
		const struct callstats_row *of = &s->p->recorded.at[i];
		if (of->function == v->function && s->p->recorded.per_call &&
		    lens_has_track(s->lens, s->p, of->track))
			y += draw_file_says(v, s, of, c,
					    (struct area){a.y + y, a.x, a.h - y, a.w});
	}
	if (y && y < a.h)
		canvas_fit(c, a.y + y, a.x + 1, a.w - 2, INK_DIM,
			   "These numbers are the file's own: it has no timeline to count.");
	return y > 0;
}

static void
say(struct canvas *c, struct area a, const char *why)
{
	int cols = text_cols(why) < a.w ? text_cols(why) : a.w;
	canvas_fit(c, a.y + a.h / 2, a.x + (a.w - cols) / 2, cols, INK_STRONG, why);
}

static void
calls_draw(const void *view, const struct scene *s, struct canvas *c, struct area a)
{
	const struct calls *v = view;
	if (!has_steps(s) && !s->p->recorded.per_call) {
		say(c, a, "This file does not record calls.  3 shows functions.");
		return;
	}
	if (v->listing && has_steps(s)) {
		calls_list_draw(&v->list, s, v->key, c, a);
		return;
	}
	if (v->function == UINT32_MAX) {
		say(c, a, "Only functions have calls.  b shows functions again.");
		return;
	}
	if (!v->watch) {
		if (!draw_recorded(v, s, c, a))
			say(c, a, "The file says nothing of the calls of this function.");
		return;
	}
	draw_title(v, s, c, a);
	draw_times(v, s, c, (struct area){a.y + 1, a.x, a.h - 1, a.w});
	int y = HEAD_ROWS + CALL_TIMES + 1, tracks = a.w >= 2 * TRACK_COLS ? TRACK_COLS : 0;
	draw_bars(v, s, c, (struct area){a.y + y, a.x, a.h - y, a.w - tracks});
	if (tracks)
		draw_tracks(v, s, c,
			    (struct area){a.y + y, a.x + a.w - tracks, a.h - y, tracks});
}

/* ---- actions ---- */

/* The longest call, in the timeline. */
static enum reply
show_longest(const struct calls *v, struct scene *s)
{
	track_id track;
	int64_t from, to;

	if (!v->watch || !callwatch_longest(v->watch, v->row, v->time, &track, &from, &to))
		return REPLY_DONE;
	if (s->nav->key == KEY_NONE)
		nav_select_key(s->nav, s->fold, s->p, v->key);
	s->nav->deep = 0;
	s->nav->track = track;
	s->nav->from = from;
	s->nav->to = to > from ? to : from + 1;
	return REPLY_MOMENT;
}

/* To the other half; what is asked of the list goes to the list. */
static bool
turn(struct calls *v, struct scene *s, enum action action)
{
	if (action != ACTION_CALLS_HALF && action != ACTION_CALLS_OVER &&
	    (action != ACTION_CALLS_ALL || v->listing))
		return false;
	v->listing = action != ACTION_CALLS_HALF || !v->listing;
	if (action == ACTION_CALLS_ALL)
		slowest_all(s->calls, true);
	return true;
}

static enum reply
calls_act(void *view, struct scene *s, enum action action)
{
	struct calls *v = view;
	uint32_t rows = v->watch ? callwatch_rows(v->watch) : 1;
	if (has_steps(s) && turn(v, s, action))
		return action == ACTION_CALLS_OVER ? REPLY_PASS : REPLY_DONE;
	if (v->listing)
		return calls_list_act(&v->list, s, action);
	switch (action) {
	case ACTION_UP:
		v->time = v->time > CALL_NET ? v->time - 1 : v->time;
		return REPLY_DONE;
	case ACTION_DOWN:
		v->time = v->time < CALL_OUTSIDE ? v->time + 1 : v->time;
		return REPLY_DONE;
	case ACTION_FIRST:
	case ACTION_LAST:
		v->time = action == ACTION_FIRST ? CALL_NET : CALL_OUTSIDE;
		return REPLY_DONE;
	case ACTION_LEFT:
	case ACTION_PAGE_UP:
		v->row = v->row ? v->row - 1 : 0;
		return REPLY_DONE;
	case ACTION_RIGHT:
	case ACTION_PAGE_DOWN:
		v->row = v->row + 1 < rows ? v->row + 1 : v->row;
		return REPLY_DONE;
	case ACTION_ENTER:
		return show_longest(v, s);
	default:
		return REPLY_PASS;
	}
}

static enum reply
calls_click(void *view, struct scene *s, int y, int x, bool twice)
{
	struct calls *v = view;
	int row = y - HEAD_ROWS - CALL_TIMES - 2; /* a blank line, the head */
	if (v->listing)
		return calls_list_click(&v->list, s, y, x, twice);
	if (y >= HEAD_ROWS && y < HEAD_ROWS + CALL_TIMES) {
		v->time = (enum call_time)(y - HEAD_ROWS);
		return twice ? show_longest(v, s) : REPLY_DONE;
	}
	if (v->watch && row >= 0 && x >= v->area.w - TRACK_COLS &&
	    (uint32_t)row < callwatch_rows(v->watch))
		v->row = (uint32_t)row;
	return REPLY_DONE;
}

static bool
calls_find(void *view, struct scene *s, int dir)
{
	struct calls *v = view;
	if (v->listing)
		return calls_list_find(&v->list, s, dir);
	node_id n = search_next(s->search, s->outline, s->nav->node, dir);
	if (n == NODE_NONE)
		return false;
	nav_select(s->nav, s->fold, s->p, n);
	return true;
}

static bool
calls_describe(const void *view, const struct scene *s, struct row *out)
{
	const struct calls *v = view;
	(void)s;
	*out = v->about;
	return v->key != KEY_NONE;
}

/* Without calls there is nothing to choose. */
static bool
calls_means(const void *view, const struct scene *s, enum action action)
{
	const struct calls *v = view;
	(void)s;
	if (v->listing)
		return true;
	if (action == ACTION_LEFT || action == ACTION_RIGHT)
		return v->watch && callwatch_rows(v->watch) > 1;
	return v->watch != NULL;
}

static const enum action calls_keys[] = {
	ACTION_ENTER, ACTION_CALLS_HALF, ACTION_CALLS_ALL, ACTION_CALLS_OVER,
	ACTION_UP, ACTION_DOWN, ACTION_LEFT, ACTION_RIGHT, ACTION_SEARCH, ACTION_NONE,
};

const struct view_ops calls_view = {
	.name = "calls",
	.digit = '7',
	.open = ACTION_VIEW_CALLS,
	.scope = SCOPE_CALLS,
	.says_why = true,
	.no_details = true,
	.about =
		"The calls of the selected function in the range, track by track.  net\n"
		"was spent in it, gross with all that it called, call is from entry to\n"
		"exit, period from entry to next entry, outside from exit to next entry.\n"
		"n counts those that are complete: min, avg, p50, p99, max and the bars\n"
		"are of these; totals of net and gross hold incomplete calls too.  With\n"
		"more than 4096 of them ~p50 and ~p99 are within 1.6 %.  Filters do not\n"
		"count here.  Up and down choose the time, left and right the track.\n"
		"o lists the calls, one a line, slowest first: of the function, or with a\n"
		"of all; filters count there.  Enter goes to the call in the timeline,\n"
		"where > and < go to the next slowest and back.\n",
	.enter = "timeline",
	.keys = calls_keys,
	.create = calls_create,
	.destroy = calls_destroy,
	.arrange = calls_arrange,
	.draw = calls_draw,
	.act = calls_act,
	.means = calls_means,
	.click = calls_click,
	.find = calls_find,
	.hits = show_hits,
	.describe = calls_describe,
};
