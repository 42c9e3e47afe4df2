#include "src/command/report.h"

#include "model/callstats.h"
#include "model/mem.h"

#include <stdlib.h>

/* The view `calls`: per-call statistics of each function on each track. */

static const struct sheet_column calls_columns[] = {
	{"function", false, false},    {"track", false, false},      {"calls", true, false},
	{"net_total", true, true},     {"net_min", true, true},      {"net_avg", true, true},
	{"net_max", true, true},       {"gross_total", true, true},  {"gross_min", true, true},
	{"gross_avg", true, true},     {"gross_max", true, true},    {"call_total", true, true},
	{"call_min", true, true},      {"call_avg", true, true},     {"call_max", true, true},
	{"period_min", true, true},    {"period_avg", true, true},   {"period_max", true, true},
	{"outside_total", true, true}, {"outside_min", true, true},  {"outside_avg", true, true},
	{"outside_max", true, true},
};

struct call_order {
	const struct profile *p;
};

/* By function, as its name is shown in bytes, then by track. */
static int
compare_calls(const void *a, const void *b, void *context)
{
	const struct call_order *o = context;
	const struct callstats_row *x = a, *y = b;
	struct projection by_function = {.by = BY_FUNCTION};

	if (x->function != y->function)
		return fold_compare_keys(&by_function, o->p, x->function, y->function, false);
	return x->track < y->track ? -1 : x->track > y->track;
}

static bool
calls_fill(struct report *r, struct sheet *s)
{
	const struct profile *p = r->profile;
	struct slice slice = {.metric = p->events_metric};
	uint8_t *tracks = mem_alloc((size_t)p->n_tracks + 1, 1);
	struct callstats stats = {0};
	struct call_order order = {p};

	if (!lens_range(r->lens, p, &slice.from, &slice.to, &slice.whole, r->err)) {
		free(tracks);
		return false;
	}
	for (track_id t = 0; t < p->n_tracks; t++)
		tracks[t] = lens_has_track(r->lens, p, t);
	slice.tracks = tracks;
	callstats_compute(p, &slice, &stats);
	if (stats.n > 1)
		qsort_r(stats.at, stats.n, sizeof *stats.at, compare_calls, &order);
	for (uint32_t i = 0; stats.per_call && i < stats.n; i++) {
		const struct callstats_row *row = &stats.at[i];
		sheet_name(s, p, p->frames.function[row->function].name);
		sheet_name(s, p, p->track[row->track].name);
		sheet_number(s, row->calls, 0);
		for (unsigned t = 0; t < CALL_TIMES; t++)
			for (unsigned n = 0; n < CALL_NUMBERS; n++) {
				if (t == CALL_PERIOD && n == CALL_TOTAL)
					continue; /* periods overlap: they have no total */
				if (row->has & CALLSTATS_BIT(t, n))
					sheet_number(s, row->value[t][n], 0);
				else
					sheet_empty(s);
			}
	}
	callstats_release(&stats);
	free(tracks);
	return true;
}

static void
calls_text(struct report *r, const struct sheet *s, size_t limit, FILE *out)
{
	report_times_text(r, s, limit, out, 3, s->n_columns - 1);
}

const struct report_view view_calls = {
	.name = "calls",
	.columns = calls_columns,
	.n_columns = sizeof calls_columns / sizeof *calls_columns,
	.fill = calls_fill,
	.text = calls_text,
};
