/* pnavdb_events.c - steps, samples and points become events.
 *
 * Rows of samples that follow one another with the same track, time, stack and labels, and another
 * metric each, are one event.  Of a track with steps, the rows of metrics of time and of calls are
 * left out, since the steps have these numbers:
 *
 *	samples: track|time|stack|metric|value      steps: series|time|stack|flags
 *	             0|   0|    1|time  | 2000                  0|   0|    1|    4
 *	             0|   0|    1|calls |    1                  0|2000|    2|    4
 *	             0|2000|    2|time  |10000                  0|12000|   1|    2
 *	             0|2000|    2|calls |    1                  0|40000|NULL|    2
 *	             0|12000|   1|time  |28000
 *
 * A step holds until the next one of its series, and the last one has no duration: if the table has
 * a range, its series end before their tracks.  Flags: 4 begins a call, 2 ends the call that ran
 * before, 1 enters a line. */
#include "src/decode/pnavdb/pnavdb.h"

#ifdef HAVE_SQLITE

#include <math.h>
#include <string.h>

#include "model/base/sum.h"
#include "model/build/builder_adopt.h"

#define MILLION 1000000

struct pnavdb_value {
	uint32_t metric; /* index */
	int64_t value;
};

struct pnavdb_place {
	uint32_t track; /* index */
	bool timed;
	int64_t time;
	const struct pnavdb_stack *stack;
	labels_id labels;
	const struct pnavdb_samples *of; /* its series; NULL: unknown, as of steps */
};

struct pnavdb_event {
	struct pnavdb_place at;
	unsigned n;
	struct pnavdb_value value[SERIES_METRICS_MAX];
};

struct pnavdb_events {
	struct pnavdb *x;
	struct pnavdb_event event;
	bool any;        /* `event` is filled */
	bool labelled;   /* some event has labels */
	uint64_t offset; /* of the current table */
	VEC(struct pnavdb_samples) of;
	size_t next; /* the one of these that the next row may belong to */
};

/* ---- series ---- */

static bool
series_fits(const struct pnavdb_series *s, const struct pnavdb_series *wanted,
	    const metric_id *metric)
{
	unsigned n = wanted->n_metrics;

	return s->kind == wanted->kind && s->n_metrics == n && s->of == wanted->of &&
	       s->labelled == wanted->labelled &&
	       !memcmp(s->metric, metric, n * sizeof *metric);
}

static struct series *
series_made(struct pnavdb_events *v, const struct pnavdb_track *t, const struct pnavdb_series *as,
	   const metric_id *metric, const struct pnavdb_samples *of)
{
	struct builder *b = v->x->b;
	struct series *s;

	if (as->kind == SERIES_POINTS)
		s = builder_points(b, t->id, as->n_metrics != 0);
	else if (as->kind == SERIES_TOTALS)
		s = builder_totals(b, t->id, metric, as->n_metrics);
	else
		s = builder_samples(b, t->id, metric, as->n_metrics);
	if (as->kind == SERIES_SAMPLES && (!of || of->derived))
		builder_derived(s); /* the table of tracks has the number of events */
	if (as->kind == SERIES_SAMPLES && of)
		builder_sample_interval(s, of->interval);
	if (as->labelled)
		builder_labelled(b, s);
	return s;
}

/* Returns the series of the track for events of this shape; NULL with damage if there are too many.
 * Of points, n is 1 if they are floating. */
static struct pnavdb_series *
pnavdb_series_for(struct pnavdb_events *v, uint32_t track, enum series_kind kind,
		  const metric_id *metric, unsigned n, const struct pnavdb_place *at)
{
	struct pnavdb_track *t = &v->x->track.at[track];
	struct pnavdb_series wanted = {.kind = (uint8_t)kind,
				       .n_metrics = n,
				       .of = at->of ? at->of->id : PNAVDB_NO_SERIES,
				       .labelled = kind == SERIES_TOTALS
							   ? at->of || at->labels != LABELS_NONE
							   : v->labelled};

	for (size_t i = t->series.n; i-- > 0;)
		if (series_fits(&t->series.at[i], &wanted, metric))
			return &t->series.at[i];
	if (t->series.n == PNAVDB_SERIES_MAX) {
		err_damage(v->x->e, v->offset, "a track with too many kinds of events");
		return NULL;
	}
	wanted.series = series_made(v, t, &wanted, metric, at->of);
	memcpy(wanted.metric, metric, n * sizeof *metric);
	*vec_push(&t->series) = wanted;
	return &t->series.at[t->series.n - 1];
}

