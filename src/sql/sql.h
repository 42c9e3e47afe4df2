/* sql.h - SQL over a profile: tables of SQLite that read the model in place (pnav-sql(7)).
 *
 *	struct sql *s = sql_open(&asks, e);
 *	while (sql_prepare(s, text, &text, e) && sql_ready(s)) {
 *		while (sql_step(s, e))
 *			... sql_value(s, i), i < sql_columns(s)
 *	}
 *	sql_close(s);
 *
 * Nothing is copied: a table of a hundred million rows costs nothing until it is asked.  The
 * profile may not change between open and close.  Nothing can be written but what is
 * temporary, and that lies in memory. */
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

/* One report of a lens, worked out: rows that columns tell something of. */
struct sql_report {
	const struct look *look;
	const struct row *row;
	uint32_t n;
};

#define SQL_TIMES 1u
#define SQL_BARS 2u

/* The reports that are tables, as who knows them tells them. */
struct sql_reports {
	size_t n;
	const char *(*name)(size_t i);    /* "functions": the table is report_functions */
	const char *(*columns)(size_t i); /* "function,file,...": what SELECT * gives */
	unsigned (*rows)(size_t i);       /* ROWS_ */
	/* A lens in the words of the command line; *out is initialised.  Usage in *e. */
	bool (*read_lens)(const char *words, struct lens *out, struct err *e);
	/* NULL with usage in *e, without when the pace gave up.  `extras`: what the columns that
	 * are read need, SQL_TIMES of calls, SQL_BARS of errors. */
	struct sql_report *(*open)(const struct profile *loaded, size_t i, const struct lens *l,
				   unsigned extras, struct pace *pace, struct err *e);
	void (*close)(struct sql_report *r);
};

/* All borrowed until sql_close(). */
struct sql_asks {
	const struct profile *profile; /* as it was loaded */
	const struct lens *lens;       /* through which tables show it */
	struct fold *plain;            /* of it through no lens, if there is one; or NULL */
	const struct sql_reports *reports; /* NULL: none */
	uint64_t memory;               /* bytes that SQLite may take; 0: as many as there are */
	/* Asked now and then while a query runs, and while its tables are made ready; NULL:
	 * never. */
	bool (*stop)(void *ctx);
	void *ctx;
};

struct sql;
/* Was the program built with SQLite? */
bool sql_is_there(void);
/* NULL with usage in *e when the lens does not fit the profile, it was stopped, or there is no
 * SQLite. */
struct sql *sql_open(const struct sql_asks *asks, struct err *e);
void sql_close(struct sql *s);

/* The first statement of a text, and where the rest begins; what was prepared before is
 * finished.  False with usage in *e: SQLite's words, and where. */
bool sql_prepare(struct sql *s, const char *text, const char **rest, struct err *e);
/* Is there a statement? A text of blanks and comments has none. */
bool sql_ready(const struct sql *s);
/* The next row.  False at the end, with usage in *e when it failed or was stopped. */
bool sql_step(struct sql *s, struct err *e);
/* Of a statement that gives no rows 0. */
unsigned sql_columns(const struct sql *s);
const char *sql_column(const struct sql *s, unsigned i);

enum sql_kind { SQL_NULL, SQL_WHOLE, SQL_REAL, SQL_TEXT, SQL_BLOB };
struct sql_value {
	enum sql_kind kind;
	int64_t whole;
	double real;
	const char *at; /* of text and blobs, until the next step */
	size_t len;
};
struct sql_value sql_value(struct sql *s, unsigned i);

#endif
