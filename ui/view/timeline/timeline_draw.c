/* timeline_draw.c - draws the timeline: a ruler, lanes, and the slice at the cursor.
 *
 *	  50 ms     │0 s         │100 ms      ▾            │300 ms
 *	> main 100  │ main                                │ main
 *	            │ parse          [ read ]             │ parse
 *	  io 101    rrrr   rrrrr
 *	─ main 100 · slice read · 120.5 ms … 180 ms · 59.5 ms ────
 *	main › parse › [read]
 *
 * A row of a lane is one depth of its stacks (timeline_boxes.c).  A lane of one row shows the
 * leaf instead, because the root of a thread is always the same, and so does the last row of a lane
 * that has not enough rows for its stacks: what runs says more than the middle of the stack. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/profile/human.h"
#include "ui/part/ruler.h"
#include "ui/part/show.h"
#include "ui/screen/shorten.h"
#include "ui/screen/text.h"
#include "ui/view/timeline/timeline.h"

#define NAME_COLS 20 /* of names beside numbers; fewer say nothing */
#define STACK_FRAMES 256

/* ---- lanes ---- */

/* Draws the scale below the name of a counter, in two rows if it is too wide for one, or after the
 * name if there is only that row. */
static void
draw_scale(const struct timeline *v, const struct scene *s, struct canvas *c, struct area a,
	   const struct lane *lane, int name_cols)
{
	struct buf text = BUF_INIT;
	timeline_write_scale(v, s, lane, " … ", &text);
	int w = text_cols(buf_str(&text)), zero = timeline_zero_row(v, lane);
	if (zero > (w > a.w ? 2 : 1))
		canvas_text(c, a.y + zero, a.x + a.w - 1, 1, INK_DIM, "0");
	if (a.h > 2 && w > a.w) {
		buf_reset(&text);
		timeline_write_scale(v, s, lane, " …\n", &text);
		char *high = strchr(text.at, '\n');
		*high++ = '\0';
		canvas_fit(c, a.y + 1, a.x, a.w, INK_DIM, text.at);
		canvas_fit(c, a.y + 2, a.x, a.w, INK_DIM, high);
	} else if (a.h > 1) {
		canvas_fit(c, a.y + 1, a.x, a.w, INK_DIM, buf_str(&text));
	} else if (name_cols + 1 + w <= a.w) {
		canvas_text(c, a.y, a.x + a.w - w, w, INK_DIM, buf_str(&text));
	}
	buf_release(&text);
}

/* Below the name of a lane: how many frames it hides above its first row and below its last one, or
 * above the leaves. */
static void
draw_hidden(const struct timeline *v, struct canvas *c, struct area a, const struct lane *lane)
{
	struct buf text = BUF_INIT;
	int above = lane_deep(v, lane), below = lane_hides(v, lane);
	bool leaves = lane_stack_rows(lane) >= LEAF_ROWS;
	if (above && a.h > 2) {
		buf_addf(&text, " %d above", above);
		canvas_fit(c, a.y + 1, a.x, a.w, INK_DIM, buf_str(&text));
	}
	buf_reset(&text);
	if (leaves && below)
		buf_addf(&text, " +%d · leaf", below);
	else if (below)
		buf_addf(&text, " %d below", below);
	if (text.len)
		canvas_fit(c, a.y + a.h - 1, a.x, a.w, INK_DIM, buf_str(&text));
	buf_release(&text);
}

static void
timeline_label_draw(const struct timeline *v, const struct scene *s, struct canvas *c,
		    struct area a, int y, const struct shelf *line)
{
	const struct lane *lane = &v->lanes.at[line->lane];
	bool sel = lane_is_selected(v, lane);
	struct buf name = BUF_INIT, whole = BUF_INIT;
	int indent = line->indent, cols = v->label_cols - 1 - indent;
	timeline_label(v, s, lane, &whole);
	shorten_middle(buf_str(&whole), cols, &name);
	buf_release(&whole);
	if (sel)
		canvas_char(c, y, a.x, INK_STRONG, '>');
	canvas_fit(c, y, a.x + 1 + indent, cols, sel ? INK_STRONG : INK_DIM,
		   buf_str(&name));
	if (lane_is_counter(s, lane))
		draw_scale(v, s, c, (struct area){y, a.x + 1 + indent, lane->rows, cols},
			   lane, text_cols(buf_str(&name)));
	if (lane_has_stacks(lane) && lane->rows > 1)
		draw_hidden(v, c, (struct area){y, a.x + 1, lane->rows, v->label_cols - 1}, lane);
	buf_release(&name);
}

