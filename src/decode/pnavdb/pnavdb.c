/* Databases that pnav export --format sqlite wrote.
 *
 * pnav-sql(7) describes their tables.  This decoder reads those that hold the profile, in this
 * order, and no results (nodes, report_functions):
 *
 *	info       the unit of the axis, and when the first event was
 *	metrics    samples.metric is a name of these
 *	tracks     value_names has the names of their states and marks
 *	functions, frames, stacks: each refers to the one before, and a stack to its caller
 *	labels     a row is a label of a set
 *	step_series, steps: the events of traces; samples and slices were derived from them
 *	samples    consecutive rows of one track, time, stack and set are one event
 *	points     events of counters, states and marks
 *	stated     inclusive costs of functions that the recorded file stated itself
 *
 * SQLite needs the whole file: pnav reads it into memory, which SQLite uses without copying it, and
 * never opens a file by name.  The file may come from anyone, so views, triggers and indices are
 * not used.  In place of the missing pages of a truncated file SQLite finds zeros, so it reads each
 * table up to the first of them. */
#include "src/decode/pnavdb/pnavdb.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/mem.h"

#define MAGIC "SQLite format 3"
#define HEAD_BYTES 100u
/* The schema is on the first pages. */
#define SCHEMA_BYTES (1u << 20)

/* Returns true if these bytes of a database create the tables of pnav. */
static bool
pnavdb_has_tables(const uint8_t *at, size_t len)
{
	static const char *const creates[] = {
		"CREATE TABLE metrics(", "CREATE TABLE stacks(", "CREATE TABLE samples(",
		"CREATE TABLE nodes("};

	for (size_t i = 0; i < sizeof creates / sizeof *creates; i++)
		if (!memmem(at, len, creates[i], strlen(creates[i])))
			return false;
	return true;
}

static int
pnavdb_probe(struct head head)
{
	if (head.len < sizeof MAGIC || memcmp(head.at, MAGIC, sizeof MAGIC) != 0)
		return 0;
	/* other databases are refused by decode(), which sees more of the file */
	return pnavdb_has_tables(head.at, head.len) ? 100 : 50;
}

#ifdef HAVE_SQLITE

/* The longest text or blob of a hostile row. */
#define VALUE_MAX (16 << 20)

/* ---- opening ---- */

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
pnavdb_load(struct pnavdb *x)
{
	struct buf bytes = BUF_INIT;

	input_need(x->in, SCHEMA_BYTES);
	if (!pnavdb_has_tables(input_at(x->in), input_have(x->in)))
		return err_refuse(x->e,
				  "a database of SQLite, but not one that pnav export "
				  "--format sqlite wrote; sqlite3 FILE shows it");
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
pnavdb_open(struct pnavdb *x)
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
	if (!pnavdb_offset(x, "samples") || !pnavdb_offset(x, "stacks"))
		return err_refuse(x->e,
				  "a database of SQLite without the tables samples and "
				  "stacks");
	return true;
}

static bool
pnavdb_prepare(struct pnavdb *x)
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
	return pnavdb_load(x) && pnavdb_open(x);
}

static void
pnavdb_release(struct pnavdb *x)
{
	for (size_t i = 0; i < x->track.n; i++)
		vec_release(&x->track.at[i].series);
	vec_release_all(&x->track, &x->metric, &x->stack, &x->steps);
	idmap_release_all(&x->ids.functions, &x->ids.frames, &x->ids.stacks, &x->ids.sets,
			  &x->ids.tracks, &x->ids.metrics, &x->ids.series, &x->ids.of_samples);
	sqlite3_close(x->db);
	free(x->file);
}

static bool
pnavdb_decode(struct input *in, struct builder *b, struct err *e)
{
	struct pnavdb x = {.in = in, .b = b, .e = e};
	bool good;

	input_later(in, 60);
	good = pnavdb_prepare(&x) && pnavdb_read_tables(&x) && pnavdb_read_events(&x);
	if (x.skipped)
		builder_warn(b, "rows with values of another type, ignored: %" PRIu64,
			     x.skipped);
	if (good && x.len < x.stated_len)
		good = err_damage(e, x.len, "the database ends early");
	pnavdb_release(&x);
	return good;
}

/* ---- dump ---- */

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

static bool
dump_table(struct pnavdb *x, struct table_dump *t, const char *table)
{
	uint64_t offset = pnavdb_offset(x, table);
	struct buf sql = BUF_INIT;
	sqlite3_stmt *s = NULL;
	bool good = true;
	int status = SQLITE_DONE;

	buf_addf(&sql, "SELECT * FROM %s NOT INDEXED", table);
	if (offset && sqlite3_prepare_v2(x->db, buf_str(&sql), -1, &s, NULL) == SQLITE_OK)
		while (good && (status = sqlite3_step(s)) == SQLITE_ROW)
			good = dump_row(t, s, table, offset);
	if (status != SQLITE_DONE && good)
		good = pnavdb_damaged(x, table);
	sqlite3_finalize(s);
	buf_release(&sql);
	return good;
}

static bool
pnavdb_dump(struct input *in, struct dump *d, struct err *e)
{
	static const char *const tables[] = {
		"info",   "metrics",         "tracks", "value_names", "functions",
		"frames", "clauses",         "stacks", "labels",      "samples",
		"slices", "points",          "stated", "step_series", "steps",
		"nodes",  "report_functions"};
	struct pnavdb x = {.in = in, .e = e};
	struct table_dump t = {.d = d};
	bool good = pnavdb_prepare(&x);

	for (size_t i = 0; good && i < sizeof tables / sizeof *tables; i++)
		good = dump_table(&x, &t, tables[i]);
	pnavdb_release(&x);
	buf_release_all(&t.line, &t.scratch);
	return good;
}

#else

static bool
pnavdb_decode(struct input *in, struct builder *b, struct err *e)
{
	(void)in;
	(void)b;
	return err_refuse(e, "a database of SQLite, and pnav was built without SQLite");
}

static bool
pnavdb_dump(struct input *in, struct dump *d, struct err *e)
{
	(void)d;
	return pnavdb_decode(in, NULL, e);
}

#endif

const struct decoder decoder_pnavdb = {
	.name = "pnavdb",
	.title = "databases that pnav export --format sqlite wrote",
	.manual = "pnavdb",
	.made_of = MADE_BINARY,
	.probe = pnavdb_probe,
	.decode = pnavdb_decode,
	.dump = pnavdb_dump,
};
