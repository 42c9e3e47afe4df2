/* pnavdb_open.c - opens databases of SQLite: those of pnav, and of Nsight Systems.
 *
 * SQLite asks for pages, which it gets from the input (input_read_at()); it never opens a file by
 * name. The file may come from anyone, so views, triggers and indices are not used. In place of
 * the missing pages of a truncated file SQLite finds zeros, so it reads each table up to the first
 * of them.
 *
 * Rejected: the whole file in memory, which SQLite borrows. Databases of several GB are usual. */
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

/* ---- the file, as SQLite sees it ---- */

struct pnavdb_file {
	sqlite3_vfs vfs, *usual;
	char name[32];
};

struct pnavdb_pages {
	sqlite3_file base;
	struct pnavdb *x;
};

static int
pages_close(sqlite3_file *f UNUSED)
{
	return SQLITE_OK;
}

static int
pages_read(sqlite3_file *f, void *out, int n, sqlite3_int64 at)
{
	const struct pnavdb *x = ((struct pnavdb_pages *)f)->x;
	uint64_t from = (uint64_t)at, left = from < x->len ? x->len - from : 0;
	size_t have = left < (uint64_t)n ? (size_t)left : (size_t)n;
	uint8_t *bytes = out;

	if (have && !input_read_at(x->in, from, bytes, have))
		return SQLITE_IOERR_READ;
	memset(bytes + have, 0, (size_t)n - have);
	for (uint64_t i = 18; i < 20; i++) /* SQLite would look for a -wal file */
		if (i >= from && i - from < have)
			bytes[i - from] = 1;
	return from + (uint64_t)n > x->stated_len ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

static int
pages_write(sqlite3_file *f UNUSED, const void *from UNUSED, int n UNUSED, sqlite3_int64 at UNUSED)
{
	return SQLITE_READONLY;
}

static int
pages_truncate(sqlite3_file *f UNUSED, sqlite3_int64 len UNUSED)
{
	return SQLITE_READONLY;
}

static int
pages_size(sqlite3_file *f, sqlite3_int64 *out)
{
	*out = (sqlite3_int64)((struct pnavdb_pages *)f)->x->stated_len;
	return SQLITE_OK;
}

/* Also sync: nothing to do. */
static int
pages_lock(sqlite3_file *f UNUSED, int level UNUSED)
{
	return SQLITE_OK;
}

static int
pages_is_reserved(sqlite3_file *f UNUSED, int *out)
{
	*out = 0;
	return SQLITE_OK;
}

static int
pages_control(sqlite3_file *f UNUSED, int what UNUSED, void *of UNUSED)
{
	return SQLITE_NOTFOUND;
}

static int
pages_sector(sqlite3_file *f UNUSED)
{
	return 0;
}

static int
pages_traits(sqlite3_file *f UNUSED)
{
	return SQLITE_IOCAP_IMMUTABLE;
}

/* Files for sorting are usual ones. */
static int
pages_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out)
{
	static const sqlite3_io_methods methods = {
		.iVersion = 1,
		.xClose = pages_close,
		.xRead = pages_read,
		.xWrite = pages_write,
		.xTruncate = pages_truncate,
		.xSync = pages_lock,
		.xFileSize = pages_size,
		.xLock = pages_lock,
		.xUnlock = pages_lock,
		.xCheckReservedLock = pages_is_reserved,
		.xFileControl = pages_control,
		.xSectorSize = pages_sector,
		.xDeviceCharacteristics = pages_traits,
	};
	struct pnavdb *x = v->pAppData;

	if (!(flags & SQLITE_OPEN_MAIN_DB))
		return x->file->usual->xOpen(x->file->usual, name, f, flags, out);
	*(struct pnavdb_pages *)f = (struct pnavdb_pages){{&methods}, x};
	return SQLITE_OK;
}

/* No file lies beside it. */
static int
pages_access(sqlite3_vfs *v UNUSED, const char *name UNUSED, int what UNUSED, int *out)
{
	*out = 0;
	return SQLITE_OK;
}

static int
pages_path(sqlite3_vfs *v UNUSED, const char *name, int n, char *out)
{
	return sqlite3_snprintf(n, out, "%s", name) ? SQLITE_OK : SQLITE_CANTOPEN;
}

