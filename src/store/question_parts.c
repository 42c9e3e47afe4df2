/* Conditions and columns that several queries have: which profiles, hosts, times and metrics.
 *
 * Times are compared in seconds for the index, and in nanoseconds where an end is not a whole
 * second. */
#include "src/store/question_inside.h"

#include <inttypes.h>
#include <string.h>

#include "src/store/clickhouse.h"
#include "src/store/periods.h"
#include "src/store/schema.h"

#define SECOND INT64_C(1000000000)

void
question_add_text(struct buf *out, const char *text)
{
	clickhouse_quote(out, text, strlen(text));
}

bool
question_scans(const struct question *q)
{
	return q->log || q->tracks == STORE_BY_THREAD ||
	       (q->tracks == STORE_BY_LABEL && (q->labelled || q->explains));
}

void
question_add_keys(const struct question *q, bool of_samples, struct buf *out)
{
	switch (q->tracks) {
	case STORE_BY_HOST:
		buf_adds(out, "host, ");
		return;
	case STORE_BY_THREAD:
		buf_adds(out, "host, process, track, ");
		return;
	case STORE_BY_LABEL:
		if (!of_samples || !question_scans(q)) {
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

void
question_add_whose(const struct question *q, struct buf *out)
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

void
question_add_within(const struct question *q, struct buf *out)
{
	int64_t begin = q->begin;

	if (q->longest >= 0 && q->from > INT64_MIN + q->longest &&
	    wallclock_seconds(q->from - q->longest) > begin)
		begin = wallclock_seconds(q->from - q->longest);
	if (q->from != INT64_MIN && q->explains)
		buf_adds(out, " AND start >= toDateTime({begin})");
	else if (q->from != INT64_MIN)
		buf_addf(out, " AND start >= toDateTime(%" PRId64 ")", begin);
	if (q->to != INT64_MAX)
		buf_addf(out, " AND start <= toDateTime(%" PRId64 ")", wallclock_seconds(q->to));
}

void
question_add_overlap(const struct question *q, struct buf *out)
{
	question_add_whose(q, out);
	question_add_within(q, out);
	question_add_labels(q, out);
	if (q->to != INT64_MAX)
		buf_addf(out, " AND " BEGIN " < %" PRId64, q->to);
	if (q->from != INT64_MIN)
		buf_addf(out, " AND " END " >= %" PRId64, q->from);
}

void
question_add_starts(int64_t from, int64_t to, struct buf *out)
{
	buf_addf(out, " AND start >= toDateTime(%" PRId64 ") AND start < toDateTime(%" PRId64 ")",
		 from, to);
}

void
question_add_beside_periods(const struct question *q, struct buf *out)
{
	size_t n = q->periods ? q->periods->at.n : 0;

	for (size_t i = 0, end; i < n; i = end) {
		const struct period *p = q->periods->at.at;
		for (end = i + 1; end < n && p[end].start == p[end - 1].start + p[end - 1].span;
		     end++)
			;
		buf_adds(out, " AND NOT (1");
		question_add_starts(p[i].start, p[end - 1].start + p[end - 1].span, out);
		buf_addc(out, ')');
	}
}

/* Selects the ids of the profiles of the service, hosts and labels that overlap the range; of those
 * inside, only profiles without a period. */
static void
question_add_visible(const struct question *q, enum lies lies, struct buf *out)
{
	struct buf condition = BUF_INIT;

	question_add_overlap(q, &condition);
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
	if (lies == LIES_WHOLE)
		question_add_beside_periods(q, out);
	buf_release(&condition);
}

void
question_add_range(int64_t from, int64_t to, struct buf *out)
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

void
question_add_metric(const struct question *q, const char *name, struct buf *out)
{
	if (name)
		question_add_text(out, name);
	else
		buf_adds(out, q->explains ? "{metric}" : "''");
}

bool
question_is_counted(const struct question *q)
{
	return q->metric && !strcmp(q->metric, SCHEMA_COUNTED);
}

void
question_add_metrics(const struct question *q, struct buf *out)
{
	question_add_metric(q, q->metric, out);
	if (q->calls) {
		buf_adds(out, ", ");
		question_add_text(out, q->calls);
	}
}

void
question_add_from_profiles(const struct question *q, const char *join, struct buf *out)
{
	buf_adds(out, "\nFROM ");
	schema_name(out, q->url, SCHEMA_PROFILES);
	buf_addf(out, "%s\nWHERE ", join);
	/* after ARRAY JOIN, conditions on labels would see one label alone */
	if (q->unique && !(q->url->where.n && strstr(join, " labels"))) {
		question_add_overlap(q, out);
		return;
	}
	buf_adds(out, "profile GLOBAL IN (");
	question_add_visible(q, LIES_SOMEHOW, out);
	buf_addc(out, ')');
}

/* Joins what profiles were stored with: the label of the tracks, and for samples the hash of all
 * labels. */
void
question_add_join(const struct question *q, bool of_samples, struct buf *out)
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
	question_add_from_profiles(q, "", out);
	buf_adds(out, ") USING profile");
}

void
question_add_profiles(const struct question *q, enum lies lies, struct buf *out)
{
	buf_adds(out, "\n  AND profile GLOBAL IN (");
	question_add_visible(q, lies, out);
	buf_addc(out, ')');
}