static void
draw_lane(const struct timeline *v, const struct scene *s, struct canvas *c,
	  struct area a, const struct shelf *line)
{
	const struct lane *lane = &v->lanes.at[line->lane];
	int y = a.y + RULER_ROWS + lane->y, left = a.x + v->label_cols + 1;
	timeline_label_draw(v, s, c, a, y, line);
	if (lane_state_rows(lane))
		timeline_draw_states(v, s, c, y, left, lane->actor);
	if (lane_has_stacks(lane)) {
		y += lane_state_rows(lane);
		for (int row = 0; row < lane_stack_rows(lane); row++)
			timeline_draw_boxes(v, s, c, y + row, left, lane, lane_depth(v, lane, row));
		return;
	}
	timeline_draw_points(v, s, c, y, left, lane);
}

/* Writes the text of a line that is not a lane. */
static void
write_line(const struct timeline *v, const struct scene *s, const struct shelf *line,
	   struct buf *out)
{
	if (line->kind == LINE_IDLE) {
		buf_adds(out, v->idle_open ? "▾ " : "… ");
		human_count(out, line->count);
		buf_adds(out, " idle tracks");
		return;
	}
	if (line->kind == LINE_MARKS) {
		buf_adds(out, timeline_shows_marks(v, line->process) ? "▾ " : "▸ ");
		human_count(out, line->count);
		buf_adds(out, " marks");
		return;
	}
	if (line->kind == LINE_ACTOR) {
		profile_show_name(s->p, s->p->actor[line->actor].name, out);
		return;
	}
	if (line->kind == LINE_ACTORS) {
		buf_adds(out, timeline_actors_open(v) ? "▾ " : "▸ ");
		human_count(out, line->count);
		buf_adds(out, line->count == 1 ? " thread" : " threads");
		buf_adds(out, " without stacks");
		return;
	}
	bool closed = timeline_is_closed(v, line->process);
	buf_adds(out, closed ? "▸ " : "▾ ");
	timeline_process_label(s, &v->lanes.at[line->lane], out);
	if (!closed)
		return;
	buf_adds(out, " · ");
	human_count(out, line->count);
	buf_adds(out, line->count == 1 ? " track" : " tracks");
}

static void
draw_line(const struct timeline *v, const struct scene *s, struct canvas *c,
	  struct area a, size_t i)
{
	struct buf whole = BUF_INIT, text = BUF_INIT;
	const struct shelf *line = &v->list.at[i];
	int y = a.y + RULER_ROWS + line->y, indent = line->indent;
	bool labels = line->kind == LINE_MARKS || line->kind == LINE_ACTOR;
	int cols = (labels ? v->label_cols : a.w) - 1 - indent;
	write_line(v, s, line, &whole);
	shorten_middle(buf_str(&whole), cols, &text);
	buf_release(&whole);
	if (i == v->at)
		canvas_char(c, y, a.x, INK_STRONG, '>');
	canvas_text(c, y, a.x + 1 + indent, cols, i == v->at ? INK_STRONG : INK_DIM,
		    buf_str(&text));
	if (line->kind == LINE_ACTOR)
		timeline_draw_states(v, s, c, y, a.x + v->label_cols + 1, line->actor);
	if (line->kind == LINE_MARKS)
		timeline_draw_all_marks(v, s, c, y, a.x + v->label_cols + 1, line->process);
	buf_release(&text);
}

