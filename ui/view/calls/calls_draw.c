/* calls_draw.c - draws the statistics of all calls: a table of the five times, and below it the
 * distribution of the selected time, beside the tracks. */
#include <string.h>

#include "model/calls/callstats.h"
#include "model/calls/callwalk.h"
#include "model/profile/human.h"
#include "ui/part/grid.h"
#include "ui/part/show.h"
#include "ui/screen/shorten.h"
#include "ui/screen/text.h"
#include "ui/view/calls/calls.h"

#define BARS_MAX 24

static const char *const about_time[CALL_TIMES] = {
	[CALL_NET] = "in the function itself",
	[CALL_GROSS] = "with all that it called",
	[CALL_CALL] = "from entry to exit",
	[CALL_PERIOD] = "from entry to next entry",
	[CALL_OUTSIDE] = "from exit to next entry",
};

static const struct table_column *
calls_column(const char *name, unsigned rows)
{
	return column_find(name, strlen(name), rows);
}

/* Lays out the columns of the five times in the width that they need.  Only watched calls have
 * single values. */
static void
lay_out_times(const struct calls_state *v, const struct scene *s, const struct callstats_line *line,
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
		struct grid_column *c = grid_add(g, calls_column(columns[i].name, ROWS_TIMES));
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
draw_times(const struct calls_state *v, const struct scene *s, struct canvas *c, struct area a)
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

/* "Page · 3 calls · all tracks", without the name. */
static void
calls_write_title(const struct calls_state *v, const struct callstats_row *of, struct buf *out)
{
	struct row row = {.track = of->track};

	buf_adds(out, " · ");
	human_count(out, of->calls);
	buf_adds(out, of->calls == 1 ? " call · " : " calls · ");
	column_text(calls_column("track", ROWS_CALLS), &v->look, &row, out);
}

/* The name of the function, shortened to the room that the rest of the title leaves. */
static void
draw_named(const struct calls_state *v, const struct scene *s, struct canvas *c, struct area a,
	   struct buf *about)
{
	struct buf name = BUF_INIT, title = BUF_INIT;
	int least = 16, room = a.w - 2 - text_cols(buf_str(about));

	show_frame(s, v->key, &name);
	shorten_name(buf_str(&name), room > least ? room : least, &title);
	buf_adds(&title, buf_str(about));
	canvas_fit(c, a.y, a.x + 1, a.w - 2, INK_STRONG, buf_str(&title));
	buf_release(&name);
	buf_release(&title);
}

static void
calls_draw_title(const struct calls_state *v, const struct scene *s, struct canvas *c,
		 struct area a)
{
	struct callstats_row of = callwatch_row(v->watch, v->row);
	struct buf text = BUF_INIT;
	uint64_t read, all;

	calls_write_title(v, &of, &text);
	callwatch_progress(v->watch, &read, &all);
	if (!v->done || v->stopped) {
		buf_adds(&text, v->stopped ? " · cancelled after " : " · so far: ");
		human_share(&text, (int64_t)read, (int64_t)all);
		buf_adds(&text, v->stopped ? "" : " read");
	}
	draw_named(v, s, c, a, &text);
	buf_release(&text);
}

/* Three digits are enough for the ends of bars. */
static void
write_length(const struct scene *s, int64_t v, struct buf *out)
{
	struct metric m = {.unit = (uint8_t)show_axis(s)};

	human_value(out, v, &m);
}

/* Draws the distribution of the selected time: one bar for each class of durations. */
static void
draw_bars(const struct calls_state *v, const struct scene *s, struct canvas *c, struct area a)
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
		human_count(&text, bar[0].from
					   ? bar[0].to / bar[0].from
					   : bar[n > 1].to / (bar[n > 1].from + !bar[n > 1].from));
		buf_adds(&text, " a bar");
	} else if (n) {
		buf_adds(&text, " · linear, ");
		write_length(s, bar[0].to - bar[0].from, &text);
		buf_adds(&text, " a bar");
	}
	int room = a.w - 1 - text_cols(buf_str(&text)) - 3;
	if (text_cols(about_time[v->time]) <= room)
		buf_addf(&text, " · %s", about_time[v->time]);
	canvas_fit(c, a.y, a.x + 1, a.w - 1, INK_DIM, buf_str(&text));
	if (!n)
		canvas_fit(c, a.y + 1, a.x + 1, a.w - 1, INK_TEXT,
			   v->done ? "no complete calls" : "none yet");
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

