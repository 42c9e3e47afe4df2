#include "model/compare/compare.h"

#include <math.h>

#include "model/base/sum.h"
#include "model/profile/human.h"

enum fate
compare_fate(struct sides x)
{
	bool is = x.now != 0, was = x.base != 0;

	if (is != was)
		return is ? FATE_NEW : FATE_GONE;
	if (round(x.now) == round(x.base))
		return FATE_SAME;
	return x.now > x.base ? FATE_GREW : FATE_SHRANK;
}

void
compare_amount(const struct metric *m, int64_t now, int64_t base, struct buf *out)
{
	if (now > base)
		buf_addc(out, '+');
	if (m)
		human_value(out, difference_clipped(now, base), m);
	else
		human_count(out, difference_clipped(now, base));
}

void
compare_value(const struct metric *m, double exact, struct buf *out)
{
	bool count = !m || (m->unit != UNIT_NS && m->unit != UNIT_BYTES && !m->decimals);

	if (count && fabs(exact) < 9.95 && exact != round(exact))
		buf_addf(out, "%.2g", exact);
	else if (m)
		human_value(out, rounded_clipped(exact), m);
	else
		human_count(out, rounded_clipped(exact));
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
	buf_addf(out, fabs(share) >= 1000 ? "%+.0f%%" : "%+.1f%%", share);
}