/* Writes below the last lane how many lie beyond the edges. */
static void
draw_edge(const struct timeline *v, struct canvas *c, struct area a, int rows)
{
	struct buf text = BUF_INIT;
	if (rows >= v->lane_rows || !(v->above || v->below))
		return;
	buf_adds(&text, "… ");
	if (v->below)
		buf_addf(&text, "%u more below", v->below);
	if (v->above)
		buf_addf(&text, "%s%u above", v->below ? ", " : "", v->above);
	canvas_text(c, a.y + RULER_ROWS + v->lane_rows - 1, a.x + 1, a.w - 1, INK_DIM,
		    buf_str(&text));
	buf_release(&text);
}

/* True if the character is part of the picture, not of a text. */
static bool
is_drawn(uint32_t ch, bool ascii)
{
	return ch == ' ' || (ch >= 0x2500 && ch <= 0x259F) || (ascii && (ch == '#' || ch == '='));
}

/* True for the blank between two words of a label. */
static bool
is_in_label(const struct canvas *c, int y, int x)
{
	return x > 0 && x + 1 < c->w && canvas_cell(c, y, x)->ch[0] == ' ' &&
	       !is_drawn(canvas_cell(c, y, x - 1)->ch[0], c->ascii) &&
	       !is_drawn(canvas_cell(c, y, x + 1)->ch[0], c->ascii);
}

/* The cursor is a line through all lanes, and through the lines between them where they are blank.
 * It runs behind letters, since they name what it would hide. */
static void
draw_cursor(const struct timeline *v, struct canvas *c, struct area a, const struct shelf *line)
{
	int x = a.x + v->label_cols + 1 + timeline_column(v, v->when),
	    y = a.y + RULER_ROWS + line->y;
	for (int row = 0; row < line->rows; row++) {
		const struct cell *cell = canvas_cell(c, y + row, x);
		uint32_t ch = cell->ch[0];
		unsigned shade = cell->shade;
		bool blank = ch == ' ' && cell->ink == INK_TEXT;
		bool states = !row && (line->kind == LINE_ACTOR ||
				       (line->kind == LINE_LANE &&
					lane_state_rows(&v->lanes.at[line->lane])));
		if (states || (ch == ' ' && !is_in_label(c, y + row, x)) ||
		    (line->kind == LINE_LANE && is_drawn(ch, c->ascii) && ch != ' '))
			canvas_char(c, y + row, x, blank ? INK_SCRUB_EDGE : cell->ink, 0x2502);
		if (canvas_cell(c, y + row, x)->ch[0] == 0x2502)
			canvas_shade(c, (struct area){y + row, x, 1, 1}, shade);
	}
}

/* ---- parts that may wait while the cursor moves ---- */

static uint64_t
mixed(uint64_t of, uint64_t more)
{
	return (of ^ more) * 0x9E3779B97F4A7C15u;
}

/* Returns a number for the picture of the lanes without the cursor. */
static uint64_t
picture_of(const struct timeline *v, const struct scene *s)
{
	uint64_t of = mixed(mixed(s->folds, (uint64_t)v->from), (uint64_t)v->to);
	of = mixed(mixed(of, v->stamp), s->search->updates);
	for (size_t i = v->top; i < v->list.n && v->list.at[i].rows; i++) {
		const struct shelf *line = &v->list.at[i];
		of = mixed(mixed(of, line->lane + 1), (uint64_t)line->rows << 8 | line->kind);
	}
	of = mixed(of, v->scaled);
	return mixed(of, (uint64_t)v->deep << 32 | (unsigned)v->top);
}

/* Returns the row of a lane that shows the selected frame, else the nearest one. */
static int
frame_row(const struct timeline *v, const struct lane *lane)
{
	int row = 0;
	if (v->has_slice && v->slice.shown && lane_has_stacks(lane))
		row = (int)v->layout.depth[v->slice.node] - 1 - v->deep + lane_state_rows(lane);
	row = row < lane->rows ? row : lane->rows - 1;
	return row > 0 ? row : 0;
}

