/* sql_inside.h - what the files of src/sql share; nobody else includes it.
 *
 * sql.c        the connection: what is allowed, how much, how errors are told
 * plan.c       constraints that a table takes itself, from SQLite's plan to its cursor
 * rows.c       tables of things that have a number: functions, stacks, tracks, ...
 * events.c     what runs over time, event after event, within bounds
 * samples.c, slices.c, points.c   tables of events
 * reports.c    the reports as tables
 * functions.c  functions for queries */
#ifndef PNAV_SRC_SQL_SQL_INSIDE_H
#define PNAV_SRC_SQL_SQL_INSIDE_H

#ifdef HAVE_SQLITE

#include <sqlite3.h>

#include "model/base/buf.h"
#include "model/table/facts.h"
#include "src/encode/shown_stacks.h"
#include "src/sql/sql.h"

#define TEXT_MAX (16 << 20) /* bytes of a value */

struct derived;

struct sql {
	struct pace pace; /* first: it asks whether the query is stopped; for what the model does */
	sqlite3 *db;
	sqlite3_stmt *stmt; /* that runs; NULL: none */
	const char *text;   /* of the statement, as it was given */
	struct sql_asks asks;
	struct derived *derived;
	struct encode_job job;
	struct lens lens;   /* of the tables: never inverted */
	struct shown shown; /* the profile through it; [group] what times count from */
	struct shown_stacks stacks; /* those of it: all stacks of tables are of these */
	struct buf *metric; /* [metric of the profile] its name, as programs read it */
	struct facts facts;
	uint32_t *depth;    /* [stack], made when it is asked for */
	struct buf scratch;
	sqlite3 *beside;     /* a connection without a profile, and its last statement: texts.c */
	sqlite3_stmt *print;
	bool stopped;
};

/* Has somebody said that it is enough? Then it stays so. */
bool sql_stopped(struct sql *s);

/* A table: its columns as CREATE TABLE has them, and how it is read. */
struct sql_table {
	const char *name;
	const char *columns;
	const sqlite3_module *module;
	const void *of; /* the module's own */
};

struct sql_vtab {
	sqlite3_vtab base;
	struct sql *sql;
	const struct sql_table *table;
};

static inline struct sql_vtab *
vtab_of(sqlite3_vtab_cursor *c)
{
	return (struct sql_vtab *)c->pVtab;
}

/* What every cursor begins with. */
struct sql_cursor {
	sqlite3_vtab_cursor base;
	bool eof;
	sqlite3_int64 rowid;
};

/* The methods that all modules share, and those of one that has NAME_plan(), ... */
int sql_connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out,
		char **error);
int sql_disconnect(sqlite3_vtab *v);
int sql_eof(sqlite3_vtab_cursor *c);
int sql_rowid(sqlite3_vtab_cursor *c, sqlite3_int64 *out);
#define SQL_MODULE(name)                                                                   \
	{                                                                                  \
		.xCreate = sql_connect, .xConnect = sql_connect, .xBestIndex = name##_plan, \
		.xDisconnect = sql_disconnect, .xDestroy = sql_disconnect,                 \
		.xOpen = name##_open, .xClose = name##_close, .xFilter = name##_filter,    \
		.xNext = name##_next, .xEof = sql_eof, .xColumn = name##_column,           \
		.xRowid = sql_rowid,                                                       \
	}
/* Puts the name of this number as programs read it, of a function, file, ... */
void sql_result_name(struct sql *s, sqlite3_context *c, name_id name);

/* ---- plan.c ---- */

/* A column whose constraints a table takes itself. */
struct sql_key {
	const char *name;
	int column;
	bool range; /* <, <=, >, >= as well as = */
	bool words; /* its values are text */
};

/* Values that a key may have. */
struct sql_bound {
	int64_t low, high;     /* both are in it */
	bool asked;            /* something was said of it: NULL is not in it */
	sqlite3_value *equals; /* of words: borrowed for xFilter() alone; NULL: any */
};

