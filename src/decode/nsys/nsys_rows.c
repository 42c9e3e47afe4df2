/* nsys: queries by the names of columns, strings, names of threads.
 *
 * NVIDIA promises no stability of its tables: columns come and go with versions, and users add
 * their own. So every query first looks for its columns. */
#include "src/decode/nsys/nsys_inside.h"

#ifdef HAVE_SQLITE

#include <string.h>

/* Returns the next word of a list and steps over it; its length is 0 at the end. */
static const char *
word_next(const char **list, size_t *len)
{
	const char *word = *list + strspn(*list, " ");

	*len = strcspn(word, " ");
	*list = word + *len;
	return word;
}

static bool
has_column(struct nsys *n, const char *table, const char *name, size_t len)
{
	sqlite3_stmt *s = NULL;

	sqlite3_prepare_v2(n->db.db, "SELECT 1 FROM pragma_table_info(?) WHERE name = ?", -1, &s,
			   NULL);
	sqlite3_bind_text(s, 1, table, -1, SQLITE_STATIC);
	sqlite3_bind_text(s, 2, name, (int)len, SQLITE_STATIC);
	bool has = s && sqlite3_step(s) == SQLITE_ROW;
	sqlite3_finalize(s);
	return has;
}

void
nsys_tables(struct nsys *n, struct buf *names)
{
	sqlite3_stmt *s = NULL;

	sqlite3_prepare_v2(n->db.db, "SELECT name FROM sqlite_schema WHERE type = 'table'", -1, &s,
			   NULL);
	while (s && sqlite3_step(s) == SQLITE_ROW) {
		const unsigned char *name = sqlite3_column_text(s, 0);
		if (name)
			buf_add(names, name, strlen((const char *)name) + 1);
	}
	sqlite3_finalize(s);
}

bool
nsys_has(struct nsys *n, const char *table, const char *columns)
{
	size_t len;

	for (const char *word; (word = word_next(&columns, &len)), len;)
		if (!has_column(n, table, word, len))
			return false;
	return true;
}

bool
nsys_each(struct nsys *n, const char *table, const char *needs, const char *may,
	  const char *order, pnavdb_take *take)
{
	const char *separator = "";
	struct buf sql = BUF_INIT;
	size_t len;

	if (!pnavdb_offset(&n->db, table))
		return true;
	if (!nsys_has(n, table, needs)) {
		builder_warn(n->b, "tables that lack a column, left out: %s", table);
		return true;
	}
	buf_adds(&sql, "SELECT ");
	for (const char *word; (word = word_next(&needs, &len)), len; separator = ", ")
		buf_addf(&sql, "%s\"%.*s\"", separator, (int)len, word);
	for (const char *word; (word = word_next(&may, &len)), len;) {
		if (has_column(n, table, word, len))
			buf_addf(&sql, ", \"%.*s\"", (int)len, word);
		else
			buf_adds(&sql, ", NULL");
	}
	char *quoted = sqlite3_mprintf(" FROM \"%w\" NOT INDEXED", table);
	buf_adds(&sql, quoted ? quoted : "");
	sqlite3_free(quoted);
	if (order)
		buf_addf(&sql, " ORDER BY %s", order);
	bool good = pnavdb_each(&n->db, table, buf_str(&sql), take);
	buf_release(&sql);
	return good;
}

bool
nsys_numbers(struct nsys *n, sqlite3_stmt *row, int count, int64_t *out)
{
	for (int i = 0; i < count; i++)
		if (!pnavdb_whole(&n->db, row, i, &out[i]))
			return false;
	return true;
}

name_id
nsys_string(struct nsys *n, sqlite3_stmt *row, int column)
{
	uint32_t name = IDMAP_NONE;

	if (sqlite3_column_type(row, column) == SQLITE_INTEGER)
		name = idmap_get(&n->ids.string, (uint64_t)sqlite3_column_int64(row, column));
	else if (sqlite3_column_type(row, column) == SQLITE_NULL)
		return NAME_EMPTY;
	return name == IDMAP_NONE ? builder_name(n->b, "[unknown]", 9) : name;
}

/* ---- threads ---- */

uint32_t
nsys_thread(struct nsys *n, int64_t global)
{
	return cast_thread(&n->cast, cast_process(&n->cast, nsys_pid(global)), global & 0xFFFFFF);
}

static bool
take_string(struct pnavdb *x, sqlite3_stmt *row)
{
	struct nsys *n = nsys_of(x);
	int64_t id;

	if (nsys_numbers(n, row, 1, &id))
		idmap_put(&n->ids.string, (uint64_t)id, pnavdb_name(x, row, 1));
	return true;
}

static bool
take_thread_name(struct pnavdb *x, sqlite3_stmt *row)
{
	struct nsys *n = nsys_of(x);
	int64_t global;

	if (nsys_numbers(n, row, 1, &global)) {
		uint32_t thread = nsys_thread(n, global);
		n->cast.track.at[thread].name = nsys_string(n, row, 1);
	}
	return true;
}

/* Processes have the last part of their path. */
static bool
take_process_name(struct pnavdb *x, sqlite3_stmt *row)
{
	struct nsys *n = nsys_of(x);
	int64_t global;

	if (!nsys_numbers(n, row, 1, &global))
		return true;
	struct name whole = builder_name_get(n->b, pnavdb_name(x, row, 1));
	const char *slash = memrchr(whole.at, '/', whole.len);
	const char *base = slash ? slash + 1 : whole.at;
	uint32_t process = cast_process(&n->cast, nsys_pid(global));
	n->cast.process.at[process].name =
		builder_name(n->b, base, (size_t)(whole.at + whole.len - base));
	return true;
}

bool
nsys_read_names(struct nsys *n)
{
	return nsys_each(n, "StringIds", "id", "value", NULL, take_string) &&
	       nsys_each(n, "PROCESSES", "globalPid", "name", NULL, take_process_name) &&
	       nsys_each(n, "ThreadNames", "globalTid", "nameId", NULL, take_thread_name);
}

#endif
