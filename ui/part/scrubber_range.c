/* scrubber_range.c - the cursor of the scrubber, and the range that it chooses.
 *
 * If samples are sums over time steps, only whole steps have numbers.  So the ends of a range lie
 * on steps, and the cursor moves from one to the next.
 *
 * The lens stores the range as moments; this file only moves it.  A range that reaches the end of
 * the run has an open end, so it grows with the run. */
#include "ui/part/scrubber.h"

#include "model/base/sum.h"
#include "model/base/wide.h"
#include "ui/part/show.h"

int
scrubber_column(const struct scrubber *sc, int64_t t)
{
	if (sc->duration <= 0 || t <= 0)
		return 0;
	wide length = wide_add(wide_of(sc->duration), wide_of(1));
	int64_t col = wide_clipped(wide_div(wide_mul(wide_of(t), wide_of(sc->cols)), length));
	return (int)(col >= sc->cols ? sc->cols - 1 : col);
}

/* Returns the first moment of a column; for the column after the last, the end of the run. */
static int64_t
moment_of(const struct scrubber *sc, int col)
{
	int64_t end = sum_clipped(sc->duration, 1);
	return wide_part_up(0, end, sc->cols, col);
}

/* ---- the range ---- */

/* Returns the time step of all samples, in a profile of one file; 0 if they have none. */
static int64_t
time_step(const struct scene *s)
{
	return s->p->n_groups == 1 ? s->p->group[0].step : 0;
}

/* Returns the begin of the step that contains t; with `up`, of the next step if t is inside one. */
static int64_t
on_step(const struct scene *s, int64_t t, bool up)
{
	int64_t step = time_step(s);
	if (!step)
		return t;
	wide phase = wide_between(s->p->group[0].start, s->p->group[0].step_first);
	int64_t over = wide_clipped(wide_mod(wide_sub(wide_of(t), phase), wide_of(step)));
	if (over < 0)
		over += step;
	if (!over)
		return t;
	return up ? sum_clipped(t, step - over) : difference_clipped(t, over);
}

static struct moment
moment_at(const struct scene *s, int64_t t)
{
	bool ns = show_axis(s) == UNIT_NS;
	return (struct moment){.kind = ns ? MOMENT_NS : MOMENT_ORDINAL, .value = t};
}

void
scrubber_set_range(const struct scrubber *sc, const struct scene *s, int64_t from,
		   int64_t to, struct lens *l)
{
	int64_t end = sum_clipped(sc->duration, 1);
	if (to <= from)
		to = sum_clipped(from, 1);
	from = on_step(s, from, false);
	to = to < end ? on_step(s, to, true) : to;
	l->from = from > 0 ? moment_at(s, from) : (struct moment){.kind = MOMENT_OPEN};
	l->to = to < end ? moment_at(s, to) : (struct moment){.kind = MOMENT_OPEN};
}

static int64_t
two_thirds(int64_t width)
{
	return wide_ratio(width, 2, 3);
}

/* A window that slides with new data keeps sliding. */
static bool
resize_window(bool wider, struct lens *l)
{
	int64_t width = l->from.value;
	if (!l->from.back || l->to.kind != MOMENT_OPEN || width > INT64_MAX / 2)
		return false;
	width = wider ? sum_clipped(width, (width + 1) / 2) : two_thirds(width);
	l->from.value = width < 1 ? 1 : width;
	return true;
}

/* Scales the range by 3/2 or 2/3 about its middle. */
static void
resize_range(const struct scrubber *sc, const struct scene *s, bool wider, int64_t from,
	     int64_t to, struct lens *l)
{
	int64_t end = sum_clipped(sc->duration, 1), width = to - from;
	int64_t middle = sum_clipped(from, width / 2);
	if (resize_window(wider, l))
		return;
	int64_t want = wider ? sum_clipped(width, width / 2 + 1) : two_thirds(width);
	int64_t grain = time_step(s);
	if (grain && !wider)
		want = want / grain * grain;
	if (want < 1)
		want = grain ? grain : 1;
	from = difference_clipped(middle, want / 2);
	if (sum_clipped(from, want) > end)
		from = difference_clipped(end, want);
	if (from < 0)
		from = 0;
	from = on_step(s, from, wider ? false : true);
	to = sum_clipped(from, want);
	scrubber_set_range(sc, s, from, to > end ? end : to, l);
}

static void
slide_range(const struct scrubber *sc, const struct scene *s, int dir, int64_t from,
	    int64_t to, struct lens *l)
{
	int64_t end = sum_clipped(sc->duration, 1), width = to - from, step = width / 4;
	if (step < 1)
		step = 1;
	step = time_step(s) > step ? time_step(s) : step;
	from = on_step(s, sum_clipped(from, dir * step), dir < 0);
	if (sum_clipped(from, width) > end)
		from = difference_clipped(end, width);
	if (from < 0)
		from = 0;
	scrubber_set_range(sc, s, from, sum_clipped(from, width), l);
}

