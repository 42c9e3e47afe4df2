/* sheet.h - writes rows in columns as text, CSV, JSON or Markdown.
 *
 *	struct sheet s = {&look, &columns, &rows};
 *	sheet_write_csv(&s, stdout);
 */
#ifndef PNAV_SRC_COMMAND_REPORT_SHEET_H
#define PNAV_SRC_COMMAND_REPORT_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "model/table/columns.h"

/* All members are borrowed. */
struct sheet {
	const struct look *look;
	const struct column_list *columns;
	const struct rows *rows;
	bool greys; /* in text, changes that may be chance are grey on a terminal */
	bool fits;  /* in text, rows are cut at the width of the terminal */
	const struct table_column *below; /* in text, below each row; or NULL */
};

void sheet_write_csv(const struct sheet *s, FILE *out);
/* Writes `"columns": [...], "rows": [...]` without enclosing braces. */
void sheet_write_json(const struct sheet *s, FILE *out);
/* Writes a line for each row, a JSON object with the columns as its members. */
void sheet_write_ndjson(const struct sheet *s, FILE *out);
/* Writes aligned columns under a header line. */
void sheet_write_text(const struct sheet *s, FILE *out);
/* Writes a table of GitHub's Markdown, with the cells of CSV. */
void sheet_write_md(const struct sheet *s, FILE *out);
/* Writes text of a line of a Markdown document. Characters that could mark something there, or end
 * a cell or the line, are escaped. */
void sheet_md_text(FILE *out, const char *text, size_t len);

/* ---- cells of other tables than those of columns.h ---- */

/* Writes a field of CSV, quoted if necessary. */
void sheet_csv_field(FILE *out, const char *at, size_t len);
/* Returns the width of a text in columns of a screen. */
size_t sheet_width(const char *text, size_t len);
/* Writes a text padded to a width; the last one of a line is not padded. */
/* If `out` is a terminal, narrows the widest of these n columns, separated by two blanks, until a
 * row fits, and returns true; width 0 omits a column. */
bool sheet_fit(FILE *out, size_t *width, size_t n);
void sheet_text_field(FILE *out, const char *text, size_t len, size_t width, bool right,
		      bool last);

/* Sorts rows by a column, stably: numbers in descending, words in ascending order, empty cells
 * last. `reverse` inverts that. */
void rows_sort(struct rows *rows, const struct table_column *c, const struct look *l,
	       bool reverse);
/* Compares two rows in a column: < 0, 0 or > 0. */
int rows_compare(const struct table_column *c, const struct look *l, const struct row *a,
		 const struct row *b);

#endif
