/* sql_inside.h - shared by the files of src/sql; no other file includes it.
 *
 * sql.c        the connection: permissions, limits, errors
 * plan.c       constraints that a table evaluates itself, from SQLite's plan to its cursor
 * rows.c       tables of numbered things: functions, stacks, tracks, ...
 * events.c     iterates over events within bounds of time
 * samples.c, slices.c, points.c   tables of events
 * running.c    how many tracks run during them
 * actors.c     tables of the states of threads, and of edges
 * reports.c    the reports as tables
 * sides.c      the sides of a comparison
 * functions.c, statistics.c   functions for queries
 * suggest.c    the nearest name to an unknown one */
#ifndef PNAV_SRC_SQL_SQL_INSIDE_H
#define PNAV_SRC_SQL_SQL_INSIDE_H

#ifdef HAVE_SQLITE

#include <sqlite3.h>

#include "model/base/buf.h"
#include "model/derive/wall.h"
#include "model/picture/layout.h"
#include "model/table/facts.h"
#include "src/encode/shown_stacks.h"
#include "src/sql/sql.h"

#define TEXT_MAX (16 << 20) /* bytes of a value */

struct derived;

enum sql_sided { SIDED_STACK, SIDED_FRAME, SIDED_FUNCTION, SIDED_METRIC, SIDED_LABELS, N_SIDED };

struct sql {
	/* first member: it tests whether the query is cancelled; loops of the model report to it */
	struct pace pace;
	sqlite3 *db;
	sqlite3_stmt *stmt; /* the running statement; NULL: none */
	const char *text;   /* of the statement, as given */
	struct sql_asks asks;
	struct derived *derived;
	struct encode_job job;
	struct lens lens;   /* of the tables; never inverted */
	struct shown shown; /* the profile through the lens; [group] the origin of its times */
	struct shown_stacks stacks; /* its stacks; all tables use these */
	struct buf *metric; /* [metric of the profile] its name in the form for programs */
	struct facts facts;
	struct wall_clocks clocks; /* of shown.p, and the duration of its samples: running.c */
	struct layout layout;
	uint32_t *depth;    /* [stack], computed at the first use */
	uint8_t *sides[N_SIDED]; /* [enum sql_sided][id], computed at the first use: sides.c */
	uint64_t *steps;    /* [track] steps of all tracks before it, at the first use: slices.c */
	struct buf scratch;
	sqlite3 *beside;     /* a connection without a profile, and its last statement: texts.c */
	sqlite3_stmt *print;
	bool stopped;
};

/* Returns true once the query has been cancelled. */
bool sql_stopped(struct sql *s);

