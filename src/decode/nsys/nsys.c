/* Nsight Systems: databases that `nsys export --type sqlite` writes, seen from 2022.2 to 2024.5.
 *
 *	StringIds {id, value}                               names
 *	... {start, end, globalTid, nameId, correlationId}  calls of CUDA, MPI, the OS, ...
 *	CUPTI_ACTIVITY_KIND_KERNEL, ..._MEMCPY, ..._MEMSET  what ran on streams of GPUs
 *	NVTX_EVENTS                                         ranges and marks of the program
 *	COMPOSITE_EVENTS, SAMPLING_CALLCHAINS               samples and their stacks
 *	SCHED_EVENTS                                        turns on processors
 *
 *	globalTid = ids of the machine << 48 | pid << 24 | tid
 *
 * Times are ns since the session began. Rows are in no order. pnavdb_open.c opens the file. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <string.h>

#include "src/decode/nsys/nsys_inside.h"

#define MAGIC "SQLite format 3"

/* Returns true if these bytes of a database create the tables of nsys. */
static bool
nsys_has_tables(const uint8_t *at, size_t len)
{
	static const char *const others[] = {"CREATE TABLE META_DATA_EXPORT",
					     "CREATE TABLE EXPORT_META_DATA",
					     "CREATE TABLE ANALYSIS_DETAILS"};
	static const char strings[] = "CREATE TABLE StringIds";

	if (!memmem(at, len, strings, sizeof strings - 1))
		return false;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (memmem(at, len, others[i], strlen(others[i])))
			return true;
	return false;
}

static int
nsys_probe(struct head head)
{
	return head.len >= sizeof MAGIC && !memcmp(head.at, MAGIC, sizeof MAGIC) &&
			       nsys_has_tables(head.at, head.len)
		       ? 100
		       : 0;
}

#ifdef HAVE_SQLITE

static const struct pnavdb_wants nsys_wants = {
	.has = nsys_has_tables,
	.tables = {"StringIds", "StringIds"},
	.refusal = "a database of SQLite, but not one that nsys export wrote",
};

/* ---- info ---- */

static bool
take_meta(struct pnavdb *x, sqlite3_stmt *row)
{
	static const struct {
		const char *name, *key;
	} shown[] = {{"EXPORT_PRODUCT_VERSION", "nsys"}, {"EXPORT_SCHEMA_VERSION", "schema"}};
	const unsigned char *name = sqlite3_column_text(row, 0);

	for (size_t i = 0; name && i < sizeof shown / sizeof *shown; i++)
		if (!strcmp((const char *)name, shown[i].name)) {
			const void *value = sqlite3_column_text(row, 1);
			builder_info_bytes(nsys_of(x)->b, shown[i].key, value ? value : "",
					   (size_t)sqlite3_column_bytes(row, 1));
		}
	return true;
}

static bool
take_gpu_name(struct pnavdb *x, sqlite3_stmt *row)
{
	struct nsys *n = nsys_of(x);
	struct name name = builder_name_get(n->b, pnavdb_name(x, row, 1));
	int64_t id;

	if (nsys_numbers(n, row, 1, &id))
		builder_info(n->b, "gpu", "%" PRId64 " %.*s", id, (int)name.len, name.at);
	return true;
}

static bool
take_start(struct pnavdb *x, sqlite3_stmt *row)
{
	const void *text = sqlite3_column_text(row, 0);

	if (text)
		builder_info_bytes(nsys_of(x)->b, "date", text,
				   (size_t)sqlite3_column_bytes(row, 0));
	if (sqlite3_column_type(row, 1) == SQLITE_INTEGER)
		builder_clock(nsys_of(x)->b, sqlite3_column_int64(row, 1));
	return true;
}

static bool
take_row_count(struct pnavdb *x, sqlite3_stmt *row)
{
	struct nsys *n = nsys_of(x);

	n->odd = (uint64_t)sqlite3_column_int64(row, 0);
	return true;
}

/* Counts rows of tables that have events but are not shown. */
static bool
nsys_not_shown(struct nsys *n)
{
	static const char *const tables[] = {
		"PROFILER_OVERHEAD", "OSRT_CALLCHAINS", "CUDA_CALLCHAINS", "GPU_METRICS",
		"DIAGNOSTIC_EVENT", "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
		"CUPTI_ACTIVITY_KIND_CUDA_EVENT", "CUDA_GRAPH_EVENTS", "FECS_EVENTS",
		"CUDA_UM_CPU_PAGE_FAULT_EVENTS", "CUDA_UM_GPU_PAGE_FAULT_EVENTS",
		"GENERIC_EVENTS", "NET_NIC_METRIC"};
	char sql[96];

	if (n->odd)
		builder_info(n->b, "not shown", "%" PRIu64 " rows of NVTX_EVENTS", n->odd);
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		n->odd = 0;
		snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", tables[i]);
		if (!pnavdb_each(&n->db, tables[i], sql, take_row_count))
			return false;
		if (n->odd)
			builder_info(n->b, "not shown", "%" PRIu64 " rows of %s", n->odd,
				     tables[i]);
	}
	return true;
}

