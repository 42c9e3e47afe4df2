#include "model/compare/compare.h"

#include <math.h>

#include "model/profile/human.h"

enum fate
compare_fate(int64_t now, int64_t base)
{
	if (now == base)
		return FATE_SAME;
	if (!base)
		return FATE_NEW;
	if (!now)
		return FATE_GONE;
	return now > base ? FATE_GREW : FATE_SHRANK;
}

void
compare_amount(const struct metric *m, int64_t now, int64_t base, struct buf *out)
{
	if (now > base)
		buf_addc(out, '+');
	if (m)
		human_value(out, now - base, m);
	else
		human_count(out, now - base);
}

void
compare_share(int64_t now, int64_t base, struct buf *out)
{
	switch (compare_fate(now, base)) {
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
	double share = 100.0 * ((double)now - (double)base) / fabs((double)base);
	buf_addf(out, fabs(share) >= 1000 ? "%+.0f%%" : "%+.1f%%", share);
}
