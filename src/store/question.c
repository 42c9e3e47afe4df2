/* The queries.  The server computes the sums.  The table of sums has those of each profile, so
 * every query except the detail reads it for profiles that lie completely in the range, and reads
 * samples only of profiles that the ends of the range cut.  If tracks are threads or labels of
 * samples, and for the detail, the query is one pass over the samples left by service, metric and
 * time, which is their order on disk.  With GLOBAL IN the server computes a list once for all
 * servers below a Distributed table. */
#include "src/store/question_inside.h"

#include <inttypes.h>
#include <string.h>

#include "src/store/schema.h"


void
question_init(struct question *q, const struct store_url *url, int64_t now)
{
	*q = (struct question){
		.url = url,
		.from = url->from.given ? wallclock_ns(&url->from, now) : INT64_MIN,
		.to = url->to.given ? wallclock_ns(&url->to, now) : INT64_MAX,
		.metric = url->metric,
		.tracks = url->tracks,
		.longest = -1,
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

/* Writes FROM samples WHERE, with the metric. */
static void
question_add_samples(const struct question *q, int64_t from, int64_t to, struct buf *out)
{
	buf_adds(out, "\nFROM ");
	if (q->log) {
		struct trace_ask log = question_of_log(q);
		trace_log_samples(&log, from, to, out);
		buf_adds(out, "\nWHERE 1");
		question_add_range(from, to, out);
		return;
	}
	schema_name(out, q->url, SCHEMA_SAMPLES);
	question_add_join(q, true, out);
	buf_adds(out, "\nWHERE ");
	question_add_whose(q, out);
	buf_adds(out, question_is_counted(q) ? " AND (samples != 0 OR metric IN ("
					     : " AND metric IN (");
	question_add_metrics(q, out);
	buf_adds(out, question_is_counted(q) ? "))" : ")");
	question_add_range(from, to, out);
	question_add_profiles(q, LIES_SOMEHOW, out);
}

static const char *
value_of_samples(const struct question *q)
{
	return question_is_counted(q) ? "if(samples != 0, samples, value)" : "value";
}

/* Writes the columns value Int64, [calls Int64, its number of rows UInt64,] samples UInt64, from
 * rows of samples or of sums. */
static void
question_add_values(const struct question *q, bool of_samples, struct buf *out)
{
	const char *value = of_samples ? value_of_samples(q) : "value";
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
	question_add_overlap(q, out);
}

void
question_profiles(const struct question *q, struct buf *out)
{
	struct buf each = BUF_INIT;

	buf_adds(&each, "metric, count() AS here, countIf(NOT (1");
	if (q->from != INT64_MIN)
		buf_addf(&each, " AND " BEGIN " >= %" PRId64, q->from);
	if (q->to != INT64_MAX)
		buf_addf(&each, " AND " END " < %" PRId64, q->to);
	buf_adds(&each, ")) AS partly, max(length(labels.key)) AS most, "
			"max(toInt64(duration_ns)) AS longest");
	buf_adds(out, "SELECT metric, sum(here) AS n, sum(partly), max(most), max(longest)");
	question_add_known_profiles(q,
				    &(struct question_known){buf_str(&each), "metric",
							     "metric, profiles, toUInt64(0), "
							     "length(labels.key), longest", ""},
				    out);
	buf_adds(out, "\nGROUP BY metric ORDER BY n DESC, metric");
	buf_release(&each);
}

void
question_metrics(const struct question *q, struct buf *out)
{
	static const struct question_known metrics = {
		"metrics.name AS name, any(metrics.unit) AS unit, "
		"max(metrics.decimals) AS decimals, max(metrics.labels) AS most", "metrics.name",
		"metrics.name, metrics.unit, metrics.decimals, metrics.labels",
		" ARRAY JOIN metrics"};

	buf_adds(out, "SELECT name, any(unit), max(decimals), max(most)");
	question_add_known_profiles(q, &metrics, out);
	buf_adds(out, "\nGROUP BY name ORDER BY name");
}

void
question_hours(const struct question *q, struct buf *out)
{
	struct buf is = BUF_INIT, each = BUF_INIT, period = BUF_INIT;

	/* a profile without any rows recorded this metric, too, and saw nothing */
	if (q->metric || q->explains) {
		buf_adds(&is, " * (empty(metrics.name) OR metric = ");
		question_add_metric(q, q->metric, &is);
		buf_adds(&is, " OR has(metrics.name, ");
		question_add_metric(q, q->metric, &is);
		buf_adds(&is, "))");
	}
	buf_adds(&each, "host, sum(greatest(0, ");
	if (q->to != INT64_MAX)
		buf_addf(&each, "least(%" PRId64 ", " END ")", q->to);
	else
		buf_adds(&each, END);
	if (q->from != INT64_MIN)
		buf_addf(&each, " - greatest(%" PRId64 ", " BEGIN ")", q->from);
	else
		buf_adds(&each, " - " BEGIN);
	buf_addf(&each, ")%s) AS ns", buf_str(&is));
	buf_addf(&period, "host, recorded%s AS ns", buf_str(&is));
	buf_adds(out, "SELECT host, sum(ns)");
	question_add_known_profiles(q,
				    &(struct question_known){buf_str(&each), "host",
							     buf_str(&period), ""},
				    out);
	buf_adds(out, "\nGROUP BY host ORDER BY host");
	buf_release_all(&is, &each, &period);
}

void
question_owned(const struct question *q, struct buf *out)
{
	static const struct question_known labels = {
		OWN_SET " AS own, any(labels.key) AS keys, any(labels.value) AS own_values", "own",
		OWN_SET ", labels.key, labels.value", ""};

	buf_adds(out, "SELECT own, any(keys), any(own_values)");
	question_add_known_profiles(q, &labels, out);
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
	if (q->cut || q->periods)
		question_add_sums(q, false, out);
	else
		question_add_stored_sums(q, false, out); /* a list of profiles would cost more */
	buf_addc(out, ')');
}

void
question_totals(const struct question *q, uint64_t most, struct buf *out)
{
	buf_adds(out, "SELECT ");
	question_add_keys(q, question_scans(q), out);
	buf_adds(out, "stack, ");
	question_add_values(q, question_scans(q), out);
	if (question_scans(q)) {
		buf_adds(out, ", min(" MOMENT "), max(" MOMENT ")");
		question_add_samples(q, q->from, q->to, out);
	} else {
		buf_adds(out, ", min(first), max(last)");
		question_add_sums(q, true, out);
	}
	buf_adds(out, "\nGROUP BY ");
	question_add_keys(q, question_scans(q), out);
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
	question_add_keys(q, true, out);
	add_step(q, step, out);
	buf_addf(out, " AS part, sum(%s)", value_of_samples(q));
	question_add_samples(&one, q->from, q->to, out);
	buf_adds(out, "\nGROUP BY ");
	question_add_keys(q, true, out);
	buf_adds(out, "part");
}

void
question_rows(const struct question *q, const int64_t *step, unsigned n, uint64_t part,
	      struct buf *out)
{
	buf_adds(out, "SELECT ");
	for (unsigned i = 0; i < n; i++) {
		buf_adds(out, i ? ",\n  uniq(" : "uniq(");
		question_add_keys(q, true, out);
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
	question_add_keys(q, true, out);
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
	question_add_keys(q, true, out);
	buf_adds(out, q->labels ? "step, stack, " LABELS : "step, stack");
	buf_adds(out, q->owned ? ", own_set" : "");
	buf_adds(out, "\nORDER BY step");
}
