/* Rows of samples.  An event is a row a metric.  A step lasts, and a row has a moment: so what
 * lasts longer than the grid is cut there into as many rows, for a range or a curve to have
 * what is in it.  A value keeps its sum, and counts are told once, where the step begins. */
#include "src/store/events.h"

#include <stdlib.h>

#include "src/encode/shown_times.h"

#define SECOND INT64_C(1000000000)
#define PARTS 2000

struct telling {
	struct events *x;
	const struct series *series;
	track_id track;
	bool on;
};

int64_t
events_grid(int64_t length_ns)
{
	int64_t grid = 1000000;

	while (grid < SECOND && grid < length_ns / PARTS)
		grid *= 10;
	return grid;
}

static void
tell(struct telling *w, struct events_row *row)
{
	w->on = w->on && w->x->row(w->x->ctx, row);
}

/* What holds from row->time for so long. */
static void
tell_lasting(struct telling *w, struct events_row *row, int64_t lasts)
{
	int64_t end = row->time + lasts;

	do {
		int64_t at = w->x->start + row->time;
		int64_t cut = row->time + (w->x->grid - at % w->x->grid);
		cut = cut < end ? cut : end;
		row->value = cut - row->time;
		tell(w, row);
		row->time = cut;
	} while (row->time < end && w->on);
}

/* Metric m of an event; lasts < 0: it has no length. */
static void
event(struct telling *w, unsigned m, int64_t time, int64_t lasts, stack_id stack, node_id node,
      int64_t value, labels_id labels)
{
	const struct profile *p = w->x->shown->p;
	metric_id metric = w->series->metric[m];
	bool carried = w->series->role[m] == ROLE_VALUE;

	if (!w->on || metric >= p->n_metrics || !profile_metric_shown(p, metric) ||
	    (!value && !carried))
		return;
	/* a call goes with the frame that it entered */
	if (metric == p->calls_metric)
		node = w->x->shown->tree->call_of[stack];
	if (node == NODE_NONE)
		return;
	struct events_row row = {w->track, metric, time, 0, value, labels};
	row.stack = paths_hash(w->x->paths, stack, node, w->x->fault);
	w->on = !err_is_set(w->x->fault);
	if (lasts >= 0)
		tell_lasting(w, &row, lasts);
	else
		tell(w, &row);
}

static void
sample(void *ctx, const struct shown_sample *s)
{
	struct telling *w = ctx;
	const struct series *series = w->series;

	for (unsigned m = 0; m < series->n_metrics && s->node != NODE_ROOT; m++) {
		bool time = series->role[m] == ROLE_TIME;
		if (time || !s->before)
			event(w, m, s->time, time ? s->lasts : -1, s->stack, s->node,
			      time ? s->lasts : s->value[m], s->labels);
	}
}

static void
sum(void *ctx, stack_id stack, node_id node, const int64_t *value)
{
	struct telling *w = ctx;

	for (unsigned m = 0; m < w->series->n_metrics; m++)
		event(w, m, 0, -1, stack, node, value[m], LABELS_NONE);
}

static void
labelled(void *ctx, const struct shown_sample *s)
{
	struct telling *w = ctx;

	for (unsigned m = 0; m < w->series->n_metrics; m++)
		event(w, m, 0, -1, s->stack, s->node, s->value[m], s->labels);
}

static void
walk_series(struct telling *w)
{
	if (w->series->kind == SERIES_TOTALS && w->series->n_chunks)
		shown_labelled_sums(w->x->shown, w->series, labelled, w);
	else if (w->series->kind == SERIES_TOTALS)
		shown_sums(w->x->shown, w->series, sum, w);
	else
		shown_samples(w->x->shown, w->series, sample, w);
}

bool
events_walk(struct events *x)
{
	const struct profile *p = x->shown->p;
	struct telling w = {.x = x, .on = true};

	for (w.track = 0; w.track < p->n_tracks && w.on; w.track++)
		for (uint32_t i = 0; i < p->track[w.track].n_series && w.on; i++) {
			w.series = p->track[w.track].series[i];
			if (x->shown->fold->tracks[w.track] && w.series->kind != SERIES_POINTS)
				walk_series(&w);
		}
	return w.on;
}
