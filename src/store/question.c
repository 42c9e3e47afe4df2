/* The queries.  The server computes the sums.  The table of sums has those of each profile, so
 * every query except the detail reads it for profiles that lie completely in the range, and reads
 * samples only of profiles that the ends of the range cut.  If tracks are threads or labels of
 * samples, and for the detail, the query is one pass over the samples left by service, metric and
 * time, which is their order on disk.  With GLOBAL IN the server computes a list once for all
 * servers below a Distributed table.
 *
 * Times are compared in seconds for the index, and in nanoseconds where an end is not a whole
 * second. */
#include "src/store/question_inside.h"

#include <inttypes.h>
#include <string.h>

#include "src/store/clickhouse.h"
#include "src/store/schema.h"

#define SECOND INT64_C(1000000000)
#define MOMENT "(toInt64(toUInt32(time)) * 1000000000 + time_ns)"

void
question_init(struct question *q, const struct store_url *url, int64_t now)
{
	*q = (struct question){
		.url = url,
		.from = url->from.given ? wallclock_ns(&url->from, now) : INT64_MIN,
		.to = url->to.given ? wallclock_ns(&url->to, now) : INT64_MAX,
		.metric = url->metric,
		.tracks = url->tracks,
	};
}

unsigned
question_keys(const struct question *q)
{
	switch (q->tracks) {
	case STORE_BY_HOST:
	case STORE_BY_LABEL:
		return 1;
	case STORE_BY_THREAD:
		return 3;
	case STORE_BY_NOTHING:
		return 0;
	}
	return 0;
}

struct trace_ask
question_of_log(const struct question *q)
{
	return (struct trace_ask){q->log, q->from, q->to, q->metric, q->tracks == STORE_BY_THREAD};
}

/* ---- parts ---- */

static void
question_add_text(struct buf *out, const char *text)
{
	clickhouse_quote(out, text, strlen(text));
}

/* True if tracks depend on something that only samples have. */
static bool
scans(const struct question *q)
{
	return q->log || q->tracks == STORE_BY_THREAD ||
	       (q->tracks == STORE_BY_LABEL && (q->labelled || q->explains));
}

/* Writes the columns of a track's key, each followed by a comma, from the table of sums or of
 * samples.  `own` is the label that a profile was stored with. */
static void
add_keys(const struct question *q, bool of_samples, struct buf *out)
{
	switch (q->tracks) {
	case STORE_BY_HOST:
		buf_adds(out, "host, ");
		return;
	case STORE_BY_THREAD:
		buf_adds(out, "host, process, track, ");
		return;
	case STORE_BY_LABEL:
		if (!of_samples || !scans(q)) {
			buf_adds(out, "own, ");
			return;
		}
		buf_adds(out, "if(has(labels.key, ");
		question_add_text(out, q->url->label);
		buf_adds(out, "), labels.value[indexOf(labels.key, ");
		question_add_text(out, q->url->label);
		buf_adds(out, ")], own), ");
		return;
	case STORE_BY_NOTHING:
		return;
	}
}

/* Writes service and host, which profiles and samples have. */
static void
add_whose(const struct question *q, struct buf *out)
{
	const struct store_url *url = q->url;

	buf_adds(out, "1");
	if (url->service) {
		buf_adds(out, " AND service = ");
		question_add_text(out, url->service);
	}
	if (url->host && *url->host == '~') {
		buf_adds(out, " AND match(host, ");
		question_add_text(out, url->host + 1);
		buf_addc(out, ')');
	} else if (url->host) {
		buf_adds(out, " AND host = ");
		question_add_text(out, url->host);
	}
}

/* Writes the conditions on labels of profiles. */
static void
question_add_labels(const struct question *q, struct buf *out)
{
	for (size_t i = 0; i < q->url->where.n; i++) {
		const struct store_label *l = &q->url->where.at[i];
		buf_adds(out, l->is_not ? " AND NOT (has(labels.key, " : " AND (has(labels.key, ");
		question_add_text(out, l->key);
		buf_addc(out, ')');
		if (l->value) {
			bool matches = *l->value == '~';
			buf_adds(out, matches ? " AND match(labels.value[indexOf(labels.key, "
					      : " AND labels.value[indexOf(labels.key, ");
			question_add_text(out, l->key);
			buf_adds(out, matches ? ")], " : ")] = ");
			question_add_text(out, l->value + matches);
			buf_adds(out, matches ? ")" : "");
		}
		buf_addc(out, ')');
	}
}

