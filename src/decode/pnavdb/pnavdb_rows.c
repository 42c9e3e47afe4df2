/* pnavdb_rows.c - rows of tables, and their values. */
#include "src/decode/pnavdb/pnavdb.h"

#ifdef HAVE_SQLITE

#include <string.h>

#include "model/base/buf.h"

/* Rows between two looks at the clock. */
#define ROWS_AT_ONCE 4096u

uint64_t
pnavdb_offset(struct pnavdb *x, const char *table)
{
	sqlite3_stmt *s = NULL;
	uint64_t offset = 0;

	sqlite3_prepare_v2(x->db,
			   "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND "
			   "name = ?",
			   -1, &s, NULL);
	sqlite3_bind_text(s, 1, table, -1, SQLITE_STATIC);
	if (s && sqlite3_step(s) == SQLITE_ROW && sqlite3_column_int64(s, 0) > 0)
		offset = (uint64_t)(sqlite3_column_int64(s, 0) - 1) * x->page;
	sqlite3_finalize(s);
	return offset;
}

/* Reports that SQLite cannot read a table, as damage. */
static bool
pnavdb_damaged(struct pnavdb *x, const char *table)
{
	if (x->len < x->stated_len)
		return err_damage(x->e, x->len,
				  "the database ends here, within the table %s", table);
	return err_damage(x->e, pnavdb_offset(x, table), "table %s: %s", table,
			  sqlite3_errmsg(x->db));
}

bool
pnavdb_each(struct pnavdb *x, const char *table, const char *sql, pnavdb_take *take)
{
	sqlite3_stmt *s = NULL;
	bool good = true;
	int status = SQLITE_DONE;

	if (!pnavdb_offset(x, table))
		return true;
	if (sqlite3_prepare_v2(x->db, sql, -1, &s, NULL) != SQLITE_OK)
		return err_refuse(x->e, "SQLite: table %s: %s", table,
				  sqlite3_errmsg(x->db));
	for (uint32_t n = 1; good && (status = sqlite3_step(s)) == SQLITE_ROW; n++) {
		good = take(x, s);
		if (n % ROWS_AT_ONCE == 0) {
			input_breathe(x->in);
			if (input_stopped(x->in))
				break;
		}
	}
	if (good && status != SQLITE_DONE && status != SQLITE_ROW)
		good = pnavdb_damaged(x, table);
	sqlite3_finalize(s);
	return good;
}

bool
pnavdb_whole(struct pnavdb *x, sqlite3_stmt *row, int column, int64_t *out)
{
	if (sqlite3_column_type(row, column) != SQLITE_INTEGER) {
		x->skipped++;
		return false;
	}
	*out = sqlite3_column_int64(row, column);
	return true;
}

name_id
pnavdb_name(struct pnavdb *x, sqlite3_stmt *row, int column)
{
	const unsigned char *text = sqlite3_column_text(row, column);

	return text ? builder_name(x->b, text, (size_t)sqlite3_column_bytes(row, column))
		    : NAME_EMPTY;
}

unsigned
pnavdb_word(sqlite3_stmt *row, int column, const char *(*word)(unsigned i), unsigned n,
	    unsigned otherwise)
{
	const unsigned char *text = sqlite3_column_text(row, column);

	for (unsigned i = 0; text && i < n; i++)
		if (!strcmp((const char *)text, word(i)))
			return i;
	return otherwise;
}

static const char *
unit_word(unsigned i)
{
	return unit_name((enum unit)i);
}

enum unit
pnavdb_unit(sqlite3_stmt *row, int column)
{
	return (enum unit)pnavdb_word(row, column, unit_word, UNIT_COUNT, UNIT_COUNT);
}

/* ---- dumps ---- */

struct table_dump {
	struct dump *d;
	struct buf line, scratch;
};

static bool
dump_row(struct table_dump *t, sqlite3_stmt *row, const char *table, uint64_t offset)
{
	buf_reset(&t->line);
	for (int i = 0; i < sqlite3_column_count(row); i++) {
		const void *text = sqlite3_column_text(row, i);
		size_t len = (size_t)sqlite3_column_bytes(row, i);
		bool quoted = sqlite3_column_type(row, i) == SQLITE_TEXT;
		buf_addf(&t->line, " %s=%s", sqlite3_column_name(row, i),
			 !text    ? "NULL"
			 : quoted ? dump_bytes(t->d, &t->scratch, text, len)
				  : (const char *)text);
	}
	return dump_record(t->d, offset, "%s%s", table, buf_str(&t->line));
}

bool
pnavdb_dump_table(struct pnavdb *x, struct dump *d, const char *table)
{
	uint64_t offset = pnavdb_offset(x, table);
	struct table_dump t = {.d = d};
	char *sql = sqlite3_mprintf("SELECT * FROM \"%w\" NOT INDEXED", table);
	sqlite3_stmt *s = NULL;
	bool good = true;
	int status = SQLITE_DONE;

	if (sql && offset && sqlite3_prepare_v2(x->db, sql, -1, &s, NULL) == SQLITE_OK)
		while (good && (status = sqlite3_step(s)) == SQLITE_ROW)
			good = dump_row(&t, s, table, offset);
	if (status != SQLITE_DONE && good)
		good = pnavdb_damaged(x, table);
	sqlite3_finalize(s);
	sqlite3_free(sql);
	buf_release_all(&t.line, &t.scratch);
	return good;
}

#endif