/* Takes what it can of info's constraints; which[i] says of key i what: PLAN_. */
#define PLAN_EQUAL 1u
#define PLAN_LOW 2u
#define PLAN_HIGH 4u
#define PLAN_KEYS 4u
int plan_make(sqlite3_index_info *info, const struct sql_key *key, unsigned n, unsigned *which);
/* How many of n rows are left, and what it costs to look at `read` of them. */
void plan_cost(sqlite3_index_info *info, double read, double rows);
/* The bounds of n keys, from what plan_make() wrote. */
void plan_read(const char *plan, int argc, sqlite3_value **argv, const struct sql_key *key,
	       unsigned n, struct sql_bound *out);

static inline bool
bound_has(const struct sql_bound *b, int64_t v)
{
	return v >= b->low && v <= b->high;
}

/* ---- events.c ---- */

/* Series of some kinds, one after the other, and in each its events. */
struct sql_events {
	struct sql *sql;
	unsigned kinds; /* 1u << enum series_kind */
	bool to_end;    /* goes on behind the bounds: slices end there */
	struct sql_bound time, track;
	track_id track_now;
	uint32_t next; /* series of the track */
	const struct series *series;
	bool timed;
	int64_t base;     /* of the track's file */
	int64_t from, to; /* of the lens, in the file's times */
	int64_t low, high; /* of the bounds, likewise, both in it */
	uint64_t at, until;
	const struct chunk *chunk;
	uint32_t i; /* in the chunk */
	uint32_t steps;
};

/* The next event of the series, in bounds, not yet looked at otherwise; false: there is
 * none, or the query was stopped. */
bool events_next(struct sql_events *x);
/* When the event ends: the next one begins. */
int64_t events_end(const struct sql_events *x);

static inline int64_t
events_time(const struct sql_events *x)
{
	return column_get(&x->chunk->time, x->i);
}

static inline labels_id
events_labels(const struct sql_events *x)
{
	return x->series->labelled ? (labels_id)column_get(&x->chunk->labels, x->i) : LABELS_NONE;
}

/* A cursor over events; a table's own begins with it. */
struct events_cursor {
	struct sql_cursor base;
	struct sql_events x;
};

/* A table of events: what is its own of the way from a plan to rows. */
struct events_table {
	const struct sql_key *key; /* track, time, and others */
	unsigned n_keys;
	unsigned kinds; /* 1u << enum series_kind */
	bool to_end;    /* as in struct sql_events */
	size_t size;    /* of its cursor */
	/* each may be NULL */
	void (*begin)(struct events_cursor *c, const struct sql_bound *bound);
	bool (*series)(struct events_cursor *c); /* false: it has no rows */
	void (*release)(struct events_cursor *c);
	/* the next row of the series that is open; false: there is none, or the query was
	 * stopped */
	bool (*row)(struct events_cursor *c);
};
int events_plan(sqlite3_vtab *v, sqlite3_index_info *info);
int events_open(sqlite3_vtab *v, sqlite3_vtab_cursor **out);
int events_close(sqlite3_vtab_cursor *c);
int events_filter(sqlite3_vtab_cursor *c, int index, const char *plan, int argc,
		  sqlite3_value **argv);
int events_next_row(sqlite3_vtab_cursor *c);
#define SQL_EVENTS_MODULE(name)                                                            \
	{                                                                                  \
		.xCreate = sql_connect, .xConnect = sql_connect, .xBestIndex = events_plan, \
		.xDisconnect = sql_disconnect, .xDestroy = sql_disconnect,                 \
		.xOpen = events_open, .xClose = events_close, .xFilter = events_filter,    \
		.xNext = events_next_row, .xEof = sql_eof, .xColumn = name##_column,       \
		.xRowid = sql_rowid,                                                       \
	}

/* ---- the tables, and what is registered ---- */

extern const struct sql_table sql_rows_tables[];
extern const unsigned sql_n_rows_tables;
extern const struct sql_table sql_samples, sql_slices, sql_points;
/* Makes a table of each report; SQLite's status. */
int sql_reports_register(struct sql *s);
int sql_functions_register(struct sql *s);
/* Those of SQLite that could take for ever, otherwise. */
int sql_texts_register(struct sql *s);

#endif
#endif
