#include "src/command/report/report.h"

#include "model/base/mem.h"
#include "model/calls/callstats.h"

#include <stdlib.h>

/* The view `calls`: per-call statistics of each function on each track. */

struct call_order {
	const struct projection *t;
	const struct profile *p;
};

/* Sorts by function, in the bytes of its displayed name, then by track. */
static int
compare_calls(const void *a, const void *b, void *context)
{
	const struct call_order *o = context;
	const struct callstats_row *x = a, *y = b;

	if (x->function != y->function)
		return projection_compare_keys(o->t, o->p, x->function, y->function, false);
	return x->track < y->track ? -1 : x->track > y->track;
}

static bool
calls_fill(struct report *r)
{
	const struct profile *p = r->profile;
	struct slice slice = {.metric = p->events_metric};
	struct callstats *stats = &r->calls;
	struct call_order order = {&r->functions, p};

	if (!lens_range(r->lens, p, &slice.from, &slice.to, &slice.whole, r->err))
		return false;
	uint8_t *tracks = lens_tracks(r->lens, p);
	slice.tracks = tracks;
	callstats_compute(p, &slice, stats, r->pace);
	free(tracks);
	r->look.tree = &r->functions;
	if (stats->n > 1)
		qsort_r(stats->at, stats->n, sizeof *stats->at, compare_calls, &order);
	for (uint32_t i = 0; stats->per_call && i < stats->n; i++) {
		const struct callstats_row *call = &stats->at[i];
		struct row *row = rows_add(&r->rows);
		row->key = call->function;
		row->track = call->track;
		row->calls = call->calls;
		row->of.call = call;
	}
	return true;
}

const struct report_view view_calls = {
	.name = "calls",
	.rows = ROWS_CALLS,
	.columns = "function,track,calls,net_total,net_min,net_avg,net_max,"
		   "gross_total,gross_min,gross_avg,gross_max,"
		   "call_total,call_min,call_avg,call_max,period_min,period_avg,period_max,"
		   "outside_total,outside_min,outside_avg,outside_max",
	.fill = calls_fill,
};