/* All rows but that of the selected frame may wait: they differ in the cursor's line alone. */
static void
let_wait(const struct timeline *v, const struct scene *s, struct canvas *c, struct area a)
{
	int left = a.x + v->label_cols + 1;
	uint64_t of = picture_of(v, s);
	for (size_t i = v->top; i < v->list.n && v->list.at[i].rows; i++) {
		const struct shelf *line = &v->list.at[i];
		const struct lane *lane = NULL;
		if (line->kind == LINE_LANE && i == v->at)
			lane = &v->lanes.at[line->lane];
		for (int row = 0; row < line->rows; row++)
			if (!lane || row != frame_row(v, lane))
				canvas_late(c,
					    (struct area){a.y + RULER_ROWS + line->y + row, left,
							  1, v->cols},
					    of);
	}
}

/* ---- the slice at the cursor ---- */

/* Writes the value of an event in the current metric. */
static void
write_value(const struct scene *s, const struct series *x, uint64_t event,
	    struct buf *out)
{
	for (unsigned m = 0; m < x->n_metrics; m++) {
		if (x->metric[m] != s->fold->metric || x->role[m] != ROLE_VALUE)
			continue;
		const struct chunk *c = series_chunk(x, event);
		buf_adds(out, " · ");
		profile_show_name(s->p, s->p->metric[x->metric[m]].name, out);
		buf_addc(out, ' ');
		human_value(
			out,
			series_number(x, c, (uint32_t)(event - c->first), m),
			&s->p->metric[x->metric[m]]);
	}
}

/* Writes duration, beginning and the other numbers, which are never shortened. */
static void
write_numbers(const struct timeline *v, const struct scene *s, const struct lane *lane,
	      struct buf *out)
{
	const struct layout_slice *x = &v->slice;
	enum unit axis = show_axis(s);
	if (lane->run.held) {
		unsigned m = lane->run.held - 1u;
		human_value(out,
			    layout_held_at(lane->run.series, m,
					   sum_clipped(lane_time(lane, v->when), 1)),
			    &s->p->metric[lane->run.series->metric[m]]);
		buf_adds(out, " held at ");
		ruler_write(v->when, axis, out);
		return;
	}
	if (!x->shown)
		buf_adds(out, "nothing runs ");
	if (x->shown || x->end > x->start) { /* else the cursor is after the last event */
		if (!x->start_known || !x->end_known)
			buf_adds(out, "at least ");
		ruler_write(difference_clipped(x->end, x->start), axis, out);
		buf_addc(out, ' ');
	}
	buf_adds(out, "from ");
	ruler_write(difference_clipped(x->start, lane->start), axis, out);
	if (x->end <= x->start && !x->shown)
		buf_adds(out, " on");
	else if (!x->start_known)
		buf_adds(out, " or before");
}

/* Writes the index and the number of samples, and the sample's values, if the name still has
 * room. */
static void
write_sample(const struct timeline *v, const struct scene *s, const struct lane *lane,
	     struct buf *out)
{
	const struct layout_slice *x = &v->slice;
	if (!x->shown || lane->run.series->kind != SERIES_SAMPLES)
		return;
	buf_adds(out, lane->run.held ? " · change " : " · sample ");
	human_count(out, (int64_t)x->event + 1);
	buf_adds(out, " of ");
	human_count(out, (int64_t)lane->run.series->n);
	write_value(s, lane->run.series, x->event, out);
}

/* Writes the file's own value or text for the slice. */
static void
write_beside(const struct timeline *v, const struct scene *s, const struct lane *lane,
	     struct buf *out)
{
	const struct layout_slice *x = &v->slice;
	struct event begin; /* of a designator */
	if (x->shown && x->start_known && lane->run.series->valued &&
	    series_event(lane->run.series, x->first, &begin))
		buf_addf(out, " · 0x%" PRIx64, (uint64_t)begin.value);
	/* a call has its value at its beginning, a sample at itself */
	uint64_t event = lane->run.series->kind == SERIES_STEPS ? x->first : x->event;
	if (x->shown && (x->start_known || event == x->event) && lane->run.series->labelled &&
	    series_event(lane->run.series, event, &begin))
		timeline_write_labels(s, begin.labels, out);
}

