/* Queries of ClickHouse's table of samples (src/Interpreters/TraceLog.cpp, 2019 to 2026; the
 * document of system.trace_log).
 *
 *	trace_type   0 Real   1 CPU   2 Memory   3 MemorySample   4 MemoryPeak   5 ProfileEvent
 *	             6 JemallocSample   7 MemoryAllocatedWithoutCheck   8 Instrumentation
 *	             9 MemoryLargeAllocation
 *	trace        addresses, leaf first
 *
 * The value of a row of Real or CPU is the period of its query: a setting in query_log, else
 * a second.  Bytes and events come with the row.  The live bytes are those of the last row of each
 * pointer, if that is an allocation; the peak is the largest row of each query.
 *
 * Rejected: a table of names by stack.  Most stacks share their addresses, so a name is asked once
 * for each distinct address. */
#include "src/store/tracelog.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "src/store/clickhouse.h"
#include "src/store/wallclock.h"

#define PERIOD "1000000000"
#define MEMORY (1u << 2 | 1u << 3 | 1u << 6)
#define DAY INT64_C(86400000000000)

static const char *const types[TRACE_TYPES] = {
	"Real",         "CPU",
	"Memory",       "MemorySample",
	"MemoryPeak",   "ProfileEvent",
	"JemallocSample", "MemoryAllocatedWithoutCheck",
	"Instrumentation", "MemoryLargeAllocation",
};

enum trace_values { VALUES_PERIOD, VALUES_GAIN, VALUES_LOSS, VALUES_LIVE, VALUES_PEAK,
		    VALUES_ROWS, VALUES_EVENT };

static const struct {
	struct trace_metric metric;
	enum trace_values values;
} metrics[] = {
	{{"cpu", UNIT_NS, 1u << 1}, VALUES_PERIOD},
	{{"time", UNIT_NS, 1u << 0}, VALUES_PERIOD},
	{{"alloc", UNIT_BYTES, MEMORY}, VALUES_GAIN},
	{{"frees", UNIT_BYTES, MEMORY}, VALUES_LOSS},
	{{"live", UNIT_BYTES, 1u << 3}, VALUES_LIVE},
	{{"peak", UNIT_BYTES, 1u << 4}, VALUES_PEAK},
	{{"samples", UNIT_SAMPLES, 0}, VALUES_ROWS},
};
#define METRICS (sizeof metrics / sizeof *metrics)

int
trace_type_number(const char *name)
{
	for (unsigned i = 0; i < TRACE_TYPES; i++)
		if (!strcasecmp(types[i], name))
			return (int)i;
	return -1;
}

const char *
trace_type_name(unsigned type)
{
	return type < TRACE_TYPES ? types[type] : NULL;
}

const struct trace_metric *
trace_metric_at(size_t i)
{
	return i < METRICS ? &metrics[i].metric : NULL;
}

/* Returns the index of a metric; METRICS for the name of an event. */
static size_t
trace_metric_find(const char *name)
{
	size_t i = 0;

	while (i < METRICS && strcmp(metrics[i].metric.name, name))
		i++;
	return i;
}

unsigned
trace_metric_types(const struct trace_log *log, const char *name)
{
	size_t i = trace_metric_find(name);
	unsigned all = i == METRICS ? 1u << 5 : metrics[i].metric.types;

	if (i < METRICS && metrics[i].values == VALUES_ROWS)
		all = log->usual;
	return log->type < 0 ? all : 1u << log->type;
}

bool
trace_metric_has_period(const char *name)
{
	size_t i = trace_metric_find(name);

	return i < METRICS && metrics[i].values == VALUES_PERIOD;
}

/* ---- parts ---- */

/* Appends the table of this name in the database of the log. */
static void
trace_add_table(const struct store_url *url, const char *name, struct buf *out)
{
	if (url->cluster) {
		buf_adds(out, "clusterAllReplicas(");
		clickhouse_quote(out, url->cluster, strlen(url->cluster));
		buf_adds(out, ", ");
	}
	clickhouse_name(out, url->log_database);
	buf_adds(out, url->cluster ? ", " : ".");
	clickhouse_name(out, name);
	buf_adds(out, url->cluster ? ")" : "");
}

