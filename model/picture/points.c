/* points.c - see points.h.
 *
 * A block that lies entirely in a column counts by its lowest and highest value; the points at
 * both ends of a column are read one by one. */
#include "model/picture/points.h"
#include "model/base/wide.h"

#include <string.h>


#define EXTREME_PARTS 32 /* of a range; the best part is divided again */

static double
points_number_of(const struct series *s, int64_t bits)
{
	double v;
	if (!s->floating)
		return (double)bits;
	memcpy(&v, &bits, sizeof v);
	return v;
}

static void
point_add(struct point_column *p, double v)
{
	if (!p->has || v < p->min)
		p->min = v;
	if (!p->has || v > p->max)
		p->max = v;
	p->has = true;
}

static void
points_between(const struct series *s, uint64_t first, uint64_t end,
	       struct point_column *p)
{
	for (uint64_t i = first; i < end;) {
		if (i % BLOCK_EVENTS == 0 && end - i >= BLOCK_EVENTS) {
			point_add(p, points_number_of(s, s->block[i / BLOCK_EVENTS].min));
			point_add(p, points_number_of(s, s->block[i / BLOCK_EVENTS].max));
			i += BLOCK_EVENTS;
			continue;
		}
		struct event e;
		series_event(s, i++, &e);
		point_add(p, points_number_of(s, e.value));
	}
}

void
points_columns(const struct series *s, int64_t from, int64_t to, unsigned n,
	       struct point_column *out)
{
	struct event e;
	for (unsigned i = 0; i < n; i++)
		out[i] = (struct point_column){0};
	if (!s->sorted || !s->n || s->kind != SERIES_POINTS || to <= from)
		return;
	for (unsigned i = 0; i < n; i++) {
		int64_t a = wide_part(from, to, n, i),
			b = wide_part(from, to, n, i + 1);
		uint64_t first = series_find(s, a),
			 end = series_find(s, b > a ? b : a + 1);
		bool replaced = first < end && series_event(s, first, &e) && e.time == a;
		if (first && !replaced && series_event(s, first - 1, &e))
			point_add(&out[i], points_number_of(s, e.value));
		points_between(s, first, end, &out[i]);
		out[i].events = end - first;
		if (end && series_event(s, end - 1, &e))
			out[i].last = points_number_of(s, e.value);
	}
}

bool
points_find_extreme(const struct series *s, int64_t from, int64_t to, bool highest, int64_t *when)
{
	struct point_column part[EXTREME_PARTS];
	while (from < to) {
		unsigned best = EXTREME_PARTS;
		points_columns(s, from, to, EXTREME_PARTS, part);
		for (unsigned i = 0; i < EXTREME_PARTS; i++)
			if (part[i].has &&
			    (best == EXTREME_PARTS || (highest ? part[i].max > part[best].max
							       : part[i].min < part[best].min)))
				best = i;
		if (best == EXTREME_PARTS)
			return false;
		int64_t a = wide_part(from, to, EXTREME_PARTS, best);
		int64_t b = wide_part(from, to, EXTREME_PARTS, best + 1);
		*when = a;
		if (b <= a + 1)
			return true;
		from = a;
		to = b;
	}
	return false;
}

bool
points_extremes(const struct series *s, double *min, double *max)
{
	struct point_column p = {0};
	if (s->kind != SERIES_POINTS)
		return false;
	for (uint32_t b = 0; b < s->n_blocks; b++) {
		point_add(&p, points_number_of(s, s->block[b].min));
		point_add(&p, points_number_of(s, s->block[b].max));
	}
	*min = p.min;
	*max = p.max;
	return p.has;
}
