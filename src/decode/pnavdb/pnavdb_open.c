/* pnavdb_open.c - opens databases of SQLite: those of pnav, and of Nsight Systems.
 *
 * SQLite needs the whole file: pnav reads it into memory, which SQLite uses without copying it, and
 * never opens a file by name. The file may come from anyone, so views, triggers and indices are not
 * used. In place of the missing pages of a truncated file SQLite finds zeros, so it reads each
 * table up to the first of them. */
#include "src/decode/pnavdb/pnavdb.h"

#ifdef HAVE_SQLITE

#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/mem.h"

#define HEAD_BYTES 100u
/* The schema is on the first pages. */
#define SCHEMA_BYTES (1u << 20)
/* The longest text or blob of a hostile row. */
#define VALUE_MAX (16 << 20)

/* Reads the size of a page and the number of pages from the head. Missing pages become zeros, of
 * which no more are made than 16 times the bytes that there are. */
static bool
pnavdb_take_bytes(struct pnavdb *x, struct buf *bytes)
{
	uint8_t *at = (uint8_t *)bytes->at;
	uint32_t size = bytes->len < HEAD_BYTES ? 0 : (uint32_t)at[16] << 8 | at[17];

	x->page = size == 1 ? 65536 : size;
	if (x->page < 512 || x->page & (x->page - 1) || bytes->len < x->page)
		return err_damage(x->e, 16, "a database without a whole page");
	at[18] = at[19] = 1; /* SQLite would look for a -wal file */
	uint64_t pages = (uint32_t)at[28] << 24 | at[29] << 16 | at[30] << 8 | at[31];
	x->len = bytes->len;
	x->stated_len = pages * x->page;
	if (x->stated_len > x->len && x->stated_len / 16 > x->len)
		return err_damage(x->e, x->len, "the database ends early");
	if (x->stated_len < x->len)
		x->stated_len = x->len - x->len % x->page;
	if (x->stated_len <= x->len) { /* whole: no copy */
		x->file = at;
		*bytes = (struct buf)BUF_INIT;
		return true;
	}
	x->file = mem_zalloc(x->stated_len, 1);
	memcpy(x->file, at, x->len);
	return true;
}

/* Reads all bytes, after a look at the tables. */
static bool
pnavdb_load(struct pnavdb *x, const struct pnavdb_wants *wants)
{
	struct buf bytes = BUF_INIT;

	input_need(x->in, SCHEMA_BYTES);
	if (!wants->has(input_at(x->in), input_have(x->in)))
		return err_refuse(x->e, "%s", wants->refusal);
	while (input_need(x->in, 1)) {
		buf_add(&bytes, input_at(x->in), input_have(x->in));
		input_skip(x->in, input_have(x->in));
	}
	bool good = pnavdb_take_bytes(x, &bytes);
	buf_release(&bytes);
	return good;
}

/* Opens the bytes, which SQLite borrows. */
static bool
open_bytes(struct pnavdb *x, const struct pnavdb_wants *wants)
{
	static const int off[] = {SQLITE_DBCONFIG_ENABLE_TRIGGER,
				  SQLITE_DBCONFIG_ENABLE_VIEW,
				  SQLITE_DBCONFIG_TRUSTED_SCHEMA};
	sqlite3_int64 len = (sqlite3_int64)x->stated_len;
	int status = sqlite3_open_v2(":memory:", &x->db,
				     SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);

	if (!status)
		status = sqlite3_deserialize(x->db, "main", x->file, len, len,
					     SQLITE_DESERIALIZE_READONLY);
	if (status)
		return err_refuse(x->e, "SQLite: %s", sqlite3_errstr(status));
	for (size_t i = 0; i < sizeof off / sizeof *off; i++)
		sqlite3_db_config(x->db, off[i], 0, NULL);
	sqlite3_db_config(x->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_limit(x->db, SQLITE_LIMIT_LENGTH, VALUE_MAX);
	sqlite3_exec(x->db, "PRAGMA cell_size_check = 1", NULL, NULL, NULL);
	if (sqlite3_exec(x->db, "SELECT * FROM sqlite_schema", NULL, NULL, NULL) !=
	    SQLITE_OK)
		return err_damage(x->e, 0, "SQLite: %s", sqlite3_errmsg(x->db));
	for (size_t i = 0; i < 2; i++)
		if (!pnavdb_offset(x, wants->tables[i]))
			return err_refuse(x->e, "a database of SQLite without the table %s",
					  wants->tables[i]);
	return true;
}

bool
pnavdb_open(struct pnavdb *x, const struct pnavdb_wants *wants)
{
	const char *slash = strrchr(input_name(x->in), '/');
	struct buf name = BUF_INIT;

	buf_addf(&name, "%s-wal", slash ? slash + 1 : input_name(x->in));
	struct input *wal = input_open_named(x->in, buf_str(&name));
	bool used = wal && input_need(wal, 1);
	buf_release(&name);

	if (wal)
		input_close(wal);
	if (used)
		return err_refuse(
			x->e,
			"a part of the database is in the file with -wal beside it: "
			"sqlite3 FILE 'pragma wal_checkpoint' joins them");
	return pnavdb_load(x, wants) && open_bytes(x, wants);
}

void
pnavdb_close(struct pnavdb *x)
{
	sqlite3_close(x->db);
	free(x->file);
}

#endif
