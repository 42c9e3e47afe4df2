/* suggest.c - finds the name that an unknown one in a query was meant to be.
 *
 * SQLite's message names the unknown table, column or function.  Candidates come from the schema:
 * of columns, those of the tables that the query names.  If none of these is near, all are
 * listed. */
#include "src/sql/sql_inside.h"

#ifdef HAVE_SQLITE

#include <string.h>

#include "model/base/nearest.h"

#define LIST_MAX 400 /* bytes of a list of names */

static const struct {
	const char *message, *names;
	bool lists;
} kinds[] = {
	{"no such table: ", "SELECT name FROM sqlite_master"},
	{"no such column: ", "SELECT DISTINCT x.name FROM sqlite_master AS m,"
			     " pragma_table_xinfo(m.name) AS x WHERE ' '||lower(?1)||' ' GLOB"
			     " '*[^a-z0-9_]'||m.name||'[^a-z0-9_]*' AND NOT x.hidden",
	 true},
	{"no such function: ", "SELECT DISTINCT name FROM pragma_function_list"},
};

/* Appends a name to a list, which ends with `...` if it is long. */
static void
list_name(const char *name, struct buf *list)
{
	if (list->len > LIST_MAX)
		return;
	buf_adds(list, list->len ? ", " : "");
	buf_adds(list, name);
	if (list->len > LIST_MAX)
		buf_adds(list, ", ...");
}

/* True if the query has the word in the quotes of names. */
static bool
is_quoted(const char *query, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = query; (at = strchr(at, '"')); at++)
		if (!strncmp(at + 1, word, len) && at[1 + len] == '"')
			return true;
	return false;
}

/* Considers each row of a statement with one column. */
static void
suggest_from(sqlite3_stmt *names, const char *query, const char *word, bool lists, struct buf *out)
{
	struct buf best = BUF_INIT, list = BUF_INIT;
	struct nearest n = nearest_of(word);

	sqlite3_bind_text(names, 1, query, -1, SQLITE_STATIC);
	while (sqlite3_step(names) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(names, 0);
		unsigned before = n.distance;
		const char *kept = n.found;
		if (!name)
			continue;
		list_name(name, &list);
		nearest_try(&n, name);
		if (n.found == kept && n.distance == before)
			continue;
		buf_reset(&best); /* the row's text goes with it */
		buf_adds(&best, name);
		n.found = buf_str(&best);
	}
	nearest_say(&n, out);
	if (lists && !n.found && is_quoted(query, word))
		buf_adds(out, ": a text is written in single quotes");
	else if (lists && !n.found && list.len)
		buf_addf(out, ": choose from %s", buf_str(&list));
	buf_release(&best);
	buf_release(&list);
}

void
sql_suggest(struct sql *s, const char *query, const char *message, struct buf *out)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		size_t len = strlen(kinds[i].message);
		sqlite3_stmt *names = NULL;
		if (strncmp(message, kinds[i].message, len) != 0)
			continue;
		const char *word = message + len, *dot = strrchr(word, '.');
		if (!sqlite3_prepare_v2(s->db, kinds[i].names, -1, &names, NULL))
			suggest_from(names, query, dot ? dot + 1 : word, kinds[i].lists, out);
		sqlite3_finalize(names);
	}
}

#endif
