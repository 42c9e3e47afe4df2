/* cursor.c - methods that the cursors of all tables share. */
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

#endif
