/* timeline_points.c - lanes of points in the timeline: states as bands, marks as ticks, counters
 * (timeline_counter.c).
 *
 * A state, and the time between two marks, is a phase of the run: the search finds it by its name,
 * and Enter makes it the range.  With very many points the search stops when a key's time is
 * over. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/profile/human.h"
#include "ui/part/ruler.h"
#include "ui/part/show.h"
#include "ui/view/timeline/timeline.h"

#define MARKS_NAMED 4u /* below the tracks */
#define POINTS_MAX 200000u /* scanned for one key */

/* Writes the file's name for a value; returns false if it has none. */
static bool
timeline_write_name(const struct scene *s, const struct lane *lane, int64_t value, struct buf *out)
{
	name_id name = lane->run.series->floating
			       ? NAME_EMPTY
			       : track_value_name(&s->p->track[lane->track], value);
	if (name == NAME_EMPTY)
		return false;
	profile_show_name(s->p, name, out);
	return true;
}

static void
write_number(const struct scene *s, const struct lane *lane, double value, struct buf *out)
{
	bool whole = value > -1e15 && value < 1e15 && (double)(int64_t)value == value;
	if (!whole || !timeline_write_name(s, lane, (int64_t)value, out))
		timeline_write_value(out, value);
}

/* A value holds until the next; columns with several are shaded. */
static void
draw_states(const struct timeline *v, const struct scene *s, struct canvas *c, int y,
	    int left, const struct lane *lane)
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
		write_number(s, lane, p->min, &label);
		canvas_fill(c, (struct area){y, left + x, 1, end - x}, ink, ' ');
		if (end - x >= 3)
			canvas_char(c, y, left + x, ink, 0x2502);
		int to = x + (end - x >= 3);
		canvas_text(c, y, left + to, end - to, ink, buf_str(&label));
		buf_release(&label);
	}
}

/* Draws a tick, or the number of marks in the column. */
static void
draw_ticks(struct canvas *c, int y, int x, uint64_t n)
{
	if (n)
		canvas_char(c, y, x, INK_KEY, n == 1 ? 0x2502 : n < 10 ? (uint32_t)('0' + n) : '+');
}

static void
draw_marks(const struct timeline *v, struct canvas *c, int y, int left,
	   const struct lane *lane)
{
	for (int x = 0; x < v->cols; x++)
		draw_ticks(c, y, left + x, lane->point[x].events);
}

/* True if the lane belongs to the line of marks, and its columns are made. */
static bool
timeline_is_shown(const struct timeline *v, const struct scene *s, process_id process, size_t i)
{
	return timeline_is_mark_of(v, s, process, i) && v->lanes.at[i].stamp == v->stamp &&
	       v->lanes.at[i].point;
}

void
timeline_draw_all_marks(const struct timeline *v, const struct scene *s, struct canvas *c, int y,
			int left, process_id process)
{
	uint64_t *sum = mem_zalloc((size_t)v->cols, sizeof *sum);
	for (size_t i = 0; i < v->lanes.n; i++)
		for (int x = 0; timeline_is_shown(v, s, process, i) && x < v->cols; x++)
			sum[x] += v->lanes.at[i].point[x].events;
	for (int x = 0; x < v->cols; x++)
		draw_ticks(c, y, left + x, sum[x]);
	free(sum);
}

void
timeline_write_marks(const struct timeline *v, const struct scene *s, process_id process,
		     struct buf *out)
{
	int here = timeline_column(v, v->when);
	unsigned n = 0;
	for (size_t i = 0; here >= 0 && here < v->cols && i < v->lanes.n; i++) {
		const struct lane *lane = &v->lanes.at[i];
		if (!timeline_is_shown(v, s, process, i) || !lane->point[here].events)
			continue;
		if (n++ < MARKS_NAMED) {
			buf_adds(out, n > 1 ? ", " : " · ");
			timeline_label(v, s, lane, out);
		}
	}
	if (n > MARKS_NAMED)
		buf_addf(out, " and %u more", n - MARKS_NAMED);
}

void
timeline_draw_points(const struct timeline *v, const struct scene *s, struct canvas *c,
		     int y, int left, const struct lane *lane)
{
	switch ((enum track_kind)s->p->track[lane->track].kind) {
	case TRACK_STATE:
		draw_states(v, s, c, y, left, lane);
		break;
	case TRACK_MARKS:
		draw_marks(v, c, y, left, lane);
		break;
	case TRACK_COUNTER:
	case TRACK_THREAD:
	case TRACK_CORE:
	case TRACK_TASK:
	case TRACK_MODULE:
		timeline_draw_counter(v, c, y, left, lane);
		break;
	}
}

/* Writes the value of a point after its name, with its unit. */
static void
write_value(const struct scene *s, const struct lane *lane, const struct event *e, bool named,
	    struct buf *out)
{
	const struct track *t = &s->p->track[lane->track];
	double value;
	memcpy(&value, &e->value, sizeof value);
	if (lane->run.series->floating)
		timeline_write_value(out, value);
	else if (named && t->kind != TRACK_MARKS) /* a mark's number only identifies its text */
		buf_addf(out, " (%" PRId64 ")", e->value);
	else if (!named && (t->kind != TRACK_MARKS || e->value))
		human_count(out, e->value);
	if (t->value_unit != NAME_EMPTY) {
		buf_addc(out, ' ');
		profile_show_name(s->p, t->value_unit, out);
	}
}

static void
write_extremes(const struct lane *lane, struct buf *out)
{
	buf_adds(out, " · ");
	timeline_write_value(out, lane->min);
	buf_adds(out, " … ");
	timeline_write_value(out, lane->max);
}