/* Returns the expression of a row's host. */
static const char *
trace_host(const struct trace_log *log)
{
	return log->has[TRACE_hostname] ? "toString(hostname)"
	       : log->url->cluster      ? "hostName()" : "''";
}

/* Returns the expression of a row's time, for an order. */
static const char *
trace_moment(const struct trace_log *log)
{
	return log->has[TRACE_timestamp_ns]              ? "timestamp_ns"
	       : log->has[TRACE_event_time_microseconds] ? "event_time_microseconds" : "event_time";
}

/* Writes conditions on a row: types are bits, 0: any. */
static void
trace_add_rows(const struct trace_log *log, unsigned of, int64_t from, int64_t to, struct buf *out)
{
	const struct store_url *url = log->url;
	const char *comma = " AND toInt8(trace_type) IN (";

	buf_adds(out, "1");
	if (from != INT64_MIN)
		buf_addf(out, " AND event_date >= toDate(toDateTime(%" PRId64 "))"
			      " AND event_time >= toDateTime(%" PRId64 ")",
			 wallclock_seconds(from), wallclock_seconds(from));
	if (to != INT64_MAX)
		buf_addf(out, " AND event_date <= toDate(toDateTime(%" PRId64 "))"
			      " AND event_time <= toDateTime(%" PRId64 ")",
			 wallclock_seconds(to), wallclock_seconds(to));
	for (unsigned i = 0; i < TRACE_TYPES; i++)
		if (of & 1u << i) {
			buf_addf(out, "%s%u", comma, i);
			comma = ", ";
		}
	buf_adds(out, of ? ")" : "");
	if (url->query) {
		buf_adds(out, " AND query_id = ");
		clickhouse_quote(out, url->query, strlen(url->query));
	}
	if (url->host) {
		bool matches = *url->host == '~';
		buf_addf(out, matches ? " AND match(%s, " : " AND %s = ", trace_host(log));
		clickhouse_quote(out, url->host + matches, strlen(url->host + matches));
		buf_adds(out, matches ? ")" : "");
	}
}

static const char *
trace_metric_of(const struct trace_ask *q)
{
	return q->metric ? q->metric : metrics[0].metric.name;
}

/* Writes FROM and WHERE of the rows of the metric in [from, to). */
static void
trace_add_from(const struct trace_ask *q, int64_t from, int64_t to,
	       struct buf *out)
{
	const char *name = trace_metric_of(q);
	size_t i = trace_metric_find(name);
	enum trace_values values = i < METRICS ? metrics[i].values : VALUES_EVENT;
	unsigned of = trace_metric_types(q->log, name);

	buf_adds(out, "\nFROM ");
	if (values == VALUES_LIVE || values == VALUES_PEAK) { /* one row of many */
		buf_adds(out, "(SELECT * FROM ");
		trace_add_table(q->log->url, q->log->url->log_table, out);
		buf_adds(out, "\nWHERE ");
		trace_add_rows(q->log, of, q->from, q->to, out);
		if (values == VALUES_LIVE)
			buf_addf(out, " AND ptr != 0 ORDER BY %s DESC LIMIT 1 BY %sptr)",
				 trace_moment(q->log),
				 q->log->has[TRACE_hostname] ? "hostname, " : "");
		else
			buf_adds(out, " ORDER BY size DESC LIMIT 1 BY query_id)");
	} else {
		trace_add_table(q->log->url, q->log->url->log_table, out);
	}
	if (values == VALUES_PERIOD && q->log->periods) {
		const char *kind = of & 1u << 1 ? "cpu" : "real";
		buf_addf(out, "\n%sANY LEFT JOIN (SELECT query_id, max(",
			 q->log->url->cluster ? "GLOBAL " : "");
		buf_addf(out, q->log->names_of_settings
				      ? "toInt64OrZero(Settings.Values[indexOf(Settings.Names, "
					"'query_profiler_%s_time_period_ns')])"
				      : "toInt64OrZero(Settings["
					"'query_profiler_%s_time_period_ns'])",
			 kind);
		buf_adds(out, ") AS period FROM ");
		trace_add_table(q->log->url, "query_log", out);
		if (q->from != INT64_MIN)
			buf_addf(out, " WHERE event_date >= toDate(toDateTime(%" PRId64 "))",
				 wallclock_seconds(q->from > INT64_MIN + DAY ? q->from - DAY
									      : q->from));
		buf_adds(out, " GROUP BY query_id) USING query_id");
	}
	buf_adds(out, "\nWHERE ");
	trace_add_rows(q->log, of, from, to, out);
	switch (values) {
	case VALUES_GAIN:
	case VALUES_LIVE:
		buf_adds(out, " AND size > 0");
		break;
	case VALUES_LOSS:
		buf_adds(out, " AND size < 0");
		break;
	case VALUES_EVENT:
		buf_adds(out, " AND event = ");
		clickhouse_quote(out, name, strlen(name));
		break;
	case VALUES_PERIOD:
	case VALUES_PEAK:
	case VALUES_ROWS:
		break;
	}
}

