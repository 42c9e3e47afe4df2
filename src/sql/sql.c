/* sql.c - an SQLite connection over a profile.
 *
 * The database is empty and in memory; its tables are virtual.  Queries may come from
 * strangers, so the authorizer alone defines the permitted actions: read, and create temporary
 * tables, views and indices.  SQLite's own limits bound a query: the length of a text, the
 * depth of an expression, memory.  The caller bounds the time: a query regularly asks whether
 * to continue.
 *
 * Copying the profile into real tables would allow indices, and was rejected: it costs fifty
 * bytes an event before the first result, while a range is a binary search in the existing
 * data. */
#include "src/sql/sql.h"
#include "src/sql/sql_inside.h"

#ifdef HAVE_SQLITE

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/derive/derived.h"

#define PROGRESS_STEPS 1000 /* steps of SQLite's machine between two looks at the clock */

static const struct {
	int id, most;
} limits[] = {
	{SQLITE_LIMIT_LENGTH, TEXT_MAX},
	{SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
	{SQLITE_LIMIT_COLUMN, 500},
	{SQLITE_LIMIT_EXPR_DEPTH, 200},
	{SQLITE_LIMIT_COMPOUND_SELECT, 200},
	{SQLITE_LIMIT_VDBE_OP, 1000000},
	{SQLITE_LIMIT_FUNCTION_ARG, 100},
	{SQLITE_LIMIT_ATTACHED, 0},
	{SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
	{SQLITE_LIMIT_WORKER_THREADS, 0},
};

/* ---- permissions ---- */

/* Pragmas that only return information. */
static const char *const pragmas[] = {
	"table_list",    "table_info",  "table_xinfo",     "function_list", "module_list",
	"collation_list", "pragma_list", "compile_options", "database_list", "index_list",
	"index_info",
};

static bool
pragma_is_harmless(const char *name)
{
	for (size_t i = 0; name && i < sizeof pragmas / sizeof *pragmas; i++)
		if (!sqlite3_stricmp(name, pragmas[i]))
			return true;
	return false;
}

static int
allow(bool yes)
{
	return yes ? SQLITE_OK : SQLITE_DENY;
}

/* `a` and `b` depend on the action, `in` is the database's name. */
static int
authorize(void *ctx, int action, const char *a, const char *b, const char *in, const char *by)
{
	bool temporary = in && !strcmp(in, "temp");

	(void)ctx;
	(void)by;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
	case SQLITE_TRANSACTION:
	case SQLITE_SAVEPOINT:
	case SQLITE_CREATE_TEMP_TABLE:
	case SQLITE_CREATE_TEMP_VIEW:
	case SQLITE_CREATE_TEMP_INDEX:
	case SQLITE_DROP_TEMP_TABLE:
	case SQLITE_DROP_TEMP_VIEW:
	case SQLITE_DROP_TEMP_INDEX:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		/* one json_patch() of large objects compares each key with each */
		return allow(sqlite3_stricmp(b, "load_extension") != 0 &&
			     sqlite3_stricmp(b, "json_patch") != 0);
	case SQLITE_UPDATE: /* the schema: SQLite itself changes it to declare a virtual table */
		return allow(temporary || !strcmp(a, "sqlite_master"));
	case SQLITE_INSERT:
	case SQLITE_DELETE:
	case SQLITE_REINDEX:
		return allow(temporary);
	case SQLITE_PRAGMA:
		return allow(pragma_is_harmless(a));
	default:
		return SQLITE_DENY;
	}
}

/* ---- time ---- */

bool
sql_stopped(struct sql *s)
{
	if (!s->stopped && s->asks.stop)
		s->stopped = s->asks.stop(s->asks.ctx);
	return s->stopped;
}

static int
progress(void *ctx)
{
	return sql_stopped(ctx);
}

static bool
sql_rest(struct pace *p)
{
	return !sql_stopped((struct sql *)p);
}

/* ---- shared by all tables ---- */

int
sql_connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out,
	    char **error)
{
	const struct sql_vtab *like = aux;
	struct sql_vtab *v = mem_zalloc(1, sizeof *v);
	bool sides = like->table->sided && like->sql->asks.profile->comparison;
	char *create = sqlite3_mprintf("CREATE TABLE x(%s%s)", like->table->columns,
				       sides ? ", side TEXT" : "");
	int status = create ? sqlite3_declare_vtab(db, create) : SQLITE_NOMEM;

	(void)argc;
	(void)argv;
	(void)error;
	sqlite3_free(create);
	*v = *like;
	if (status)
		free(v);
	else
		*out = &v->base;
	sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
	return status;
}

