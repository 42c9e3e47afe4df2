/* sqlite_rows.h - inserts rows into a table, many rows per statement.
 *
 *	rows_begin(r, "samples", 6);
 *	... rows_whole(r, 1); rows_name(r, names_put(&r->names, at, len)); ... rows_next(r);
 *	rows_end(r);
 *
 * r->failed keeps the first error. For sqlite.c and sqlite_report.c. */
#ifndef PNAV_SRC_ENCODE_SQLITE_ROWS_H
#define PNAV_SRC_ENCODE_SQLITE_ROWS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "model/base/vec.h"
#include "model/profile/names.h"

#ifdef HAVE_SQLITE
#include <sqlite3.h>

struct sqlite_cell {
	enum { ROW_NULL, ROW_WHOLE, ROW_REAL, ROW_NAME } kind;
	union {
		int64_t whole;
		double real;
		name_id name; /* in names */
	} as;
};

struct sqlite_rows {
	sqlite3 *db;
	struct names names;
	int failed; /* the first result that is an error; 0: none */
	int64_t n;  /* rows of the table so far; the id of its last row */
	/* private */
	const char *table;
	unsigned columns;
	sqlite3_stmt *many;
	VEC(struct sqlite_cell) cell; /* of pending rows */
};

void sqlite_rows_init(struct sqlite_rows *r);
void sqlite_rows_release(struct sqlite_rows *r);

void rows_begin(struct sqlite_rows *r, const char *table, unsigned columns);
void rows_next(struct sqlite_rows *r); /* completes the row, which must have all its columns */
void rows_end(struct sqlite_rows *r);

/* Writes a name of the profile in the form for programs. */
struct shown;
void rows_shown_name(struct sqlite_rows *r, const struct shown *s, name_id id);

/* Keeps the result of a call of SQLite if it is the first error. */
static inline void
sqlite_rows_failed(struct sqlite_rows *r, int result)
{
	if (!r->failed && result != SQLITE_OK && result != SQLITE_DONE)
		r->failed = result;
}

static inline void
rows_null(struct sqlite_rows *r)
{
	*vec_push(&r->cell) = (struct sqlite_cell){.kind = ROW_NULL};
}

static inline void
rows_whole(struct sqlite_rows *r, int64_t v)
{
	*vec_push(&r->cell) = (struct sqlite_cell){.kind = ROW_WHOLE, .as.whole = v};
}

static inline void
rows_real(struct sqlite_rows *r, double v)
{
	*vec_push(&r->cell) = (struct sqlite_cell){.kind = ROW_REAL, .as.real = v};
}

static inline void
rows_name(struct sqlite_rows *r, name_id id)
{
	*vec_push(&r->cell) = (struct sqlite_cell){.kind = ROW_NAME, .as.name = id};
}

/* Writes NULL if there is no value. */
static inline void
rows_text(struct sqlite_rows *r, const char *at)
{
	if (at)
		rows_name(r, names_put(&r->names, at, strlen(at)));
	else
		rows_null(r);
}

/* The table report_functions of this fold, row by row as the report prints it
 * (sqlite_report.c). */
struct fold;
struct profile;
struct shown_stacks;
void sqlite_report(struct sqlite_rows *r, const struct profile *p, const struct fold *f);

/* The tables value_names, clauses, stated, step_series and steps (sqlite_kept.c). */
void sqlite_kept(struct sqlite_rows *r, const struct shown *s, const struct shown_stacks *stacks);

/* A series of samples, or of sums with labels, and the ids of its first and last row in the table
 * samples. */
struct sqlite_samples {
	const struct series *series;
	int64_t first, last;
};
/* The table sample_series (sqlite_kept.c). */
void sqlite_sample_series(struct sqlite_rows *r, const struct sqlite_samples *at, size_t n);

/* The tables info, files, stated_info, warnings and stated_calls (sqlite_facts.c). `plain`: struct
 * encode_job. */
void sqlite_facts(struct sqlite_rows *r, const struct shown *s, const struct shown_stacks *stacks,
		  const struct fold *plain);

/* The tables actor_states, actor_edges and actors (sqlite_actors.c). */
void sqlite_actors(struct sqlite_rows *r, const struct shown *s);

#endif
#endif