/* ---- steps ---- */

static const struct pnavdb_stack *
stack_of(const struct pnavdb *x, sqlite3_stmt *row, int column)
{
	uint32_t s = IDMAP_NONE;

	if (sqlite3_column_type(row, column) == SQLITE_INTEGER)
		s = idmap_get(&x->ids.stacks,
			      (uint64_t)sqlite3_column_int64(row, column));
	return s == IDMAP_NONE ? NULL : &x->stack.at[s];
}

static bool
take_step_series(struct pnavdb *x, sqlite3_stmt *row)
{
	int64_t id, track;

	if (!pnavdb_whole(x, row, 0, &id) || !pnavdb_whole(x, row, 1, &track))
		return true;
	uint32_t t = idmap_get(&x->ids.tracks, (uint64_t)track);
	uint32_t m = idmap_get(&x->ids.metrics, pnavdb_name(x, row, 2));
	if (t == IDMAP_NONE) {
		x->skipped++;
		return true;
	}
	bool valued = sqlite3_column_int(row, 5);
	metric_id metric = m == IDMAP_NONE || !x->metric.at[m].time ? METRIC_NONE
								    : x->metric.at[m].id;
	if (sqlite3_column_int(row, 4))
		builder_metric(x->b, "lines", UNIT_COUNT, ROLE_LINES);
	struct series *s = valued ? builder_steps_valued(x->b, x->track.at[t].id)
			   : sqlite3_column_int(row, 3)
				   ? builder_steps_of(x->b, x->track.at[t].id, metric)
				   : builder_turns(x->b, x->track.at[t].id, metric);
	if (x->events->labelled)
		builder_labelled(x->b, s);
	x->track.at[t].steps = true;
	idmap_put(&x->ids.series, (uint64_t)id, (uint32_t)x->steps.n);
	*vec_push(&x->steps) = s;
	return true;
}

static labels_id
labels_of(const struct pnavdb *x, sqlite3_stmt *row, int column)
{
	uint32_t found =
		idmap_get(&x->ids.sets, (uint64_t)sqlite3_column_int64(row, column));

	return sqlite3_column_type(row, column) == SQLITE_INTEGER && found != IDMAP_NONE
		       ? found
		       : LABELS_NONE;
}

static bool
take_step(struct pnavdb *x, sqlite3_stmt *row)
{
	const struct pnavdb_stack *stack = stack_of(x, row, 2);
	uint32_t flags = (uint32_t)sqlite3_column_int64(row, 3) << (32 - STEP_FLAG_BITS);
	int64_t series, time;

	if (!pnavdb_whole(x, row, 0, &series) || !pnavdb_whole(x, row, 1, &time))
		return true;
	uint32_t s = idmap_get(&x->ids.series, (uint64_t)series);
	if (s == IDMAP_NONE || (!stack && sqlite3_column_type(row, 2) != SQLITE_NULL)) {
		x->skipped++;
		return true;
	}
	int64_t value = sqlite3_column_int64(row, 4);
	if (value && !x->steps.at[s]->valued) {
		x->skipped++;
		return true;
	}
	if (x->events->labelled)
		builder_next_labels(x->b, x->steps.at[s], labels_of(x, row, 5));
	return builder_step_valued(x->b, x->steps.at[s], sum_clipped(x->start, time),
				   stack ? stack->id : STACK_EMPTY, flags,
				   value, x->events->offset, x->e);
}

/* Removes from the event the values that steps have, if it is not of a series of samples; and a
 * sample's count of itself. Returns false if nothing is left of it. */
static bool
event_without_steps(struct pnavdb_events *v)
{
	struct pnavdb_event *e = &v->event;
	bool steps = v->x->track.at[e->at.track].steps && e->at.timed && !e->at.of;
	unsigned kept = 0, events = 0;

	for (unsigned i = 0; i < e->n; i++) {
		const struct pnavdb_metric *m = &v->x->metric.at[e->value[i].metric];
		if (m->events && e->at.timed)
			events++;
		else if (!steps || (!m->time && !m->calls))
			e->value[kept++] = e->value[i];
	}
	e->n = kept;
	return kept || (events && !steps);
}