int
sql_disconnect(sqlite3_vtab *v)
{
	free(v);
	return SQLITE_OK;
}

/* ---- opening ---- */

static int
register_table(struct sql *s, const struct sql_table *table)
{
	char *create = sqlite3_mprintf("CREATE VIRTUAL TABLE \"%w\" USING \"%w\"", table->name,
				       table->name);
	struct sql_vtab *like = mem_zalloc(1, sizeof *like);

	*like = (struct sql_vtab){.sql = s, .table = table};
	int status = sqlite3_create_module_v2(s->db, table->name, table->module, like, free);
	if (!status)
		status = create ? sqlite3_exec(s->db, create, NULL, NULL, NULL) : SQLITE_NOMEM;
	sqlite3_free(create);
	return status;
}

static int
register_all(struct sql *s)
{
	const struct sql_table *const events[] = {&sql_samples, &sql_slices, &sql_points,
						  &sql_states, &sql_edges};
	int status = sql_functions_register(s);

	status = status ? status : sql_texts_register(s);
	for (unsigned i = 0; !status && i < sql_n_rows_tables; i++)
		status = register_table(s, &sql_rows_tables[i]);
	for (size_t i = 0; !status && i < sizeof events / sizeof *events; i++)
		status = register_table(s, events[i]);
	return status ? status : sql_reports_register(s);
}

/* From here on queries may come from strangers. */
static void
restrict_all(struct sql *s)
{
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		sqlite3_limit(s->db, limits[i].id, limits[i].most);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
	sqlite3_hard_heap_limit64((sqlite3_int64)s->asks.memory);
	sqlite3_progress_handler(s->db, PROGRESS_STEPS, progress, s);
	sqlite3_set_authorizer(s->db, authorize, NULL);
}

static void
name_metrics(struct sql *s)
{
	const struct profile *p = s->shown.p;

	s->metric = mem_zalloc((size_t)p->n_metrics + 1, sizeof *s->metric);
	for (metric_id m = 0; m < p->n_metrics; m++)
		profile_write_name(p, p->metric[m].name, &s->metric[m]);
}

static bool
sql_look(struct sql *s, struct err *e)
{
	lens_copy(&s->lens, s->asks.lens);
	s->lens.invert = false;
	s->derived = derived_new();
	s->job = (struct encode_job){
		.profile = derived_look(s->derived, s->asks.profile, &s->lens, false, &s->pace,
					e),
		.lens = &s->lens,
		.pace = &s->pace,
		.fold = s->asks.plain,
	};
	if (!s->job.profile || !shown_open(&s->shown, &s->job, SHOWN_DIFF, e) ||
	    !shown_stacks_open(&s->stacks, &s->shown))
		return err_is_set(e) ? false : err_usage(e, "the query was stopped");
	name_metrics(s);
	facts_make(&s->facts, s->asks.profile, s->asks.plain, NULL, NULL, true);
	return true;
}

