/* browse_sql.c - see browse_sql.h.
 *
 * Each query opens a new connection, because profile and lens may change between queries. */
#include "src/command/browse/browse_sql.h"

#include <string.h>

#include "src/command/report/sql_reports.h"
#include "src/sql/sql.h"

#define MEMORY_MAX (UINT64_C(1) << 30)

static bool
gives_up(void *pace)
{
	struct pace *p = pace;
	return p && !pace_on(p, p->every); /* the pace rests at SQLite's checks */
}

static struct sql *
connect_to(const struct browse_sql *b, const struct lens *l, struct pace *pace, struct err *e)
{
	struct sql_asks asks = {
		.profile = b->p,
		.lens = l,
		.reports = &sql_reports,
		.memory = MEMORY_MAX,
		.stop = gives_up,
		.ctx = pace,
	};
	return sql_open(&asks, e);
}

static void
browse_add_row(struct sql *s, struct answer *out)
{
	for (unsigned i = 0; i < sql_columns(s); i++) {
		struct sql_value v = sql_value(s, i);
		switch (v.kind) {
		case SQL_NULL:
			answer_nothing(out);
			break;
		case SQL_WHOLE:
			answer_whole(out, v.whole);
			break;
		case SQL_REAL:
			answer_real(out, v.real);
			break;
		case SQL_TEXT:
		case SQL_BLOB:
			answer_text(out, v.at, v.len);
			break;
		}
	}
}

/* The result is that of the last statement that returns rows. */
static bool
answer_all(struct sql *s, const char *text, struct answer *out, struct err *e)
{
	while (*text) {
		if (!sql_prepare(s, text, &text, e))
			return false;
		if (!sql_ready(s))
			break;
		unsigned n = sql_columns(s);
		if (n)
			answer_reset(out);
		for (unsigned i = 0; i < n; i++)
			answer_column(out, sql_column(s, i));
		while (!out->cut && sql_step(s, e)) {
			out->cut = answer_rows(out) >= ANSWER_ROWS_MAX;
			if (!out->cut)
				browse_add_row(s, out);
		}
		if (err_is_set(e))
			return false;
	}
	return true;
}

static const char *
browse_sql_text_of(const struct browse_sql *b, const char *text)
{
	for (size_t i = 0; i < b->queries.all.n; i++)
		if (!strcmp(b->queries.all.at[i].name, text))
			return b->queries.all.at[i].text;
	return text;
}

static bool
browse_sql_ask(void *ctx, const struct lens *l, const char *text, struct pace *pace,
	       struct answer *out, struct err *e)
{
	const struct browse_sql *b = ctx;
	struct sql *s = connect_to(b, l, pace, e);
	bool good = s && answer_all(s, browse_sql_text_of(b, text), out, e);
	sql_close(s);
	if (pace_gives_up(pace))
		err_init(e);
	return good && !pace_gives_up(pace);
}

/* Lists the names in the schema. */
static void
words(void *ctx, const struct lens *l, void (*add)(void *to, const char *word, const char *what),
      void *to)
{
	static const char query[] =
		"SELECT word, what FROM (SELECT name AS word, 'table' AS what FROM sqlite_schema"
		" UNION SELECT DISTINCT c.name, 'column' FROM sqlite_schema AS t,"
		" pragma_table_xinfo(t.name) AS c"
		" UNION SELECT DISTINCT name, 'function' FROM pragma_function_list"
		" WHERE name >= 'a' UNION SELECT upper(column1), '' FROM (VALUES('select'),"
		" ('from'), ('where'), ('group by'), ('order by'), ('limit'), ('join'),"
		" ('distinct'), ('desc'), ('regexp'), ('between'), ('with'), ('having'))"
		" ) ORDER BY what = 'function', word";
	const char *rest;
	struct err e;

	err_init(&e);
	struct sql *s = connect_to(ctx, l, NULL, &e);
	if (s && sql_prepare(s, query, &rest, &e))
		while (sql_step(s, &e)) {
			struct sql_value word = sql_value(s, 0), what = sql_value(s, 1);
			add(to, word.at, what.at);
		}
	sql_close(s);
}

static const char *
browse_name(void *ctx, size_t i)
{
	return ((struct browse_sql *)ctx)->queries.all.at[i].name;
}

static const char *
about(void *ctx, size_t i)
{
	return ((struct browse_sql *)ctx)->queries.all.at[i].about;
}

const struct answer_source *
browse_sql_init(struct browse_sql *b, const struct profile *p)
{
	*b = (struct browse_sql){.p = p};
	if (!sql_is_there())
		return NULL;
	queries_find(&b->queries);
	b->source = (struct answer_source){
		.ctx = b,
		.ask = browse_sql_ask,
		.words = words,
		.n_stored = b->queries.all.n,
		.name = browse_name,
		.about = about,
	};
	return &b->source;
}

void
browse_sql_release(struct browse_sql *b)
{
	queries_release(&b->queries);
}
