/* reports.c - the reports as tables: report_functions, report_tree, ...
 *
 * The columns are those of the report, so SELECT * returns the printed ones.  Every other column of
 * such rows (share, call_p99, ...) is hidden, and queries can name it.  The first hidden column is
 * `lens`, the options of the command line for the report: `report_functions('--from 2s')` or WHERE
 * lens = '--from 2s'.
 *
 * A report is made completely when it is first read.  The last one of a table is cached, since a
 * join reads the same one for every row of the other table. */
#include "src/sql/sql_inside.h"

#ifdef HAVE_SQLITE

#include <string.h>

#include "model/base/mem.h"

#define COLUMNS_MAX 63 /* the limit of sqlite3_index_info's bits */

/* A finished report, and its users. */
struct reports_kept {
	struct sql_report *report;
	char *words; /* the options of its lens; NULL: the connection's */
	unsigned extras;
	unsigned users;
};

struct report_vtab {
	struct sql_vtab base;
	size_t i;      /* the index of the report */
	unsigned lens; /* the column number of `lens` */
	unsigned n;
	const struct table_column *column[COLUMNS_MAX]; /* NULL: the lens */
	struct reports_kept *last;
};

struct reports_cursor {
	struct sql_cursor base;
	struct reports_kept *kept;
	uint32_t row;
};

static void
kept_drop(struct sql *s, struct reports_kept *k)
{
	if (!k || --k->users)
		return;
	s->asks.reports->close(k->report);
	free(k->words);
	free(k);
}

/* ---- columns ---- */

static void
add_column(struct report_vtab *v, struct buf *b, const struct table_column *c, bool hidden)
{
	for (unsigned i = 0; i < v->n; i++)
		if (v->column[i] == c)
			return;
	if (v->n == COLUMNS_MAX)
		return;
	buf_addf(b, "%s\"%s\"%s", v->n ? ", " : "", c->name, hidden ? " HIDDEN" : "");
	v->column[v->n++] = c;
}

/* Declares the CREATE TABLE statement to SQLite. */
static void
reports_declare(struct report_vtab *v, const struct sql_reports *reports, struct buf *b)
{
	unsigned rows = reports->rows(v->i);
	const char *at = reports->columns(v->i);

	buf_adds(b, "CREATE TABLE x(");
	for (; *at; at += *at == ',') {
		size_t len = strcspn(at, ",");
		const struct table_column *c = column_find(at, len, rows);
		if (c && (!(c->compared || c->bars) || v->base.sql->asks.profile->comparison))
			add_column(v, b, c, false);
		at += len;
	}
	v->lens = v->n;
	buf_addf(b, ", lens HIDDEN");
	v->column[v->n++] = NULL;
	for (unsigned i = 0; i < n_table_columns; i++)
		if (table_columns[i].rows & rows)
			add_column(v, b, &table_columns[i], true);
	buf_addc(b, ')');
}

struct registered {
	struct sql *sql;
	size_t i;
};

static int
reports_connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out,
		char **error)
{
	const struct registered *r = aux;
	struct report_vtab *v = mem_zalloc(1, sizeof *v);
	struct buf b = BUF_INIT;

	(void)argc;
	(void)argv;
	(void)error;
	v->base.sql = r->sql;
	v->i = r->i;
	reports_declare(v, r->sql->asks.reports, &b);
	int status = sqlite3_declare_vtab(db, buf_str(&b));
	buf_release(&b);
	if (status)
		free(v);
	else
		*out = &v->base.base;
	sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
	return status;
}

static int
reports_disconnect(sqlite3_vtab *base)
{
	struct report_vtab *v = (struct report_vtab *)base;

	kept_drop(v->base.sql, v->last);
	free(v);
	return SQLITE_OK;
}

/* ---- plans ---- */

/* A report is expensive, so the planner should put it outside of a join. */
#define REPORT_COST 1e7

/* Returns the SQL_ bits that the used columns need. */
static unsigned
wanted_extras(const struct report_vtab *v, sqlite3_uint64 used)
{
	unsigned extras = 0;

	for (unsigned i = 0; i < v->n; i++)
		if (v->column[i] && used >> i & 1u)
			extras |= (column_replays(v->column[i], false) ? SQL_TIMES : 0) |
				  (v->column[i]->bars ? SQL_BARS : 0);
	return extras;
}

