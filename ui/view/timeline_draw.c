/* timeline_draw.c - how the timeline looks: a ruler, lanes, and what is under the cursor.
 *
 *	  50 ms     │0 s         │100 ms      ▾            │300 ms
 *	> main 100  │ main                                │ main
 *	            │ parse          [ read ]             │ parse
 *	  io 101    rrrr   rrrrr
 *	─ main 100 · slice read · 120.5 ms … 180 ms · 59.5 ms ────
 *	main › parse › [read]
 *
 * A row of a lane is one depth of its stacks.  Neighbouring columns with the same node
 * are one slice when the layout says that the frame went on (`keep`).  A lane of one row
 * shows the leaf instead, because the root of a thread is always the same.
 *
 * Times are written with as many digits as they need, never rounded: here people look
 * for single nanoseconds. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/human.h"
#include "model/mem.h"
#include "ui/part/show.h"
#include "ui/screen/text.h"
#include "ui/view/timeline.h"

#define TICK_COLS 16
#define IDLE_SHARE 96 /* of 255: less than this was filled */
#define STACK_FRAMES 256
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* ---- times ---- */

/* 2310004512 -> "2.310004512 s", 1500 -> "1.5 µs"; not rounded. */
static void
write_exact(int64_t t, enum unit axis, struct buf *out)
{
	static const struct {
		int64_t size;
		int digits;
		const char *unit;
	} units[] = {{1000000000, 9, " s"}, {1000000, 6, " ms"}, {1000, 3, " µs"}};
	int64_t v = t < 0 ? -t : t;
	if (axis != UNIT_NS) {
		human_count(out, t);
		return;
	}
	if (t < 0)
		buf_addc(out, '-');
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (v < units[i].size)
			continue;
		int digits = units[i].digits;
		int64_t rest = v % units[i].size;
		while (digits && rest % 10 == 0) {
			rest /= 10;
			digits--;
		}
		buf_addf(out, "%" PRId64, v / units[i].size);
		if (digits)
			buf_addf(out, ".%0*" PRId64, digits, rest);
		buf_adds(out, units[i].unit);
		return;
	}
	buf_addf(out, "%" PRId64 " ns", v);
}

/* ---- the ruler ---- */

/* 1, 2 or 5 times a power of ten, so that ticks are at least TICK_COLS apart. */
static int64_t
tick_step(const struct timeline *v)
{
	__int128 least = (__int128)(v->to - v->from) * TICK_COLS / v->cols;
	int64_t step = 1;
	while (step < least && step < INT64_MAX / 10) {
		if (step * 2 >= least)
			return step * 2;
		if (step * 5 >= least)
			return step * 5;
		step *= 10;
	}
	return step;
}

static void
draw_ruler(const struct timeline *v, const struct scene *s, struct canvas *c,
	   struct area a)
{
	int left = a.x + v->label_cols + 1;
	int64_t step = tick_step(v), t = (v->from + step - 1) / step * step;
	struct buf text = BUF_INIT;
	write_exact(v->to - v->from, show_axis(s), &text);
	canvas_fit(c, a.y, a.x + 1, v->label_cols - 1, INK_RANGE, buf_str(&text));
	for (; t < v->to; t += step) {
		int x = timeline_column(v, t);
		buf_reset(&text);
		write_exact(t, show_axis(s), &text);
		canvas_char(c, a.y, left + x, INK_RULE, 0x2502);
		if (x + 1 + text_cols(buf_str(&text)) <= v->cols)
			canvas_text(c, a.y, left + x + 1, v->cols - x - 1, INK_DIM,
				    buf_str(&text));
		if (t > INT64_MAX - step)
			break;
	}
	buf_release(&text);
	if (!s->fold->whole) {
		int64_t from, to;
		show_range(s, &from, &to);
		int first = timeline_column(v, from), last = timeline_column(v, to - 1);
		if (first >= 0 && first < v->cols)
			canvas_char(c, a.y, left + first, INK_SCRUB_EDGE, '[');
		if (last >= 0 && last < v->cols)
			canvas_char(c, a.y, left + last, INK_SCRUB_EDGE, ']');
	}
	canvas_char(c, a.y, left + timeline_column(v, v->when), INK_SCRUB_HERE, 0x25BE);
}

/* ---- slices ---- */

/* The frame of a column that this row shows: the one at `depth`, or the leaf (0). */
static node_id
frame_at(const struct timeline *v, const struct layout_column *col, int depth)
{
	node_id n = col->node;
	if (n == NODE_NONE || !depth)
		return n;
	if (v->layout.depth[n] < depth)
		return NODE_NONE;
	while (v->layout.depth[n] > depth)
		n = v->layout.t->parent[n];
	return n;
}