static int
pages_register(struct pnavdb *x)
{
	sqlite3_vfs *usual = sqlite3_vfs_find(NULL);
	struct pnavdb_file *f = x->file = mem_zalloc(1, sizeof *f);
	int need = (int)sizeof(struct pnavdb_pages);

	f->usual = usual;
	f->vfs = *usual;
	f->vfs.pNext = NULL;
	f->vfs.zName = f->name;
	f->vfs.pAppData = x;
	f->vfs.szOsFile = usual->szOsFile > need ? usual->szOsFile : need;
	f->vfs.xOpen = pages_open;
	f->vfs.xAccess = pages_access;
	f->vfs.xFullPathname = pages_path;
	sqlite3_snprintf(sizeof f->name, f->name, "pnav %p", (void *)x);
	return sqlite3_vfs_register(&f->vfs, 0);
}

/* ---- opening ---- */

/* Reads the size of a page and the number of pages from the head. In place of missing pages SQLite
 * finds zeros, but of no more than 16 times the bytes that there are. */
static bool
pnavdb_measure(struct pnavdb *x)
{
	uint8_t head[HEAD_BYTES] = {0};
	bool whole = input_read_at(x->in, 0, head, sizeof head);
	uint32_t size = whole ? (uint32_t)head[16] << 8 | head[17] : 0;

	x->page = size == 1 ? 65536 : size;
	if (x->page < 512 || x->page & (x->page - 1) || x->len < x->page)
		return err_damage(x->e, 16, "a database without a whole page");
	uint64_t pages = (uint32_t)head[28] << 24 | head[29] << 16 | head[30] << 8 | head[31];
	x->stated_len = pages * x->page;
	if (x->stated_len > x->len && x->stated_len / 16 > x->len)
		return err_damage(x->e, x->len, "the database ends early");
	if (x->stated_len < x->len)
		x->stated_len = x->len - x->len % x->page;
	return true;
}

/* Finds the end of the bytes, after a look at the tables. */
static bool
pnavdb_keep(struct pnavdb *x, const struct pnavdb_wants *wants)
{
	input_keep(x->in);
	input_need(x->in, SCHEMA_BYTES);
	if (!wants->has(input_at(x->in), input_have(x->in)))
		return err_refuse(x->e, "%s", wants->refusal);
	while (input_need(x->in, 1))
		input_skip(x->in, input_have(x->in));
	x->len = input_offset(x->in);
	return pnavdb_measure(x);
}

static bool
open_pages(struct pnavdb *x, const struct pnavdb_wants *wants)
{
	static const int off[] = {SQLITE_DBCONFIG_ENABLE_TRIGGER,
				  SQLITE_DBCONFIG_ENABLE_VIEW,
				  SQLITE_DBCONFIG_TRUSTED_SCHEMA};
	int status = pages_register(x);

	if (!status)
		status = sqlite3_open_v2("database", &x->db,
					 SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX,
					 x->file->name);
	if (status)
		return err_refuse(x->e, "SQLite: %s", sqlite3_errstr(status));
	for (size_t i = 0; i < sizeof off / sizeof *off; i++)
		sqlite3_db_config(x->db, off[i], 0, NULL);
	sqlite3_db_config(x->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_limit(x->db, SQLITE_LIMIT_LENGTH, VALUE_MAX);
	sqlite3_exec(x->db, "PRAGMA cell_size_check = 1", NULL, NULL, NULL);
	if (sqlite3_exec(x->db, "SELECT * FROM sqlite_schema", NULL, NULL, NULL) !=
	    SQLITE_OK)
		return x->len < x->stated_len
			       ? err_damage(x->e, x->len,
					    "the database ends here, within its list of tables")
			       : err_damage(x->e, 0, "SQLite: %s", sqlite3_errmsg(x->db));
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
	return pnavdb_keep(x, wants) && open_pages(x, wants);
}

void
pnavdb_close(struct pnavdb *x)
{
	sqlite3_close(x->db);
	if (x->file)
		sqlite3_vfs_unregister(&x->file->vfs);
	free(x->file);
}

#endif
