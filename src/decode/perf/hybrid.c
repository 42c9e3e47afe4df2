#include "src/decode/perf/hybrid.h"

#include <string.h>

static const char performance[] = "cpu_core/";

/* Returns the event of a core's PMU, "cycles/P" of "cpu_core/cycles/P"; len 0 for other names. */
static struct name
event_of_core(struct name n)
{
	bool core = n.len > 4 && !memcmp(n.at, "cpu_", 4);
	const char *slash = core ? memchr(n.at, '/', n.len) : NULL;
	uint32_t skip = slash ? (uint32_t)(slash - n.at) + 1 : n.len;

	return (struct name){n.at + skip, n.len - skip, 0};
}

static bool
is_performance(struct name n)
{
	return n.len > sizeof performance && !memcmp(n.at, performance, sizeof performance - 1);
}

void
hybrid_event(struct hybrid *h, struct builder *b, name_id name, metric_id metric,
	     metric_id samples)
{
	struct name whole = builder_name_get(b, name), event = event_of_core(whole);
	struct name before = builder_name_get(b, h->first);

	h->events++;
	if (event.len && h->first == NAME_EMPTY) {
		h->first = name;
		h->metric = metric;
	} else if (event.len && !h->paired) {
		struct name first = event_of_core(before);
		h->paired = first.len == event.len && !memcmp(first.at, event.at, event.len);
		h->core = is_performance(whole) ? metric : h->metric;
	}
	if (h->paired)
		builder_default_metric(b, h->events == 2 ? samples : h->core);
}
