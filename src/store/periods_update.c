/* Computes the sums of periods.  All hosts of a service store into it, and each asks afterwards; a
 * row with the span 0 says when one last began, so that the others skip it for an hour.  A second
 * one says that it came to its end.  Two at the same moment compute a period twice, under two ids;
 * a reader takes one.
 *
 * A period whose profiles have copies, in it or elsewhere, is not computed: a reader that uses
 * periods does not look for copies among their profiles.
 *
 * The profiles are counted before they are summed.  One that arrives in between is in the sums and
 * not in the count; then the period is not usable, and is computed again later. */
#include "src/store/periods_inside.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "model/base/mem.h"
#include "src/store/clickhouse.h"
#include "src/store/question_inside.h"
#include "src/store/schema.h"

#define GRACE 900 /* s after the end of a period: most recordings have arrived */
/* A period is worth its rows if a host has this many profiles in it. */
#define PROFILES_MIN 4u
#define CLAIM_S 3600
#define RECENT_S (3 * 86400) /* how far back a store looks, once all older ones were summed */
/* A server sends nothing until an insert ends; but one that is gone must not stop a recorder. */
#define SILENCE_S 300
#define FAILURES_MAX 3u /* a period that is too large for the server must not stop the others */

struct period_maker {
	struct store_url url; /* a shallow copy with the service, patient */
	struct question q;
	struct periods_state state;
	int64_t now; /* s */
	unsigned failures;
};

static bool
period_do(const struct period_maker *m, struct buf *sql, struct err *e)
{
	bool good = clickhouse_do(&m->url, buf_str(sql), e);

	buf_release(sql);
	return good;
}

/* ---- the periods of a day ---- */

/* The day, or some of its hours: one query computes them all, since each reads every profile of the
 * month.  The n-th span of the day gets the id base + n. */
struct period_batch {
	int64_t day;   /* s */
	uint32_t span;
	uint64_t base;
	unsigned n;
	struct period at[PERIOD_DAY / PERIOD_HOUR];
};

/* Appends INSERT and a row for the table of periods. */
static void
add_period_row(const struct period_maker *m, const struct period *p, struct buf *sql)
{
	buf_adds(sql, "INSERT INTO ");
	schema_name(sql, &m->url, SCHEMA_PERIODS);
	buf_adds(sql, " (service, span, start, period, profiles, hash, rows, last, made) SELECT ");
	clickhouse_quote(sql, m->url.service, strlen(m->url.service));
	buf_addf(sql, ", toUInt32(%" PRIu32 "), toDateTime(%" PRId64 "), toUInt64(%" PRIu64
		      "), toUInt64(%" PRIu64 "), toUInt64(%" PRIu64 "), toUInt64(%" PRIu64
		      "), toInt64(%" PRId64 "), now()",
		 p->span, p->start, p->id, p->profiles, p->hash, p->rows, p->last);
}

/* Appends FROM and WHERE for the rows of a table that start in the periods. */
static void
add_batch_from(const struct period_maker *m, const struct period_batch *of, enum schema_table t,
	       struct buf *sql)
{
	const struct period *last = &of->at[of->n - 1];

	buf_adds(sql, "\nFROM ");
	schema_name(sql, &m->url, t);
	buf_adds(sql, "\nWHERE service = ");
	clickhouse_quote(sql, m->url.service, strlen(m->url.service));
	question_add_starts(of->at[0].start, last->start + last->span, sql);
	buf_addf(sql, " AND intDiv(toUInt32(start), %" PRIu32 ") IN (", of->span);
	for (unsigned i = 0; i < of->n; i++)
		buf_addf(sql, "%s%" PRId64, i ? ", " : "", of->at[i].start / of->span);
	buf_addc(sql, ')');
}

/* The sums and the profiles of periods: the rest of the query for their rows, and how to make
 * these. */
static const struct period_rows_of {
	enum schema_table into;
	const char *columns, *values, *group;
} period_rows_of[] = {
	{SCHEMA_PERIOD_SUMS, "metric, host, stack, value, events, first, last",
	 "metric, host, stack, sum(value), sum(events), min(first), max(last)",
	 "metric, host, stack"},
	{SCHEMA_PERIOD_PROFILES,
	 "host, metric, profiles, recorded, longest, samples, first, last, stored, "
	 "`metrics.name`, `metrics.unit`, `metrics.decimals`, `metrics.labels`, `labels.key`, "
	 "`labels.value`",
	 "host, metric, count(), sum(toInt64(duration_ns)), max(toInt64(duration_ns)), "
	 "sum(samples), min(" BEGIN "), max(" END "), max(stored), metrics.name, metrics.unit, "
	 "maxForEach(metrics.decimals), maxForEach(metrics.labels), labels.key, labels.value",
	 "host, metric, metrics.name, metrics.unit, labels.key, labels.value"},
};
#define PERIOD_TABLES (sizeof period_rows_of / sizeof *period_rows_of)

