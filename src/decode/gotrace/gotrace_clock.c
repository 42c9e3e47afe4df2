/* gotrace_clock.c - times. Sequence numbers order events, so their clocks may go back. */
#include "src/decode/gotrace/gotrace_inside.h"

#define TIME_MAX_S 4000000000u /* later times are clipped */

int64_t
gotrace_ns(const struct gotrace *d, uint64_t ticks)
{
	ticks -= ticks > d->clock.begin_ticks ? d->clock.begin_ticks : ticks;
	if (!d->clock.frequency)
		return 0;
	return ticks / d->clock.frequency < TIME_MAX_S ? slices_ns(ticks, d->clock.frequency)
						 : TIME_MAX_S * INT64_C(1000000000);
}

int64_t
gotrace_time(struct gotrace *d, uint64_t ticks)
{
	int64_t time_ns = gotrace_ns(d, ticks);

	if (d->last_ns == INT64_MIN)
		d->first_ns = time_ns;
	else if (time_ns < d->last_ns) {
		d->clock.clamped++;
		return d->last_ns;
	}
	return d->last_ns = time_ns;
}
