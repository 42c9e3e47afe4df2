#include "src/encode/sqlite_rows.h"

#ifdef HAVE_SQLITE

#include "model/base/buf.h"
#include "src/encode/shown.h"

/* Executing a statement costs about as much as inserting a row of ten numbers: it opens and closes
 * a cursor.  So rows are buffered until one statement can insert many.  The remaining rows are
 * inserted together at the end, too. */

#define MANY 32u

void
sqlite_rows_init(struct sqlite_rows *r)
{
	*r = (struct sqlite_rows){.db = NULL};
	names_init(&r->names);
}

void
sqlite_rows_release(struct sqlite_rows *r)
{
	names_release(&r->names);
	vec_release(&r->cell);
}

/* Prepares an insertion of `rows` rows; returns NULL on failure. */
static sqlite3_stmt *
prepare(struct sqlite_rows *r, size_t rows)
{
	struct buf sql = BUF_INIT;
	sqlite3_stmt *out = NULL;

	buf_addf(&sql, "INSERT INTO %s VALUES", r->table);
	for (size_t i = 0; i < rows; i++)
		for (unsigned k = 0; k < r->columns; k++)
			buf_adds(&sql, k ? ",?" : i ? "),(?" : "(?");
	buf_addc(&sql, ')');
	sqlite_rows_failed(r, sqlite3_prepare_v2(r->db, buf_str(&sql), -1, &out, NULL));
	buf_release(&sql);
	return out;
}

/* Inserts the buffered rows by a statement for that number. */
static void
insert(struct sqlite_rows *r, sqlite3_stmt *s)
{
	for (size_t i = 0; i < r->cell.n; i++) {
		const struct sqlite_cell *c = &r->cell.at[i];
		int at = (int)i + 1;
		struct name text;
		switch (c->kind) {
		case ROW_NULL:
			sqlite3_bind_null(s, at);
			break;
		case ROW_WHOLE:
			sqlite3_bind_int64(s, at, c->as.whole);
			break;
		case ROW_REAL:
			sqlite3_bind_double(s, at, c->as.real);
			break;
		case ROW_NAME:
			text = names_get(&r->names, c->as.name);
			sqlite3_bind_text64(s, at, text.at, text.len, SQLITE_STATIC,
					    SQLITE_UTF8);
		}
	}
	sqlite_rows_failed(r, sqlite3_step(s));
	sqlite3_reset(s);
	r->cell.n = 0;
}

void
rows_begin(struct sqlite_rows *r, const char *table, unsigned columns)
{
	r->table = table;
	r->columns = columns;
	r->many = NULL;
	r->cell.n = 0;
	r->n = 0;
}

void
rows_shown_name(struct sqlite_rows *r, const struct shown *s, name_id id)
{
	struct buf b = BUF_INIT;

	shown_name(s, id, &b);
	rows_name(r, names_put(&r->names, buf_str(&b), b.len));
	buf_release(&b);
}

void
rows_next(struct sqlite_rows *r)
{
	r->n++;
	if (r->cell.n < (size_t)MANY * r->columns)
		return;
	if (!r->many)
		r->many = prepare(r, MANY);
	if (r->many)
		insert(r, r->many);
	r->cell.n = 0;
}

void
rows_end(struct sqlite_rows *r)
{
	sqlite3_finalize(r->many);
	r->many = NULL;
	if (!r->cell.n)
		return;
	sqlite3_stmt *rest = prepare(r, r->cell.n / r->columns);
	if (rest)
		insert(r, rest);
	sqlite3_finalize(rest);
	r->cell.n = 0;
}

#endif
