/* The layouts, by their numbers:
 *
 *	-  counts of samples are rows of their own; no metrics in the table of profiles, no sums
 *	-  as now, but without the table of versions, and profiles may have no sums
 *	2  without build ids of frames that are addresses, and without the table of symbols
 *	3  without the tables of periods
 *	4  without the table of the profiles of periods
 *	5  the present one
 *
 * The first layout is refused: SQL of 18.16 cannot find the metrics of its profiles.  For the
 * second, the sums are computed from the samples, with the same numbers as those of a new profile,
 * which come from the rows that it sends.
 *
 * The server inserts a long result block by block, so an interrupted migration, or two at once,
 * leave sums that are incomplete or doubled.  Each sum has the number of its samples, so the check
 * detects this and does not write the version.  Rejected: a second table that is renamed at the
 * end, which loses the sums of profiles stored meanwhile. */
#include "src/store/version.h"

#include <inttypes.h>
#include <string.h>

#include "src/store/clickhouse.h"
#include "src/store/schema.h"
#include "src/store/ttl.h"

#define LAYOUT 5u
#define LAYOUT_SUMS 2u /* from this one on, profiles have sums */

/* ---- questions ---- */

/* Appends a quoted table name as a value. */
static void
quote_table(struct buf *sql, const struct store_url *url, enum schema_table t)
{
	struct buf name = BUF_INIT;

	buf_addf(&name, "%s%s", url->tables, schema_short(t));
	clickhouse_quote(sql, buf_str(&name), name.len);
	buf_release(&name);
}

static bool
exists(const struct store_url *url, enum schema_table t, struct watch *w, bool *out, struct err *e)
{
	struct buf sql = BUF_INIT;
	uint64_t n = 0;

	buf_adds(&sql, "EXISTS TABLE ");
	schema_name(&sql, url, t);
	bool good = clickhouse_number(url, buf_str(&sql), 1, w, &n, e);
	*out = n > 0;
	buf_release(&sql);
	return good;
}

/* Sets 0 if there is no row. */
static bool
ask_version(const struct store_url *url, struct watch *w, uint64_t *out, struct err *e)
{
	struct buf sql = BUF_INIT;

	buf_adds(&sql, "SELECT toUInt32(max(version)) FROM ");
	schema_name(&sql, url, SCHEMA_VERSION);
	bool good = clickhouse_number(url, buf_str(&sql), 4, w, out, e);
	buf_release(&sql);
	return good;
}

static bool
refuse_newer(uint64_t version, struct err *e)
{
	return err_refuse(e, "the tables have version %" PRIu64 ", and this pnav knows version %u: "
			     "take a newer pnav", version, LAYOUT);
}

/* ---- migration ---- */

/* True if every column of the present layout exists. */
static bool
has_columns(const struct store_url *url, enum schema_table t, struct err *e)
{
	const struct schema_column *c = schema_columns(t);
	struct buf sql = BUF_INIT;
	uint64_t n = 0, wanted = 0;

	buf_adds(&sql, "SELECT uniqExact(splitByChar('.', name)[1]) FROM system.columns"
		       " WHERE database = currentDatabase() AND table = ");
	quote_table(&sql, url, t);
	buf_adds(&sql, " AND splitByChar('.', name)[1] IN (");
	for (; c[wanted].name; wanted++)
		buf_addf(&sql, "%s'%s'", wanted ? ", " : "", c[wanted].name);
	buf_addc(&sql, ')');
	bool good = clickhouse_number(url, buf_str(&sql), 8, NULL, &n, e);
	buf_release(&sql);
	if (good && n != wanted)
		return err_refuse(e, "an earlier pnav made the table %s%s, which lacks columns "
				     "that cannot be computed: store the files again, into another "
				     "database or under another prefix (tables=)",
				  url->tables, schema_short(t));
	return good;
}

/* Adds the column of build ids to stacks of layout 2, which lack it. */
static bool
add_builds(const struct store_url *url, struct err *e)
{
	struct buf sql = BUF_INIT;
	uint64_t n = 0;

	buf_adds(&sql, "SELECT count() FROM system.columns WHERE database = currentDatabase() AND "
		       "name = 'builds' AND table = ");
	quote_table(&sql, url, SCHEMA_STACKS);
	bool good = clickhouse_number(url, buf_str(&sql), 8, NULL, &n, e);
	if (good && !n) {
		buf_reset(&sql);
		buf_adds(&sql, "ALTER TABLE ");
		schema_name(&sql, url, SCHEMA_STACKS);
		buf_adds(&sql, " ADD COLUMN builds Array(String)");
		good = clickhouse_do(url, buf_str(&sql), e);
	}
	buf_release(&sql);
	return good;
}