/* Appends FROM, WHERE and GROUP BY for one of these tables. */
static void
add_batch_rows(const struct period_maker *m, const struct period_batch *of,
	       const struct period_rows_of *r, struct buf *sql)
{
	bool sums = r->into == SCHEMA_PERIOD_SUMS;

	add_batch_from(m, of, sums ? SCHEMA_SUMS : SCHEMA_PROFILES, sql);
	if (sums) {
		buf_adds(sql, " AND profile GLOBAL IN (SELECT profile");
		add_batch_from(m, of, SCHEMA_PROFILES, sql);
		buf_addc(sql, ')');
	}
	buf_addf(sql, "\nGROUP BY %s, intDiv(toUInt32(start), %" PRIu32 ")", r->group, of->span);
}

/* Counts the rows at their source: those of a Distributed table arrive later. */
static bool
count_batch(const struct period_maker *m, struct period_batch *of, struct err *e)
{
	struct buf sql = BUF_INIT;
	struct rowbin a;

	buf_adds(&sql, "SELECT toUInt32(n), count() FROM (");
	for (size_t i = 0; i < PERIOD_TABLES; i++) {
		buf_addf(&sql, "%sSELECT intDiv(toUInt32(start), %" PRIu32 ") AS n",
			 i ? "\nUNION ALL\n" : "", of->span);
		add_batch_rows(m, of, &period_rows_of[i], &sql);
	}
	buf_adds(&sql, ")\nGROUP BY n");
	bool good = rowbin_open(&a, &m->url, buf_str(&sql), NULL, e);
	buf_release(&sql);
	if (!good)
		return false;
	while (rowbin_next(&a)) {
		int64_t start = (int64_t)rowbin_whole(&a, 4) * of->span;
		uint64_t rows = rowbin_whole(&a, 8);
		for (unsigned i = 0; i < of->n; i++)
			if (of->at[i].start == start)
				of->at[i].rows = rows;
	}
	return rowbin_close(&a, e);
}

static bool
send_batch(const struct period_maker *m, const struct period_batch *of,
	   const struct period_rows_of *r, struct err *e)
{
	struct buf sql = BUF_INIT;

	buf_adds(&sql, "INSERT INTO ");
	schema_name(&sql, &m->url, r->into);
	buf_addf(&sql, " (service, start, span, period, %s)\nSELECT ", r->columns);
	clickhouse_quote(&sql, m->url.service, strlen(m->url.service));
	buf_addf(&sql, ", toDateTime(intDiv(toUInt32(start), %" PRIu32 ") * %" PRIu32
		       "), toUInt32(%" PRIu32 "), toUInt64(%" PRIu64
		       ") + toUInt64(intDiv(toUInt32(start), %" PRIu32 ") - %" PRId64 "), %s",
		 of->span, of->span, of->span, of->base, of->span, of->day / of->span, r->values);
	add_batch_rows(m, of, r, &sql);
	return period_do(m, &sql, e);
}

static bool
make_batch(const struct period_maker *m, struct period_batch *of, struct err *e)
{
	if (getentropy(&of->base, sizeof of->base))
		return err_refuse(e, "the system has no random numbers");
	of->base &= UINT64_MAX >> 1;
	for (unsigned i = 0; i < of->n; i++)
		of->at[i].id = of->base + (uint64_t)(of->at[i].start - of->day) / of->span;
	if (!count_batch(m, of, e))
		return false;
	for (size_t i = 0; i < PERIOD_TABLES; i++)
		if (!send_batch(m, of, &period_rows_of[i], e))
			return false;
	for (unsigned i = 0; i < of->n; i++) {
		struct buf sql = BUF_INIT;
		add_period_row(m, &of->at[i], &sql);
		if (!period_do(m, &sql, e))
			return false;
	}
	return true;
}

/* ---- all of them ---- */

/* Adds the period if it is over, has enough profiles, and no usable sums. */
static void
batch_add(const struct period_maker *m, struct period_batch *of, int64_t start)
{
	struct period_hour in = periods_state_in(&m->state, start, of->span);

	if (start + of->span + GRACE > m->now || !in.profiles ||
	    in.profiles < PROFILES_MIN * in.hosts ||
	    periods_state_find(&m->state, start, of->span))
		return;
	of->at[of->n++] = (struct period){.start = start,
					  .span = of->span,
					  .profiles = in.profiles,
					  .hash = in.hash,
					  .last = in.last};
}

/* Makes periods and counts them.  If all at once are too many for the server, it makes one after
 * the other.  Returns false with the first refusal in *e if there were FAILURES_MAX of them. */
static bool
try_batch(struct period_maker *m, struct period_batch *of, uint64_t *made, struct err *e)
{
	struct err one;

	if (!of->n)
		return true;
	err_init(&one);
	if (make_batch(m, of, &one)) {
		*made += of->n;
		return true;
	}
	for (unsigned i = 0; of->n > 1 && i < of->n; i++) {
		struct period_batch single = {of->day, of->span, .n = 1, .at = {of->at[i]}};
		if (!try_batch(m, &single, made, e))
			return false;
	}
	if (of->n == 1 && !m->failures++)
		*e = one;
	return m->failures < FAILURES_MAX;
}

