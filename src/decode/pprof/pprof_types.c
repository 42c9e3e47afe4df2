/* Units have many names. A unit other than time and bytes is appended to the metric's name, so that
 * the metric is not mistaken for a count of something else. */
#include "src/decode/pprof/pprof_types.h"

#include <string.h>

#include "model/base/buf.h"

static const struct {
	const char *name;
	enum unit unit;
	int64_t factor;
} units[] = {
	{"nanoseconds", UNIT_NS, 1},
	{"nanosecond", UNIT_NS, 1},
	{"ns", UNIT_NS, 1},
	{"microseconds", UNIT_NS, 1000},
	{"microsecond", UNIT_NS, 1000},
	{"us", UNIT_NS, 1000},
	{"\xC2\xB5s", UNIT_NS, 1000},
	{"\xCE\xBCs", UNIT_NS, 1000},
	{"milliseconds", UNIT_NS, 1000000},
	{"millisecond", UNIT_NS, 1000000},
	{"ms", UNIT_NS, 1000000},
	{"seconds", UNIT_NS, 1000000000},
	{"second", UNIT_NS, 1000000000},
	{"sec", UNIT_NS, 1000000000},
	{"s", UNIT_NS, 1000000000},
	{"bytes", UNIT_BYTES, 1},
	{"byte", UNIT_BYTES, 1},
	{"B", UNIT_BYTES, 1},
	{"kilobytes", UNIT_BYTES, 1 << 10},
	{"kilobyte", UNIT_BYTES, 1 << 10},
	{"kb", UNIT_BYTES, 1 << 10},
	{"kB", UNIT_BYTES, 1 << 10},
	{"KiB", UNIT_BYTES, 1 << 10},
	{"megabytes", UNIT_BYTES, 1 << 20},
	{"megabyte", UNIT_BYTES, 1 << 20},
	{"mb", UNIT_BYTES, 1 << 20},
	{"MB", UNIT_BYTES, 1 << 20},
	{"gigabytes", UNIT_BYTES, 1 << 30},
	{"gigabyte", UNIT_BYTES, 1 << 30},
	{"gb", UNIT_BYTES, 1 << 30},
	{"GB", UNIT_BYTES, 1 << 30},
	{"count", UNIT_COUNT, 1},
	{"", UNIT_COUNT, 1},
};

bool
pprof_unit(struct name name, enum unit *unit, int64_t *factor)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strlen(units[i].name) == name.len &&
		    !memcmp(units[i].name, name.at, name.len)) {
			*unit = units[i].unit;
			*factor = units[i].factor;
			return true;
		}
	*unit = UNIT_COUNT;
	*factor = 1;
	return false;
}

metric_id
pprof_metric(struct builder *b, struct name type, struct name unit, bool again, int64_t *factor)
{
	struct buf name = BUF_INIT;
	enum unit is;
	bool known = pprof_unit(unit, &is, factor);

	buf_add(&name, type.at, type.len);
	if ((again || !known) && unit.len) {
		buf_adds(&name, " (");
		buf_add(&name, unit.at, unit.len);
		buf_addc(&name, ')');
	}
	if (is == UNIT_COUNT && known && !strcmp(buf_str(&name), "samples"))
		is = UNIT_SAMPLES;
	metric_id m = builder_metric(b, buf_str(&name), is, ROLE_VALUE);
	buf_release(&name);
	return m;
}