static int
reports_plan(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct report_vtab *v = (struct report_vtab *)base;

	for (int i = 0; i < info->nConstraint; i++) {
		const struct sqlite3_index_constraint *c = &info->aConstraint[i];
		if (c->iColumn != (int)v->lens || c->op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		if (!c->usable)
			return SQLITE_CONSTRAINT;
		info->aConstraintUsage[i].argvIndex = 1;
		info->aConstraintUsage[i].omit = 1;
		info->idxStr = sqlite3_mprintf("lens=");
		info->needToFreeIdxStr = 1;
		break;
	}
	info->idxNum = (int)wanted_extras(v, info->colUsed);
	plan_cost(info, REPORT_COST, 1000);
	return SQLITE_OK;
}

/* ---- cursors ---- */

static int
reports_open(sqlite3_vtab *v, sqlite3_vtab_cursor **out)
{
	struct reports_cursor *c = mem_zalloc(1, sizeof *c);

	(void)v;
	*out = &c->base.base;
	return SQLITE_OK;
}

static int
reports_close(sqlite3_vtab_cursor *base)
{
	struct reports_cursor *c = (struct reports_cursor *)base;

	kept_drop(vtab_of(base)->sql, c->kept);
	free(c);
	return SQLITE_OK;
}

static bool
reports_is_same(const struct reports_kept *k, const char *words, unsigned extras)
{
	return k && !(extras & ~k->extras) &&
	       (words ? k->words && !strcmp(k->words, words) : !k->words);
}

/* Returns false if the query was stopped or the lens is invalid; the table's message says which. */
static bool
reports_make(struct report_vtab *v, const char *words, unsigned extras)
{
	struct sql *s = v->base.sql;
	const struct sql_reports *reports = s->asks.reports;
	struct sql_report *report = NULL;
	struct lens lens;
	struct err e;

	err_init(&e);
	if (words)
		lens_init(&lens);
	else
		lens_copy(&lens, s->asks.lens);
	if (!words || reports->read_lens(words, &lens, &e))
		report = reports->open(s->asks.profile, v->i, &lens, extras,
				       &s->pace, &e);
	lens_release(&lens);
	if (!report && !s->stopped) {
		sqlite3_free(v->base.base.zErrMsg);
		v->base.base.zErrMsg = sqlite3_mprintf("%s", e.text);
	}
	if (!report)
		return false;
	struct reports_kept *k = mem_zalloc(1, sizeof *k);
	*k = (struct reports_kept){report, words ? mem_dup(words, strlen(words)) : NULL, extras, 1};
	kept_drop(s, v->last);
	v->last = k;
	return true;
}

static void
reports_settle(struct reports_cursor *c)
{
	c->base.eof = !c->kept || c->row >= c->kept->report->rows->n;
	c->base.rowid = c->row;
}

static int
reports_filter(sqlite3_vtab_cursor *base, int index, const char *plan, int argc,
	       sqlite3_value **argv)
{
	struct reports_cursor *c = (struct reports_cursor *)base;
	struct report_vtab *v = (struct report_vtab *)base->pVtab;
	const char *words = NULL;

	(void)plan;
	kept_drop(v->base.sql, c->kept);
	c->kept = NULL;
	c->row = 0;
	if (argc && !(words = (const char *)sqlite3_value_text(argv[0]))) {
		reports_settle(c); /* nothing equals NULL */
		return SQLITE_OK;
	}
	if (!reports_is_same(v->last, words, (unsigned)index) &&
	    !reports_make(v, words, (unsigned)index))
		return v->base.sql->stopped ? SQLITE_INTERRUPT : SQLITE_ERROR;
	c->kept = v->last;
	c->kept->users++;
	reports_settle(c);
	return SQLITE_OK;
}

static int
reports_next(sqlite3_vtab_cursor *base)
{
	struct reports_cursor *c = (struct reports_cursor *)base;

	c->row++;
	reports_settle(c);
	return SQLITE_OK;
}

/* Returns the cell for programs, with the type of a number. */
static void
result_cell(struct sql *s, const struct table_column *column, const struct sql_report *r,
	    const struct row *row, sqlite3_context *out)
{
	struct value v = {0};

	if (column->compared && !r->look->compares)
		return;
	if (column->number && column->unit != COLUMN_WORDS)
		v = column->number(r->look, row);
	if (v.kind == VALUE_WHOLE && !v.decimals) {
		sqlite3_result_int64(out, v.whole);
		return;
	}
	if (v.kind == VALUE_WHOLE) {
		sqlite3_result_double(out, (double)v.whole / 1e6);
		return;
	}
	if (v.kind == VALUE_REAL) {
		sqlite3_result_double(out, v.real);
		return;
	}
	buf_reset(&s->scratch);
	if (column_plain(column, r->look, row, &s->scratch) != CELL_EMPTY)
		sqlite3_result_text64(out, buf_str(&s->scratch), s->scratch.len,
				      SQLITE_TRANSIENT, SQLITE_UTF8);
}

static int
reports_column(sqlite3_vtab_cursor *base, sqlite3_context *out, int column)
{
	struct reports_cursor *c = (struct reports_cursor *)base;
	const struct report_vtab *v = (struct report_vtab *)base->pVtab;
	const struct sql_report *r = c->kept->report;

	if (column == (int)v->lens) {
		if (c->kept->words)
			sqlite3_result_text(out, c->kept->words, -1, SQLITE_TRANSIENT);
	} else if (column >= 0 && column < (int)v->n) {
		struct row row = rows_get(r->rows, (uint32_t)c->row);
		result_cell(v->base.sql, v->column[column], r, &row, out);
	}
	return SQLITE_OK;
}

static const sqlite3_module module = {
	.xCreate = reports_connect,
	.xConnect = reports_connect,
	.xBestIndex = reports_plan,
	.xDisconnect = reports_disconnect,
	.xDestroy = reports_disconnect,
	.xOpen = reports_open,
	.xClose = reports_close,
	.xFilter = reports_filter,
	.xNext = reports_next,
	.xEof = sql_eof,
	.xColumn = reports_column,
	.xRowid = sql_rowid,
};

int
sql_reports_register(struct sql *s)
{
	const struct sql_reports *reports = s->asks.reports;
	int status = SQLITE_OK;

	for (size_t i = 0; reports && i < reports->n && !status; i++) {
		char *name = sqlite3_mprintf("report_%s", reports->name(i));
		char *create =
			sqlite3_mprintf("CREATE VIRTUAL TABLE \"%w\" USING \"%w\"", name, name);
		struct registered *r = mem_zalloc(1, sizeof *r);
		*r = (struct registered){s, i};
		status = sqlite3_create_module_v2(s->db, name, &module, r, free);
		if (!status)
			status = sqlite3_exec(s->db, create, NULL, NULL, NULL);
		sqlite3_free(name);
		sqlite3_free(create);
	}
	return status;
}

#endif
