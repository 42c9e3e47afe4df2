/* ruler.c - see ruler.h.
 *
 * A tick is in the column of its time, and its label right of it, so the user reads the time of
 * a bracket or cursor above it without counting.  The end of the run is rarely round, but users
 * look for it first: it has the right edge, and labels that would touch it are dropped. */
#include "ui/part/ruler.h"

#include <inttypes.h>

#include "model/base/wide.h"
#include "model/profile/human.h"
#include "ui/screen/text.h"

#define TICK_COLS 12

void
ruler_write(int64_t t, enum unit axis, struct buf *out)
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

int64_t
ruler_step(int64_t span, int cols, int apart)
{
	int64_t least = wide_ratio(span, apart, cols);
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

/* Rounds to three decimals. */
static int64_t
shortened(int64_t t, enum unit axis)
{
	int64_t grain = axis != UNIT_NS || t < 1000000 ? 1 : t < 1000000000 ? 1000 : 1000000;
	return t - t % grain;
}

/* Draws the end of the run; returns the columns left. */
static int
draw_end(struct canvas *c, struct area a, int64_t end, enum unit axis)
{
	struct buf text = BUF_INIT;
	ruler_write(shortened(end, axis), axis, &text);
	int cols = text_cols(buf_str(&text)) + 1;
	if (cols < a.w) {
		canvas_text(c, a.y, a.x + a.w - cols, cols, INK_DIM, buf_str(&text));
		canvas_char(c, a.y, a.x + a.w - 1, INK_RULE, 0x2502);
	} else {
		cols = 0;
	}
	buf_release(&text);
	return a.w - cols;
}

static int
ruler_column_of(int64_t t, int64_t end, int cols)
{
	wide length = wide_add(wide_of(end), wide_of(1));

	return (int)wide_clipped(wide_div(wide_mul(wide_of(t), wide_of(cols)), length));
}

void
ruler_draw(struct canvas *c, struct area a, int64_t end, enum unit axis)
{
	int64_t step = ruler_step(end, a.w, TICK_COLS);
	struct buf text = BUF_INIT;
	int room = draw_end(c, a, end, axis) - 1;
	for (int64_t t = 0; t <= end; t += step) {
		int x = ruler_column_of(t, end, a.w), next = a.w;
		if (t <= end - step)
			next = ruler_column_of(t + step, end, a.w);
		buf_reset(&text);
		if (t)
			ruler_write(t, axis, &text);
		else
			buf_addc(&text, '0');
		int cols = text_cols(buf_str(&text));
		if (x + 1 + cols <= room) {
			canvas_char(c, a.y, a.x + x, INK_RULE, 0x2502);
			if (x + 1 + cols < next || next == a.w)
				canvas_text(c, a.y, a.x + x + 1, cols, INK_DIM,
					    buf_str(&text));
		}
		if (t > INT64_MAX - step)
			break;
	}
	buf_release(&text);
}