struct spelled {
	node_id node[STACK_FRAMES]; /* leaf first */
	int n;
	uint32_t above; /* frames omitted towards the root */
};

/* Puts the frames from `first` to the leaf (0) into the rows; returns false if they do not fit. */
static bool
put_stack(const struct timeline *v, const struct scene *s, struct canvas *c,
	  struct area a, const struct spelled *st, int first, bool draw)
{
	int x = 0, y = 0;
	struct buf name = BUF_INIT;
	uint32_t above = st->above + (uint32_t)(st->n - 1 - first);
	if (above) {
		buf_addf(&name, "…%u above › ", above);
		if (draw)
			canvas_text(c, a.y, a.x, a.w, INK_DIM, buf_str(&name));
		x = text_cols(buf_str(&name));
	}
	for (int i = first; i >= 0; i--) {
		node_id n = st->node[i];
		bool here = n == v->slice.node;
		buf_reset(&name);
		if (here)
			buf_addc(&name, '[');
		show_frame(s, s->fold->tree->key[n], &name);
		if (here)
			buf_addc(&name, ']');
		int cols = text_cols(buf_str(&name)), all = cols + (i ? 3 : 0);
		if (x && x + all > a.w) {
			x = 0;
			y++;
		}
		if (y >= a.h) {
			buf_release(&name);
			return false;
		}
		if (cols > a.w - (i ? 3 : 0))
			cols = a.w - (i ? 3 : 0);
		if (draw) {
			bool hit = search_hits_key(s->search, s->fold->tree->key[n]);
			canvas_fit(c, a.y + y, a.x + x, cols,
				   here  ? INK_STRONG
				   : hit ? INK_HIT
					 : INK_TEXT,
				   buf_str(&name));
			if (i)
				canvas_text(c, a.y + y, a.x + x + cols, 3, INK_DIM,
					    " › ");
		}
		x += cols + 3;
	}
	buf_release(&name);
	return true;
}

/* Draws the stack, root first; if it does not fit, the frames near the leaf. */
static void
draw_stack(const struct timeline *v, const struct scene *s, struct canvas *c,
	   struct area a, const struct lane *lane)
{
	struct spelled st = {.n = 0};
	node_id n = layout_node(&v->layout, lane->run.series, v->slice.event);
	if (n == NODE_NONE || a.h < 1)
		return;
	for (; n != NODE_ROOT; n = s->fold->tree->parent[n])
		if (st.n < STACK_FRAMES)
			st.node[st.n++] = n;
		else
			st.above++;
	int first = st.n - 1;
	while (first > 0 && !put_stack(v, s, c, a, &st, first, false))
		first--;
	put_stack(v, s, c, a, &st, first, true);
}

/* Writes function, track and the file's values in `cols` columns.  The function gets the
 * remaining columns, at least half. */
static void
timeline_write_names(const struct timeline *v, const struct scene *s, const struct lane *lane,
		     int cols, struct buf *out)
{
	bool runs = v->has_slice && v->slice.shown && lane_has_stacks(lane);
	struct buf name = BUF_INIT, track = BUF_INIT;
	profile_show_name(s->p, s->p->track[lane->track].name, &track);
	if (runs) {
		show_frame(s, s->fold->tree->key[v->slice.node], &name);
		write_beside(v, s, lane, &track);
		int own = text_cols(buf_str(&name)), least = cols / 2 - 3;
		int room = cols - 6 - text_cols(buf_str(&track));
		room = room > least ? room : least;
		own = own < room ? own : room;
		if (own > 0) {
			buf_adds(out, " · ");
			shorten_name(buf_str(&name), own, out);
			cols -= text_cols(buf_str(out));
		}
	}
	if (cols > 6) {
		buf_adds(out, " · ");
		shorten_middle(buf_str(&track), cols - 3, out);
	}
	buf_release(&name);
	buf_release(&track);
}