static bool
nsys_info(struct nsys *n)
{
	return nsys_each(n, "META_DATA_EXPORT", "name value", "", NULL, take_meta) &&
	       nsys_each(n, "EXPORT_META_DATA", "name value", "", NULL, take_meta) &&
	       nsys_each(n, "TARGET_INFO_GPU", "id name", "", NULL, take_gpu_name) &&
	       nsys_each(n, "TARGET_INFO_SESSION_START_TIME", "utcTime", "utcEpochNs", NULL,
			 take_start) &&
	       nsys_not_shown(n);
}

/* ---- the decoder ---- */

static void
nsys_metrics(struct nsys *n)
{
	n->metric.time = builder_time(n->b, "time");
	n->metric.async = builder_metric(n->b, "async", UNIT_NS, ROLE_TIME);
	n->metric.gpu = builder_metric(n->b, "gpu", UNIT_NS, ROLE_TIME);
	n->metric.cpu = builder_metric(n->b, "cpu", UNIT_NS, ROLE_TIME);
	n->metric.copied = builder_metric(n->b, "copied", UNIT_BYTES, ROLE_VALUE);
	n->metric.samples = n->metric.cycles = METRIC_NONE;
}

static void
nsys_release(struct nsys *n)
{
	for (size_t i = 0; i < n->stream.n; i++)
		slices_release(&n->stream.at[i].slices);
	vec_release_all(&n->stream, &n->call);
	idmap_release_all(&n->ids.string, &n->ids.domain, &n->ids.category, &n->ids.copy,
			  &n->ids.stream, &n->ids.call, &n->ids.stack);
	cast_release(&n->cast);
	pnavdb_close(&n->db);
}

static bool
nsys_decode(struct input *in, struct builder *b, struct err *e)
{
	struct nsys n = {.db = {.in = in, .b = b, .e = e}, .b = b, .e = e,
			 .cast = {.in = in, .b = b, .labelled = true}};
	struct err none = {0};

	n.db.context = &n;
	input_later(in, 60);
	bool good = pnavdb_open(&n.db, &nsys_wants);
	if (!good) {
		nsys_release(&n);
		return false;
	}
	nsys_metrics(&n);
	good = nsys_read_names(&n) && nsys_read_threads(&n) && nsys_read_gpus(&n) && nsys_info(&n);
	n.e = good ? e : &none; /* everything before the damage is shown */
	good = cast_write(&n.cast, n.metric.time, n.metric.async, true, 0, n.e) &&
	       nsys_write_gpus(&n) && good;
	cast_rename(&n.cast);
	metric_id shown = n.kernels ? n.metric.gpu : n.metric.time;
	if (!n.kernels && !n.calls && n.metric.samples != METRIC_NONE)
		shown = n.metric.samples;
	builder_default_metric(b, shown);
	if (n.db.skipped)
		builder_warn(b, "rows with values of another type, ignored: %" PRIu64,
			     n.db.skipped);
	if (good && n.db.len < n.db.stated_len)
		good = err_damage(e, n.db.len, "the database ends early");
	nsys_release(&n);
	return good;
}

/* ---- the dump ---- */

static bool
nsys_dump(struct input *in, struct dump *d, struct err *e)
{
	struct nsys n = {.db = {.in = in, .e = e}};
	struct buf names = BUF_INIT;
	bool good = pnavdb_open(&n.db, &nsys_wants);

	if (good)
		nsys_tables(&n, &names);
	for (size_t at = 0; good && at < names.len; at += strlen(names.at + at) + 1)
		good = pnavdb_dump_table(&n.db, d, names.at + at);
	buf_release(&names);
	pnavdb_close(&n.db);
	return good;
}

#else

static bool
nsys_decode(struct input *in UNUSED, struct builder *b UNUSED, struct err *e)
{
	return err_refuse(e, "a database of SQLite, and pnav was built without SQLite");
}

static bool
nsys_dump(struct input *in, struct dump *d UNUSED, struct err *e)
{
	return nsys_decode(in, NULL, e);
}

#endif

const struct decoder decoder_nsys = {
	.name = "nsys",
	.title = "Nsight Systems: databases of nsys export --type sqlite",
	.made_of = MADE_BINARY,
	.probe = nsys_probe,
	.decode = nsys_decode,
	.dump = nsys_dump,
};
