/* timeline_window.c - the part of the run that the timeline shows.
 *
 * A window has at least SPAN_MIN units, so a nanosecond can be many columns wide.
 *
 * A window equal to the range follows the range, so the scrubber and this view show the same. A
 * window that the user zoomed or panned stays when the range changes, and the brackets move on the
 * ruler.  A history of zooms allows steps back. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/base/sum.h"
#include "model/base/wide.h"
#include "ui/part/show.h"
#include "ui/view/timeline/timeline.h"

#define SPAN_MIN 10
#define WINDOWS_MAX 100 /* in the history */

int
timeline_column(const struct timeline *v, int64_t when)
{
	if (when < v->from)
		return -1;
	if (when >= v->to)
		return v->cols;
	return (int)wide_column(v->from, v->to, v->cols, when);
}

int64_t
timeline_moment(const struct timeline *v, int column)
{
	return wide_part_up(v->from, v->to, v->cols, column);
}

void
timeline_set_window(struct timeline *v, int64_t from, int64_t to)
{
	int64_t end = sum_clipped(v->duration, 1), least = end < SPAN_MIN ? end : SPAN_MIN;
	int64_t span = difference_clipped(to, from);
	span = span < least ? least : span > end ? end : span;
	if (from > end - span)
		from = end - span;
	v->from = from < 0 ? 0 : from;
	v->to = v->from + span;
}

void
timeline_keep_window(struct timeline *v)
{
	struct window now = {.from = v->from, .to = v->to};
	size_t n = v->before.n;
	if (n && !v->before.at[n - 1].edge && v->before.at[n - 1].from == now.from &&
	    v->before.at[n - 1].to == now.to)
		return;
	if (n == WINDOWS_MAX) {
		memmove(v->before.at, v->before.at + 1, (n - 1) * sizeof *v->before.at);
		v->before.n--;
	}
	*vec_push(&v->before) = now;
}

static bool
timeline_fits(const struct timeline *v, int64_t from, int64_t to)
{
	return v->from == from && v->to == to;
}

bool
timeline_step_back(struct timeline *v)
{
	int64_t was_from = v->from, was_to = v->to;
	while (v->before.n) {
		struct window to = v->before.at[--v->before.n];
		timeline_set_window(v, to.from, to.to);
		if (to.edge) {
			timeline_go_actor(v, to.actor);
			v->when = to.when;
			v->depth = to.depth;
			return true;
		}
		if (!timeline_fits(v, was_from, was_to))
			return true;
	}
	timeline_set_window(v, 0, sum_clipped(v->duration, 1));
	return !timeline_fits(v, was_from, was_to);
}

void
timeline_follow_range(struct timeline *v, const struct scene *s)
{
	int64_t from, to;
	bool whole = s->fold->whole, first = v->range_to < 0, own = v->own_range;
	bool showed = timeline_fits(v, v->range_from, v->range_to);
	v->own_range = false;
	show_range(s, &from, &to);
	v->duration = s->fold->run;
	if (!first && whole == v->whole && from == v->range_from && to == v->range_to)
		return;
	if (first || (showed && !own)) {
		timeline_set_window(v, from, to);
	} else if (to <= v->from || from >= v->to) {
		timeline_keep_window(v);
		timeline_set_window(v, from, to);
	}
	v->whole = whole;
	v->range_from = from;
	v->range_to = to;
}

void
timeline_clamp_cursor(struct timeline *v)
{
	if (v->when >= v->to)
		v->when = v->to - 1;
	if (v->when < v->from)
		v->when = v->from;
}

void
timeline_show_cursor(struct timeline *v)
{
	int64_t span = v->to - v->from;
	if (v->when < v->from || v->when >= v->to)
		timeline_set_window(v, difference_clipped(v->when, span / 2),
				    sum_clipped(difference_clipped(v->when, span / 2), span));
}

void
timeline_zoom(struct timeline *v, bool closer)
{
	int64_t span = v->to - v->from, before = v->when - v->from;
	int64_t want = closer ? span / 2 : span > INT64_MAX / 2 ? span : span * 2;
	int64_t ahead = closer ? before / 2 : sum_clipped(before, before);
	int64_t from = difference_clipped(v->when, ahead);
	timeline_keep_window(v);
	timeline_set_window(v, from, sum_clipped(from, want));
	timeline_clamp_cursor(v);
}

void
timeline_pan(struct timeline *v, int dir)
{
	int64_t span = v->to - v->from, step = span / 4 > 0 ? span / 4 : 1;
	int64_t from = sum_clipped(v->from, dir * step);
	timeline_set_window(v, from, sum_clipped(from, span));
	timeline_clamp_cursor(v);
}