/* Draws the tracks that have calls of the function, with the longest of the selected time. */
static void
draw_tracks(const struct calls_state *v, const struct scene *s, struct canvas *c, struct area a)
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
	grid_add(&g, calls_column("calls", ROWS_CALLS));
	grid_add(&g, calls_column(buf_str(&name), ROWS_CALLS))->title = "max";
	grid_add(&g, calls_column("track", ROWS_CALLS));
	grid_draw_head(&g, c, a.y, a.x, a.w);
	for (uint32_t i = top; i < n && i - top < room; i++) {
		struct callstats_row of = callwatch_row(v->watch, i);
		struct row row = {.track = of.track, .calls = of.calls, .of.call = &of};
		grid_draw_row(&g, c, a.y + 1 + (int)(i - top), a.x, &row, i == v->row, NULL,
			      NULL);
	}
	buf_release(&name);
}

/* Draws the file's statistics of the function on one track, from line y on; returns the number of
 * lines. */
static int
draw_file_says(const struct calls_state *v, const struct scene *s, const struct callstats_row *of,
	       struct canvas *c, struct area a)
{
	struct callstats_line line[CALL_TIMES] = {0};
	struct buf about = BUF_INIT;
	struct grid g;
	int y = 1;

	calls_write_title(v, of, &about);
	draw_named(v, s, c, a, &about);
	buf_release(&about);
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

/* Draws the file's statistics of the function for each track. */
static bool
draw_recorded(const struct calls_state *v, const struct scene *s, struct canvas *c, struct area a)
{
	int y = 0;

	for (uint32_t i = 0; i < s->p->recorded.n && y < a.h - 1; i++) {
		struct callstats_row of = callrows_get(&s->p->recorded, i);
		if (of.function == v->function && s->p->recorded.per_call &&
		    fold_has_track(s->fold, of.track))
			y += draw_file_says(v, s, &of, c,
					    (struct area){a.y + y, a.x, a.h - y, a.w});
	}
	if (y && y < a.h)
		canvas_fit(c, a.y + y, a.x + 1, a.w - 2, INK_DIM,
			   "These numbers are the file's own: it has no timeline to count.");
	return y > 0;
}

static void
calls_say(struct canvas *c, struct area a, const char *why)
{
	int cols = text_cols(why) < a.w ? text_cols(why) : a.w;
	canvas_fit(c, a.y + a.h / 2, a.x + (a.w - cols) / 2, cols, INK_STRONG, why);
}

void
calls_draw(const void *view, const struct scene *s, struct canvas *c, struct area a)
{
	const struct calls_state *v = view;
	if (!callwalk_has_calls(s->p) && !s->p->recorded.per_call) {
		calls_say(c, a, "This file does not record calls.  3 shows functions.");
		return;
	}
	if (v->listing && callwalk_has_calls(s->p)) {
		calls_list_draw(&v->list, s, v->key, c, a);
		return;
	}
	if (v->function == UINT32_MAX) {
		calls_say(c, a, "Only functions have calls.  b shows functions again.");
		return;
	}
	if (!v->watch) {
		if (!draw_recorded(v, s, c, a))
			calls_say(c, a, "The file has no calls of this function.");
		return;
	}
	calls_draw_title(v, s, c, a);
	draw_times(v, s, c, (struct area){a.y + 1, a.x, a.h - 1, a.w});
	int y = HEAD_ROWS + CALL_TIMES + 1, tracks = a.w >= 2 * TRACK_COLS ? TRACK_COLS : 0;
	draw_bars(v, s, c, (struct area){a.y + y, a.x, a.h - y, a.w - tracks});
	if (tracks)
		draw_tracks(v, s, c,
			    (struct area){a.y + y, a.x + a.w - tracks, a.h - y, tracks});
}
