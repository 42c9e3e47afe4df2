/* Rows of samples.  An event gives one row a metric.  A step lasts, but a row has one moment.  So a
 * step that crosses lines of the time grid is split there into several rows, which lets ranges and
 * curves see its parts.  The parts add up to its value, and counts are stored once, where the step
 * begins.
 *
 * Most profilers count their samples beside the measured values.  The first metric of each event
 * carries that count, since separate rows would repeat everything else. */
#include "src/store/events.h"

#include <limits.h>
#include <string.h>

#include "model/base/sum.h"
#include "src/encode/shown_times.h"
#include "src/store/schema.h"

#define SECOND INT64_C(1000000000)
#define PARTS 2000

struct events_emission {
	struct store_events *x;
	const struct series *series;
	track_id track;
	unsigned counted, carrier; /* metrics of the series: UINT_MAX, none */
	bool on;
};

metric_id
events_counted(const struct profile *p)
{
	metric_id m = profile_metric(p, SCHEMA_COUNTED, strlen(SCHEMA_COUNTED));

	return m != METRIC_NONE && p->metric[m].unit == UNIT_SAMPLES ? m : METRIC_NONE;
}

/* Finds the metric that carries the count. */
static void
find_carrier(struct events_emission *w)
{
	const struct profile *p = w->x->shown->p;
	metric_id counted = events_counted(p);

	w->counted = w->carrier = UINT_MAX;
	for (unsigned m = 0; m < w->series->n_metrics; m++) {
		metric_id metric = w->series->metric[m];
		if (metric == counted && counted != METRIC_NONE)
			w->counted = m;
		else if (w->carrier == UINT_MAX && w->series->role[m] == ROLE_VALUE &&
			 metric < p->n_metrics && profile_metric_shown(p, metric) &&
			 metric != p->calls_metric)
			w->carrier = m;
	}
}

int64_t
events_grid(int64_t length_ns)
{
	int64_t grid = 1000000;

	while (grid < SECOND && grid < length_ns / PARTS)
		grid *= 10;
	return grid;
}

static void
events_emit(struct events_emission *w, struct events_row *row)
{
	w->on = w->on && w->x->row(w->x->ctx, row);
}

/* Writes an event that lasts from row->time on. */
static void
write_lasting(struct events_emission *w, struct events_row *row, int64_t lasts)
{
	int64_t end = row->time + lasts;

	do {
		int64_t at = sum_clipped(w->x->start, row->time);
		int64_t cut = row->time + (w->x->grid - at % w->x->grid);
		cut = cut < end ? cut : end;
		row->value = cut - row->time;
		events_emit(w, row);
		row->time = cut;
	} while (row->time < end && w->on);
}

/* Writes metric m of an event; lasts < 0: it has no duration. */
static void
events_event(struct events_emission *w, unsigned m, int64_t time, int64_t lasts, stack_id stack,
	     node_id node, const int64_t *values, labels_id labels)
{
	const struct profile *p = w->x->shown->p;
	metric_id metric = w->series->metric[m];
	bool carried = w->series->role[m] == ROLE_VALUE, has_count = w->counted != UINT_MAX;
	int64_t value = lasts >= 0 ? lasts : values[m];

	if (m == w->counted && w->carrier != UINT_MAX)
		return; /* the carrier has written it */
	if (!w->on || metric >= p->n_metrics || !profile_metric_shown(p, metric) ||
	    (!value && !carried))
		return;
	/* a call belongs to the frame that it entered */
	if (metric == p->calls_metric)
		node = w->x->shown->tree->call_of[stack];
	if (node == NODE_NONE)
		return;
	struct events_row row = {w->track, metric, time, 0, value, 0, labels};
	if (has_count && (m == w->carrier || m == w->counted))
		row.samples = values[w->counted];
	row.stack = paths_hash(w->x->paths, stack, node, w->x->fault);
	w->on = !err_is_set(w->x->fault);
	if (lasts >= 0)
		write_lasting(w, &row, lasts);
	else
		events_emit(w, &row);
}

static void
events_sample(void *ctx, const struct shown_sample *s)
{
	struct events_emission *w = ctx;
	const struct series *series = w->series;

	for (unsigned m = 0; m < series->n_metrics && s->node != NODE_ROOT; m++) {
		bool time = series->role[m] == ROLE_TIME;
		if (time || !s->before)
			events_event(w, m, s->time, time ? s->lasts : -1, s->stack, s->node,
				     s->value, s->labels);
	}
}

static void
events_sum(void *ctx, stack_id stack, node_id node, const int64_t *value)
{
	struct events_emission *w = ctx;

	for (unsigned m = 0; m < w->series->n_metrics; m++)
		events_event(w, m, 0, -1, stack, node, value, LABELS_NONE);
}

static void
events_labelled(void *ctx, const struct shown_sample *s)
{
	struct events_emission *w = ctx;

	for (unsigned m = 0; m < w->series->n_metrics; m++)
		events_event(w, m, 0, -1, s->stack, s->node, s->value, s->labels);
}

static void
walk_series(struct events_emission *w)
{
	find_carrier(w);
	if (w->series->kind == SERIES_TOTALS && w->series->n_chunks)
		shown_labelled_sums(w->x->shown, w->series, events_labelled, w);
	else if (w->series->kind == SERIES_TOTALS)
		shown_sums(w->x->shown, w->series, events_sum, w);
	else
		shown_samples(w->x->shown, w->series, events_sample, w);
}

bool
events_walk(struct store_events *x)
{
	const struct profile *p = x->shown->p;
	struct events_emission w = {.x = x, .on = true};

	for (w.track = 0; w.track < p->n_tracks && w.on; w.track++)
		for (uint32_t i = 0; i < p->track[w.track].n_series && w.on; i++) {
			w.series = p->track[w.track].series[i];
			if (x->shown->fold->tracks[w.track] && w.series->kind != SERIES_POINTS)
				walk_series(&w);
		}
	return w.on;
}