static void
trace_add_value(const struct trace_ask *q, struct buf *out)
{
	size_t i = trace_metric_find(trace_metric_of(q));

	switch (i < METRICS ? metrics[i].values : VALUES_EVENT) {
	case VALUES_PERIOD:
		buf_adds(out, q->log->periods ? "if(period > 0, period, toInt64(" PERIOD "))"
					   : "toInt64(" PERIOD ")");
		return;
	case VALUES_GAIN:
	case VALUES_LIVE:
	case VALUES_PEAK:
		buf_adds(out, "toInt64(size)");
		return;
	case VALUES_LOSS:
		buf_adds(out, "toInt64(-size)");
		return;
	case VALUES_ROWS:
		buf_adds(out, "toInt64(1)");
		return;
	case VALUES_EVENT:
		buf_adds(out, "toInt64(increment)");
		return;
	}
}

/* Writes the columns time and time_ns. */
static void
trace_add_time(const struct trace_log *log, struct buf *out)
{
	if (log->has[TRACE_timestamp_ns])
		buf_adds(out, "toDateTime(intDiv(timestamp_ns, 1000000000)) AS time, "
			      "toUInt32(timestamp_ns % 1000000000) AS time_ns");
	else if (log->has[TRACE_event_time_microseconds])
		buf_adds(out, "event_time AS time, toUInt32(toUnixTimestamp64Micro("
			      "event_time_microseconds) % 1000000 * 1000) AS time_ns");
	else
		buf_adds(out, "event_time AS time, toUInt32(0) AS time_ns");
}

static void
trace_add_stack(const struct trace_log *log, struct buf *out)
{
	/* builds have different functions at an address */
	buf_adds(out, log->revisions ? "cityHash64(trace, revision)" : "cityHash64(trace)");
}

static void
trace_add_track(const struct trace_log *log, struct buf *out)
{
	const char *id = log->has[TRACE_thread_id]       ? "toString(thread_id)"
			 : log->has[TRACE_thread_number] ? "toString(thread_number)" : "''";

	if (log->has[TRACE_thread_name])
		buf_addf(out, "concat(if(thread_name = '', 'thread', toString(thread_name)), "
			      "' ', %s)", id);
	else
		buf_addf(out, "concat('thread ', %s)", id);
}

void
trace_log_samples(const struct trace_ask *q, int64_t from, int64_t to, struct buf *out)
{
	/* one host is not part of the names of threads */
	buf_addf(out, "(SELECT %s AS host, '' AS process, ",
		 q->threads && !q->log->hosts ? "''" : trace_host(q->log));
	trace_add_track(q->log, out);
	buf_adds(out, " AS track,\n  ");
	trace_add_time(q->log, out);
	buf_adds(out, ", ");
	trace_add_stack(q->log, out);
	buf_adds(out, " AS stack,\n  ");
	trace_add_value(q, out);
	buf_adds(out, " AS value, toInt64(1) AS samples, '' AS own,\n  "
		      "if(query_id = '', emptyArrayString(), ['query']) AS `labels.key`, "
		      "if(query_id = '', emptyArrayString(), [query_id]) AS `labels.value`,\n  "
		      "if(query_id = '', emptyArrayUInt8(), [toUInt8(0)]) AS `labels.is_number`, "
		      "if(query_id = '', emptyArrayInt64(), [toInt64(0)]) AS `labels.number`,\n  "
		      "if(query_id = '', emptyArrayString(), ['']) AS `labels.unit`");
	trace_add_from(q, from, to, out);
	buf_addc(out, ')');
}

