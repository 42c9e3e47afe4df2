/* The tables.  Samples are sorted by service, metric and time, which every query names.  A day is a
 * partition, so that dropping old days is fast (ALTER TABLE ... DROP PARTITION).  Columns with few
 * values repeat their names in each row: sorted and compressed they cost almost nothing, and
 * dictionaries (LowCardinality) are experimental in Debian's servers.
 *
 * A hash covers the kind and the length of each field, so two different stacks never have the same
 * input. */
#include "src/store/schema.h"

#include <string.h>

#include "src/input/hash.h"
#include "src/store/clickhouse.h"

static const struct schema_column profile_columns[] = {
	{"profile", "FixedString(16)"}, /* id of this upload */
	{"content",
	 "FixedString(16)"}, /* hash of the file's bytes, of how it was read, and of its labels */
	{"service", "String"},
	{"host", "String"},
	{"start", "DateTime"},
	{"start_ns", "UInt32"},
	{"duration_ns", "UInt64"},
	{"format", "String"},
	{"metric", "String"},  /* the default one */
	{"file", "String"},    /* its name */
	{"samples", "UInt64"}, /* rows in the table of samples */
	/* metrics of its samples; labels: the largest number on one sample */
	{"metrics", "Nested(name String, unit String, decimals UInt8, labels UInt32)"},
	{"labels", "Nested(key String, value String)"},
	{"stored", "DateTime"},
	{NULL, NULL},
};

static const struct schema_column stack_columns[] = {
	{"service", "String"},
	{"stack", "UInt64"},
	{"functions", "Array(String)"},
	{"files", "Array(String)"},
	{"modules", "Array(String)"},
	{"lines", "Array(UInt32)"},
	{"kinds", "Array(UInt8)"},
	{"defined", "Array(UInt32)"},
	{"clauses", "Array(UInt8)"},
	{"address", "UInt64"},           /* of the leaf's instruction in its module; 0: not known */
	{"builds", "Array(String)"},     /* of modules of frames without a name, or no element */
	{NULL, NULL},
};

static const struct schema_column symbol_columns[] = {
	{"build", "String"},
	{"address", "String"}, /* as a frame's function has it */
	{"call", "UInt8"},     /* 1: of a caller */
	{"function", "String"},
	{"file", "String"},
	{"line", "UInt32"},
	{"defined", "UInt32"},
	{"stored", "DateTime"},
	{NULL, NULL},
};

static const struct schema_column sample_columns[] = {
	{"service", "String"},
	{"metric", "String"},
	{"unit", "String"},
	{"decimals", "UInt8"},           /* values are in units of 10^-decimals */
	{"host", "String"},
	{"profile", "FixedString(16)"},
	{"process", "String"},           /* of the track, or empty */
	{"track", "String"},
	{"time", "DateTime"},
	{"time_ns", "UInt32"},
	{"stack", "UInt64"},
	{"value", "Int64"},
	{"samples", "Int64"}, /* the row's samples, if its metric carries them */
	/* a number is also written as text in `value` */
	{"labels", "Nested(key String, value String, is_number UInt8, number Int64, unit String)"},
	{NULL, NULL},
};

static const struct schema_column sum_columns[] = {
	{"service", "String"},
	{"metric", "String"},
	{"host", "String"},
	{"profile", "FixedString(16)"},
	{"start", "DateTime"},           /* of the profile */
	{"stack", "UInt64"},
	{"value", "Int64"},
	{"events", "UInt64"}, /* number of samples in the sum */
	{"first", "Int64"},   /* when, in ns since 1970 */
	{"last", "Int64"},
	{NULL, NULL},
};

static const struct schema_column period_columns[] = {
	{"service", "String"},
	{"span", "UInt32"},     /* s; 0: a process began to compute periods, or ended */
	{"start", "DateTime"},
	{"period", "UInt64"},   /* id of its sums */
	{"profiles", "UInt64"}, /* that begin in it; with span 0, 1: the process ended */
	{"hash", "UInt64"},     /* of their contents and starts */
	{"rows", "UInt64"},     /* in the tables of its sums and profiles */
	{"last", "Int64"},      /* ns: when the last of them ends */
	{"made", "DateTime"},
	{NULL, NULL},
};

static const struct schema_column period_sum_columns[] = {
	{"service", "String"},
	{"metric", "String"},
	{"start", "DateTime"}, /* of the period */
	{"span", "UInt32"},
	{"host", "String"},
	{"stack", "UInt64"},
	{"period", "UInt64"},
	{"value", "Int64"},
	{"events", "UInt64"},
	{"first", "Int64"},
	{"last", "Int64"},
	{NULL, NULL},
};

