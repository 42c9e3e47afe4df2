/* Queries about what a store holds, for lists of it. */
#include "src/store/question_inside.h"

#include "src/store/clickhouse.h"
#include "src/store/schema.h"

#define TEXT_(n) #n
#define TEXT(n) TEXT_(n)

void
question_held_services(const struct question *q, struct buf *out)
{
	buf_adds(out, "SELECT DISTINCT service\nFROM ");
	schema_name(out, q->url, SCHEMA_PROFILES);
	buf_adds(out, "\nWHERE ");
	question_add_whose(q, out);
	buf_adds(out, "\nORDER BY service");
}

#define HELD "count() AS n, sum(samples) AS of, min(" BEGIN ") AS begin, max(" END ") AS end"

void
question_held(const struct question *q, struct buf *out)
{
	static const struct question_known held = {
		"service, host, " HELD ", toUInt32(max(stored)) AS late", "service, host",
		"service, host, profiles, samples, first, last, toUInt32(stored)", ""};

	buf_adds(out, "SELECT service, sum(n), sum(of), min(begin), max(end), max(late), "
		      "uniqExact(host), "
		      "arraySlice(arraySort(groupUniqArray(host)), 1, " TEXT(QUESTION_NAMES) ")");
	question_add_known_profiles(q, &held, out);
	buf_adds(out, "\nGROUP BY service ORDER BY service");
}

void
question_held_labels(const struct question *q, struct buf *out)
{
	static const struct question_known held = {
		"service, host, labels.key AS name, labels.value AS text, " HELD,
		"service, host, labels.key, labels.value",
		"service, host, labels.key, labels.value, profiles, samples, first, last",
		" ARRAY JOIN labels"};

	buf_adds(out, "SELECT service, name, text, sum(n), sum(of), min(begin), max(end), "
		      "uniqExact(host)");
	question_add_known_profiles(q, &held, out);
	buf_addf(out, "\nGROUP BY service, name, text ORDER BY service, name, text "
		      "LIMIT %d BY service, name", QUESTION_NAMES + 1);
}

void
question_held_bytes(const struct question *q, struct buf *out)
{
	buf_adds(out, "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND "
		      "database = currentDatabase() AND table IN (");
	for (enum schema_table t = 0; t < SCHEMA_TABLES; t++) {
		struct buf name = BUF_INIT;
		buf_addf(&name, "%s%s", q->url->tables, schema_short(t));
		buf_adds(out, t ? ", " : "");
		clickhouse_quote(out, buf_str(&name), name.len);
		buf_release(&name);
	}
	buf_addc(out, ')');
}
