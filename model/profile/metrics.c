#include "model/profile/metrics.h"

const char *
unit_name(enum unit unit)
{
	switch (unit) {
	case UNIT_NS:
		return "ns";
	case UNIT_SAMPLES:
		return "samples";
	case UNIT_BYTES:
		return "bytes";
	case UNIT_OPS:
		return "ops";
	case UNIT_CALLS:
		return "calls";
	case UNIT_ENTRIES:
		return "entries";
	case UNIT_COUNT:
		return "count";
	}
	return "";
}

const char *
metric_role_name(enum metric_role role)
{
	static const char *const names[] = {
		[ROLE_VALUE] = "value", [ROLE_EVENTS] = "events", [ROLE_TIME] = "time",
		[ROLE_WALL] = "wall",   [ROLE_CALLS] = "calls",	  [ROLE_LINES] = "lines",
	};

	return names[role];
}
