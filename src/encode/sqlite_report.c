#include "src/encode/sqlite_rows.h"

#ifdef HAVE_SQLITE

#include "model/table/columns.h"

static void
report_cell(struct sqlite_rows *r, const char *column, const struct look *look,
	    const struct row *row)
{
	const struct table_column *c = column_find(column, strlen(column), ROWS_FOLD);
	struct value v = c->number && c->unit != COLUMN_WORDS ? c->number(look, row)
							      : (struct value){0};
	struct buf b = BUF_INIT;

	if (v.kind == VALUE_WHOLE && v.decimals)
		rows_real(r, (double)v.whole / 1e6);
	else if (v.kind == VALUE_WHOLE)
		rows_whole(r, v.whole);
	else if (column_plain(c, look, row, &b) == CELL_EMPTY)
		rows_null(r);
	else
		rows_text(r, buf_str(&b));
	buf_release(&b);
}

void
sqlite_report(struct sqlite_rows *r, const struct profile *p, const struct fold *f)
{
	static const char *const columns[] = {"function", "file",  "line", "module",
					      "kind",     "calls", "self", "total"};
	struct rows rows = {0};
	struct look look;

	look_init(&look, p, f);
	look.programs = true;
	fold_rows(f, &rows);
	rows_begin(r, "report_functions", 8);
	for (uint32_t i = 0; i < rows.n; i++) {
		struct row row = rows_get(&rows, i);
		for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
			report_cell(r, columns[k], &look, &row);
		rows_next(r);
	}
	rows_end(r);
	rows_release(&rows);
}

#endif
