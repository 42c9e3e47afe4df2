/* points.c - the table `points`: counters, states, marks. */
#include "src/sql/sql_inside.h"

#ifdef HAVE_SQLITE

#include <string.h>

enum { COLUMN_TRACK, COLUMN_TIME_, COLUMN_VALUE_, COLUMN_LABELS, COLUMN_FINISH, COLUMN_SIDE };

#define EVENTS (1u << SERIES_POINTS)

static const struct sql_key keys[] = {
	{"track", COLUMN_TRACK, true, false},
	{"time", COLUMN_TIME_, true, false},
};
#define N_KEYS 2u

static bool
points_row(struct events_cursor *c)
{
	return events_next(&c->x);
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

/* Returns when the value of a counter or state ends to hold: at its next point, or at the end of
 * the file or range. */
static void
result_finish(const struct sql_events *x, sqlite3_context *out)
{
	const struct profile *p = x->sql->shown.p;
	const struct track *t = &p->track[x->series->track];
	int64_t end = x->at + 1 < x->series->n ? events_end(x) : p->group[t->group].end;

	if (t->kind == TRACK_MARKS || !x->series->sorted)
		return;
	end = end > x->to ? x->to : end;
	sqlite3_result_int64(out, end - x->base);
}

static int
points_column(sqlite3_vtab_cursor *base, sqlite3_context *out, int column)
{
	const struct sql_events *x = &((struct events_cursor *)base)->x;
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
	case COLUMN_FINISH:
		result_finish(x, out);
		break;
	case COLUMN_SIDE:
		sql_result_side(x->sql, out, x->series->track);
		break;
	}
	return SQLITE_OK;
}

static const struct events_table points_table = {
	.key = keys,
	.n_keys = N_KEYS,
	.kinds = EVENTS,
	.size = sizeof(struct events_cursor),
	.row = points_row,
};

static const sqlite3_module module = SQL_EVENTS_MODULE(points);

const struct sql_table sql_points = {
	.name = "points",
	.columns = "track INTEGER, time INTEGER, value, labels INTEGER, finish INTEGER HIDDEN",
	.module = &module,
	.of = &points_table,
	.sided = true,
};

#endif