/* Fits the window to the slice, then to the range, then to the whole run. */
bool
timeline_fit_has_effect(const struct timeline *v, const struct scene *s)
{
	const struct lane *lane = timeline_line(v) || v->sel >= v->lanes.n ? NULL
									   : &v->lanes.at[v->sel];
	int64_t from, to, end = sum_clipped(v->duration, 1);
	show_range(s, &from, &to);
	if (v->from > 0 || v->to < v->duration || from > 0 || to < v->duration)
		return true;
	if (!lane || !v->has_slice || !v->slice.shown)
		return false;
	int64_t a = difference_clipped(v->slice.start, lane->start);
	int64_t b = difference_clipped(v->slice.end, lane->start), margin = (b - a) / 20;
	return a > margin || b < end - margin;
}

void
timeline_fit(struct timeline *v, const struct scene *s)
{
	const struct lane *lane = timeline_selected(v);
	int64_t end = sum_clipped(v->duration, 1), was_from = v->from, was_to = v->to, from, to;
	show_range(s, &from, &to);
	timeline_keep_window(v);
	if (lane && v->has_slice && v->slice.shown) {
		int64_t a = difference_clipped(v->slice.start, lane->start);
		int64_t b = difference_clipped(v->slice.end, lane->start);
		int64_t margin = difference_clipped(b, a) / 20;
		timeline_set_window(v, difference_clipped(a, margin), sum_clipped(b, margin));
		if (!timeline_fits(v, was_from, was_to))
			return;
	}
	if (timeline_fits(v, from, to))
		timeline_set_window(v, 0, end);
	else
		timeline_set_window(v, from, to);
	timeline_clamp_cursor(v);
}

/* Writes "FROM TO WHEN": window and cursor, if the window is not the range. */
void
timeline_save_state(const void *view, struct buf *out)
{
	const struct timeline *v = view;
	struct buf words = BUF_INIT;
	if (v->range_to >= 0 && !timeline_fits(v, v->range_from, v->range_to))
		buf_addf(&words, "%" PRId64 " %" PRId64 " %" PRId64, v->from, v->to, v->when);
	timeline_save_order(v, &words);
	buf_add(out, words.at, words.len);
	buf_release(&words);
}

void
timeline_save_position(const void *view, struct buf *out)
{
	const struct timeline *v = view;
	struct buf words = BUF_INIT;
	if (v->range_to >= 0)
		buf_addf(&words, "%" PRId64 " %" PRId64 " %" PRId64 " %zu %u", v->from, v->to,
			 v->when, v->sel, v->depth);
	timeline_save_order(v, &words);
	buf_add(out, words.at, words.len);
	buf_release(&words);
}

/* Reads the window, the cursor, and perhaps the lane and depth of the cursor; returns the number of
 * bytes. 0: the words do not begin with them. */
static size_t
restore_window(struct timeline *v, const char *words)
{
	int64_t from, to, when;
	size_t lane = SIZE_MAX;
	unsigned depth = 0;
	int used = 0, more = 0;
	int n = sscanf(words, "%" SCNd64 " %" SCNd64 " %" SCNd64 "%n %zu %u%n", &from, &to,
		       &when, &used, &lane, &depth, &more);
	if ((n != 3 && n != 5) || from < 0 || to <= from || when < from || when >= to)
		return 0;
	v->recalled = true;
	v->recalled_from = from;
	v->recalled_to = to;
	v->recalled_when = when;
	v->recalled_lane = n == 5 ? lane : SIZE_MAX;
	v->recalled_depth = depth;
	return (size_t)(n == 5 ? more : used);
}

bool
timeline_restore_state(void *view, const char *words)
{
	struct timeline *v = view;
	v->order = ORDER_BUSIEST;
	timeline_forget_pins(v);
	v->pins_due = true;
	size_t used = *words >= '0' && *words <= '9' ? restore_window(v, words) : 0;
	if (!used && *words >= '0' && *words <= '9')
		return false;
	for (words += used; *words; words += used) {
		words += strspn(words, " ");
		used = timeline_restore_order(v, words);
		if (!used)
			return !*words;
	}
	return true;
}

void
timeline_shift_times(void *view, int64_t by)
{
	struct timeline *v = view;
	int64_t span = v->recalled_to - v->recalled_from;
	if (!v->recalled)
		return;
	v->recalled_from = v->recalled_from < by ? 0 : v->recalled_from - by;
	v->recalled_to = v->recalled_from + span;
	v->recalled_when = v->recalled_when < by ? 0 : v->recalled_when - by;
}