static const struct schema_column period_profile_columns[] = {
	{"service", "String"},
	{"start", "DateTime"}, /* of the period */
	{"span", "UInt32"},
	{"period", "UInt64"},
	{"host", "String"},
	{"metric", "String"},   /* the default one */
	{"profiles", "UInt64"}, /* whose other columns are the same */
	{"recorded", "Int64"},  /* ns, of all */
	{"longest", "Int64"},   /* ns, of one */
	{"samples", "UInt64"},
	{"first", "Int64"},     /* ns since 1970: the earliest begin, and the latest end */
	{"last", "Int64"},
	{"stored", "DateTime"}, /* the latest */
	{"metrics", "Nested(name String, unit String, decimals UInt8, labels UInt32)"},
	{"labels", "Nested(key String, value String)"},
	{NULL, NULL},
};

static const struct schema_column version_columns[] = {
	{"version", "UInt32"},
	{"pnav", "String"}, /* the version of the program that created the tables */
	{"stored", "DateTime"},
	{NULL, NULL},
};

static const struct {
	const char *name;
	const struct schema_column *columns;
	const char *engine;
} tables[SCHEMA_TABLES] = {
	[SCHEMA_PROFILES] = {"profiles", profile_columns,
			     "ReplacingMergeTree(stored) PARTITION BY toYYYYMM(start) "
			     "ORDER BY (service, content)"},
	[SCHEMA_STACKS] = {"stacks", stack_columns,
			   "ReplacingMergeTree ORDER BY (service, stack)"},
	[SCHEMA_SAMPLES] = {"samples", sample_columns,
			    "MergeTree PARTITION BY toYYYYMMDD(time) "
			    "ORDER BY (service, metric, time)"},
	[SCHEMA_SUMS] = {"sums", sum_columns,
			 "MergeTree PARTITION BY toYYYYMM(start) "
			 "ORDER BY (service, metric, start)"},
	[SCHEMA_SYMBOLS] = {"symbols", symbol_columns,
			    "ReplacingMergeTree(stored) ORDER BY (build, address, call)"},
	[SCHEMA_PERIODS] = {"periods", period_columns, "MergeTree ORDER BY (service, span, start)"},
	/* Sums that are computed again have another id: a reader that has chosen the earlier ones
	 * still finds them. */
	[SCHEMA_PERIOD_SUMS] = {"period_sums", period_sum_columns,
				"MergeTree PARTITION BY toYYYYMM(start) "
				"ORDER BY (service, metric, start, span, host, stack)"},
	[SCHEMA_PERIOD_PROFILES] = {"period_profiles", period_profile_columns,
				    "MergeTree PARTITION BY toYYYYMM(start) "
				    "ORDER BY (service, span, start, host)"},
	[SCHEMA_VERSION] = {"version", version_columns, "MergeTree ORDER BY version"},
};

const struct schema_column *
schema_columns(enum schema_table t)
{
	return tables[t].columns;
}

const char *
schema_short(enum schema_table t)
{
	return tables[t].name;
}

void
schema_name(struct buf *out, const struct store_url *p, enum schema_table t)
{
	struct buf name = BUF_INIT;

	buf_addf(&name, "%s%s", p->tables, tables[t].name);
	clickhouse_name(out, buf_str(&name));
	buf_release(&name);
}

void
schema_create(struct buf *out, const struct store_url *p, enum schema_table t)
{
	const struct schema_column *c = tables[t].columns;

	buf_adds(out, "CREATE TABLE IF NOT EXISTS ");
	schema_name(out, p, t);
	for (size_t i = 0; c[i].name; i++)
		buf_addf(out, "%s\n\t%s %s", i ? "," : " (", c[i].name, c[i].type);
	buf_addf(out, "\n) ENGINE = %s", tables[t].engine);
}

void
schema_visible(struct buf *out, const struct store_url *p, const char *condition)
{
	buf_adds(out, "SELECT " SCHEMA_LAST("profile") " FROM ");
	schema_name(out, p, SCHEMA_PROFILES);
	if (condition)
		buf_addf(out, " WHERE %s", condition);
	buf_adds(out, " GROUP BY service, content");
}

/* Little-endian on every machine. */
static size_t
schema_put(unsigned char *out, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		out[i] = (unsigned char)(v >> 8 * i);
	return bytes;
}

uint64_t
schema_hash(uint64_t caller, const struct schema_frame *f)
{
	unsigned char head[64];
	size_t n = 0;

	n += schema_put(head + n, caller, 8);
	n += schema_put(head + n, hash64(f->function, f->function_len), 8);
	n += schema_put(head + n, hash64(f->file, f->file_len), 8);
	n += schema_put(head + n, hash64(f->module, f->module_len), 8);
	n += schema_put(head + n, f->line, 4);
	n += schema_put(head + n, f->defined, 4);
	n += schema_put(head + n, f->kind, 1);
	n += schema_put(head + n, f->clause, 1);
	if (f->build_len)
		n += schema_put(head + n, hash64(f->build, f->build_len), 8);
	return hash64(head, n);
}

uint64_t
schema_hash_stack(uint64_t path, uint64_t address)
{
	unsigned char both[16];

	schema_put(both, path, 8);
	schema_put(both + 8, address, 8);
	return address ? hash64(both, sizeof both) : path;
}
