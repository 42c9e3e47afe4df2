/* Queries about what a store holds, for lists of it. */
#include "src/store/question_inside.h"

#include "src/store/clickhouse.h"
#include "src/store/schema.h"

#define TEXT_(n) #n
#define TEXT(n) TEXT_(n)

static void
add_held(const struct question *q, const char *array, struct buf *out)
{
	buf_adds(out, "\nFROM ");
	schema_name(out, q->url, SCHEMA_PROFILES);
	buf_addf(out, "%s\nWHERE profile GLOBAL IN (", array);
	question_add_visible(q, LIES_SOMEHOW, out);
	buf_addc(out, ')');
}

void
question_held(const struct question *q, struct buf *out)
{
	buf_adds(out, "SELECT service, count(), sum(samples), min(" BEGIN "), max(" END
		      "), toUInt32(max(stored)), uniqExact(host), "
		      "arraySlice(arraySort(groupUniqArray(host)), 1, " TEXT(QUESTION_NAMES) ")");
	add_held(q, "", out);
	buf_adds(out, "\nGROUP BY service ORDER BY service");
}

void
question_held_labels(const struct question *q, struct buf *out)
{
	buf_adds(out, "SELECT service, labels.key, labels.value, count(), sum(samples), min(" BEGIN
		      "), max(" END "), uniqExact(host)");
	add_held(q, " ARRAY JOIN labels", out);
	buf_addf(out, "\nGROUP BY service, labels.key, labels.value "
		      "ORDER BY service, labels.key, labels.value LIMIT %d BY service, labels.key",
		 QUESTION_NAMES + 1);
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