static void
move_cursor(struct scrubber *sc, const struct scene *s, int by)
{
	int col = scrubber_column(sc, sc->cursor) + by;
	int64_t was = sc->cursor, step = time_step(s);
	col = col < 0 ? 0 : col >= sc->cols ? sc->cols - 1 : col;
	sc->cursor = on_step(s, moment_of(sc, col), false);
	if (step && by && sc->cursor <= was && by > 0 && was <= sc->duration - step)
		sc->cursor = sum_clipped(on_step(s, was, false), step);
	if (sc->cursor < 0)
		sc->cursor = 0;
	if (sc->cursor > sc->duration)
		sc->cursor = sc->duration;
	sc->placed = true;
}

/* Returns why an action cannot change the range [from, to); NULL if it can. */
static const char *
why_not(const struct scrubber *sc, const struct scene *s, enum action action, int64_t from,
	int64_t to)
{
	switch ((int)action) {
	case ACTION_SLIDE_BACK:
	case ACTION_SLIDE_ON:
		if (s->fold->whole)
			return "no range to slide: [ and ] set one";
		if (action == ACTION_SLIDE_BACK ? from <= 0 : to > sc->duration)
			return action == ACTION_SLIDE_BACK
				       ? "the range is at the beginning of the run"
				       : "the range is at the end of the run";
		return NULL;
	case ACTION_WIDEN:
	case ACTION_NARROW:
		if (s->fold->whole)
			return action == ACTION_WIDEN
				       ? "no range to widen: the whole run is shown"
				       : "no range to narrow: [ and ] set one";
		return action == ACTION_NARROW && (to - from <= 1 || to - from <= time_step(s))
			       ? "the range cannot be narrower"
			       : NULL;
	case ACTION_RANGE_CLEAR:
		return s->fold->whole ? "no range to clear: the whole run is shown" : NULL;
	default:
		return NULL;
	}
}

bool
scrubber_act(struct scrubber *sc, const struct scene *s, enum action action,
	     struct lens *l, const char **why)
{
	int64_t end = sum_clipped(sc->duration, 1), from, to, behind;
	show_range(s, &from, &to);
	if (sc->cols < 1 || sc->duration <= 0)
		return false;
	const char *words = why_not(sc, s, action, from, to);
	if (words) {
		*why = words;
		return false;
	}
	behind = moment_of(sc, scrubber_column(sc, sc->cursor) + 1);
	int64_t next = sum_clipped(on_step(s, sc->cursor, false), time_step(s));
	if (time_step(s) && behind < next)
		behind = next;
	switch ((int)action) {
	case ACTION_SCRUB_LEFT:
	case ACTION_SCRUB_RIGHT:
		move_cursor(sc, s, action == ACTION_SCRUB_LEFT ? -1 : 1);
		return false;
	case ACTION_SCRUB_LEFT_FAST:
	case ACTION_SCRUB_RIGHT_FAST:
		move_cursor(sc, s, action == ACTION_SCRUB_LEFT_FAST ? -10 : 10);
		return false;
	case ACTION_SCRUB_FIRST:
	case ACTION_SCRUB_LAST:
		move_cursor(sc, s, action == ACTION_SCRUB_FIRST ? -sc->cols : sc->cols);
		return false;
	case ACTION_RANGE_START:
		scrubber_set_range(sc, s, sc->cursor, to > sc->cursor ? to : end, l);
		return true;
	case ACTION_RANGE_END:
		scrubber_set_range(sc, s, from < behind ? from : 0, behind, l);
		return true;
	case ACTION_SLIDE_BACK:
	case ACTION_SLIDE_ON:
		slide_range(sc, s, action == ACTION_SLIDE_ON ? 1 : -1, from, to, l);
		return true;
	case ACTION_WIDEN:
	case ACTION_NARROW:
		resize_range(sc, s, action == ACTION_WIDEN, from, to, l);
		return true;
	case ACTION_RANGE_CLEAR:
		scrubber_set_range(sc, s, 0, end, l);
		return true;
	default:
		return false;
	}
}

bool
scrubber_point(struct scrubber *sc, const struct scene *s, int x, bool drag,
	       struct lens *l)
{
	int col = x - sc->label_cols - 1;
	if (sc->cols < 1 || sc->duration <= 0)
		return false;
	col = col < 0 ? 0 : col >= sc->cols ? sc->cols - 1 : col;
	sc->cursor = moment_of(sc, col);
	sc->placed = true;
	if (!drag || sc->drag_from < 0) {
		sc->drag_from = sc->cursor;
		return false;
	}
	int first = scrubber_column(sc, sc->drag_from);
	int low = first < col ? first : col, high = first < col ? col : first;
	scrubber_set_range(sc, s, moment_of(sc, low), moment_of(sc, high + 1), l);
	return true;
}