/* Appends a subquery: sums per profile and stack of one metric, or of the count beside it. */
static void
add_sums(struct buf *sql, const struct store_url *url, bool counted)
{
	static const char moment[] = "toInt64(toUInt32(time)) * 1000000000 + toInt64(time_ns)";

	buf_addf(sql, "SELECT service, %s AS m, host, profile, stack, sum(%s) AS v, %s AS n, "
		      "min(%s) AS a, max(%s) AS z FROM ",
		 counted ? "'" SCHEMA_COUNTED "'" : "metric", counted ? "samples" : "value",
		 counted ? "countIf(samples != 0)" : "count()", moment, moment);
	schema_name(sql, url, SCHEMA_SAMPLES);
	buf_adds(sql, " WHERE profile GLOBAL IN (SELECT profile FROM ");
	schema_name(sql, url, SCHEMA_PROFILES);
	buf_adds(sql, ") AND profile GLOBAL NOT IN (SELECT profile FROM ");
	schema_name(sql, url, SCHEMA_SUMS);
	buf_addf(sql, ")%s GROUP BY service, metric, host, profile, stack%s",
		 counted ? " AND metric != '" SCHEMA_COUNTED "'" : "",
		 counted ? " HAVING n > 0" : "");
}

static bool
compute_sums(const struct store_url *url, struct err *e)
{
	struct store_url patient = *url; /* a query that sends nothing until it ends */
	struct buf sql = BUF_INIT;

	patient.silence_s = -1;
	buf_adds(&sql, "INSERT INTO ");
	schema_name(&sql, url, SCHEMA_SUMS);
	buf_adds(&sql, " (service, metric, host, profile, start, stack, value, events, "
		       "first, last)\nSELECT service, m, host, profile, began, stack, v, n, a, "
		       "z FROM (");
	add_sums(&sql, url, false);
	buf_adds(&sql, " UNION ALL ");
	add_sums(&sql, url, true);
	buf_adds(&sql, ") GLOBAL ANY INNER JOIN (SELECT profile, any(start) AS began FROM ");
	schema_name(&sql, url, SCHEMA_PROFILES);
	buf_adds(&sql, " GROUP BY profile) USING profile");
	bool good = clickhouse_do(&patient, buf_str(&sql), e);
	buf_release(&sql);
	return good;
}

/* Checks that each profile's sums cover all of its samples, and no more than it sent. */
static bool
check_sums(const struct store_url *url, struct err *e)
{
	struct store_url patient = *url;
	struct buf sql = BUF_INIT;
	uint64_t bad = 0;

	patient.silence_s = -1;
	buf_adds(&sql, "SELECT countIf(n < there OR n > sent) FROM (SELECT profile, "
		       "sum(there) AS there, sum(sent) AS sent, sum(n) AS n FROM ("
		       "SELECT profile, count() AS there, "
		       "toUInt64(0) AS sent, toUInt64(0) AS n FROM ");
	schema_name(&sql, url, SCHEMA_SAMPLES);
	buf_adds(&sql, " GROUP BY profile UNION ALL SELECT profile, toUInt64(0) AS there, "
		       "any(samples) AS sent, toUInt64(0) AS n FROM ");
	schema_name(&sql, url, SCHEMA_PROFILES);
	buf_adds(&sql, " GROUP BY profile UNION ALL SELECT profile, toUInt64(0) AS there, "
		       "toUInt64(0) AS sent, sum(events) AS n FROM ");
	schema_name(&sql, url, SCHEMA_SUMS);
	/* these rows already contain the counts beside other metrics */
	buf_adds(&sql, " WHERE (profile, metric) GLOBAL NOT IN (SELECT DISTINCT profile, '"
		       SCHEMA_COUNTED "' FROM ");
	schema_name(&sql, url, SCHEMA_SAMPLES);
	buf_adds(&sql, " WHERE samples != 0 AND metric != '" SCHEMA_COUNTED "') GROUP BY profile) "
		       "GROUP BY profile) WHERE profile GLOBAL IN (SELECT profile FROM ");
	schema_name(&sql, url, SCHEMA_PROFILES);
	buf_addc(&sql, ')');
	bool good = clickhouse_number(&patient, buf_str(&sql), 8, NULL, &bad, e);
	buf_release(&sql);
	if (good && bad)
		return err_refuse(e, "%" PRIu64 " profiles have sums that are not those of their "
				     "samples: DROP TABLE %s%s, %s%s and %s%s, and the next store "
				     "computes them again", bad,
				  url->tables, schema_short(SCHEMA_SUMS),
				  url->tables, schema_short(SCHEMA_PERIODS),
				  url->tables, schema_short(SCHEMA_VERSION));
	return good;
}