/* A table: its columns in the form of CREATE TABLE, and its functions. */
struct sql_table {
	const char *name;
	const char *columns;
	const sqlite3_module *module;
	const void *of; /* data of the module */
	bool sided;     /* comparisons append the column `side` */
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

/* The beginning of every cursor. */
struct sql_cursor {
	sqlite3_vtab_cursor base;
	bool eof;
	sqlite3_int64 rowid;
};

/* Methods that all modules share; methods of a module that has NAME_plan(), ... */
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
/* Returns the name with this number, of a function, file, ..., in the form for programs. */
void sql_result_name(struct sql *s, sqlite3_context *c, name_id name);

/* ---- plan.c ---- */

/* A column whose constraints a table evaluates itself. */
struct sql_key {
	const char *name;
	int column;
	bool range; /* accepts <, <=, >, >= besides = */
	bool words; /* its values are text */
};

/* The values that a constraint allows. */
struct sql_bound {
	int64_t low, high;     /* inclusive */
	bool asked;            /* there is a constraint, so NULL does not match */
	sqlite3_value *equals; /* for words; borrowed during xFilter(); NULL: any */
};

/* Takes the constraints in `info` that it can evaluate; which[i] has the PLAN_ bits of key i. */
#define PLAN_EQUAL 1u
#define PLAN_LOW 2u
#define PLAN_HIGH 4u
#define PLAN_KEYS 4u
int plan_make(sqlite3_index_info *info, const struct sql_key *key, unsigned n, unsigned *which);
/* Tells SQLite's planner how many rows remain, and that finding them reads `read` rows. */
void plan_cost(sqlite3_index_info *info, double read, double rows);
/* Decodes the bounds of n keys from the text that plan_make() wrote. */
void plan_read(const char *plan, int argc, sqlite3_value **argv, const struct sql_key *key,
	       unsigned n, struct sql_bound *out);

static inline bool
bound_has(const struct sql_bound *b, int64_t v)
{
	return v >= b->low && v <= b->high;
}

/* ---- events.c ---- */

/* Iterates over the events of series of some kinds, series by series. */
struct sql_events {
	struct sql *sql;
	unsigned kinds; /* 1u << enum series_kind */
	bool to_end;    /* continue after the bounds, because slices end there */
	struct sql_bound time, track;
	track_id track_now;
	uint32_t next; /* the next series of the track */
	const struct series *series;
	bool timed;
	int64_t base;     /* of the track's file */
	int64_t from, to; /* range of the lens, in the file's times */
	int64_t low, high; /* inclusive bounds, in the same unit */
	uint64_t at, until;
	const struct chunk *chunk;
	uint32_t i; /* index in the chunk */
	uint32_t steps;
	/* of the series clock_of: running.c */
	const struct series *clock_of;
	const struct wall_clock *clock;
	struct layout_lane lane;
};

/* Advances to the next event of the series within the bounds; tests nothing else. Returns false if
 * there is none, or the query was cancelled. */
bool events_next(struct sql_events *x);
/* Goes to event `at` of a sorted series, at least to the first within the bounds; the next call of
 * events_next() returns it. */
void events_seek(struct sql_events *x, uint64_t at);
/* Returns the end of the event, which is the beginning of the next. */
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

/* A cursor over events; cursors of tables begin with it. */
struct events_cursor {
	struct sql_cursor base;
	bool mentioned; /* the query reads the table's column `mention` */
	struct sql_events x;
};

/* A table of events: its callbacks on the way from a plan to rows. */
struct events_table {
	const struct sql_key *key; /* track, time, and others */
	unsigned n_keys;
	unsigned kinds; /* 1u << enum series_kind */
	bool to_end;    /* as in struct sql_events */
	size_t size;    /* of its cursor structure */
	/* callbacks; each may be NULL */
	void (*begin)(struct events_cursor *c, const struct sql_bound *bound);
	bool (*series)(struct events_cursor *c); /* false: the series has no rows */
	void (*release)(struct events_cursor *c);
	/* the key whose equality finds single events without reading the others; 0: none */
	unsigned direct;
	int mention; /* see struct events_cursor */
	/* advances to the next row of the open series; false: there is none, or the query was
	 * cancelled */
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

/* ---- sides.c ---- */

/* Return to SQLite the text of the column `side`: the side of a comparison. */
void sql_result_side(struct sql *s, sqlite3_context *out, track_id track);
void sql_result_group_side(struct sql *s, sqlite3_context *out, uint32_t group);
/* The same of an object that both sides may share. */
void sql_result_sides(struct sql *s, sqlite3_context *out, enum sql_sided what, uint32_t id);

/* ---- running.c ---- */

/* Returns to SQLite the wall time in [from, to) of the cursor's series, or how many tracks ran then
 * on average; NULL if the series is not of a track that runs. A sample ends by its own duration,
 * whatever `to` is. */
void sql_result_running(struct sql_events *x, sqlite3_context *out, bool wall, int64_t from,
			int64_t to);

/* ---- suggest.c ---- */

/* Appends `: did you mean 'NAME'?` to SQLite's message if it reports an unknown name. */
void sql_suggest(struct sql *s, const char *query, const char *message, struct buf *out);

/* ---- tables and registration ---- */

extern const struct sql_table sql_rows_tables[];
extern const unsigned sql_n_rows_tables;
extern const struct sql_table sql_samples, sql_slices, sql_points, sql_states, sql_edges;
/* Makes a table of each report. Returns SQLite's status. */
int sql_reports_register(struct sql *s);
int sql_functions_register(struct sql *s);
int sql_statistics_register(struct sql *s); /* called by the former */
/* Replaces functions of SQLite that could otherwise run without end. */
int sql_texts_register(struct sql *s);

#endif
#endif
