/* Queries over sums: those of periods (periods.h), those of profiles that lie completely in the
 * range, and samples of profiles that the ends of the range cut.  A profile is in one of the three
 * parts.  Sums have the start of their profile, so the profiles of periods need no list. */
#include "src/store/question_inside.h"

#include <inttypes.h>

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
	buf_addf(out, "\nUNION ALL\nSELECT metric, %sstack, value, events, first, last", keys);
	question_add_in_periods(q, SCHEMA_PERIOD_SUMS, "", out);
	buf_adds(out, " AND metric IN (");
	question_add_metrics(q, out);
	buf_addc(out, ')');
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