static enum ink
frame_ink(const struct scene *s, key_id key)
{
	static const enum ink shades[] = {INK_USER_1, INK_USER_2, INK_USER_3, INK_USER_4};
	name_id name = projection_key_name(s->fold->tree, s->p, key);
	uint32_t hash = names_get(&s->p->names, name).hash;
	switch (show_kind(s, key)) {
	case KIND_SYSTEM:
		return hash & 1 ? INK_SYSTEM_1 : INK_SYSTEM_2;
	case KIND_INTRINSIC:
		return hash & 1 ? INK_INTRINSIC_1 : INK_INTRINSIC_2;
	case KIND_USER:
		break;
	}
	return shades[hash & 3];
}

static bool
out_of_range(const struct timeline *v, const struct scene *s, int x)
{
	if (s->fold->whole)
		return false;
	return timeline_moment(v, x + 1) <= v->range_from ||
	       timeline_moment(v, x) >= v->range_to;
}

static void
draw_slice(const struct timeline *v, const struct scene *s, struct canvas *c, int y,
	   int left, const struct lane *lane, int x, int end, node_id n, bool here)
{
	key_id key = s->fold->tree->key[n];
	bool hit = search_hits_key(s->search, key), same = key == s->nav->key;
	enum ink ink = here || same ? INK_BOX_HERE
		       : hit        ? INK_BOX_HIT
				    : frame_ink(s, key);
	struct buf label = BUF_INIT;
	if (hit)
		buf_addc(&label, '*');
	show_key(s, key, &label);
	for (int k = x; k < end; k++) {
		bool out = out_of_range(v, s, k);
		bool idle = out || lane->column[k].share < IDLE_SHARE;
		canvas_char(c, y, left + k, out ? INK_REST : ink, idle ? 0x2591 : ' ');
	}
	if (out_of_range(v, s, x))
		ink = INK_REST;
	int w = end - x;
	if (here && w >= 3) {
		canvas_char(c, y, left + x, ink, '[');
		canvas_char(c, y, left + end - 1, ink, ']');
		x++;
		w -= 2;
	} else if (w >= 3) {
		canvas_char(c, y, left + x, ink, 0x2502);
		x++;
		w--;
	}
	const char *text = buf_str(&label);
	int cols = text_cols(text);
	if (w < 3 && !hit) /* one letter, of what tells names apart */
		text += strcspn(text, LETTERS) < strlen(text) ? strcspn(text, LETTERS)
							      : 0;
	if (cols > w && w >= 4)
		canvas_fit(c, y, left + x, w, ink, text);
	else
		canvas_text(c, y, left + x, w < 3 ? 1 : w, ink, text);
	buf_release(&label);
}

/* One row of a lane of stacks. */
static void
draw_frames(const struct timeline *v, const struct scene *s, struct canvas *c, int y,
	    int left, const struct lane *lane, int depth)
{
	bool sel = lane == &v->lanes.at[v->sel];
	int cursor = timeline_column(v, v->when);
	/* the columns of the slice under the cursor */
	int first = timeline_column(v, v->slice.start - lane->start);
	int last = timeline_column(v, v->slice.end - lane->start - 1);
	for (int x = 0, end; x < v->cols; x = end) {
		node_id n = frame_at(v, &lane->column[x], depth);
		end = x + 1;
		if (n == NODE_NONE) {
			if (sel && x == cursor)
				canvas_char(c, y, left + x, INK_SCRUB_EDGE, 0x2502);
			continue;
		}
		while (end < v->cols && frame_at(v, &lane->column[end], depth) == n &&
		       lane->column[end].keep >= v->layout.depth[n])
			end++;
		bool here = sel && v->has_slice && v->slice.shown && n == v->slice.node &&
			    first < end && last >= x;
		draw_slice(v, s, c, y, left, lane, x, end, n, here);
	}
}

/* ---- points ---- */

static void
draw_counter(const struct timeline *v, struct canvas *c, int y, int left,
	     const struct lane *lane)
{
	double low = lane->min < 0 ? lane->min : 0,
	       high = lane->max > low ? lane->max : low + 1;
	for (int x = 0; x < v->cols; x++) {
		const struct point_column *p = &lane->point[x];
		if (!p->has)
			continue;
		int level = (int)((p->max - low) / (high - low) * 8 * lane->rows + 0.5);
		for (int row = lane->rows - 1; row >= 0; row--, level -= 8) {
			uint32_t ch = level >= 8 ? 0x2588 : 0x2580 + (uint32_t)level;
			bool base = row == lane->rows - 1;
			if (level <= 0 && !base)
				break;
			canvas_char(c, y + row, left + x, p->events ? INK_BAR : INK_SCRUB,
				    level <= 0 ? 0x2581 : ch);
		}
	}
}