/* Appends the sums of a stack, with the number of their events if the file has it. */
static bool
totals_write(struct pnavdb_events *v, struct series *s, const int64_t *value)
{
	const struct pnavdb_event *e = &v->event;
	int64_t sums[SERIES_METRICS_MAX] = {0};
	bool counted = false;

	for (unsigned i = 0; i < e->n; i++)
		counted |= v->x->metric.at[e->value[i].metric].events;
	if (s->labelled || !counted)
		return builder_total(v->x->b, s, e->at.stack->id, value, v->offset, v->x->e);
	for (unsigned i = 0; i < e->n; i++)
		sums[i] = e->value[i].value; /* no metric is added to those that count */
	return builder_adopt_sums(v->x->b, s, e->at.stack->id, sums, v->offset, v->x->e);
}

/* ---- samples ---- */

static bool
event_write(struct pnavdb_events *v)
{
	struct pnavdb_event *e = &v->event;
	metric_id metric[SERIES_METRICS_MAX];
	int64_t value[SERIES_METRICS_MAX] = {0};
	unsigned n = 0;

	if (!v->any)
		return true;
	v->any = false;
	if (!event_without_steps(v))
		return true;
	for (unsigned i = 0; i < e->n; i++) {
		const struct pnavdb_metric *m = &v->x->metric.at[e->value[i].metric];
		metric[i] = m->id;
		if (!m->events)
			value[n++] = e->value[i].value;
	}
	struct pnavdb_series *s = pnavdb_series_for(
		v, e->at.track, e->at.timed ? SERIES_SAMPLES : SERIES_TOTALS, metric, e->n,
		&e->at);
	if (!s)
		return false;
	if (s->labelled)
		builder_next_labels(v->x->b, s->series, e->at.labels);
	if (!e->at.timed)
		return totals_write(v, s->series, value);
	if (!s->series->derived) /* counted in the table of tracks */
		builder_track_events(v->x->b, v->x->track.at[e->at.track].id, -1);
	return builder_sample(v->x->b, s->series, e->at.time, e->at.stack->id, value, v->offset,
			      v->x->e);
}

/* Returns true if the row belongs to v->event. */
static bool
event_continues(const struct pnavdb_events *v, const struct pnavdb_place *next,
		uint32_t metric)
{
	const struct pnavdb_event *e = &v->event;

	if (!v->any || e->at.track != next->track || e->at.timed != next->timed ||
	    e->at.time != next->time || e->at.stack != next->stack ||
	    e->at.labels != next->labels || e->at.of != next->of ||
	    e->n == SERIES_METRICS_MAX - 1)
		return false;
	for (unsigned i = 0; i < e->n; i++)
		if (e->value[i].metric == metric)
			return false;
	return true;
}

/* Reads a value in the units of the builder: millionths if the metric has decimals. */
static bool
sample_value(struct pnavdb_events *v, sqlite3_stmt *row, struct pnavdb_metric *m,
	     int64_t *out)
{
	if (sqlite3_column_type(row, 4) == SQLITE_FLOAT) {
		double real = sqlite3_column_double(row, 4) * MILLION;
		if (!m->decimals && (!v->x->steps.n || (!m->time && !m->calls))) {
			m->decimals = true;
			if (!builder_metric_decimals(v->x->b, m->id, v->offset, v->x->e))
				return false;
		}
		*out = !(real > -9e18) ? -INT64_MAX
		       : real > 9e18   ? INT64_MAX
				       : llround(real);
		return true;
	}
	*out = sqlite3_column_int64(row, 4);
	if (m->decimals && __builtin_mul_overflow(*out, MILLION, out))
		*out = *out < 0 ? -INT64_MAX : INT64_MAX;
	return true;
}

/* Returns the series that has the row of samples with this id. Rows come in the order of their
 * ids. */
static const struct pnavdb_samples *
series_of_row(struct pnavdb_events *v, int64_t row, int64_t track)
{
	while (v->next < v->of.n && v->of.at[v->next].last < row)
		v->next++;
	const struct pnavdb_samples *s = v->next < v->of.n ? &v->of.at[v->next] : NULL;
	return s && s->first <= row && s->track == track ? s : NULL;
}

/* The time and the labels of a row. */
static void
event_when(struct pnavdb_events *v, sqlite3_stmt *row, int time, int labels,
	   struct pnavdb_place *out)
{
	out->timed = sqlite3_column_type(row, time) == SQLITE_INTEGER;
	if (out->timed)
		out->time = sum_clipped(v->x->start, sqlite3_column_int64(row, time));
	out->labels = labels_of(v->x, row, labels);
}

