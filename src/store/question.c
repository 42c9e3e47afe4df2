/* The questions.  Sums are the server's work: each is one pass over what service, metric and
 * time leave, which is how samples lie.  GLOBAL IN has the server that was asked work out the
 * list once, for all that a Distributed table stands for.
 *
 * Times are compared in seconds for the index, and in nanoseconds where an end is none. */
#include "src/store/question.h"

#include <inttypes.h>
#include <string.h>

#include "src/store/clickhouse.h"
#include "src/store/schema.h"

#define SECOND INT64_C(1000000000)
#define SECONDS_MAX INT64_C(4294967295)
#define MOMENT "(toInt64(toUInt32(time)) * 1000000000 + time_ns)"
#define BEGIN "(toInt64(toUInt32(start)) * 1000000000 + start_ns)"

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

/* ---- parts ---- */

static void
add_text(struct buf *out, const char *text)
{
	clickhouse_quote(out, text, strlen(text));
}

/* The columns of a track's key, with a comma behind each. */
static void
add_keys(const struct question *q, struct buf *out)
{
	switch (q->tracks) {
	case STORE_BY_HOST:
		buf_adds(out, "host, ");
		return;
	case STORE_BY_THREAD:
		buf_adds(out, "host, process, track, ");
		return;
	case STORE_BY_LABEL:
		buf_adds(out, "labels.value[indexOf(labels.key, ");
		add_text(out, q->url->label);
		buf_adds(out, ")], ");
		return;
	case STORE_BY_NOTHING:
		return;
	}
}

/* Service and host, which profiles and samples have. */
static void
add_whose(const struct question *q, struct buf *out)
{
	const struct store_url *url = q->url;

	buf_adds(out, "1");
	if (url->service) {
		buf_adds(out, " AND service = ");
		add_text(out, url->service);
	}
	if (url->host && *url->host == '~') {
		buf_adds(out, " AND match(host, ");
		add_text(out, url->host + 1);
		buf_addc(out, ')');
	} else if (url->host) {
		buf_adds(out, " AND host = ");
		add_text(out, url->host);
	}
}

/* Of profiles: whose, and some of it lies in the range. */
static void
add_visible(const struct question *q, struct buf *out)
{
	struct buf condition = BUF_INIT;

	add_whose(q, &condition);
	if (q->to != INT64_MAX)
		buf_addf(&condition, " AND " BEGIN " < %" PRId64, q->to);
	if (q->from != INT64_MIN)
		buf_addf(&condition, " AND " BEGIN " + toInt64(duration_ns) >= %" PRId64, q->from);
	schema_visible(out, q->url, buf_str(&condition));
	buf_release(&condition);
}

static int64_t
seconds(int64_t ns)
{
	int64_t s = ns / SECOND - (ns % SECOND < 0);

	return s < 0 ? 0 : s > SECONDS_MAX ? SECONDS_MAX : s;
}

/* Samples in [from, to). */
static void
add_range(int64_t from, int64_t to, struct buf *out)
{
	if (from != INT64_MIN)
		buf_addf(out, " AND time >= toDateTime(%" PRId64 ")", seconds(from));
	if (from != INT64_MIN && from % SECOND)
		buf_addf(out, " AND " MOMENT " >= %" PRId64, from);
	if (to == INT64_MAX)
		return;
	buf_addf(out, " AND time %s toDateTime(%" PRId64 ")", to % SECOND ? "<=" : "<",
		 seconds(to));
	if (to % SECOND)
		buf_addf(out, " AND " MOMENT " < %" PRId64, to);
}

static void
add_metric(const struct question *q, const char *name, struct buf *out)
{
	if (name)
		add_text(out, name);
	else
		buf_adds(out, q->explains ? "{metric}" : "''");
}

/* FROM samples WHERE, of profiles that are there as a whole. */
static void
add_samples(const struct question *q, bool of_metric, int64_t from, int64_t to, struct buf *out)
{
	buf_adds(out, "\nFROM ");
	schema_name(out, q->url, SCHEMA_SAMPLES);
	buf_adds(out, "\nWHERE ");
	add_whose(q, out);
	if (of_metric) {
		buf_adds(out, " AND metric IN (");
		add_metric(q, q->metric, out);
		if (q->calls) {
			buf_adds(out, ", ");
			add_text(out, q->calls);
		}
		buf_addc(out, ')');
	}
	add_range(from, to, out);
	buf_adds(out, "\n  AND profile GLOBAL IN (");
	add_visible(q, out);
	buf_addc(out, ')');
}

