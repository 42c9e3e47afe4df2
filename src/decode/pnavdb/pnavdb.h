/* pnavdb.h - a database that is read, for the files of this folder: pnavdb.c opens it by
 * pnavdb_open.c and calls pnavdb_read_tables(), then pnavdb_read_events(). Both read rows by
 * pnavdb_rows.c. The decoder nsys opens and reads its databases by the same two files. */
#ifndef PNAV_SRC_DECODE_PNAVDB_PNAVDB_H
#define PNAV_SRC_DECODE_PNAVDB_PNAVDB_H

#include "src/decode/decoder.h"

#ifdef HAVE_SQLITE

#include <sqlite3.h>

#include "model/base/vec.h"
#include "src/decode/common/idmap.h"

/* A series of a track, with the metrics of its events: samples, totals or points. */
struct pnavdb_series {
	struct series *series;
	uint8_t kind; /* enum series_kind */
	uint32_t n_metrics;
	metric_id metric[SERIES_METRICS_MAX];
	bool labelled;
	int64_t of; /* the row of sample_series that has it; PNAVDB_NO_SERIES */
};
#define PNAVDB_NO_SERIES INT64_MIN
/* A hostile file could have a series for each of its rows. */
#define PNAVDB_SERIES_MAX 64u

struct pnavdb_track {
	int64_t row; /* its id in the file */
	track_id id;
	bool steps; /* it has steps, which have the numbers of metrics of time and calls */
	VEC(struct pnavdb_series) series;
};

struct pnavdb_metric {
	metric_id id;
	bool time, calls; /* the duration of steps; those that begin a call */
	bool events;      /* counts the events themselves */
	bool decimals;
};

/* A row of sample_series: the rows of samples that belong to one series. */
struct pnavdb_samples {
	int64_t id, track, first, last, interval;
	bool derived;
};

struct pnavdb_stack {
	stack_id id;
	uint32_t depth;
};

/* Maps from the ids of the file to ids of the profile, or to indexes of the lists below. */
struct pnavdb_ids {
	struct idmap functions, frames, stacks, sets, tracks;
	struct idmap metrics; /* from names of the profile */
	struct idmap
		of_samples;  /* names of metrics that tracks without steps have, to 1 */
	struct idmap series; /* of steps, to indexes of `steps` */
	struct idmap actors;
};

/* Facts of the tables that are read first about the others. */
struct pnavdb_known {
	bool run;        /* the table files has said when it begins */
	bool no_metrics; /* the file has points alone */
	bool counts;     /* some row counts several events, so no metric counts them by itself */
	bool no_steps;   /* steps are read as samples */
};

struct pnavdb {
	struct input *in;
	struct builder *b;
	struct err *e;
	sqlite3 *db;
	struct pnavdb_file *file; /* how SQLite reads it */
	uint64_t len, stated_len; /* missing bytes are 0 */
	uint32_t page; /* bytes of a page */
	int64_t start; /* the time of the first event on the clock of the recorded file */
	struct pnavdb_known known;
	uint64_t skipped; /* rows with values of another type */
	struct pnavdb_ids ids;
	VEC(struct pnavdb_stack) stack;
	VEC(struct pnavdb_track) track;
	VEC(struct pnavdb_metric) metric;
	VEC(struct series *) steps;
	struct pnavdb_events *events; /* of pnavdb_events.c */
	void *context;                /* of another decoder */
};

/* The tables of a kind of database. */
struct pnavdb_wants {
	bool (*has)(const uint8_t *at, size_t len); /* of its first bytes */
	const char *tables[2];
	const char *refusal; /* of a database that has not */
};
/* Reads and opens the database of x->in. Returns false with a refusal or damage in *x->e; call
 * pnavdb_close() in either case. */
bool pnavdb_open(struct pnavdb *x, const struct pnavdb_wants *wants);
void pnavdb_close(struct pnavdb *x);

/* Passes each row of the query to take(), whose false ends the reading with *x->e set. Rows before
 * damage count. `table`: the one that is damaged then; a table that does not exist has no rows. */
typedef bool pnavdb_take(struct pnavdb *x, sqlite3_stmt *row);
bool pnavdb_each(struct pnavdb *x, const char *table, const char *sql, pnavdb_take *take);
/* Returns the offset of the root page of a table; 0 if there is no such table. */
uint64_t pnavdb_offset(struct pnavdb *x, const char *table);

/* Reads a whole number; returns false, and counts the row as skipped, if the column has none. */
bool pnavdb_whole(struct pnavdb *x, sqlite3_stmt *row, int column, int64_t *out);
/* Returns the id of a text; NAME_EMPTY if the column has none. */
name_id pnavdb_name(struct pnavdb *x, sqlite3_stmt *row, int column);
/* Returns the index of the text in a list that ends with NULL, or `otherwise`. */
unsigned pnavdb_word(sqlite3_stmt *row, int column, const char *(*word)(unsigned i),
		     unsigned n, unsigned otherwise);
/* Returns the unit with this name; UNIT_COUNT if there is none. */
enum unit pnavdb_unit(sqlite3_stmt *row, int column);

/* Dumps the rows of a table; nothing if there is no such table. Returns false at damage, and if
 * the output accepts no more. */
bool pnavdb_dump_table(struct pnavdb *x, struct dump *d, const char *table);

/* pnavdb_facts.c: reads facts and runs; and, after the functions, what the file states of them. */
bool pnavdb_read_facts(struct pnavdb *x);
bool pnavdb_read_stated(struct pnavdb *x);
/* Reads metrics, tracks, functions, frames, stacks and labels. */
bool pnavdb_read_tables(struct pnavdb *x);
/* Reads steps, samples and points. */
bool pnavdb_read_events(struct pnavdb *x);
/* Reads the threads that have states or edges; after the tracks, as long as x->ids.sets has their
 * processes. */
bool pnavdb_read_actors(struct pnavdb *x);
/* Reads states and edges. */
bool pnavdb_read_states(struct pnavdb *x);

#endif
#endif
