/* sheet.h - rows in columns on their way out, as text, CSV or JSON.
 *
 *	struct sheet s = {&look, &columns, rows.at, rows.n};
 *	sheet_write_csv(&s, stdout);
 */
#ifndef PNAV_SRC_COMMAND_REPORT_SHEET_H
#define PNAV_SRC_COMMAND_REPORT_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "model/table/columns.h"

/* All borrowed. */
struct sheet {
	const struct look *look;
	const struct column_list *columns;
	const struct row *row;
	size_t n;
	bool greys; /* in text, what may be chance is grey, as terminals have it */
	bool fits;  /* in text, rows are cut where the terminal ends */
};

void sheet_write_csv(const struct sheet *s, FILE *out);
/* `"columns": [...], "rows": [...]` without braces around. */
void sheet_write_json(const struct sheet *s, FILE *out);
/* Aligned columns under a header line. */
void sheet_write_text(const struct sheet *s, FILE *out);

/* ---- cells of tables that are no rows of columns.h ---- */

/* A field of CSV, quoted where it must be. */
void sheet_csv_field(FILE *out, const char *at, size_t len);
/* Columns that a text takes on a screen. */
size_t sheet_width(const char *text, size_t len);
/* A text in a column so wide; the last one of a line is not filled up. */
/* Where `out` is a terminal, makes the widest of these n columns, with two blanks between them,
 * narrower until a row fits; a width of 0 is a column that is left out. */
void sheet_fit(FILE *out, size_t *width, size_t n);
void sheet_text_field(FILE *out, const char *text, size_t len, size_t width, bool right,
		      bool last);

/* Orders rows by a column, stable: numbers from the largest on, words from a on, what has
 * nothing there last; `reverse` turns that. */
void rows_sort(struct rows *rows, const struct table_column *c, const struct look *l,
	       bool reverse);
/* The order of two rows in a column, < 0, 0 or > 0. */
int rows_compare(const struct table_column *c, const struct look *l, const struct row *a,
		 const struct row *b);

#endif
