/* The intervals of a recording's samplers: settings of the JDK's events and of async-profiler,
 *
 *	jdk.ActiveSetting {startTime, id of the event's type, name, value}
 *
 * and the configuration that Datadog's profiler writes into each chunk:
 *
 *	datadog.DatadogProfilerConfig {startTime, cpuInterval, wallInterval (ms), ...} */
#include "src/decode/jfr/jfr_inside.h"

#include <inttypes.h>
#include <string.h>

#include "src/decode/common/words.h"
#include "src/input/decimal.h"

static struct name
text_of_setting(struct jfr *d, enum jfr_atom atom)
{
	const struct jfr_got *got = jfr_got(&d->event, atom);

	if (!got || got->pooled)
		return (struct name){.at = "", .len = 0};
	struct cursor at = jfr_at(&d->chunk, got->at);
	return builder_name_get(d->b, jfr_string(d, &at));
}

/* Parses an interval: `10000000` (ns) as async-profiler writes it, or `20 ms` as the JDK does.
 * Returns 0 for other texts. */
static int64_t
interval_in(struct name n)
{
	static const struct {
		const char *unit;
		int exponent;
	} units[] = {{" ns", 0}, {" us", 3}, {" ms", 6}, {" s", 9}};
	int exponent = 0;
	int64_t ns;

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (name_ends(n, units[i].unit)) {
			exponent = units[i].exponent;
			n.len -= strlen(units[i].unit);
			break;
		}
	return n.len && decimal_scaled(n.at, n.len, exponent, &ns) && ns > 0 ? ns : 0;
}

void
jfr_setting(struct jfr *d, uint32_t type, struct cursor c)
{
	jfr_fields(&d->chunk, type, &c, &d->event);
	if (c.bad)
		return;
	int64_t cpu = jfr_span_of(d, type, ATOM_cpuInterval);
	int64_t wall = jfr_span_of(d, type, ATOM_wallInterval);
	d->samplers.cpu_interval = cpu ? cpu : d->samplers.cpu_interval;
	d->samplers.wall_interval = wall ? wall : d->samplers.wall_interval;
	const struct jfr_got *id = jfr_got(&d->event, ATOM_id);
	uint32_t of = id ? idmap_get(&d->chunk.type_of, id->number) : IDMAP_NONE;
	struct name name = text_of_setting(d, ATOM_name), value = text_of_setting(d, ATOM_value);

	if (name_is(name, "interval")) {
		d->samplers.cpu_interval = interval_in(value);
	} else if (name_is(name, "wall")) {
		d->samplers.wall = value.len && value.at[0] != '-';
		d->samplers.wall_interval = interval_in(value);
	} else if (name_is(name, "event")) {
		d->samplers.event_is_wall = name_is(value, "wall");
	} else if (name_is(name, "period") && of != IDMAP_NONE &&
		   d->chunk.type.at[of].event == EVENT_EXECUTION) {
		d->samplers.period = interval_in(value);
	}
}

void
jfr_events_report(struct jfr *d)
{
	if (d->samplers.cpu_interval)
		builder_info(d->b, "interval", "%" PRId64 " ns",
			     d->samplers.cpu_interval);
	else if (d->samplers.period)
		builder_info(d->b, "interval", "%" PRId64 " ns", d->samplers.period);
	if (d->samplers.wall_interval)
		builder_info(d->b, "wall interval", "%" PRId64 " ns",
			     d->samplers.wall_interval);
	if (d->samplers.cpu_guess)
		builder_info(d->b, "assumed",
			     "a sample is %" PRId64 " ms of CPU time: the "
			     "recording does not say its interval",
			     d->samplers.cpu_guess / 1000000);
	if (d->samplers.wall_guess)
		builder_info(d->b, "assumed",
			     "a sample is %" PRId64 " ms of wall time: the "
			     "recording does not say its interval",
			     d->samplers.wall_guess / 1000000);
	builder_info_count(d->b, "unmatched frees", d->unmatched, "");
}
