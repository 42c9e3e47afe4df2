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

	return (struct name){n.at + skip, n.len - skip};
}

static bool
is_performance(struct name n)
{
	return n.len > sizeof performance && !memcmp(n.at, performance, sizeof performance - 1);
}

/* Returns true if two different names have the same event, of different kinds of cores. */
static bool
are_partners(struct builder *b, name_id one, name_id other)
{
	struct name x = event_of_core(builder_name_get(b, one));
	struct name y = event_of_core(builder_name_get(b, other));

	return one != other && x.len && x.len == y.len && !memcmp(x.at, y.at, x.len);
}

void
hybrid_event(struct hybrid *h, struct builder *b, name_id name, metric_id metric,
	     name_id preferred, metric_id samples)
{
	unsigned partners = 0;
	metric_id best = METRIC_NONE;

	h->events++;
	if (h->n < HYBRID_EVENTS && event_of_core(builder_name_get(b, name)).len) {
		h->at[h->n].name = name;
		h->at[h->n++].metric = metric;
	}
	for (unsigned i = 0; i < h->n; i++) {
		bool partner = are_partners(b, h->at[i].name, preferred);
		partners += partner;
		if ((partner || h->at[i].name == preferred) &&
		    is_performance(builder_name_get(b, h->at[i].name)))
			best = h->at[i].metric;
	}
	if (partners && partners + 1 == h->events)
		best = samples;
	if (partners && best != METRIC_NONE)
		builder_default_metric(b, best);
}
