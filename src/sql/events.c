/* events.c - events over time, for the tables of samples, slices and points.
 *
 * A query reads events in the order of storage: track after track, series after series.  Bounds on
 * time cost a binary search a series; bounds on tracks skip them.  The range of the lens clips
 * events that overlap its begin, as reports do.  Bounds of a query choose rows and clip nothing. */
#include "src/sql/sql_inside.h"

#ifdef HAVE_SQLITE

#include "model/base/mem.h"
#include "model/base/sum.h"

#define PATIENCE 0xffffu /* events between two looks at the clock */

static void
events_begin(struct sql_events *x, struct sql *s, unsigned kinds, bool to_end)
{
	struct sql_bound time = x->time, track = x->track;

	*x = (struct sql_events){
		.sql = s, .kinds = kinds, .to_end = to_end, .time = time, .track = track};
	if (track.low > 0)
		x->track_now = track.low < s->shown.p->n_tracks ? (track_id)track.low
								: s->shown.p->n_tracks;
}

/* Finds the first event to read, and the end. */
static void
find_ends(struct sql_events *x)
{
	const struct series *s = x->series;
	bool steps = s->kind == SERIES_STEPS;

	x->at = 0;
	x->until = s->n;
	if (!s->sorted || !x->timed)
		return;
	bool cuts = x->low <= x->from;
	int64_t begin = cuts ? x->from : x->low;
	x->at = begin == INT64_MIN ? 0 : series_find(s, begin);
	/* the step that runs when the range begins, or, for slices, the one before it */
	if (steps && x->at && (cuts || x->to_end))
		x->at--;
	if (x->to != INT64_MAX)
		x->until = series_find(s, x->to);
	if (!x->to_end && x->high < INT64_MAX) {
		uint64_t high = series_find(s, x->high + 1);
		x->until = high < x->until ? high : x->until;
	}
}

/* Returns false if the series has nothing within the bounds. */
static bool
open_series(struct sql_events *x, const struct series *s)
{
	const struct fold *f = x->sql->shown.fold;

	if (!(x->kinds >> s->kind & 1u) || !s->n)
		return false;
	x->series = s;
	x->timed = s->kind != SERIES_TOTALS;
	x->base = x->sql->shown.base[x->sql->shown.p->track[s->track].group];
	x->from = f->whole ? INT64_MIN : sum_clipped(x->base, f->from);
	x->to = f->whole ? INT64_MAX : sum_clipped(x->base, f->to);
	x->low = x->time.low == INT64_MIN ? INT64_MIN : sum_clipped(x->time.low, x->base);
	x->high = x->time.high == INT64_MAX ? INT64_MAX : sum_clipped(x->time.high, x->base);
	if (x->time.low > x->time.high || x->high < x->from ||
	    (!x->timed && (x->time.asked || !f->whole)))
		return false;
	if (!s->n_chunks) /* only sums */
		return true;
	find_ends(x);
	if (x->at >= x->until)
		return false;
	x->chunk = series_chunk(s, x->at);
	x->i = (uint32_t)(x->at - x->chunk->first);
	x->i--; /* events_next() increments it */
	x->at--;
	return true;
}

static bool
events_series(struct sql_events *x)
{
	const struct profile *p = x->sql->shown.p;

	for (; x->track_now < p->n_tracks && x->track_now <= x->track.high; x->track_now++) {
		const struct track *t = &p->track[x->track_now];
		if (!x->sql->shown.fold->chosen[x->track_now] || x->track.low > x->track.high)
			continue;
		while (x->next < t->n_series)
			if (open_series(x, t->series[x->next++]))
				return true;
		x->next = 0;
	}
	return false;
}

/* In an unsorted series each event is checked. */
static bool
in_bounds(const struct sql_events *x)
{
	int64_t time = events_time(x);

	return time < x->to && (x->to_end || (time >= x->low && time <= x->high)) &&
	       (time >= x->from || x->series->kind == SERIES_STEPS);
}

bool
events_next(struct sql_events *x)
{
	do {
		if (++x->at >= x->until)
			return false;
		if (!(++x->steps & PATIENCE) && sql_stopped(x->sql))
			return false;
		if (++x->i >= x->chunk->n) {
			x->chunk++;
			x->i = 0;
		}
	} while (!x->series->sorted && x->timed && !in_bounds(x));
	return true;
}

