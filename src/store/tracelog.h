/* tracelog.h - the sampling profiler of ClickHouse itself, as samples of a store.
 *
 * The server writes a row a sample into system.trace_log. trace_log_samples() turns these rows
 * into a subquery with the columns of a store's table of samples. So question.c asks for sums,
 * curves and detail of both in the same way, and one reader takes the answers.
 *
 * Columns came and went since 2019. A query names only those that the table has. Types of rows
 * are compared as numbers: they were never renumbered, and a merge() of tables has no names. */
#ifndef PNAV_SRC_STORE_TRACELOG_H
#define PNAV_SRC_STORE_TRACELOG_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/profile/metrics.h"
#include "src/store/storeurl.h"

#define TRACE_TYPES 10u

/* The columns that pnav uses. */
#define TRACE_COLUMNS_LIST(X) \
	X(event_date) X(event_time) X(event_time_microseconds) X(timestamp_ns) X(trace_type) \
	X(thread_number) X(thread_id) X(thread_name) X(query_id) X(trace) X(size) X(ptr) X(event) \
	X(increment) X(symbols) X(lines) X(hostname) X(revision)
#define TRACE_COLUMN(name) TRACE_##name,
enum trace_column { TRACE_COLUMNS_LIST(TRACE_COLUMN) TRACE_COLUMNS };
#undef TRACE_COLUMN

struct trace_log {
	const struct store_url *url;
	bool has[TRACE_COLUMNS];
	bool settings, names_of_settings; /* query_log has them as a map, or as two arrays */
	bool periods;  /* some queries have a period of their own */
	bool hosts;    /* rows of several hosts */
	bool revisions; /* rows of several builds of the server */
	int type; /* the only one to read; -1: all */
	unsigned usual; /* types of the default metric, as bits */
};

/* A selection of rows of a log. */
struct trace_ask {
	const struct trace_log *log;
	int64_t from, to;   /* ns since 1970, [from, to); INT64_MIN, INT64_MAX: open */
	const char *metric; /* NULL: the default */
	bool threads;       /* tracks are threads */
};

/* Returns the number of a type such as CPU, in any case; -1 if there is none. */
int trace_type_number(const char *name);
/* Returns the name of a type; NULL if it is unknown. */
const char *trace_type_name(unsigned type);

/* A metric of certain types of rows. */
struct trace_metric {
	const char *name;
	enum unit unit;
	unsigned types; /* bits */
};
/* Returns the i-th metric, the default first; NULL at the end. */
const struct trace_metric *trace_metric_at(size_t i);
/* True if a row of this metric counts as the period of its query. */
bool trace_metric_has_period(const char *name);
/* Returns the types of rows that a metric of this name adds, as bits. Names that are not in the
 * table are those of events. */
unsigned trace_metric_types(const struct trace_log *log, const char *name);

/* Each appends SQL. */
/* A subquery in parentheses, of samples in [from, to). */
void trace_log_samples(const struct trace_ask *q, int64_t from,
		       int64_t to, struct buf *out);
/* table String, name String: the columns of the log, and those of query_log */
void trace_log_columns(const struct store_url *url, struct buf *out);
/* type Int8, rows UInt64, rows with a negative size UInt64, the least and the last host String,
 * the least and the last revision UInt64, the version of the server String; by type */
void trace_log_types(const struct trace_ask *q, struct buf *out);
/* event String, by name */
void trace_log_events(const struct trace_ask *q, struct buf *out);
/* UInt64: the number of queries with a period of their own */
void trace_log_periods(const struct trace_ask *q, struct buf *out);
/* stack UInt64, trace Array(UInt64), symbols and lines Array(String), leaf first */
void trace_log_stacks(const struct trace_ask *q, struct buf *out);
/* address UInt64, its symbol and its line String: of the leaf as it is, of callers less 1 */
void trace_log_addresses(const struct trace_ask *q, struct buf *out);

#endif
