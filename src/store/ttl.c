/* The server deletes old rows while it merges parts: from ClickHouse 19.6 on, and in tables of the
 * MergeTree family.  A Distributed table has no rows of its own, so its tables are set one by one.
 *
 * A profile's row gets the same time as its samples, counted from its begin.  So it disappears
 * before them, and no visible profile lacks samples for long. */
#include "src/store/ttl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/store/clickhouse.h"
#include "src/store/schema.h"

#define DAY 86400
#define TTL_MAJOR 19 /* the version that began it */
#define TTL_MINOR 6

static const struct {
	enum schema_table table;
	const char *column;
} ttl_tables[] = {
	{SCHEMA_SAMPLES, "time"},
	{SCHEMA_SUMS, "start"},
	{SCHEMA_PERIOD_SUMS, "start"},
	{SCHEMA_PERIOD_PROFILES, "start"},
	{SCHEMA_PERIODS, "start"},
	{SCHEMA_PROFILES, "start"},
};
#define TTL_TABLES (sizeof ttl_tables / sizeof *ttl_tables)

/* Writes a query for: table String, engine String, TTL String, version String. */
static void
ttl_ask(const struct store_url *url, struct buf *sql)
{
	buf_adds(sql, "SELECT name, engine, extract(engine_full, ' TTL (.+?)(?: SETTINGS .*)?$'), "
		      "version() FROM system.tables WHERE database = currentDatabase() AND "
		      "name IN (");
	for (size_t i = 0; i < TTL_TABLES; i++) {
		struct buf name = BUF_INIT;
		buf_addf(&name, "%s%s", url->tables, schema_short(ttl_tables[i].table));
		buf_adds(sql, i ? ", " : "");
		clickhouse_quote(sql, buf_str(&name), name.len);
		buf_release(&name);
	}
	buf_adds(sql, ")");
}

static bool
ttl_refuse(struct rowbin *a, const struct buf *name, const struct buf *engine,
	   const struct buf *version, struct err *e)
{
	unsigned major = 0, minor = 0;
	static const char family[] = "MergeTree";
	size_t tail = sizeof family - 1;

	if (err_is_set(&a->fault))
		return false;
	sscanf(buf_str(version), "%u.%u", &major, &minor);
	if (major < TTL_MAJOR || (major == TTL_MAJOR && minor < TTL_MINOR))
		return !err_refuse(e, "ClickHouse %u.%u has no TTL of tables: drop old partitions, "
				      "see RETENTION in pnav-store(7)", major, minor);
	if (engine->len < tail || strcmp(buf_str(engine) + engine->len - tail, family))
		return !err_refuse(e, "the table %s has the engine %s, which has no TTL: set that "
				      "of the tables below it", buf_str(name), buf_str(engine));
	return false;
}

/* Checks that all tables can have a TTL. */
static bool
ttl_check(const struct store_url *url, struct err *e)
{
	struct buf sql = BUF_INIT, name = BUF_INIT, engine = BUF_INIT, ttl = BUF_INIT;
	struct buf version = BUF_INIT;
	bool refused = false;
	struct rowbin a;

	ttl_ask(url, &sql);
	bool good = rowbin_open(&a, url, buf_str(&sql), NULL, e);
	while (good && !refused && rowbin_next(&a)) {
		rowbin_text(&a, &name);
		rowbin_text(&a, &engine);
		rowbin_text(&a, &ttl);
		rowbin_text(&a, &version);
		refused = ttl_refuse(&a, &name, &engine, &version, e);
	}
	good = good && rowbin_close(&a, e) && !refused;
	buf_release_all(&sql, &name, &engine, &ttl, &version);
	return good;
}

/* Appends the TTL of samples in the words of the server; nothing if they have none. */
static bool
ttl_full(const struct store_url *url, struct watch *w, struct buf *out, struct err *e)
{
	struct buf sql = BUF_INIT, name = BUF_INIT, text = BUF_INIT, samples = BUF_INIT;
	struct rowbin a;

	ttl_ask(url, &sql);
	buf_addf(&samples, "%s%s", url->tables, schema_short(SCHEMA_SAMPLES));
	bool good = rowbin_open(&a, url, buf_str(&sql), w, e);
	while (good && rowbin_next(&a)) {
		rowbin_text(&a, &name);
		rowbin_text(&a, &text); /* the engine */
		rowbin_text(&a, &text);
		if (!strcmp(buf_str(&name), buf_str(&samples)))
			buf_add(out, buf_str(&text), text.len);
		rowbin_text(&a, &text); /* the version */
	}
	good = good && rowbin_close(&a, e);
	buf_release_all(&sql, &name, &text, &samples);
	return good;
}

/* Sets the TTL of a table to `after`, such as "toIntervalDay(30)", from the time of its rows. */
static bool
ttl_alter(const struct store_url *url, size_t i, const char *after, struct err *e)
{
	struct buf sql = BUF_INIT;

	buf_adds(&sql, "ALTER TABLE ");
	schema_name(&sql, url, ttl_tables[i].table);
	buf_addf(&sql, " MODIFY TTL %s + %s", ttl_tables[i].column, after);
	bool good = clickhouse_do(url, buf_str(&sql), e);
	buf_release(&sql);
	return good;
}

bool
ttl_set(const struct store_url *url, int64_t seconds, struct err *e)
{
	bool days = seconds % DAY == 0, good = ttl_check(url, e);
	struct buf after = BUF_INIT;

	buf_addf(&after, "toInterval%s(%" PRId64 ")", days ? "Day" : "Second",
		 days ? seconds / DAY : seconds);
	for (size_t i = 0; good && i < TTL_TABLES; i++)
		good = ttl_alter(url, i, buf_str(&after), e);
	buf_release(&after);
	return good;
}

bool
ttl_carry(const struct store_url *url, const bool there[SCHEMA_TABLES], struct err *e)
{
	static const char head[] = "time + ";
	struct buf samples = BUF_INIT;
	bool good = ttl_full(url, NULL, &samples, e);
	const char *after = buf_str(&samples) + sizeof head - 1;

	for (size_t i = 0; good && i < TTL_TABLES; i++)
		if (!there[ttl_tables[i].table] &&
		    !strncmp(buf_str(&samples), head, sizeof head - 1))
			good = ttl_alter(url, i, after, e);
	buf_release(&samples);
	return good;
}

/* Appends "30d" for "time + toIntervalDay(30)", and other expressions as they are. */
static void
ttl_shorten(const char *ttl, struct buf *out)
{
	static const struct {
		const char *name, *unit;
	} units[] = {{"Second", "s"}, {"Minute", "min"}, {"Hour", "h"},
		     {"Day", "d"},    {"Week", "w"}};
	static const char head[] = "time + toInterval";

	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		size_t len = strlen(units[i].name);
		const char *number = ttl + sizeof head - 1 + len;
		if (strncmp(ttl, head, sizeof head - 1) ||
		    strncmp(ttl + sizeof head - 1, units[i].name, len) || *number != '(')
			continue;
		size_t digits = strspn(number + 1, "0123456789");
		if (strcmp(number + 1 + digits, ")"))
			continue;
		buf_add(out, number + 1, digits);
		buf_adds(out, units[i].unit);
		return;
	}
	buf_adds(out, ttl);
}

bool
ttl_read(const struct store_url *url, struct watch *w, struct buf *out, struct err *e)
{
	struct buf full = BUF_INIT;
	bool good = ttl_full(url, w, &full, e);

	if (good)
		ttl_shorten(buf_str(&full), out);
	buf_release(&full);
	return good;
}
