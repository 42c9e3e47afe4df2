/* Queries over sums: those of periods (periods.h), those of profiles that lie completely in the
 * range, and samples of profiles that the ends of the range cut.  A profile is in one of the three
 * parts.  Sums have the start of their profile, so the profiles of periods need no list. */
#include "src/store/question_inside.h"

#include <inttypes.h>

#include "src/store/clickhouse.h"
#include "src/store/periods.h"
#include "src/store/schema.h"
#include "src/store/wallclock.h"

void
question_add_stored_sums(const struct question *q, bool tracks, struct buf *out)
{
	buf_adds(out, "\nFROM ");
	schema_name(out, q->url, SCHEMA_SUMS);
	if (tracks)
		question_add_join(q, false, out);
	buf_adds(out, "\nWHERE ");
	question_add_whose(q, out);
	buf_adds(out, " AND metric IN (");
	question_add_metrics(q, out);
	buf_addc(out, ')');
	if (q->from != INT64_MIN)
		buf_addf(out, " AND start >= toDateTime(%" PRId64 ")", wallclock_seconds(q->from));
	if (q->to != INT64_MAX)
		buf_addf(out, " AND start <= toDateTime(%" PRId64 ")", wallclock_seconds(q->to));
}

static void
add_sums_of_whole(const struct question *q, bool tracks, struct buf *out)
{
	question_add_stored_sums(q, tracks, out);
	question_add_beside_periods(q, out);
	question_add_profiles(q, LIES_WHOLE, out);
}

/* Sums the samples of profiles that the range cuts; `counted`: the count beside their metric. */
static void
add_sums_of_cut(const struct question *q, bool tracks, bool counted, struct buf *out)
{
	struct buf keys = BUF_INIT;

	if (tracks)
		question_add_keys(q, false, &keys);
	buf_addf(out,
		 "\nUNION ALL\nSELECT %s AS metric, %sstack, sum(%s) AS value, count() AS events, "
		 "min(" MOMENT ") AS first, max(" MOMENT ") AS last\nFROM ",
		 counted ? "'" SCHEMA_COUNTED "'" : "metric", buf_str(&keys),
		 counted ? "samples" : "value");
	schema_name(out, q->url, SCHEMA_SAMPLES);
	if (tracks)
		question_add_join(q, false, out);
	buf_adds(out, "\nWHERE ");
	question_add_whose(q, out);
	if (counted) {
		buf_adds(out, " AND samples != 0");
	} else {
		buf_adds(out, question_is_counted(q) ? " AND samples = 0 AND metric IN ("
					    : " AND metric IN (");
		question_add_metrics(q, out);
		buf_addc(out, ')');
	}
	question_add_range(q->from, q->to, out);
	question_add_profiles(q, LIES_CUT, out);
	buf_addf(out, "\nGROUP BY %s%sstack", counted ? "" : "metric, ", buf_str(&keys));
	buf_release(&keys);
}

static void
add_sums_of_periods(const struct question *q, const char *keys, struct buf *out)
{
	const struct period *p = q->periods->at.at, *last = p + q->periods->at.n - 1;

	buf_addf(out, "\nUNION ALL\nSELECT metric, %sstack, value, events, first, last\nFROM ",
		 keys);
	schema_name(out, q->url, SCHEMA_PERIOD_SUMS);
	buf_adds(out, "\nWHERE ");
	question_add_whose(q, out);
	buf_adds(out, " AND metric IN (");
	question_add_metrics(q, out);
	buf_addc(out, ')');
	question_add_starts(p->start, last->start + last->span, out);
	buf_adds(out, " AND period IN (");
	for (; p <= last; p++)
		buf_addf(out, "%" PRIu64 "%s", p->id, p < last ? ", " : ")");
}

void
question_add_sums(const struct question *q, bool tracks, struct buf *out)
{
	struct buf keys = BUF_INIT;

	if (!q->cut && !q->periods) {
		add_sums_of_whole(q, tracks, out);
		return;
	}
	if (tracks)
		question_add_keys(q, false, &keys);
	buf_addf(out,
		 "\nFROM (SELECT metric, %sstack, sum(value) AS value, sum(events) AS events, "
		 "min(first) AS first, max(last) AS last", buf_str(&keys));
	add_sums_of_whole(q, tracks, out);
	buf_addf(out, "\nGROUP BY metric, %sstack", buf_str(&keys));
	if (q->cut)
		add_sums_of_cut(q, tracks, false, out);
	if (q->periods)
		add_sums_of_periods(q, buf_str(&keys), out);
	if (q->cut && question_is_counted(q))
		add_sums_of_cut(q, tracks, true, out);
	buf_addc(out, ')');
	buf_release(&keys);
}

/* ---- periods ---- */

/* Appends FROM and the condition on the service. */
static void
add_period_from(const struct question *q, enum schema_table t, struct buf *out)
{
	buf_adds(out, "\nFROM ");
	schema_name(out, q->url, t);
	buf_adds(out, "\nWHERE service = ");
	question_add_text(out, q->url->service ? q->url->service : "");
}

/* Appends the condition that a period or a profile begins in [from, to) s, which --explain does not
 * know. */
static void
add_period_range(const struct question *q, int64_t from, int64_t to, struct buf *out)
{
	if (q->explains)
		buf_adds(out, " AND start >= toDateTime({begin}) AND start < toDateTime({end})");
	else
		question_add_starts(from, to, out);
}

void
question_periods(const struct question *q, struct buf *out)
{
	buf_adds(out, "SELECT span, toUInt32(start), period, profiles, hash, rows, last");
	add_period_from(q, SCHEMA_PERIODS, out);
	buf_adds(out, " AND span != 0");
	if (q->from != INT64_MIN)
		buf_addf(out, " AND toInt64(toUInt32(start)) * 1000000000 >= %" PRId64, q->from);
	if (q->to != INT64_MAX)
		buf_addf(out, " AND last < %" PRId64, q->to);
	buf_adds(out, "\nORDER BY start, made");
}

void
question_period_profiles(const struct question *q, int64_t from, int64_t to, bool making,
			 struct buf *out)
{
	buf_adds(out, "SELECT toUInt32(intDiv(toUInt32(start), 3600)) AS hour, count(), "
		      "sum(cityHash64(profile))");
	if (making)
		buf_adds(out, ", max(" END "), uniqExact(host), count() - uniqExact(content)");
	add_period_from(q, SCHEMA_PROFILES, out);
	add_period_range(q, from, to, out);
	buf_adds(out, "\nGROUP BY hour ORDER BY hour");
}

void
question_period_rows(const struct question *q, int64_t from, int64_t to, struct buf *out)
{
	buf_adds(out, "SELECT period, count()");
	add_period_from(q, SCHEMA_PERIOD_SUMS, out);
	add_period_range(q, from, to, out);
	buf_adds(out, "\nGROUP BY period");
}