/* Writes the condition that a profile with this prefix lies in the range, after " AND" if it is not
 * the first. */
static void
add_lies(const struct question *q, enum lies lies, struct buf *out)
{
	const char *begin = q->unique ? BEGIN : SCHEMA_LAST(BEGIN);
	const char *end = q->unique ? END : SCHEMA_LAST(END);

	buf_adds(out, lies == LIES_CUT ? "NOT (1" : "(1");
	if (q->from != INT64_MIN)
		buf_addf(out, " AND %s >= %" PRId64, begin, q->from);
	if (q->to != INT64_MAX)
		buf_addf(out, " AND %s < %" PRId64, end, q->to);
	buf_addc(out, ')');
}

/* Writes the condition that a profile, stored once or more, is of the service, hosts and labels and
 * overlaps the range. */
static void
add_overlap(const struct question *q, struct buf *out)
{
	add_whose(q, out);
	question_add_labels(q, out);
	if (q->to != INT64_MAX)
		buf_addf(out, " AND " BEGIN " < %" PRId64, q->to);
	if (q->from != INT64_MIN)
		buf_addf(out, " AND " END " >= %" PRId64, q->from);
}

void
question_add_visible(const struct question *q, enum lies lies, struct buf *out)
{
	struct buf condition = BUF_INIT;

	add_overlap(q, &condition);
	if (q->unique) {
		buf_adds(out, "SELECT profile FROM ");
		schema_name(out, q->url, SCHEMA_PROFILES);
		buf_addf(out, " WHERE %s", buf_str(&condition));
	} else {
		schema_visible(out, q->url, buf_str(&condition));
	}
	if (lies != LIES_SOMEHOW && (q->from != INT64_MIN || q->to != INT64_MAX)) {
		buf_adds(out, q->unique ? " AND " : " HAVING ");
		add_lies(q, lies, out);
	}
	buf_release(&condition);
}

/* Selects samples in [from, to). */
static void
add_range(int64_t from, int64_t to, struct buf *out)
{
	if (from != INT64_MIN)
		buf_addf(out, " AND time >= toDateTime(%" PRId64 ")", wallclock_seconds(from));
	if (from != INT64_MIN && from % SECOND)
		buf_addf(out, " AND " MOMENT " >= %" PRId64, from);
	if (to == INT64_MAX)
		return;
	buf_addf(out, " AND time %s toDateTime(%" PRId64 ")", to % SECOND ? "<=" : "<",
		 wallclock_seconds(to));
	if (to % SECOND)
		buf_addf(out, " AND " MOMENT " < %" PRId64, to);
}

static void
question_add_metric(const struct question *q, const char *name, struct buf *out)
{
	if (name)
		question_add_text(out, name);
	else
		buf_adds(out, q->explains ? "{metric}" : "''");
}

/* True if rows of other metrics carry this one as a count. */
static bool
is_counted(const struct question *q)
{
	return q->metric && !strcmp(q->metric, SCHEMA_COUNTED);
}

/* Writes "'cpu', 'calls'". */
static void
add_metrics(const struct question *q, struct buf *out)
{
	question_add_metric(q, q->metric, out);
	if (q->calls) {
		buf_adds(out, ", ");
		question_add_text(out, q->calls);
	}
}

#define LATEST ", concat(toString(stored), toString(profile)))"
#define OWN_SET "cityHash64(labels.key, labels.value)"

/* Writes FROM and WHERE for the selected rows of the table of profiles. */
static void
add_from_profiles(const struct question *q, const char *join, struct buf *out)
{
	buf_adds(out, "\nFROM ");
	schema_name(out, q->url, SCHEMA_PROFILES);
	buf_addf(out, "%s\nWHERE ", join);
	if (q->unique) {
		add_overlap(q, out);
		return;
	}
	buf_adds(out, "profile GLOBAL IN (");
	question_add_visible(q, LIES_SOMEHOW, out);
	buf_addc(out, ')');
}

#define OWN_SET "cityHash64(labels.key, labels.value)"

/* Joins what profiles were stored with: the label of the tracks, and for samples the hash of all
 * labels. */