void
events_seek(struct sql_events *x, uint64_t at)
{
	if (!x->series->sorted || at <= x->at + 1)
		return;
	at = at < x->until ? at : x->until - 1;
	x->chunk = series_chunk(x->series, at);
	x->i = (uint32_t)(at - x->chunk->first) - 1;
	x->at = at - 1;
}

int64_t
events_end(const struct sql_events *x)
{
	return x->i + 1 < x->chunk->n ? column_get(&x->chunk->time, x->i + 1)
				      : chunk_end(x->series, x->chunk);
}

static double
events_all(const struct sql *s, unsigned kinds)
{
	const struct profile *p = s->shown.p;
	double n = 0;

	for (track_id t = 0; t < p->n_tracks; t++)
		for (uint32_t i = 0; i < p->track[t].n_series; i++)
			if (kinds >> p->track[t].series[i]->kind & 1u)
				n += (double)p->track[t].series[i]->n;
	return n;
}

/* ---- the cursors of all tables of events ---- */

static const struct events_table *
events_table_of(sqlite3_vtab *v)
{
	return ((struct sql_vtab *)v)->table->of;
}

int
events_plan(sqlite3_vtab *v, sqlite3_index_info *info)
{
	const struct events_table *t = events_table_of(v);
	const struct sql *s = ((struct sql_vtab *)v)->sql;
	unsigned which[PLAN_KEYS];
	double read = events_all(s, t->kinds), rows;
	int status = plan_make(info, t->key, t->n_keys, which);

	if (which[0] & PLAN_EQUAL)
		read /= s->shown.p->n_tracks + 1;
	if (which[1] & PLAN_EQUAL)
		read /= 100000;
	else if ((which[1] & (PLAN_LOW | PLAN_HIGH)) == (PLAN_LOW | PLAN_HIGH))
		read /= 1000;
	else if (which[1])
		read /= 3;
	rows = read;
	for (unsigned i = 2; i < t->n_keys; i++)
		rows /= which[i] ? 20 : 1;
	if (t->direct && which[t->direct])
		read = rows = 1;
	plan_cost(info, read + 10, rows);
	info->idxNum = (int)(info->colUsed >> t->mention & 1u);
	return status;
}

int
events_open(sqlite3_vtab *v, sqlite3_vtab_cursor **out)
{
	struct events_cursor *c = mem_zalloc(1, events_table_of(v)->size);

	*out = &c->base.base;
	return SQLITE_OK;
}

int
events_close(sqlite3_vtab_cursor *base)
{
	const struct events_table *t = events_table_of(base->pVtab);

	if (t->release)
		t->release((struct events_cursor *)base);
	free(base);
	return SQLITE_OK;
}

int
events_next_row(sqlite3_vtab_cursor *base)
{
	const struct events_table *t = events_table_of(base->pVtab);
	struct events_cursor *c = (struct events_cursor *)base;

	c->base.rowid++;
	while (!c->x.series || !t->row(c)) {
		if (c->x.sql->stopped)
			return SQLITE_INTERRUPT;
		do {
			if (!events_series(&c->x)) {
				c->base.eof = true;
				return SQLITE_OK;
			}
		} while (t->series && !t->series(c));
	}
	return SQLITE_OK;
}

int
events_filter(sqlite3_vtab_cursor *base, int index, const char *plan, int argc,
	      sqlite3_value **argv)
{
	const struct events_table *t = events_table_of(base->pVtab);
	struct events_cursor *c = (struct events_cursor *)base;
	struct sql_bound bound[PLAN_KEYS];

	plan_read(plan, argc, argv, t->key, t->n_keys, bound);
	c->mentioned = index;
	c->x.track = bound[0];
	c->x.time = bound[1];
	events_begin(&c->x, vtab_of(base)->sql, t->kinds, t->to_end);
	if (t->begin)
		t->begin(c, bound);
	c->base.eof = false;
	c->base.rowid = 0;
	return events_next_row(base);
}

#endif