/* ---- questions ---- */

void
trace_log_columns(const struct store_url *url, struct buf *out)
{
	buf_adds(out, "SELECT table, name FROM system.columns WHERE database = ");
	clickhouse_quote(out, url->log_database, strlen(url->log_database));
	buf_adds(out, "\nAND table IN (");
	clickhouse_quote(out, url->log_table, strlen(url->log_table));
	buf_adds(out, ", 'query_log')");
}

void
trace_log_types(const struct trace_ask *q, struct buf *out)
{
	const char *host = trace_host(q->log);
	const char *revision = q->log->has[TRACE_revision] ? "toUInt64(revision)" : "toUInt64(0)";

	buf_addf(out, "SELECT toInt8(trace_type) AS type, count(), %s, min(%s), max(%s), "
		      "min(%s), max(%s), version()\nFROM ",
		 q->log->has[TRACE_size] ? "countIf(size < 0)" : "toUInt64(0)", host, host,
		 revision, revision);
	trace_add_table(q->log->url, q->log->url->log_table, out);
	buf_adds(out, "\nWHERE ");
	trace_add_rows(q->log, q->log->type < 0 ? 0 : 1u << q->log->type, q->from, q->to, out);
	buf_adds(out, "\nGROUP BY type ORDER BY type");
}

void
trace_log_events(const struct trace_ask *q, struct buf *out)
{
	buf_adds(out, "SELECT DISTINCT toString(event) AS name\nFROM ");
	trace_add_table(q->log->url, q->log->url->log_table, out);
	buf_adds(out, "\nWHERE ");
	trace_add_rows(q->log, 1u << 5, q->from, q->to, out);
	buf_adds(out, " ORDER BY name");
}

void
trace_log_periods(const struct trace_ask *q, struct buf *out)
{
	struct trace_log log = *q->log;
	struct trace_ask joined = *q;

	log.periods = true;
	joined.log = &log;
	buf_adds(out, "SELECT uniq(query_id)");
	trace_add_from(&joined, q->from, q->to, out);
	buf_adds(out, " AND period > 0");
}

void
trace_log_stacks(const struct trace_ask *q, struct buf *out)
{
	buf_adds(out, "SELECT ");
	trace_add_stack(q->log, out);
	buf_addf(out, " AS stack, any(trace), %s, %s",
		 q->log->has[TRACE_symbols] ? "CAST(any(symbols), 'Array(String)')"
					 : "emptyArrayString()",
		 q->log->has[TRACE_lines] ? "CAST(any(lines), 'Array(String)')"
					  : "emptyArrayString()");
	trace_add_from(q, q->from, q->to, out);
	buf_adds(out, "\nGROUP BY stack");
}

void
trace_log_addresses(const struct trace_ask *q, struct buf *out)
{
	buf_adds(out, "SELECT at, demangle(addressToSymbol(at)), addressToLine(at)\n"
		      "FROM (SELECT DISTINCT arrayJoin(arrayMap((a, i) -> toUInt64(a - (i > 1)), "
		      "trace, arrayEnumerate(trace))) AS at\nFROM (SELECT DISTINCT trace");
	trace_add_from(q, q->from, q->to, out);
	if (q->log->has[TRACE_revision]) /* the server knows functions of its own build alone */
		buf_adds(out, " AND toUInt64(revision) = (SELECT toUInt64(value) FROM "
			      "system.metrics WHERE metric = 'Revision')");
	buf_adds(out, "))\nSETTINGS allow_introspection_functions = 1");
}
