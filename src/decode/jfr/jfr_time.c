/* Times of events: ticks of the chunk's clock. A duration is in ticks, or in the unit that its
 * field states. */
#include "src/decode/jfr/jfr_inside.h"

#include "model/base/wide.h"

static int64_t
bounded(wide ns)
{
	int64_t clipped = wide_clipped(ns);

	return clipped > INT64_MAX / 4 ? INT64_MAX / 4 : clipped;
}

static wide
ticks_ns(const struct jfr *d, uint64_t ticks)
{
	return wide_div(wide_mul(wide_of_unsigned(ticks), wide_of(1000000000)),
			wide_of_unsigned(d->chunk.ticks));
}

int64_t
jfr_time_of(const struct jfr *d, const struct jfr_got *got)
{
	uint64_t ticks = got ? got->number : d->chunk.start_ticks;
	int64_t start = bounded(wide_of_unsigned(d->chunk.start_ns));

	if (ticks >= d->chunk.start_ticks)
		return bounded(wide_add(wide_of(start),
					ticks_ns(d, ticks - d->chunk.start_ticks)));
	int64_t before = wide_clipped(ticks_ns(d, d->chunk.start_ticks - ticks));
	return before > start ? 0 : start - before;
}

/* Returns the ns of a unit in which the event has a span; 0: ticks. */
static int64_t
jfr_unit_of(const struct jfr *d, uint32_t type, enum jfr_atom atom)
{
	const struct jfr_type *t = &d->chunk.type.at[type];
	int64_t unit = 0;

	for (uint32_t i = 0; i < t->n; i++)
		if (d->chunk.field.at[t->first + i].atom == atom)
			unit = d->chunk.field.at[t->first + i].unit;
	return unit;
}

int64_t
jfr_span_of(const struct jfr *d, uint32_t type, enum jfr_atom atom)
{
	const struct jfr_got *got = jfr_got(&d->event, atom);
	int64_t unit = jfr_unit_of(d, type, atom);

	if (!got || (int64_t)got->number < 0)
		return 0;
	return bounded(unit ? wide_mul(wide_of_unsigned(got->number), wide_of(unit))
			    : ticks_ns(d, got->number));
}

int64_t
jfr_end_of(const struct jfr *d, uint32_t type)
{
	const struct jfr_got *start = jfr_got(&d->event, ATOM_startTime);
	const struct jfr_got *duration = jfr_got(&d->event, ATOM_duration);
	struct jfr_got end;

	if (!start || !duration || (int64_t)duration->number < 0)
		return jfr_time_of(d, start);
	if (jfr_unit_of(d, type, ATOM_duration))
		return jfr_time_of(d, start) + jfr_span_of(d, type, ATOM_duration);
	end = *start;
	if (__builtin_add_overflow(end.number, duration->number, &end.number))
		end.number = UINT64_MAX;
	return jfr_time_of(d, &end);
}