static void
add_join(const struct question *q, bool of_samples, struct buf *out)
{
	bool track = q->tracks == STORE_BY_LABEL, set = of_samples && q->owned;

	if (!track && !set)
		return;
	buf_adds(out, "\nGLOBAL ANY LEFT JOIN (SELECT profile");
	if (track) {
		buf_adds(out, ", labels.value[indexOf(labels.key, ");
		question_add_text(out, q->url->label);
		buf_adds(out, ")] AS own");
	}
	buf_adds(out, set ? ", " OWN_SET " AS own_set" : "");
	add_from_profiles(q, "", out);
	buf_adds(out, ") USING profile");
}

static void
add_profiles(const struct question *q, enum lies lies, struct buf *out)
{
	buf_adds(out, "\n  AND profile GLOBAL IN (");
	question_add_visible(q, lies, out);
	buf_addc(out, ')');
}

/* Writes FROM samples WHERE, with the metric. */
static void
question_add_samples(const struct question *q, int64_t from, int64_t to, struct buf *out)
{
	buf_adds(out, "\nFROM ");
	if (q->log) {
		struct trace_ask log = question_of_log(q);
		trace_log_samples(&log, from, to, out);
		buf_adds(out, "\nWHERE 1");
		add_range(from, to, out);
		return;
	}
	schema_name(out, q->url, SCHEMA_SAMPLES);
	add_join(q, true, out);
	buf_adds(out, "\nWHERE ");
	add_whose(q, out);
	buf_adds(out, is_counted(q) ? " AND (samples != 0 OR metric IN (" : " AND metric IN (");
	add_metrics(q, out);
	buf_adds(out, is_counted(q) ? "))" : ")");
	add_range(from, to, out);
	add_profiles(q, LIES_SOMEHOW, out);
}

/* Writes the columns value Int64, [calls Int64, its number of rows UInt64,] samples UInt64, from
 * rows of samples or of sums. */
static void
question_add_values(const struct question *q, bool of_samples, struct buf *out)
{
	const char *value = of_samples && is_counted(q) ? "if(samples != 0, samples, value)"
							: "value";
	struct buf calls = BUF_INIT;

	if (!q->calls) {
		buf_addf(out, "sum(%s), %s", value, of_samples ? "count()" : "sum(events)");
		return;
	}
	if (q->log) { /* a row has its count beside its value */
		buf_adds(out, "sum(value), sum(samples), toUInt64(0), count()");
		return;
	}
	question_add_text(&calls, q->calls);
	buf_addf(out, "sumIf(%s, metric != %s), sumIf(value, metric = %s)", value, buf_str(&calls),
		 buf_str(&calls));
	for (const char *is = "="; is; is = *is == '=' ? "!=" : NULL)
		buf_addf(out,
			 of_samples ? ", countIf(metric %s %s)" : ", sumIf(events, metric %s %s)",
			 is, buf_str(&calls));
	buf_release(&calls);
}

/* ---- sums ---- */

/* Writes FROM and WHERE for the sums of all profiles, also of those that are not selected. */
static void
add_stored_sums(const struct question *q, bool tracks, struct buf *out)
{
	buf_adds(out, "\nFROM ");
	schema_name(out, q->url, SCHEMA_SUMS);
	if (tracks)
		add_join(q, false, out);
	buf_adds(out, "\nWHERE ");
	add_whose(q, out);
	buf_adds(out, " AND metric IN (");
	add_metrics(q, out);
	buf_addc(out, ')');
	if (q->from != INT64_MIN)
		buf_addf(out, " AND start >= toDateTime(%" PRId64 ")", wallclock_seconds(q->from));
	if (q->to != INT64_MAX)
		buf_addf(out, " AND start <= toDateTime(%" PRId64 ")", wallclock_seconds(q->to));
}

static void
add_sums_of_whole(const struct question *q, bool tracks, struct buf *out)
{
	add_stored_sums(q, tracks, out);
	add_profiles(q, LIES_WHOLE, out);
}