/* Makes what is wanted of a day and its hours, unless profiles of the day have copies. */
static bool
make_day(struct period_maker *m, int64_t day, struct periods_made *made, struct err *e)
{
	struct period_batch whole = {.day = day, .span = PERIOD_DAY};
	struct period_batch hours = {.day = day, .span = PERIOD_HOUR};
	struct buf sql = BUF_INIT;
	uint64_t twice = 0;

	batch_add(m, &whole, day);
	for (int64_t at = day; at < day + PERIOD_DAY; at += PERIOD_HOUR)
		batch_add(m, &hours, at);
	if (!whole.n && !hours.n)
		return true;
	question_period_twice(&m->q, day, day + PERIOD_DAY, &sql);
	bool good = clickhouse_number(&m->url, buf_str(&sql), 1, NULL, &twice, e);
	buf_release(&sql);
	if (!good || twice)
		return good;
	return try_batch(m, &whole, &made->days, e) && try_batch(m, &hours, &made->hours, e);
}

static bool
make_days(struct period_maker *m, struct periods_made *made, struct err *e)
{
	int64_t before = -1;
	bool good = true;

	for (size_t i = 0; good && i < m->state.hours.n; i++) {
		int64_t day = m->state.hours.at[i].hour * PERIOD_HOUR / PERIOD_DAY * PERIOD_DAY;
		if (day != before)
			good = make_day(m, day, made, e);
		before = day;
	}
	return good;
}

/* Leaves a row that says that the process has begun, or come to its end. */
static bool
mark_periods(const struct period_maker *m, bool ended, struct err *e)
{
	const struct period mark = {.start = m->now, .profiles = ended};
	struct buf sql = BUF_INIT;

	add_period_row(m, &mark, &sql);
	return period_do(m, &sql, e);
}

/* Sets *due if no process has begun to compute the periods of the service within an hour, and
 * leaves a row that says so.  If one came to its end before, only recent profiles are read: a table
 * of many months would cost too much each hour. */
static bool
claim_periods(struct period_maker *m, bool *due, struct err *e)
{
	struct buf sql = BUF_INIT;
	uint64_t state = 0; /* 0: none came to its end, 1: one did, 2: one began within the hour */

	buf_addf(&sql, "SELECT toUInt8(if(count() = 0, 0, if(max(made) > now() - %d, 2, "
		       "max(profiles)))) FROM ", CLAIM_S);
	schema_name(&sql, &m->url, SCHEMA_PERIODS);
	buf_adds(&sql, " WHERE service = ");
	clickhouse_quote(&sql, m->url.service, strlen(m->url.service));
	buf_adds(&sql, " AND span = 0");
	bool good = clickhouse_number(&m->url, buf_str(&sql), 1, NULL, &state, e);
	buf_release(&sql);
	*due = state < 2;
	if (!good || !*due)
		return good;
	if (state)
		m->q.from = (m->now - RECENT_S) / PERIOD_DAY * PERIOD_DAY * 1000000000;
	return mark_periods(m, false, e);
}

bool
periods_update(const struct store_url *url, const char *service, bool always,
	       struct periods_made *made, struct err *e)
{
	struct period_maker m = {.url = *url, .now = (int64_t)time(NULL)};
	char *name = mem_dup(service, strlen(service));
	bool due = true;

	m.url.service = name;
	m.url.silence_s = SILENCE_S;
	question_init(&m.q, &m.url, 0);
	m.q.from = INT64_MIN;
	m.q.to = INT64_MAX;
	bool good = always || claim_periods(&m, &due, e);
	if (good && due) {
		good = periods_state_read(&m.state, &m.q, e) && make_days(&m, made, e) &&
		       mark_periods(&m, true, e) && !m.failures;
		periods_state_release(&m.state);
	}
	free(name);
	return good;
}

bool
periods_update_all(const struct store_url *url, struct periods_made *made, struct err *e)
{
	struct buf sql = BUF_INIT, text = BUF_INIT;
	VEC(char *) service = VEC_INIT;
	struct rowbin a;

	if (url->service)
		return periods_update(url, url->service, true, made, e);
	buf_adds(&sql, "SELECT DISTINCT service FROM ");
	schema_name(&sql, url, SCHEMA_PROFILES);
	buf_adds(&sql, " ORDER BY service");
	bool good = rowbin_open(&a, url, buf_str(&sql), NULL, e);
	while (good && rowbin_next(&a)) {
		rowbin_text(&a, &text);
		*vec_push(&service) = mem_dup(buf_str(&text), text.len);
	}
	good = good && rowbin_close(&a, e);
	for (size_t i = 0; i < service.n; i++) {
		good = good && periods_update(url, service.at[i], true, made, e);
		free(service.at[i]);
	}
	vec_release(&service);
	buf_release_all(&sql, &text);
	return good;
}
