#include "model/compare/compare.h"

#include <math.h>

#include "model/base/sum.h"
#include "model/profile/human.h"

#define SHARE_MAX 1e6 /* %: a base that is nearly nothing has no percentages */

enum fate
compare_fate(struct sides x)
{
	bool is = x.now != 0, was = x.base != 0;

	if (is != was)
		return is ? FATE_NEW : FATE_GONE;
	double change = sides_shown_change(x);
	return change > 0 ? FATE_GREW : change < 0 ? FATE_SHRANK : FATE_SAME;
}

void
compare_value(const struct metric *m, double exact, struct buf *out)
{
	if (!sides_has_fraction(exact) || (m && m->decimals)) {
		if (m)
			human_value(out, rounded_clipped(exact), m);
		else
			human_count(out, rounded_clipped(exact));
		return;
	}
	if (fabs(exact) < SIDES_LEAST)
		buf_adds(out, exact < 0 ? ">-0.01" : "<0.01");
	else
		buf_addf(out, "%.2g", sides_shown(exact));
	if (m && m->unit == UNIT_NS)
		buf_adds(out, " ns");
	else if (m && m->unit == UNIT_BYTES)
		buf_adds(out, " B");
}

void
compare_amount(const struct metric *m, double change, struct buf *out)
{
	if (sides_shown(change) > 0)
		buf_addc(out, '+');
	compare_value(m, sides_shown(change), out);
}

void
compare_share(struct sides x, struct buf *out)
{
	switch (compare_fate(x)) {
	case FATE_SAME:
		return;
	case FATE_NEW:
		buf_adds(out, "new");
		return;
	case FATE_GONE:
		buf_adds(out, "gone");
		return;
	case FATE_GREW:
	case FATE_SHRANK:
		break;
	}
	double share = 100.0 * sides_change(x) / fabs(x.base);
	if (fabs(share) >= SHARE_MAX)
		buf_adds(out, share < 0 ? "<-999999%" : ">+999999%");
	else
		buf_addf(out, fabs(share) >= 1000 ? "%+.0f%%" : "%+.1f%%", share);
}

void
compare_both(const struct metric *m, struct sides x, struct buf *out)
{
	size_t before = out->len;

	if (sides_shown_change(x) != 0 || compare_fate(x) == FATE_SAME)
		compare_amount(m, sides_shown_change(x), out);
	if (out->len > before && compare_fate(x) != FATE_SAME)
		buf_addc(out, ' ');
	compare_share(x, out);
}