/* Sums the samples of profiles that the range cuts; `counted`: the count beside their metric. */
static void
add_sums_of_cut(const struct question *q, bool tracks, bool counted, struct buf *out)
{
	struct buf keys = BUF_INIT;

	if (tracks)
		add_keys(q, false, &keys);
	buf_addf(out,
		 "\nUNION ALL\nSELECT %s AS metric, %sstack, sum(%s) AS value, count() AS events, "
		 "min(" MOMENT ") AS first, max(" MOMENT ") AS last\nFROM ",
		 counted ? "'" SCHEMA_COUNTED "'" : "metric", buf_str(&keys),
		 counted ? "samples" : "value");
	schema_name(out, q->url, SCHEMA_SAMPLES);
	if (tracks)
		add_join(q, false, out);
	buf_adds(out, "\nWHERE ");
	add_whose(q, out);
	if (counted) {
		buf_adds(out, " AND samples != 0");
	} else {
		buf_adds(out, is_counted(q) ? " AND samples = 0 AND metric IN ("
					    : " AND metric IN (");
		add_metrics(q, out);
		buf_addc(out, ')');
	}
	add_range(q->from, q->to, out);
	add_profiles(q, LIES_CUT, out);
	buf_addf(out, "\nGROUP BY %s%sstack", counted ? "" : "metric, ", buf_str(&keys));
	buf_release(&keys);
}

/* Writes FROM with the sums of everything in the range, in the columns of their table. */
static void
add_sums(const struct question *q, bool tracks, struct buf *out)
{
	struct buf keys = BUF_INIT;

	if (!q->cut) {
		add_sums_of_whole(q, tracks, out);
		return;
	}
	if (tracks)
		add_keys(q, false, &keys);
	buf_addf(out,
		 "\nFROM (SELECT metric, %sstack, sum(value) AS value, sum(events) AS events, "
		 "min(first) AS first, max(last) AS last", buf_str(&keys));
	add_sums_of_whole(q, tracks, out);
	buf_addf(out, "\nGROUP BY metric, %sstack", buf_str(&keys));
	add_sums_of_cut(q, tracks, false, out);
	if (is_counted(q))
		add_sums_of_cut(q, tracks, true, out);
	buf_addc(out, ')');
	buf_release(&keys);
}

static void
add_step(const struct question *q, int64_t step, struct buf *out)
{
	if (q->explains)
		buf_adds(out, "intDiv(" MOMENT " - {first}, {step})");
	else
		buf_addf(out, "intDiv(" MOMENT " - %" PRId64 ", %" PRId64 ")", q->first, step);
}

/* ---- questions ---- */

void
question_services(const struct question *q, struct buf *out)
{
	buf_adds(out, "SELECT DISTINCT service FROM ");
	schema_name(out, q->url, SCHEMA_PROFILES);
	buf_adds(out, " ORDER BY service LIMIT 6");
}

void
question_twice(const struct question *q, struct buf *out)
{
	buf_adds(out, "SELECT uniqExact(content) < count()\nFROM ");
	schema_name(out, q->url, SCHEMA_PROFILES);
	buf_adds(out, "\nWHERE ");
	add_overlap(q, out);
}

void
question_profiles(const struct question *q, struct buf *out)
{
	buf_adds(out, "SELECT metric, count() AS n, countIf(NOT (1");
	if (q->from != INT64_MIN)
		buf_addf(out, " AND " BEGIN " >= %" PRId64, q->from);
	if (q->to != INT64_MAX)
		buf_addf(out, " AND " END " < %" PRId64, q->to);
	buf_adds(out, ")), max(length(labels.key))");
	add_from_profiles(q, "", out);
	buf_adds(out, "\nGROUP BY metric ORDER BY n DESC, metric");
}

void
question_metrics(const struct question *q, struct buf *out)
{
	buf_adds(out, "SELECT metrics.name, any(metrics.unit), max(metrics.decimals), "
		      "max(metrics.labels)");
	add_from_profiles(q, " ARRAY JOIN metrics", out);
	buf_adds(out, "\nGROUP BY metrics.name ORDER BY metrics.name");
}

void
question_hours(const struct question *q, struct buf *out)
{
	buf_adds(out, "SELECT host, sum(greatest(0, ");
	if (q->to != INT64_MAX)
		buf_addf(out, "least(%" PRId64 ", " END ")", q->to);
	else
		buf_adds(out, END);
	if (q->from != INT64_MIN)
		buf_addf(out, " - greatest(%" PRId64 ", " BEGIN ")", q->from);
	else
		buf_adds(out, " - " BEGIN);
	buf_adds(out, "))");
	add_from_profiles(q, "", out);
	buf_adds(out, "\nGROUP BY host ORDER BY host");
}