void
timeline_write_point(const struct timeline *v, const struct scene *s,
		     const struct lane *lane, struct buf *out)
{
	const struct series *x = lane->run.series;
	const struct track *t = &s->p->track[lane->track];
	struct event e;
	uint64_t behind = x->sorted ? series_find(x, lane_time(lane, sum_clipped(v->when, 1))) : 0;
	if (!behind || !series_event(x, behind - 1, &e)) {
		buf_adds(out, "no value yet");
		return;
	}
	struct buf said = BUF_INIT;
	bool named = !x->floating && timeline_write_name(s, lane, e.value, &said);
	write_value(s, lane, &e, named, &said);
	if (!named && said.len)
		buf_addf(out, "%s ", buf_str(&said));
	buf_adds(out, t->kind == TRACK_MARKS ? "at " : "since ");
	ruler_write(difference_clipped(e.time, lane->start), show_axis(s), out);
	buf_adds(out, " · point ");
	human_count(out, (int64_t)behind);
	buf_adds(out, " of ");
	human_count(out, (int64_t)x->n);
	if (t->kind != TRACK_MARKS)
		write_extremes(lane, out);
	if (named)
		buf_addf(out, " · %s", buf_str(&said));
	buf_release(&said);
	timeline_write_labels(s, e.labels, out);
}

void
timeline_write_labels(const struct scene *s, labels_id set, struct buf *out)
{
	if (set == LABELS_NONE)
		return;
	buf_adds(out, " · ");
	profile_write_labels(s->p, set, false, out);
}

bool
timeline_next_point(const struct lane *lane, int64_t from, int dir, int64_t *when)
{
	int64_t now = lane_time(lane, from);
	struct event e;
	if (!lane->run.series->sorted)
		return false;
	uint64_t i = series_find(lane->run.series, dir > 0 ? sum_clipped(now, 1) : now);
	if ((dir < 0 && !i--) || !series_event(lane->run.series, i, &e))
		return false;
	*when = difference_clipped(e.time, lane->start);
	return true;
}

/* ---- phases ---- */

static bool
has_phases(const struct scene *s, const struct lane *lane)
{
	uint8_t kind = s->p->track[lane->track].kind;
	return !lane_has_stacks(lane) && lane->run.series->sorted &&
	       (kind == TRACK_STATE || kind == TRACK_MARKS);
}

/* True if event i, with value e, begins another phase than the event before it. */
static bool
timeline_begins(const struct scene *s, const struct lane *lane, uint64_t i, const struct event *e)
{
	struct event before;
	return s->p->track[lane->track].kind == TRACK_MARKS || !i ||
	       !series_event(lane->run.series, i - 1, &before) || before.value != e->value;
}

bool
timeline_phase(const struct timeline *v, const struct scene *s, const struct lane *lane,
	       int64_t *from, int64_t *to)
{
	const struct series *x = lane->run.series;
	struct event e, other;
	if (!has_phases(s, lane))
		return false;
	uint64_t i = series_find(x, lane_time(lane, sum_clipped(v->when, 1))), n = 0;
	if (!i-- || !series_event(x, i, &e))
		return false;
	for (uint64_t k = i; !timeline_begins(s, lane, k, &e) && n < POINTS_MAX; n++)
		series_event(x, --k, &e);
	*from = difference_clipped(e.time, lane->start);
	*to = sum_clipped(v->duration, 1);
	for (n = 0; ++i < x->n && n < POINTS_MAX && series_event(x, i, &other); n++) {
		if (other.time <= e.time || !timeline_begins(s, lane, i, &other))
			continue;
		*to = difference_clipped(other.time, lane->start);
		break;
	}
	return *to > *from;
}

/* Marks the matching values of the track; all marks match if the track's name does. */
static bool
value_matches(const struct scene *s, const struct lane *lane, int64_t value)
{
	const struct track *t = &s->p->track[lane->track];
	struct pattern *p = s->search->pattern;
	name_id name = lane->run.series->floating ? NAME_EMPTY : track_value_name(t, value);
	if (name != NAME_EMPTY && pattern_matches_name(p, &s->p->names, name))
		return true;
	return t->kind == TRACK_MARKS && pattern_matches_name(p, &s->p->names, t->name);
}

static bool
some_match(const struct scene *s, const struct lane *lane)
{
	const struct track *t = &s->p->track[lane->track];
	struct pattern *p = s->search->pattern;
	bool some = t->kind == TRACK_MARKS && pattern_matches_name(p, &s->p->names, t->name);
	for (uint32_t i = 0; i < t->n_value_names && !some; i++)
		some = pattern_matches_name(p, &s->p->names, t->value_name[i].name);
	return some;
}

bool
timeline_find_phase(const struct scene *s, const struct lane *lane, int64_t from, int dir,
		    int64_t *when)
{
	const struct series *x = lane->run.series;
	struct event e;
	if (!has_phases(s, lane) || pattern_negated(s->search->pattern) ||
	    pattern_subject(s->search->pattern) != SUBJECT_FN || !some_match(s, lane))
		return false;
	uint64_t i = series_find(x, lane_time(lane, sum_clipped(from, dir > 0)));
	for (unsigned n = 0; n < POINTS_MAX && (dir > 0 ? i < x->n : i > 0); n++, i += dir > 0) {
		i -= dir < 0;
		if (!series_event(x, i, &e) || !value_matches(s, lane, e.value) ||
		    !timeline_begins(s, lane, i, &e))
			continue;
		*when = difference_clipped(e.time, lane->start);
		return true;
	}
	return false;
}