static void
add_sums(const struct question *q, struct buf *out)
{
	if (!q->calls) {
		buf_adds(out, "sum(value), count()");
		return;
	}
	buf_adds(out, "sumIf(value, metric = ");
	add_metric(q, q->metric, out);
	buf_adds(out, "), sumIf(value, metric = ");
	add_text(out, q->calls);
	buf_adds(out, "), countIf(metric = ");
	add_metric(q, q->metric, out);
	buf_addc(out, ')');
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
question_profiles(const struct question *q, struct buf *out)
{
	buf_adds(out, "SELECT metric, count() AS n\nFROM ");
	schema_name(out, q->url, SCHEMA_PROFILES);
	buf_adds(out, "\nWHERE profile GLOBAL IN (");
	add_visible(q, out);
	buf_adds(out, ")\nGROUP BY metric ORDER BY n DESC, metric");
}

void
question_metrics(const struct question *q, struct buf *out)
{
	buf_adds(out, "SELECT metric, any(unit), max(decimals), count(), min(" MOMENT
		      "), max(" MOMENT "),\n  max(length(labels.key)), uniq(stack)");
	add_samples(q, false, q->from, q->to, out);
	buf_adds(out, "\nGROUP BY metric ORDER BY metric");
}

void
question_tracks(const struct question *q, uint64_t most, struct buf *out)
{
	struct buf keys = BUF_INIT;

	add_keys(q, &keys);
	buf_addf(out, "SELECT %scount()", buf_str(&keys));
	add_samples(q, true, q->from, q->to, out);
	int n = (int)keys.len - 2; /* but the last comma */
	if (n > 0)
		buf_addf(out, "\nGROUP BY %.*s ORDER BY %.*s LIMIT %" PRIu64, n, keys.at, n,
			 keys.at, most);
	buf_release(&keys);
}

void
question_pairs(const struct question *q, struct buf *out)
{
	buf_adds(out, "SELECT uniq(");
	add_keys(q, out);
	buf_adds(out, "stack)");
	add_samples(q, true, q->from, q->to, out);
}

void
question_stacks(const struct question *q, struct buf *out)
{
	buf_adds(out, "SELECT stack, functions, files, modules, lines, kinds, defined, clauses, "
		      "address\nFROM ");
	schema_name(out, q->url, SCHEMA_STACKS);
	buf_adds(out, "\nWHERE ");
	if (q->url->service) {
		buf_adds(out, "service = ");
		add_text(out, q->url->service);
		buf_adds(out, " AND ");
	}
	buf_adds(out, "stack GLOBAL IN (SELECT DISTINCT stack");
	add_samples(q, true, q->from, q->to, out);
	buf_addc(out, ')');
}

void
question_totals(const struct question *q, struct buf *out)
{
	buf_adds(out, "SELECT ");
	add_keys(q, out);
	buf_adds(out, "stack, ");
	add_sums(q, out);
	add_samples(q, true, q->from, q->to, out);
	buf_adds(out, "\nGROUP BY ");
	add_keys(q, out);
	buf_adds(out, "stack");
}

void
question_rows(const struct question *q, const int64_t *step, unsigned n, uint64_t part,
	      struct buf *out)
{
	buf_adds(out, "SELECT ");
	for (unsigned i = 0; i < n; i++) {
		buf_adds(out, i ? ",\n  uniq(" : "uniq(");
		add_keys(q, out);
		add_step(q, step[i], out);
		buf_adds(out, q->labels ? ", stack, cityHash64(labels.key, labels.value))"
					: ", stack)");
	}
	add_samples(q, true, q->from, q->to, out);
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
	add_keys(q, out);
	add_step(q, q->step, out);
	buf_adds(out, " AS step, stack, ");
	add_sums(q, out);
	buf_adds(out, q->labels ? ", " LABELS : "");
	add_samples(q, true, begin, end, out);
	buf_adds(out, "\nGROUP BY ");
	add_keys(q, out);
	buf_adds(out, q->labels ? "step, stack, " LABELS : "step, stack");
	buf_adds(out, "\nORDER BY step");
}
