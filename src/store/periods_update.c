/* Computes the sums of periods.  All hosts of a service store into it, and each asks afterwards; a
 * row with the span 0 says when one last began, so that the others skip it for an hour.  A second
 * one says that it came to its end.  Two at the same moment compute a period twice, under two ids;
 * a reader takes one.
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

/* ---- a period ---- */

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

/* Appends FROM, with the sums of the profiles of a period, and GROUP BY. */
static void
add_period_sums(const struct period_maker *m, const struct period *p, struct buf *sql)
{
	struct buf where = BUF_INIT;

	buf_adds(&where, "\nWHERE service = ");
	clickhouse_quote(&where, m->url.service, strlen(m->url.service));
	question_add_starts(p->start, p->start + p->span, &where);
	buf_adds(sql, "\nFROM ");
	schema_name(sql, &m->url, SCHEMA_SUMS);
	buf_addf(sql, "%s AND profile GLOBAL IN (SELECT profile FROM ", buf_str(&where));
	schema_name(sql, &m->url, SCHEMA_PROFILES);
	buf_addf(sql, "%s)\nGROUP BY metric, host, stack", buf_str(&where));
	buf_release(&where);
}

/* Counts the rows at their source: those of a Distributed table arrive later. */
static bool
count_period(const struct period_maker *m, struct period *p, struct err *e)
{
	struct buf sql = BUF_INIT;

	buf_adds(&sql, "SELECT count() FROM (SELECT stack");
	add_period_sums(m, p, &sql);
	buf_addc(&sql, ')');
	bool good = clickhouse_number(&m->url, buf_str(&sql), 8, NULL, &p->rows, e);
	buf_release(&sql);
	return good;
}

static bool
send_period(const struct period_maker *m, const struct period *p, struct err *e)
{
	struct buf sql = BUF_INIT;

	buf_adds(&sql, "INSERT INTO ");
	schema_name(&sql, &m->url, SCHEMA_PERIOD_SUMS);
	buf_adds(&sql, " (service, metric, start, span, host, stack, period, value, events, first, "
		       "last)\nSELECT ");
	clickhouse_quote(&sql, m->url.service, strlen(m->url.service));
	buf_addf(&sql, ", metric, toDateTime(%" PRId64 "), toUInt32(%" PRIu32
		       "), host, stack, toUInt64(%" PRIu64
		       "), sum(value), sum(events), min(first), max(last)",
		 p->start, p->span, p->id);
	add_period_sums(m, p, &sql);
	return period_do(m, &sql, e);
}

static bool
make_period(const struct period_maker *m, int64_t start, uint32_t span,
	    const struct period_hour *in, struct err *e)
{
	struct period p = {.start = start,
			   .span = span,
			   .profiles = in->profiles,
			   .hash = in->hash,
			   .last = in->last};
	struct buf sql = BUF_INIT;

	if (getentropy(&p.id, sizeof p.id))
		return err_refuse(e, "the system has no random numbers");
	if (!count_period(m, &p, e) || !send_period(m, &p, e))
		return false;
	add_period_row(m, &p, &sql);
	return period_do(m, &sql, e);
}

/* ---- all of them ---- */

/* Returns false with the first refusal in *e if there were FAILURES_MAX of them. */
static bool
make_span(struct period_maker *m, uint32_t span, uint64_t *made, struct err *e)
{
	for (size_t i = 0; i < m->state.hours.n; i++) {
		int64_t start = m->state.hours.at[i].hour * PERIOD_HOUR / span * span;
		int64_t before = i ? m->state.hours.at[i - 1].hour * PERIOD_HOUR : -1;
		if (before >= start)
			continue; /* its first hour came already */
		struct period_hour in = periods_state_in(&m->state, start, span);
		if (start + span + GRACE > m->now || in.twice ||
		    in.profiles < PROFILES_MIN * in.hosts ||
		    periods_state_find(&m->state, start, span))
			continue;
		struct err one;
		err_init(&one);
		if (make_period(m, start, span, &in, &one))
			++*made;
		else if (!m->failures++)
			*e = one;
		if (m->failures >= FAILURES_MAX)
			return false;
	}
	return true;
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
		good = periods_state_read(&m.state, &m.q, true, NULL, e) &&
		       make_span(&m, PERIOD_DAY, &made->days, e) &&
		       make_span(&m, PERIOD_HOUR, &made->hours, e) &&
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
