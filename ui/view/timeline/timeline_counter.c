/* timeline_counter.c - counters in the timeline: bars, their scale, their peaks and lowest points.
 *
 * A column may hold many values.  Its bar is solid up to the lowest of them, and pale from there to
 * the highest: a short dip or peak is visible at any zoom.  The scale includes zero, or, on
 * request, extends from the lowest to the highest value in the window: it shows the changes of a
 * value that is large.  A line marks a zero within it, on bars, too. */
#include <math.h>
#include <string.h>

#include "model/base/sum.h"
#include "model/profile/human.h"
#include "ui/view/timeline/timeline.h"

#define DOTS 0x2591
#define ZERO_LINE 0x2500
#define HALF_ROW 4 /* of eighths; a zero below that is at the bottom */
#define EIGHTHS 0x2580 /* plus 1 to 8: a block of that height */

struct timeline_scale {
	double low, high;
};

/* Widens the scale to the values of the window; returns false if there is none. */
static bool
window_scale(const struct timeline *v, const struct lane *lane, struct timeline_scale *out)
{
	bool has = false;
	for (int x = 0; lane->point && x < v->cols; x++) {
		const struct point_column *p = &lane->point[x];
		if (!p->has)
			continue;
		out->low = has && out->low < p->min ? out->low : p->min;
		out->high = has && out->high > p->max ? out->high : p->max;
		has = true;
	}
	return has;
}

static struct timeline_scale
scale_of(const struct timeline *v, const struct lane *lane)
{
	struct timeline_scale s;
	if (!v->scaled || !window_scale(v, lane, &s))
		s = (struct timeline_scale){fmin(lane->min, 0), fmax(lane->max, 0)};
	if (!(s.high > s.low))
		s.high = s.low + 1;
	return s;
}

void
timeline_write_value(struct buf *out, double value)
{
	if (value > -1e15 && value < 1e15 && (double)(int64_t)value == value)
		human_count(out, (int64_t)value);
	else
		buf_addf(out, "%.10g", value);
}

/* Writes 999,999 and 0.25 as they are, more as "12.3 M". */
static void
write_amount(double value, bool bytes, struct buf *out)
{
	static const char prefix[] = {'k', 'M', 'G', 'T', 'P'};
	const struct metric size = {.unit = UNIT_BYTES};
	unsigned i = 0;
	if (bytes && value > -1e18 && value < 1e18) {
		human_value(out, (int64_t)value, &size);
		return;
	}
	if (fabs(value) < 1e7 || fabs(value) >= 1e18) {
		if (fabs(value) < 1e7 && floor(value) == value)
			human_count(out, (int64_t)value);
		else
			buf_addf(out, "%.5g", value);
		return;
	}
	for (value /= 1e3; fabs(value) >= 1e3; value /= 1e3)
		i++;
	buf_addf(out, "%.4g %c", value, prefix[i]);
}

void
timeline_write_scale(const struct timeline *v, const struct scene *s, const struct lane *lane,
		     const char *between, struct buf *out)
{
	name_id unit = s->p->track[lane->track].value_unit;
	struct name text = names_get(&s->p->names, unit);
	struct timeline_scale scale = scale_of(v, lane);
	bool bytes = (text.len == 1 && *text.at == 'B') ||
		     (text.len == 5 && !memcmp(text.at, "bytes", 5));
	write_amount(scale.low, bytes && scale.low != 0, out);
	buf_adds(out, between);
	write_amount(scale.high, bytes, out);
	if (!bytes && unit != NAME_EMPTY) {
		buf_addc(out, ' ');
		profile_show_name(s->p, unit, out);
	}
}

/* Draws a cell: solid up to `low` eighths of it, pale to `high`. */
static void
timeline_counter_draw_cell(struct canvas *c, int y, int x, int low, int high)
{
	low = low < 0 ? 0 : low > 8 ? 8 : low;
	high = high < 0 ? 0 : high > 8 ? 8 : high;
	if (low == high)
		canvas_char(c, y, x, INK_COUNTER, EIGHTHS + (uint32_t)high);
	else if (high == 8 && !low)
		canvas_char(c, y, x, INK_COUNTER_BOTH, DOTS);
	else if (high == 8)
		canvas_char(c, y, x, INK_COUNTER_BOTH, EIGHTHS + (uint32_t)low);
	else
		canvas_char(c, y, x, low * 2 < high ? INK_COUNTER_TOP : INK_COUNTER,
			    EIGHTHS + (uint32_t)high);
}

static int
level_of(const struct timeline_scale *s, double value, int rows)
{
	return (int)((value - s->low) / (s->high - s->low) * 8 * rows + 0.5);
}

int
timeline_zero_row(const struct timeline *v, const struct lane *lane)
{
	struct timeline_scale scale = scale_of(v, lane);
	if (scale.low >= 0 || scale.high <= 0 || lane->rows < 2)
		return -1;
	int level = level_of(&scale, 0, lane->rows);
	return level < HALF_ROW ? -1 : lane->rows - 1 - (level - 1) / 8;
}

/* Draws the zero line in a cell that a bar fills to `low` and `high` eighths, or leaves empty; in
 * others the end of the bar is near zero. */
static void
draw_zero(struct canvas *c, int y, int x, int low, int high)
{
	if (high <= 0)
		canvas_char(c, y, x, INK_RULE, ZERO_LINE);
	else if (low >= 8)
		canvas_char(c, y, x, INK_COUNTER_ZERO, ZERO_LINE);
	else if (low <= 0 && high >= 8)
		canvas_char(c, y, x, INK_COUNTER_BOTH, ZERO_LINE);
}

void
timeline_draw_counter(const struct timeline *v, struct canvas *c, int y, int left,
		      const struct lane *lane)
{
	struct timeline_scale scale = scale_of(v, lane);
	int last = lane->rows - 1, zero = timeline_zero_row(v, lane);
	for (int x = 0; x < v->cols; x++) {
		const struct point_column *p = &lane->point[x];
		if (!p->has)
			continue;
		int low = level_of(&scale, p->min, lane->rows);
		int high = level_of(&scale, p->max, lane->rows);
		for (int row = 0; row < lane->rows; row++) {
			int below = 8 * (last - row);
			if (high > below)
				timeline_counter_draw_cell(c, y + row, left + x, low - below,
							   high - below);
			else if (row == last) /* it has a value, the lowest */
				canvas_char(c, y + row, left + x, INK_COUNTER, EIGHTHS + 1);
			if (row == zero)
				draw_zero(c, y + row, left + x, low - below, high - below);
		}
	}
}

bool
timeline_find_counter(const struct timeline *v, const struct scene *s, size_t *lane)
{
	for (size_t k = 1; k <= v->sorted.n; k++) {
		size_t at = 0;
		while (at < v->sorted.n && v->sorted.at[at] != v->sel)
			at++;
		*lane = v->sorted.at[(at + k) % v->sorted.n];
		if (lane_is_counter(s, &v->lanes.at[*lane]))
			return true;
	}
	return false;
}

bool
timeline_find_peak(const struct timeline *v, const struct lane *lane, bool highest, int64_t *when)
{
	int64_t at;
	if (!points_find_extreme(lane->run.series, lane_time(lane, v->from),
				 lane_time(lane, v->to), highest, &at))
		return false;
	*when = difference_clipped(at, lane->start);
	return true;
}