/* A value holds until the next; columns with several are shaded. */
static void
draw_states(const struct timeline *v, struct canvas *c, int y, int left,
	    const struct lane *lane)
{
	static const enum ink inks[] = {INK_SYSTEM_1, INK_INTRINSIC_1, INK_USER_2,
					INK_SYSTEM_2, INK_INTRINSIC_2, INK_USER_4};
	for (int x = 0, end; x < v->cols; x = end) {
		const struct point_column *p = &lane->point[x];
		end = x + 1;
		if (!p->has)
			continue;
		if (p->min < p->max) {
			canvas_char(c, y, left + x, INK_REST, 0x2591);
			continue;
		}
		while (end < v->cols && lane->point[end].has &&
		       lane->point[end].min == p->min && lane->point[end].max == p->max)
			end++;
		uint64_t hash =
			(uint64_t)(int64_t)(p->min < 1e18 && p->min > -1e18 ? p->min : 0);
		enum ink ink = inks[hash % (sizeof inks / sizeof *inks)];
		struct buf label = BUF_INIT;
		buf_addf(&label, "%.10g", p->min);
		canvas_fill(c, (struct area){y, left + x, 1, end - x}, ink, ' ');
		if (end - x >= 3)
			canvas_char(c, y, left + x, ink, 0x2502);
		canvas_text(c, y, left + x + (end - x >= 3), end - x - (end - x >= 3),
			    ink, buf_str(&label));
		buf_release(&label);
	}
}

/* A tick, or how many there are in the column. */
static void
draw_marks(const struct timeline *v, struct canvas *c, int y, int left,
	   const struct lane *lane)
{
	for (int x = 0; x < v->cols; x++) {
		uint64_t n = lane->point[x].events;
		if (n)
			canvas_char(c, y, left + x, INK_KEY,
				    n == 1   ? 0x2502
				    : n < 10 ? (uint32_t)('0' + n)
					     : '+');
	}
}

/* ---- lanes ---- */

static void
draw_label(const struct timeline *v, const struct scene *s, struct canvas *c,
	   struct area a, int y, const struct lane *lane)
{
	bool sel = lane == &v->lanes.at[v->sel];
	struct buf name = BUF_INIT;
	profile_show_name(s->p, s->p->track[lane->track].name, &name);
	if (sel)
		canvas_char(c, y, a.x, INK_STRONG, '>');
	canvas_fit(c, y, a.x + 1, v->label_cols - 1, sel ? INK_STRONG : INK_DIM,
		   buf_str(&name));
	if (sel && lane_has_stacks(lane) && lane->rows > 1) {
		int below = lane->need - v->deep - lane->rows;
		for (int row = 1;
		     row<lane->rows; row += lane->rows> 2 ? lane->rows - 2 : 1) {
			int n = row == 1 && lane->rows > 2 ? v->deep : below;
			buf_reset(&name);
			buf_addf(&name, " %d %s", n,
				 row == 1 && lane->rows > 2 ? "above" : "below");
			if (n > 0)
				canvas_fit(c, y + row, a.x + 1, v->label_cols - 1,
					   INK_DIM, buf_str(&name));
		}
	}
	buf_release(&name);
}

static void
draw_lane(const struct timeline *v, const struct scene *s, struct canvas *c,
	  struct area a, const struct lane *lane)
{
	int y = a.y + RULER_ROWS + lane->y, left = a.x + v->label_cols + 1;
	int deep = lane == &v->lanes.at[v->sel] ? v->deep : 0;
	draw_label(v, s, c, a, y, lane);
	if (lane_has_stacks(lane)) {
		for (int row = 0; row < lane->rows; row++)
			draw_frames(v, s, c, y + row, left, lane,
				    lane->rows == 1 ? 0 : deep + row + 1);
		return;
	}
	switch ((enum track_kind)s->p->track[lane->track].kind) {
	case TRACK_STATE:
		draw_states(v, c, y, left, lane);
		break;
	case TRACK_MARKS:
		draw_marks(v, c, y, left, lane);
		break;
	case TRACK_COUNTER:
	case TRACK_THREAD:
	case TRACK_CORE:
	case TRACK_TASK:
	case TRACK_MODULE:
		draw_counter(v, c, y, left, lane);
		break;
	}
}

/* ---- what is under the cursor ---- */

/* What the series says of an event in the metric that is looked at. */
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
			column_get(&c->value[x->column[m]], (uint32_t)(event - c->first)),
			&s->p->metric[x->metric[m]]);
	}
}

