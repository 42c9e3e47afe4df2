/* Queries over periods (periods.h): which ones are usable, and what is known of their profiles.
 *
 * The table of profiles has a row for each profile; with one a minute it is the largest thing that
 * a query for a month reads.  So one pass over three of its columns decides which periods are
 * usable, and everything else about their profiles comes from a table with a row for each period,
 * host and set of labels. */
#include "src/store/question_inside.h"

#include <inttypes.h>

#include "src/store/periods.h"
#include "src/store/schema.h"
#include "src/store/wallclock.h"

/* The first half of the hash of a profile's content: half of the bytes to read and to compare.  Two
 * profiles that share it count as copies, so that their periods are not used. */
#define CONTENT "reinterpretAsUInt64(content)"
#define HOUR "toUInt32(intDiv(toUInt32(start), 3600))"

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
question_begin(const struct question *q, struct buf *out)
{
	int64_t from = wallclock_seconds(q->from);

	buf_addf(out, "SELECT if(count() = 0, toUInt32(%" PRId64 "), min(toUInt32(start)))\nFROM ",
		 from);
	schema_name(out, q->url, SCHEMA_PROFILES);
	buf_addf(out, "\nWHERE start <= toDateTime(%" PRId64 ") AND toUInt32(start) + "
		      "intDiv(duration_ns, 1000000000) + 2 >= %" PRId64, from, from);
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

#define HASH "sum(" CONTENT " * (toUInt64(toUInt32(start)) * 2 + 1))"

void
question_period_profiles(const struct question *q, struct buf *out)
{
	buf_adds(out, "SELECT if(" CONTENT " GLOBAL IN (SELECT " CONTENT);
	add_period_from(q, SCHEMA_PROFILES, out);
	question_add_within(q, out);
	question_add_beside_periods(q, out);
	buf_adds(out, "), toUInt32(0), " HOUR ") AS hour, count(), " HASH
		      ", uniqExactIf(" CONTENT ", hour = 0)");
	add_period_from(q, SCHEMA_PROFILES, out);
	question_add_within(q, out);
	buf_adds(out, "\nGROUP BY hour ORDER BY hour");
}

void
question_period_hours(const struct question *q, int64_t from, struct buf *out)
{
	buf_adds(out, "SELECT " HOUR " AS hour, count(), " HASH ", max(" END "), uniqExact(host)");
	add_period_from(q, SCHEMA_PROFILES, out);
	buf_addf(out, " AND start >= toDateTime(%" PRId64 ")\nGROUP BY hour ORDER BY hour", from);
}

void
question_period_twice(const struct question *q, int64_t from, int64_t to, struct buf *out)
{
	buf_adds(out, "SELECT uniqExact(" CONTENT ") < count()");
	add_period_from(q, SCHEMA_PROFILES, out);
	buf_adds(out, " AND " CONTENT " GLOBAL IN (SELECT " CONTENT);
	add_period_from(q, SCHEMA_PROFILES, out);
	question_add_starts(from, to, out);
	buf_addc(out, ')');
}

void
question_period_rows(const struct question *q, int64_t from, int64_t to, struct buf *out)
{
	static const enum schema_table table[] = {SCHEMA_PERIOD_SUMS, SCHEMA_PERIOD_PROFILES};

	buf_adds(out, "SELECT period, sum(n)\nFROM (");
	for (unsigned i = 0; i < 2; i++) {
		buf_adds(out, i ? "\nUNION ALL\nSELECT period, count() AS n"
				: "SELECT period, count() AS n");
		add_period_from(q, table[i], out);
		add_period_range(q, from, to, out);
		buf_adds(out, "\nGROUP BY period");
	}
	buf_adds(out, ")\nGROUP BY period");
}

void
question_add_in_periods(const struct question *q, enum schema_table t, const char *array,
			struct buf *out)
{
	const struct period *p = q->periods->at.at, *last = p + q->periods->at.n - 1;

	buf_adds(out, "\nFROM ");
	schema_name(out, q->url, t);
	buf_addf(out, "%s\nWHERE ", array);
	question_add_whose(q, out);
	question_add_starts(p->start, last->start + last->span, out);
	buf_adds(out, " AND period IN (");
	for (; p <= last; p++)
		buf_addf(out, "%" PRIu64 "%s", p->id, p < last ? ", " : ")");
}

void
question_add_known_profiles(const struct question *q, const struct question_known *k,
			    struct buf *out)
{
	buf_addf(out, "\nFROM (SELECT %s", k->each);
	question_add_from_profiles(q, k->array, out);
	if (q->periods)
		question_add_beside_periods(q, out);
	buf_addf(out, "\nGROUP BY %s", k->group);
	if (q->periods) {
		buf_addf(out, "\nUNION ALL\nSELECT %s", k->period);
		question_add_in_periods(q, SCHEMA_PERIOD_PROFILES, k->array, out);
	}
	buf_addc(out, ')');
}