struct sql *
sql_open(const struct sql_asks *asks, struct err *e)
{
	struct sql *s = mem_zalloc(1, sizeof *s);

	s->asks = *asks;
	s->pace = (struct pace){.rest = sql_rest, .every = PACE_STEPS};
	if (!sql_look(s, e)) {
		sql_close(s);
		return NULL;
	}
	int status = sqlite3_open_v2(":memory:", &s->db,
				     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
	if (!status)
		status = sqlite3_exec(s->db, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
	if (!status)
		status = register_all(s);
	if (status) {
		err_usage(e, "SQLite: %s", s->db ? sqlite3_errmsg(s->db) : "out of memory");
		sql_close(s);
		return NULL;
	}
	restrict_all(s);
	return s;
}

void
sql_close(struct sql *s)
{
	if (!s)
		return;
	sqlite3_finalize(s->stmt);
	sqlite3_finalize(s->print);
	sqlite3_close_v2(s->db);
	sqlite3_close_v2(s->beside);
	sqlite3_hard_heap_limit64(0);
	for (metric_id m = 0; s->metric && m < s->shown.p->n_metrics; m++)
		buf_release(&s->metric[m]);
	free(s->metric);
	free(s->depth);
	free(s->steps);
	for (unsigned i = 0; i < N_SIDED; i++)
		free(s->sides[i]);
	facts_release(&s->facts);
	if (s->clocks.at) {
		wall_clocks_release(&s->clocks);
		layout_release(&s->layout);
	}
	shown_stacks_release(&s->stacks);
	if (s->shown.fold)
		shown_close(&s->shown);
	lens_release(&s->lens);
	derived_free(s->derived);
	buf_release(&s->scratch);
	free(s);
}

/* ---- statements ---- */

#define AROUND 30 /* bytes of the query quoted before and after an error */

static bool
is_tail(char c)
{
	return ((unsigned char)c & 0xC0) == 0x80;
}

/* Appends the place of the error in the text: "at 12: SELECT a >>>FORM b". */
static void
add_place(struct buf *b, const char *text, size_t at)
{
	size_t len = strlen(text), from = at > AROUND ? at - AROUND : 0, to = at;

	if (at > len)
		return;
	while (from < at && is_tail(text[from]))
		from++;
	while (to < len && (to - at < AROUND || is_tail(text[to])))
		to++;
	buf_addf(b, ", at %zu: %s", at + 1, from ? "..." : "");
	for (size_t i = from; i < to; i++) {
		if (i == at)
			buf_adds(b, ">>>");
		buf_addc(b, text[i] > 0 && text[i] < ' ' ? ' ' : text[i]);
	}
	if (at == len)
		buf_adds(b, ">>>");
	buf_adds(b, to < len ? "..." : "");
}

/* Appends the existing tables after "no such table: X". */
static void
add_tables(struct sql *s, struct buf *b)
{
	const struct sql_reports *reports = s->asks.reports;

	if (strncmp(buf_str(b), "no such table", 13) != 0)
		return;
	buf_adds(b, "; choose from samples, slices, points");
	for (unsigned i = 0; i < sql_n_rows_tables; i++)
		buf_addf(b, ", %s", sql_rows_tables[i].name);
	for (size_t i = 0; reports && i < reports->n; i++)
		buf_addf(b, ", report_%s", reports->name(i));
}

static bool
fails(struct sql *s, int status, const char *text, struct err *e)
{
	struct buf b = BUF_INIT;
	int at = -1;

	if (s->stopped || status == SQLITE_INTERRUPT)
		return err_usage(e, "the query was stopped");
	if (status == SQLITE_NOMEM)
		return err_usage(e, "the query needs more memory than allowed: %" PRIu64 " MB",
				 s->asks.memory >> 20);
	char *message = sqlite3_mprintf("%s", sqlite3_errmsg(s->db));
	buf_adds(&b, message ? message : "");
#if SQLITE_VERSION_NUMBER >= 3038000
	at = sqlite3_error_offset(s->db);
#endif
	if (at >= 0)
		add_place(&b, text, (size_t)at);
	add_tables(s, &b);
	sql_suggest(s, text, message ? message : "", &b);
	err_usage(e, "%s", buf_str(&b));
	buf_release(&b);
	sqlite3_free(message);
	return false;
}

bool
sql_prepare(struct sql *s, const char *text, const char **rest, struct err *e)
{
	sqlite3_finalize(s->stmt);
	s->stmt = NULL;
	s->text = text;
	s->stopped = s->pace.over = false;
	do { /* a comment alone is not a statement */
		const char *tail = text;
		int status = sqlite3_prepare_v2(s->db, text, -1, &s->stmt, &tail);
		if (status)
			return fails(s, status, text, e);
		s->text = text;
		text = tail;
	} while (!s->stmt && *text);
	*rest = text;
	return true;
}

bool
sql_complete(const char *text)
{
	return sqlite3_complete(text);
}

bool
sql_ready(const struct sql *s)
{
	return s->stmt != NULL;
}

bool
sql_step(struct sql *s, struct err *e)
{
	int status = sqlite3_step(s->stmt);

	if (status == SQLITE_ROW)
		return true;
	if (status != SQLITE_DONE)
		fails(s, status, s->text, e);
	return false;
}

unsigned
sql_columns(const struct sql *s)
{
	return (unsigned)sqlite3_column_count(s->stmt);
}

const char *
sql_column(const struct sql *s, unsigned i)
{
	const char *name = sqlite3_column_name(s->stmt, (int)i);

	return name ? name : "";
}

struct sql_value
sql_value(struct sql *s, unsigned i)
{
	struct sql_value v = {.kind = SQL_NULL};

	switch (sqlite3_column_type(s->stmt, (int)i)) {
	case SQLITE_INTEGER:
		v.kind = SQL_WHOLE;
		v.whole = sqlite3_column_int64(s->stmt, (int)i);
		break;
	case SQLITE_FLOAT:
		v.kind = SQL_REAL;
		v.real = sqlite3_column_double(s->stmt, (int)i);
		break;
	case SQLITE_TEXT:
		v.kind = SQL_TEXT;
		v.at = (const char *)sqlite3_column_text(s->stmt, (int)i);
		v.len = (size_t)sqlite3_column_bytes(s->stmt, (int)i);
		break;
	case SQLITE_BLOB:
		v.kind = SQL_BLOB;
		v.at = sqlite3_column_blob(s->stmt, (int)i);
		v.len = (size_t)sqlite3_column_bytes(s->stmt, (int)i);
		break;
	}
	if (!v.at) {
		v.at = "";
		v.len = 0;
	}
	return v;
}

bool
sql_is_there(void)
{
	return true;
}

#else

/* Built without SQLite: opening fails, and nothing else is called. */

bool
sql_is_there(void)
{
	return false;
}

struct sql *
sql_open(const struct sql_asks *asks, struct err *e)
{
	(void)asks;
	err_usage(e, "this pnav was built without SQLite: install its development files "
		     "(libsqlite3-dev, sqlite-devel) and build it again");
	return NULL;
}

void
sql_close(struct sql *s)
{
	(void)s;
}

bool
sql_prepare(struct sql *s, const char *text, const char **rest, struct err *e)
{
	(void)s;
	*rest = text;
	return err_usage(e, "built without SQLite");
}

bool
sql_complete(const char *text)
{
	return *text;
}

bool
sql_ready(const struct sql *s)
{
	return s != NULL;
}

bool
sql_step(struct sql *s, struct err *e)
{
	(void)s;
	return err_usage(e, "built without SQLite");
}

unsigned
sql_columns(const struct sql *s)
{
	return s != NULL;
}

const char *
sql_column(const struct sql *s, unsigned i)
{
	(void)s;
	(void)i;
	return "";
}

struct sql_value
sql_value(struct sql *s, unsigned i)
{
	(void)s;
	(void)i;
	return (struct sql_value){.kind = SQL_NULL, .at = ""};
}

#endif
