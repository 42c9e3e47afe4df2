/* points.c - the table `points`: counters, states, marks. */
#include "src/sql/sql_inside.h"

#ifdef HAVE_SQLITE

#include <string.h>

#include "model/mem.h"

enum { COLUMN_TRACK, COLUMN_TIME_, COLUMN_VALUE_, COLUMN_LABELS };

#define EVENTS (1u << SERIES_POINTS)

static const struct sql_key keys[] = {
	{"track", COLUMN_TRACK, true, false},
	{"time", COLUMN_TIME_, true, false},
};
#define N_KEYS 2u

struct cursor {
	struct sql_cursor base;
	struct sql_events x;
};

static int
points_plan(sqlite3_vtab *v, sqlite3_index_info *info)
{
	return events_plan(info, ((struct sql_vtab *)v)->sql, EVENTS, keys, N_KEYS);
}

static int
points_open(sqlite3_vtab *v, sqlite3_vtab_cursor **out)
{
	struct cursor *c = mem_zalloc(1, sizeof *c);

	(void)v;
	*out = &c->base.base;
	return SQLITE_OK;
}

static int
points_close(sqlite3_vtab_cursor *base)
{
	free(base);
	return SQLITE_OK;
}

static int
points_next(sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *)base;

	c->base.rowid++;
	while (!c->x.series || !events_next(&c->x)) {
		if (c->x.sql->stopped)
			return SQLITE_INTERRUPT;
		if (!events_series(&c->x)) {
			c->base.eof = true;
			break;
		}
	}
	return SQLITE_OK;
}

static int
points_filter(sqlite3_vtab_cursor *base, int index, const char *plan, int argc,
	      sqlite3_value **argv)
{
	struct cursor *c = (struct cursor *)base;
	struct sql_bound bound[N_KEYS];

	(void)index;
	plan_read(plan, argc, argv, keys, N_KEYS, bound);
	c->x.track = bound[0];
	c->x.time = bound[1];
	events_begin(&c->x, vtab_of(base)->sql, EVENTS, false);
	c->base.eof = false;
	c->base.rowid = 0;
	return points_next(base);
}

static void
result_value(const struct sql_events *x, sqlite3_context *out)
{
	int64_t value = column_get(&x->chunk->value[0], x->i);
	double real;

	memcpy(&real, &value, sizeof real);
	if (x->series->floating)
		sqlite3_result_double(out, real);
	else
		sqlite3_result_int64(out, value);
}

static int
points_column(sqlite3_vtab_cursor *base, sqlite3_context *out, int column)
{
	const struct sql_events *x = &((struct cursor *)base)->x;
	labels_id labels = events_labels(x);

	switch (column) {
	case COLUMN_TRACK:
		sqlite3_result_int64(out, x->series->track);
		break;
	case COLUMN_TIME_:
		sqlite3_result_int64(out, events_time(x) - x->base);
		break;
	case COLUMN_VALUE_:
		result_value(x, out);
		break;
	case COLUMN_LABELS:
		if (labels != LABELS_NONE)
			sqlite3_result_int64(out, labels);
		break;
	}
	return SQLITE_OK;
}

static const sqlite3_module module = SQL_MODULE(points);

const struct sql_table sql_points = {
	.name = "points",
	.columns = "track INTEGER, time INTEGER, value, labels INTEGER",
	.module = &module,
};

#endif
