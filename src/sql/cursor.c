/* cursor.c - methods that the cursors of all tables share, and names as results. */
#include "src/sql/sql_inside.h"

#ifdef HAVE_SQLITE

int
sql_eof(sqlite3_vtab_cursor *c)
{
	return ((struct sql_cursor *)c)->eof;
}

int
sql_rowid(sqlite3_vtab_cursor *c, sqlite3_int64 *out)
{
	*out = ((struct sql_cursor *)c)->rowid;
	return SQLITE_OK;
}

void
sql_result_name(struct sql *s, sqlite3_context *c, name_id name)
{
	buf_reset(&s->scratch);
	profile_write_name(s->shown.p, name, &s->scratch);
	sqlite3_result_text64(c, buf_str(&s->scratch), s->scratch.len, SQLITE_TRANSIENT,
			      SQLITE_UTF8);
}

#endif