void
question_owned(const struct question *q, struct buf *out)
{
	buf_adds(out, "SELECT " OWN_SET " AS own, any(labels.key), any(labels.value)");
	add_from_profiles(q, "", out);
	buf_adds(out, "\nGROUP BY own");
}

void
question_stacks(const struct question *q, struct buf *out)
{
	buf_adds(out, "SELECT stack, functions, files, modules, lines, kinds, defined, clauses, "
		      "address, builds\nFROM ");
	schema_name(out, q->url, SCHEMA_STACKS);
	buf_adds(out, "\nWHERE ");
	if (q->url->service) {
		buf_adds(out, "service = ");
		question_add_text(out, q->url->service);
		buf_adds(out, " AND ");
	}
	buf_adds(out, "stack GLOBAL IN (SELECT DISTINCT stack");
	if (q->cut)
		add_sums(q, false, out);
	else
		add_stored_sums(q, false, out); /* a list of profiles would cost more */
	buf_addc(out, ')');
}

void
question_totals(const struct question *q, uint64_t most, struct buf *out)
{
	buf_adds(out, "SELECT ");
	add_keys(q, scans(q), out);
	buf_adds(out, "stack, ");
	question_add_values(q, scans(q), out);
	if (scans(q)) {
		buf_adds(out, ", min(" MOMENT "), max(" MOMENT ")");
		question_add_samples(q, q->from, q->to, out);
	} else {
		buf_adds(out, ", min(first), max(last)");
		add_sums(q, true, out);
	}
	buf_adds(out, "\nGROUP BY ");
	add_keys(q, scans(q), out);
	buf_adds(out, "stack");
	if (most)
		buf_addf(out, " LIMIT %" PRIu64, most);
}

void
question_curves(const struct question *q, int64_t step, struct buf *out)
{
	struct question one = *q; /* without calls */

	one.calls = NULL;
	buf_adds(out, "SELECT ");
	add_keys(q, true, out);
	add_step(q, step, out);
	buf_addf(out, " AS part, sum(%s)", is_counted(q) ? "if(samples != 0, samples, value)"
							  : "value");
	question_add_samples(&one, q->from, q->to, out);
	buf_adds(out, "\nGROUP BY ");
	add_keys(q, true, out);
	buf_adds(out, "part");
}

void
question_rows(const struct question *q, const int64_t *step, unsigned n, uint64_t part,
	      struct buf *out)
{
	buf_adds(out, "SELECT ");
	for (unsigned i = 0; i < n; i++) {
		buf_adds(out, i ? ",\n  uniq(" : "uniq(");
		add_keys(q, true, out);
		add_step(q, step[i], out);
		buf_adds(out, q->labels ? ", stack, cityHash64(labels.key, labels.value)"
					: ", stack");
		buf_adds(out, q->owned ? ", own_set)" : ")");
	}
	question_add_samples(q, q->from, q->to, out);
	if (q->explains)
		buf_adds(out, " AND stack % {part} = 0");
	else if (part > 1)
		buf_addf(out, " AND stack %% %" PRIu64 " = 0", part);
}

#define LABELS                                                                             \
	"labels.key, labels.value, labels.is_number, labels.number, labels.unit"

void
question_detail(const struct question *q, int64_t from, int64_t to, struct buf *out)
{
	int64_t begin = q->from, end = q->to;

	if (!q->explains) { /* steps count from the first sample */
		begin = q->first + from * q->step;
		if (to <= (INT64_MAX - q->first) / q->step && q->first + to * q->step < end)
			end = q->first + to * q->step;
	}
	buf_adds(out, "SELECT ");
	add_keys(q, true, out);
	add_step(q, q->step, out);
	buf_adds(out, " AS step, stack, ");
	question_add_values(q, true, out);
	buf_adds(out, q->labels ? ", " LABELS : "");
	buf_adds(out, q->owned ? ", own_set" : "");
	struct question part = *q; /* only profiles that overlap the portion */
	part.from = begin;
	part.to = end;
	question_add_samples(&part, begin, end, out);
	buf_adds(out, "\nGROUP BY ");
	add_keys(q, true, out);
	buf_adds(out, q->labels ? "step, stack, " LABELS : "step, stack");
	buf_adds(out, q->owned ? ", own_set" : "");
	buf_adds(out, "\nORDER BY step");
}