static bool
take_sample(struct pnavdb *x, sqlite3_stmt *row)
{
	struct pnavdb_events *v = x->events;
	struct pnavdb_place next = {.stack = stack_of(x, row, 2)};
	int64_t track, value;
	uint32_t m = idmap_get(&x->ids.metrics, pnavdb_name(x, row, 3));

	if (!pnavdb_whole(x, row, 0, &track))
		return true;
	next.track = idmap_get(&x->ids.tracks, (uint64_t)track);
	if (next.track == IDMAP_NONE || m == IDMAP_NONE || !next.stack) {
		x->skipped++;
		return true;
	}
	event_when(v, row, 1, 5, &next);
	next.of = series_of_row(v, sqlite3_column_int64(row, 6), track);
	if (!event_continues(v, &next, m)) {
		if (!event_write(v))
			return false;
		v->event.at = next;
		v->event.n = 0;
		v->any = true;
	}
	if (!sample_value(v, row, &x->metric.at[m], &value))
		return false;
	v->event.value[v->event.n++] = (struct pnavdb_value){m, value};
	return true;
}

/* The columns are id, track, first, last, interval, derived, in the order of `first`. */
static bool
take_sample_series(struct pnavdb *x, sqlite3_stmt *row)
{
	struct pnavdb_samples s = {.interval = sqlite3_column_int64(row, 4),
				   .derived = sqlite3_column_int(row, 5)};

	if (pnavdb_whole(x, row, 0, &s.id) && pnavdb_whole(x, row, 1, &s.track) &&
	    pnavdb_whole(x, row, 2, &s.first) && pnavdb_whole(x, row, 3, &s.last))
		*vec_push(&x->events->of) = s;
	return true;
}

static bool
take_point(struct pnavdb *x, sqlite3_stmt *row)
{
	struct pnavdb_events *v = x->events;
	const metric_id none = 0;
	struct pnavdb_place e = {0};
	bool unknown = sqlite3_column_type(row, 2) == SQLITE_NULL; /* not a number */
	bool floating = unknown || sqlite3_column_type(row, 2) == SQLITE_FLOAT;
	int64_t track;

	if (!pnavdb_whole(x, row, 0, &track))
		return true;
	uint32_t t = idmap_get(&x->ids.tracks, (uint64_t)track);
	event_when(v, row, 1, 3, &e);
	if (t == IDMAP_NONE || !e.timed) {
		x->skipped++;
		return true;
	}
	struct pnavdb_series *s = pnavdb_series_for(v, t, SERIES_POINTS, &none, floating, &e);
	if (!s)
		return false;
	if (v->labelled)
		builder_next_labels(x->b, s->series, e.labels);
	builder_track_events(x->b, x->track.at[t].id,
			     -1); /* counted in the table of tracks */
	return floating ? builder_point_double(x->b, s->series, e.time,
					       unknown ? NAN
						       : sqlite3_column_double(row, 2),
					       v->offset, x->e)
			: builder_point(x->b, s->series, e.time,
					sqlite3_column_int64(row, 2), v->offset, x->e);
}

bool
pnavdb_read_events(struct pnavdb *x)
{
	struct pnavdb_events v = {.x = x, .labelled = x->ids.sets.n != 0};
	bool good;

	x->events = &v;
	good = x->known.no_steps || pnavdb_each(x, "step_series",
					  "SELECT id, track, metric, calls, lines, valued"
					  " FROM step_series NOT INDEXED",
					  take_step_series);
	v.offset = pnavdb_offset(x, "steps");
	good = good && (x->known.no_steps ||
			pnavdb_each(x, "steps",
				    "SELECT series, time, stack, flags, value, labels"
				    " FROM steps NOT INDEXED",
				    take_step));
	good = good &&
	       pnavdb_each(x, "sample_series",
			   "SELECT id, track, first, last, interval, derived"
			   " FROM sample_series NOT INDEXED ORDER BY first",
			   take_sample_series);
	v.offset = pnavdb_offset(x, "samples");
	good = good && pnavdb_each(x, "samples",
				   "SELECT track, time, stack, metric, value, labels, rowid"
				   " FROM samples NOT INDEXED",
				   take_sample);
	struct err later = {0}, *e = x->e;
	x->e = good ? e : &later;
	good &= event_write(&v);
	v.offset = pnavdb_offset(x, "points");
	good = good &&
	       pnavdb_each(x, "points",
			   "SELECT track, time, value, labels FROM points NOT INDEXED",
			   take_point);
	x->e = e;
	vec_release(&v.of);
	return good;
}

#endif
