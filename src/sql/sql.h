/* sql.h - SQL over a profile: tables of SQLite that read the model in place (pnav-sql(7)).
 *
 *	struct sql *s = sql_open(&asks, e);
 *	while (sql_prepare(s, text, &text, e) && sql_ready(s)) {
 *		while (sql_step(s, e))
 *			... sql_value(s, i), i < sql_columns(s)
 *	}
 *	sql_close(s);
 *
 * Nothing is copied: a table of a hundred million rows costs nothing until a query reads it. The
 * profile must not change between open and close. Queries can write only to temporary tables, which
 * are in memory. */
#ifndef PNAV_SRC_SQL_SQL_H
#define PNAV_SRC_SQL_SQL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/base/pace.h"
#include "model/lens/lens.h"
#include "model/profile/profile.h"
#include "model/table/columns.h"

/* The result of one report through a lens: rows for columns. */
struct sql_report {
	const struct look *look;
	const struct rows *rows;
};

#define SQL_TIMES 1u
#define SQL_BARS 2u

/* The reports that are tables. src/command/ provides them. */
struct sql_reports {
	size_t n;
	const char *(*name)(size_t i);    /* "functions": the table is report_functions */
	const char *(*columns)(size_t i); /* "function,file,...": the columns of SELECT * */
	unsigned (*rows)(size_t i);       /* ROWS_ */
	/* Parses a lens in the words of the command line; *out is initialised. Usage in *e. */
	bool (*read_lens)(const char *words, struct lens *out, struct err *e);
	/* Runs the report. NULL with usage in *e, or without if the pace cancelled it. `extras` are
	 * needs of the columns that the query reads: SQL_TIMES of calls, SQL_BARS of errors. */
	struct sql_report *(*open)(const struct profile *loaded, size_t i, const struct lens *l,
				   unsigned extras, struct pace *pace, struct err *e);
	void (*close)(struct sql_report *r);
};

/* All members are borrowed until sql_close(). */
struct sql_asks {
	const struct profile *profile; /* as loaded */
	const struct lens *lens;       /* the lens of the tables */
	struct fold *plain;            /* its fold without a lens, if there is one; or NULL */
	const struct sql_reports *reports; /* NULL: none */
	uint64_t memory;               /* limit of SQLite's memory in bytes; 0: none */
	/* Called regularly while a query runs and while its tables are prepared; true cancels.
	 * NULL: never. */
	bool (*stop)(void *ctx);
	void *ctx;
};

struct sql;
/* Returns true if the program was built with SQLite. */
bool sql_is_there(void);
/* Returns NULL with usage in *e if the lens does not fit the profile, if the work was cancelled, or
 * if pnav was built without SQLite. */
struct sql *sql_open(const struct sql_asks *asks, struct err *e);
void sql_close(struct sql *s);

/* Returns true if the text ends with a complete statement and its semicolon. */
bool sql_complete(const char *text);
/* Prepares the first statement of a text and sets *rest to the text after it; finishes the previous
 * statement. Returns false with SQLite's message and the position in *e. */
bool sql_prepare(struct sql *s, const char *text, const char **rest, struct err *e);
/* Returns true if there is a statement; a text of blanks and comments has none. */
bool sql_ready(const struct sql *s);
/* Advances to the next row. Returns false at the end, and with usage in *e if the statement failed
 * or was cancelled. */
bool sql_step(struct sql *s, struct err *e);
/* Returns the number of columns; 0 for a statement without rows. */
unsigned sql_columns(const struct sql *s);
const char *sql_column(const struct sql *s, unsigned i);

enum sql_kind { SQL_NULL, SQL_WHOLE, SQL_REAL, SQL_TEXT, SQL_BLOB };
struct sql_value {
	enum sql_kind kind;
	int64_t whole;
	double real;
	const char *at; /* text or blob, valid until the next step */
	size_t len;
};
struct sql_value sql_value(struct sql *s, unsigned i);

#endif