static bool
write_version(const struct store_url *url, struct err *e)
{
	struct buf sql = BUF_INIT;

	buf_adds(&sql, "INSERT INTO ");
	schema_name(&sql, url, SCHEMA_VERSION);
	buf_addf(&sql, " (version, pnav, stored) SELECT toUInt32(%u), '" PACKAGE_VERSION "', now()",
		 LAYOUT);
	bool good = clickhouse_do(url, buf_str(&sql), e);
	buf_release(&sql);
	return good;
}

/* A table of this server only would be wrong in place of one over all servers. */
static bool
is_distributed(const struct store_url *url, bool *out, struct err *e)
{
	struct buf sql = BUF_INIT;
	uint64_t n = 0;

	buf_adds(&sql, "SELECT count() FROM system.tables WHERE database = currentDatabase() AND "
		       "engine = 'Distributed' AND name = ");
	quote_table(&sql, url, SCHEMA_SAMPLES);
	bool good = clickhouse_number(url, buf_str(&sql), 8, NULL, &n, e);
	*out = n > 0;
	buf_release(&sql);
	return good;
}

/* Tables below a Distributed one have a part of each profile, so sums over them would be wrong. */
static bool
version_is_whole(const struct store_url *url, struct err *e)
{
	struct buf sql = BUF_INIT;
	uint64_t n = 0;

	buf_adds(&sql, "SELECT count() FROM system.tables WHERE engine = 'Distributed' AND "
		       "position(engine_full, currentDatabase()) > 0 AND position(engine_full, ");
	quote_table(&sql, url, SCHEMA_SAMPLES);
	buf_adds(&sql, ") > 0");
	bool good = clickhouse_number(url, buf_str(&sql), 8, NULL, &n, e);
	buf_release(&sql);
	if (good && n)
		return err_refuse(e, "%s%s has no version, and its tables are below Distributed "
				     "ones: store through these first, then copy their version; "
				     "see CLUSTERS in pnav-store(7)",
				  url->tables, schema_short(SCHEMA_VERSION));
	return good;
}

static bool
create(const struct store_url *url, enum schema_table t, struct err *e)
{
	struct buf sql = BUF_INIT;
	bool over = false;

	if (!is_distributed(url, &over, e))
		return false;
	if (over)
		return err_refuse(e, "there is no table %s%s over those of the servers, as of the "
				     "others: see CLUSTERS in pnav-store(7)",
				  url->tables, schema_short(t));
	schema_create(&sql, url, t);
	bool good = clickhouse_do(url, buf_str(&sql), e);
	buf_release(&sql);
	return good;
}

bool
version_prepare(const struct store_url *url, struct err *e)
{
	bool there[SCHEMA_TABLES], missing = false;
	uint64_t version = 0;

	for (enum schema_table t = 0; t < SCHEMA_TABLES; t++) {
		if (!exists(url, t, NULL, &there[t], e))
			return false;
		missing |= !there[t];
	}
	if (there[SCHEMA_VERSION] && !ask_version(url, NULL, &version, e))
		return false;
	if (version > LAYOUT)
		return refuse_newer(version, e);
	if (version < LAYOUT && there[SCHEMA_SAMPLES] && !version_is_whole(url, e))
		return false;
	if (version < LAYOUT && there[SCHEMA_STACKS] && !add_builds(url, e))
		return false;
	for (enum schema_table t = 0; version < LAYOUT && t < SCHEMA_VERSION; t++)
		if (there[t] && !has_columns(url, t, e))
			return false;
	for (enum schema_table t = 0; t < SCHEMA_TABLES; t++)
		if (!there[t] && !create(url, t, e))
			return false;
	if (there[SCHEMA_SAMPLES] && missing && !ttl_carry(url, there, e))
		return false;
	if (version == LAYOUT)
		return there[SCHEMA_SUMS] || (compute_sums(url, e) && check_sums(url, e));
	if (version >= LAYOUT_SUMS && there[SCHEMA_SUMS])
		return write_version(url, e);
	return compute_sums(url, e) && check_sums(url, e) && write_version(url, e);
}

bool
version_check(const struct store_url *url, struct watch *w, bool *any, struct err *e)
{
	bool numbered;
	uint64_t version = 0;

	if (!exists(url, SCHEMA_VERSION, w, &numbered, e) ||
	    !exists(url, SCHEMA_PROFILES, w, any, e))
		return false;
	if (numbered && !ask_version(url, w, &version, e))
		return false;
	if (version > LAYOUT)
		return refuse_newer(version, e);
	if (version == LAYOUT || !*any)
		return true;
	if (version)
		return err_refuse(e, "an earlier pnav made the tables, which have version %" PRIu64
				     ": the next pnav store into them brings them up to date",
				  version);
	return err_refuse(e, "an earlier pnav made the tables, which have no version: the next "
			     "pnav store into them brings them up to date");
}