static void
write_slice(const struct timeline *v, const struct scene *s, const struct lane *lane,
	    struct buf *out)
{
	const struct layout_slice *x = &v->slice;
	enum unit axis = show_axis(s);
	if (x->shown && lane->run.series->kind == SERIES_SAMPLES) {
		buf_adds(out, " · sample ");
		human_count(out, (int64_t)x->event + 1);
		buf_adds(out, " of ");
		human_count(out, (int64_t)lane->run.series->n);
		write_value(s, lane->run.series, x->event, out);
	}
	buf_adds(out, x->shown ? " · " : " · nothing runs · ");
	if (x->shown) {
		show_key(s, s->fold->tree->key[x->node], out);
		buf_adds(out, " from ");
	}
	write_exact(x->start - lane->start, axis, out);
	if (!x->start_known)
		buf_adds(out, " or before");
	buf_adds(out, " for ");
	if (!x->start_known || !x->end_known)
		buf_adds(out, "at least ");
	write_exact(x->end - x->start, axis, out);
	/* what the file says beside the slice: a designator */
	struct event begin;
	if (x->shown && x->start_known && lane->run.series->valued &&
	    series_event(lane->run.series, x->first, &begin))
		buf_addf(out, " · 0x%" PRIx64, (uint64_t)begin.value);
}

static void
write_point(const struct timeline *v, const struct scene *s, const struct lane *lane,
	    struct buf *out)
{
	const struct series *x = lane->run.series;
	const struct track *t = &s->p->track[lane->track];
	struct event e;
	uint64_t behind = x->sorted ? series_find(x, lane->start + v->when + 1) : 0;
	if (!behind || !series_event(x, behind - 1, &e)) {
		buf_adds(out, " · no value yet");
		return;
	}
	double value = (double)e.value;
	if (x->floating)
		memcpy(&value, &e.value, sizeof value);
	if (x->floating)
		buf_addf(out, " · %.10g", value);
	else
		buf_addf(out, " · %" PRId64, e.value);
	if (t->value_unit != NAME_EMPTY) {
		buf_addc(out, ' ');
		profile_show_name(s->p, t->value_unit, out);
	}
	buf_adds(out, " since ");
	write_exact(e.time - lane->start, show_axis(s), out);
	buf_adds(out, " · point ");
	human_count(out, (int64_t)behind);
	buf_adds(out, " of ");
	human_count(out, (int64_t)x->n);
	buf_addf(out, " · %.10g … %.10g", lane->min, lane->max);
}

struct spelled {
	node_id node[STACK_FRAMES]; /* leaf first */
	int n;
	uint32_t above; /* frames left out, towards the root */
};

/* Puts the frames from `first` to the leaf (0) into the rows; false when they do not fit. */
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
		show_key(s, s->fold->tree->key[n], &name);
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

/* The stack, root first; where it does not fit, the frames near the leaf. */
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

static void
draw_panel(const struct timeline *v, const struct scene *s, struct canvas *c,
	   struct area a)
{
	const struct lane *lane = &v->lanes.at[v->sel];
	struct buf text = BUF_INIT;
	canvas_fill(c, (struct area){a.y, a.x, 1, a.w}, INK_RULE, 0x2500);
	buf_addc(&text, ' ');
	write_exact(v->when, show_axis(s), &text);
	buf_adds(&text, " · ");
	profile_show_name(s->p, s->p->track[lane->track].name, &text);
	if (!lane_has_stacks(lane))
		write_point(v, s, lane, &text);
	else if (v->has_slice)
		write_slice(v, s, lane, &text);
	else
		buf_adds(&text, " · being put in order: wait for the end of the file");
	buf_addc(&text, ' ');
	int cols = text_cols(buf_str(&text));
	canvas_fit(c, a.y, a.x + 2, cols < a.w - 3 ? cols : a.w - 3, INK_RANGE,
		   buf_str(&text));
	buf_release(&text);
	if (v->has_slice && v->slice.shown)
		draw_stack(v, s, c, (struct area){a.y + 1, a.x + 1, a.h - 1, a.w - 2},
			   lane);
}

static void
draw_nothing(const struct timeline *v, const struct scene *s, struct canvas *c,
	     struct area a)
{
	const char *why =
		v->duration <= 0 && s->facts->done
			? "No times in this file: 1 shows the flame."
		: !s->facts->done
			? "Nothing with a time yet: the file is loading."
			: "No track is chosen that has times.  t chooses tracks.";
	int cols = text_cols(why) < a.w ? text_cols(why) : a.w;
	canvas_fit(c, a.y + a.h / 2, a.x + (a.w - cols) / 2, cols, INK_STRONG, why);
}

void
timeline_draw(const void *view, const struct scene *s, struct canvas *c, struct area a)
{
	const struct timeline *v = view;
	if (!v->lanes.n || v->duration <= 0) {
		draw_nothing(v, s, c, a);
		return;
	}
	draw_ruler(v, s, c, a);
	for (size_t i = v->top; i < v->lanes.n && v->lanes.at[i].rows; i++)
		draw_lane(v, s, c, a, &v->lanes.at[i]);
	draw_panel(v, s, c,
		   (struct area){a.y + a.h - v->panel_rows, a.x, v->panel_rows, a.w});
}