static void
draw_panel(const struct timeline *v, const struct scene *s, struct canvas *c,
	   struct area a)
{
	const struct lane *lane = &v->lanes.at[v->sel];
	struct buf text = BUF_INIT, names = BUF_INIT;
	canvas_fill(c, (struct area){a.y, a.x, 1, a.w}, INK_RULE, 0x2500);
	buf_addc(&text, ' ');
	if (timeline_line(v)) {
		write_line(v, s, timeline_line(v), &text);
		if (timeline_line(v)->kind == LINE_MARKS)
			timeline_write_marks(v, s, timeline_line(v)->process, &text);
		if (timeline_line(v)->kind == LINE_ACTOR)
			timeline_write_state(v, s, a.w - 4 - text_cols(buf_str(&text)), &text);
		else
			buf_adds(&text, " · Enter opens and closes");
	} else if (!lane_has_stacks(lane)) {
		timeline_write_point(v, s, lane, &text);
	} else if (v->has_slice) {
		struct buf sample = BUF_INIT;
		write_numbers(v, s, lane, &text);
		write_sample(v, s, lane, &sample);
		if (text_cols(buf_str(&text)) + text_cols(buf_str(&sample)) + NAME_COLS < a.w)
			buf_adds(&text, buf_str(&sample));
		buf_release(&sample);
		timeline_write_state(v, s, a.w - NAME_COLS - text_cols(buf_str(&text)), &text);
	} else {
		buf_adds(&text, "not sorted yet: wait for the end of the file");
	}
	if (!timeline_line(v))
		timeline_write_names(v, s, lane, a.w - 4 - text_cols(buf_str(&text)), &names);
	buf_adds(&text, buf_str(&names));
	buf_addc(&text, ' ');
	int cols = text_cols(buf_str(&text));
	canvas_fit(c, a.y, a.x + 2, cols < a.w - 3 ? cols : a.w - 3, INK_RANGE,
		   buf_str(&text));
	buf_release(&text);
	buf_release(&names);
	if (v->has_slice && v->slice.shown)
		draw_stack(v, s, c, (struct area){a.y + 1, a.x + 1, a.h - 1, a.w - 2},
			   lane);
	canvas_late(c, (struct area){a.y + 1, a.x, a.h - 1, a.w}, 0);
}

static void
draw_nothing(const struct timeline *v, const struct scene *s, struct canvas *c,
	     struct area a)
{
	const char *left = v->lanes.n ? show_nothing_left(s) : NULL;
	const char *why =
		left ? left
		: v->duration <= 0 && s->facts->done && show_has_times(s->p)
			? "All events are at one moment: 1 shows the flame."
		: v->duration <= 0 && s->facts->done
			? "This file has no times: 1 shows the flame."
		: !s->facts->done
			? "Nothing with a time yet: the file is loading."
			: "No chosen track has times.  t chooses tracks.";
	int cols = text_cols(why) < a.w ? text_cols(why) : a.w;
	canvas_fit(c, a.y + a.h / 2, a.x + (a.w - cols) / 2, cols, INK_STRONG, why);
}

void
timeline_draw(const void *view, const struct scene *s, struct canvas *c, struct area a)
{
	const struct timeline *v = view;
	/* counters and the like have events without stacks */
	bool points = v->lanes.n && !lane_has_stacks(&v->lanes.at[v->lanes.n - 1]);
	if (!v->lanes.n || v->duration <= 0 || (!points && show_nothing_left(s))) {
		draw_nothing(v, s, c, a);
		return;
	}
	timeline_draw_ruler(v, s, c, a);
	int rows = 0;
	for (size_t i = v->top; i < v->list.n && v->list.at[i].rows; i++) {
		const struct shelf *line = &v->list.at[i];
		if (line->kind == LINE_LANE)
			draw_lane(v, s, c, a, line);
		else
			draw_line(v, s, c, a, i);
		draw_cursor(v, c, a, line);
		rows = line->y + line->rows;
	}
	timeline_draw_edges(v, s, c, a);
	draw_edge(v, c, a, rows);
	let_wait(v, s, c, a);
	draw_panel(v, s, c,
		   (struct area){a.y + a.h - v->panel_rows, a.x, v->panel_rows, a.w});
}
