/* Data to and from a store: addresses and their short names, times, quoting, rows of an answer.
 * fleet.t tests that the server reads a literal as the same bytes. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "src/store/clickhouse.h"
#include "src/store/schema.h"
#include "src/store/shortname.h"
#include "tests/lib/unit.h"

static struct err e;

static void
quoted(const char *in, size_t len, const char *want)
{
	struct buf out = BUF_INIT;

	clickhouse_quote(&out, in, len);
	ck_assert_str_eq(buf_str(&out), want);
	buf_release(&out);
}

START_TEST(literals)
{
	quoted("", 0, "''");
	quoted("plain", 5, "'plain'");
	quoted("it's", 4, "'it\\'s'");
	quoted("a\\b", 3, "'a\\\\b'");
	quoted("\\'", 2, "'\\\\\\''");
	quoted("'; DROP TABLE x; --", 19, "'\\'; DROP TABLE x; --'");
	quoted("a\0b", 3, "'a\\x00b'");
	quoted("a\nb\tc\x7f", 6, "'a\\x0Ab\\x09c\\x7F'");
	quoted("\xff\xfe\xc3", 3, "'\xff\xfe\xc3'");
	quoted("\xc3\xbc", 2, "'\xc3\xbc'");
}
END_TEST

/* A reader of literals as the server's document describes it, for any bytes. */
START_TEST(literals_of_any_bytes)
{
	struct buf out = BUF_INIT;

	for (int a = 0; a < 256; a++) {
		char in[3] = {(char)a, '\'', (char)(255 - a)}, back[3];
		size_t n = 0;
		buf_reset(&out);
		clickhouse_quote(&out, in, 3);
		ck_assert_int_eq(out.at[0], '\'');
		for (const char *p = out.at + 1; *p != '\''; p++) {
			ck_assert_uint_lt(n, 3);
			if (*p != '\\') {
				back[n++] = *p;
			} else if (*++p == 'x') {
				char hex[3] = {p[1], p[2], 0};
				back[n++] = (char)strtol(hex, NULL, 16);
				p += 2;
			} else {
				back[n++] = *p;
			}
		}
		ck_assert_uint_eq(n, 3);
		ck_assert_mem_eq(back, in, 3);
	}
	buf_release(&out);
}
END_TEST

START_TEST(names)
{
	struct buf out = BUF_INIT;

	clickhouse_name(&out, "a`b\\c");
	ck_assert_str_eq(buf_str(&out), "`a\\`b\\\\c`");
	buf_release(&out);
}
END_TEST

START_TEST(addresses)
{
	struct store_url p;

	ck_assert(store_url_is("ClickHouse://x/y"));
	ck_assert(!store_url_is("http://x/y"));
	ck_assert(store_url_read(&p, "clickhouse://h/db", &e));
	ck_assert_str_eq(p.origin, "http://h:8123");
	ck_assert_str_eq(p.database, "db");
	ck_assert_str_eq(p.tables, "pnav_");
	ck_assert(!p.user && !p.service && !p.from.given && !p.asks);
	store_url_release(&p);
	ck_assert(store_url_read(&p, "clickhouse://me%40x@[::1]:99/d%20b?tables=&secure=yes", &e));
	ck_assert_str_eq(p.origin, "https://[::1]:99");
	ck_assert_str_eq(p.user, "me@x");
	ck_assert_str_eq(p.database, "d b");
	ck_assert_str_eq(p.tables, "");
	ck_assert(!p.asks);
	store_url_release(&p);
	ck_assert(store_url_read(&p, "clickhouse://[fe80::1]/d?service=a%26b&host=~web.+&metric=cpu"
				 "&from=-1h&to=now&rows=2M&by=label:k&tables=t_"
				 "&label=version:2&label=!stage:~^(a|b:)&label=ok", &e));
	ck_assert_str_eq(p.origin, "http://[fe80::1]:8123");
	ck_assert_str_eq(p.service, "a&b");
	ck_assert_str_eq(p.host, "~web.+");
	ck_assert_str_eq(p.metric, "cpu");
	ck_assert_str_eq(p.tables, "t_");
	ck_assert_uint_eq(p.rows, 2000000);
	ck_assert(p.from.relative && p.to.relative && p.asks);
	ck_assert_int_eq(wallclock_ns(&p.from, INT64_C(7200000000000)), INT64_C(3600000000000));
	ck_assert_int_eq(p.tracks, STORE_BY_LABEL);
	ck_assert_str_eq(p.label, "k");
	ck_assert_uint_eq(p.where.n, 3);
	ck_assert_str_eq(p.where.at[0].key, "version");
	ck_assert_str_eq(p.where.at[0].value, "2");
	ck_assert(!p.where.at[0].is_not && p.where.at[1].is_not && !p.where.at[2].value);
	ck_assert_str_eq(p.where.at[1].key, "stage");
	ck_assert_str_eq(p.where.at[1].value, "~^(a|b:)");
	store_url_release(&p);
	ck_assert(store_url_read(&p, "clickhouse://h/d?trace_log&type=CPU&query=a%27b&cluster=c",
				 &e));
	ck_assert_str_eq(p.log_database, "system");
	ck_assert_str_eq(p.log_table, "trace_log");
	ck_assert_str_eq(p.query, "a'b");
	ck_assert_int_eq(p.tracks, STORE_BY_THREAD);
	store_url_release(&p);
	ck_assert(store_url_read(&p, "clickhouse://h/d?track=host&trace_log=x.y.z", &e));
	ck_assert_str_eq(p.log_database, "x");
	ck_assert_str_eq(p.log_table, "y.z");
	ck_assert_int_eq(p.tracks, STORE_BY_HOST);
	store_url_release(&p);
}
END_TEST

START_TEST(wrong_addresses)
{
	static const struct {
		const char *url, *says;
	} wrong[] = {
		{"clickhouse://h", "which database"},
		{"clickhouse://h/", "which database"},
		{"clickhouse://h/a/b", "which database"},
		{"clickhouse:///d", "HOST"},
		{"clickhouse://h:/d", "HOST"},
		{"clickhouse://h:1234567/d", "HOST"},
		{"clickhouse://h x/d", "HOST"},
		{"clickhouse://[::1/d", "HOST"},
		{"clickhouse://[]/d", "HOST"},
		{"clickhouse://u:secret@h/d", "no passwords"},
		{"clickhouse://h/d?servise=x", "no 'servise'"},
		{"clickhouse://h/d?service", "no 'service'"},
		{"clickhouse://h/d?service=a&service=b", "twice"},
		{"clickhouse://h/d?service=%0", "'%0'"},
		{"clickhouse://h/d?service=%", "'%'"},
		{"clickhouse://h/d?service=a%00b", "'%00'"},
		{"clickhouse://h/d?service=%zz", "'%zz'"},
		{"clickhouse://h/d?rows=0", "rows=0"},
		{"clickhouse://h/d?rows=2T", "rows=2T"},
		{"clickhouse://h/d?rows=-5", "rows=-5"},
		{"clickhouse://h/d?rows=9999999999999G", "rows="},
		{"clickhouse://h/d?rows=", "rows="},
		{"clickhouse://h/d?track=", "track="},
		{"clickhouse://h/d?track=host&by=host", "twice"},
		{"clickhouse://h/d?label=", "label="},
		{"clickhouse://h/d?label=!:x", "label="},
		{"clickhouse://h/d?track=label:", "track="},
		{"clickhouse://h/d?from=yesterday", "from 'yesterday'"},
		{"clickhouse://h/d?tables=a-b", "tables="},
		{"clickhouse://h/d?tables=9", "tables="},
		{"clickhouse://h/d?secure=maybe", "secure="},
		{"clickhouse://h/d?service=a#b", "'#'"},
		{"clickhouse://h/d?trace_log&trace_log", "twice"},
		{"clickhouse://h/d?trace_log=.t", "trace_log=.t"},
		{"clickhouse://h/d?trace_log=d.", "trace_log=d."},
		{"clickhouse://h/d?trace_log&label=a", "label= selects in a store"},
		{"clickhouse://h/d?cluster=c", "cluster= needs trace_log"},
	};

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct store_url p;
		err_init(&e);
		ck_assert_msg(!store_url_read(&p, wrong[i].url, &e), "taken: %s", wrong[i].url);
		ck_assert_int_eq(e.class, ERR_USAGE);
		ck_assert_msg(strstr(e.text, wrong[i].says), "%s: %s", wrong[i].url, e.text);
		ck_assert_msg(!strstr(e.text, "secret"), "%s", e.text);
	}
}
END_TEST

static int64_t
moment(const char *text)
{
	struct wallclock m;

	err_init(&e);
	ck_assert_msg(wallclock_read(&m, "--at", text, &e), "%s: %s", text, e.text);
	return wallclock_ns(&m, INT64_C(1000000000000));
}

START_TEST(moments)
{
	struct wallclock m;
	static const char *const wrong[] = {
		"", "1h", "-", "-h", "-1", "-1x", "now1h", "now-", "2024", "2024-13-01",
		"2024-02-30", "2024-01-01T", "2024-01-01T25:00", "2024-01-01T10:00:61",
		"2024-01-01T10:00:00X", "2024-01-01T10:00+5", "1969-01-01", "@", "@-5", "@1x",
		"2024-01-01T10:00:00.", "-1e300h",
	};

	ck_assert_int_eq(moment("now"), INT64_C(1000000000000));
	ck_assert_int_eq(moment("-10s"), INT64_C(990000000000));
	ck_assert_int_eq(moment("now-1m"), INT64_C(940000000000));
	ck_assert_int_eq(moment("now+1.5s"), INT64_C(1001500000000));
	ck_assert_int_eq(moment("@12"), INT64_C(12000000000));
	ck_assert_int_eq(moment("@12.25"), INT64_C(12250000000));
	ck_assert_int_eq(moment("1970-01-02"), INT64_C(86400000000000));
	ck_assert_int_eq(moment("2009-02-13T23:31:30Z"), INT64_C(1234567890000000000));
	ck_assert_int_eq(moment("2009-02-13 23:31:30"), INT64_C(1234567890000000000));
	ck_assert_int_eq(moment("2009-02-14T01:31:30.5+02:00"), INT64_C(1234567890500000000));
	ck_assert_int_eq(moment("2009-02-13T18:31-0500"), INT64_C(1234567860000000000));
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		err_init(&e);
		ck_assert_msg(!wallclock_read(&m, "--at", wrong[i], &e), "taken: %s", wrong[i]);
		ck_assert_int_eq(e.class, ERR_USAGE);
	}
}
END_TEST

/* ---- answers ---- */

struct bytes {
	struct source base;
	const char *at;
	size_t left, portion;
	bool cut;
};

static size_t
bytes_read(struct source *s, void *out, size_t n)
{
	struct bytes *b = (struct bytes *)s;

	n = n < b->portion ? n : b->portion;
	n = n < b->left ? n : b->left;
	memcpy(out, b->at, n);
	b->at += n;
	b->left -= n;
	if (!n && b->cut)
		err_damage(&s->fault, 1, "cut off");
	return n;
}

static void
bytes_close(struct source *s)
{
	free(s);
}

static struct rowbin
answer_of(const char *at, size_t len, size_t portion, bool cut)
{
	static const struct source_ops ops = {.read = bytes_read, .close = bytes_close};
	struct bytes *b = calloc(1, sizeof *b);
	struct rowbin a;

	*b = (struct bytes){{.ops = &ops}, at, len, portion, cut};
	err_init(&b->base.fault);
	rowbin_over(&a, &b->base);
	return a;
}

START_TEST(rows)
{
	/* (UInt8 200, Int64 -2, String "a\0'", Array(UInt32) [5, 1 << 24], UInt64 max) twice */
	static const char row[] = "\xc8\xfe\xff\xff\xff\xff\xff\xff\xff\x03"
				  "a\0'\x02\x05\0\0\0\0\0\0\x01\xff\xff\xff\xff\xff\xff\xff\xff";
	char two[2 * (sizeof row - 1)];

	memcpy(two, row, sizeof row - 1);
	memcpy(two + sizeof row - 1, row, sizeof row - 1);
	for (size_t portion = 1; portion < 40; portion++) {
		struct rowbin a = answer_of(two, sizeof two, portion, false);
		struct buf text = BUF_INIT;
		for (int i = 0; i < 2; i++) {
			ck_assert(rowbin_next(&a));
			ck_assert_uint_eq(rowbin_whole(&a, 1), 200);
			ck_assert_int_eq(rowbin_signed(&a), -2);
			rowbin_text(&a, &text);
			ck_assert_uint_eq(text.len, 3);
			ck_assert_mem_eq(text.at, "a\0'", 3);
			ck_assert_uint_eq(rowbin_count(&a), 2);
			ck_assert_uint_eq(rowbin_whole(&a, 4), 5);
			ck_assert_uint_eq(rowbin_whole(&a, 4), 1u << 24);
			ck_assert_uint_eq(rowbin_whole(&a, 8), UINT64_MAX);
		}
		ck_assert(!rowbin_next(&a));
		buf_release(&text);
		err_init(&e);
		ck_assert(rowbin_close(&a, &e));
	}
}
END_TEST

START_TEST(cut_rows)
{
	static const char row[] = "\x05" "abcde\x01\x02\x03\x04";

	for (size_t len = 1; len < 10; len++) {
		struct rowbin a = answer_of(row, len, 3, len & 1);
		struct buf text = BUF_INIT;
		ck_assert(rowbin_next(&a));
		rowbin_text(&a, &text);
		rowbin_whole(&a, 4);
		ck_assert(!rowbin_next(&a));
		ck_assert_uint_eq(rowbin_whole(&a, 4), 0);
		rowbin_text(&a, &text);
		ck_assert_uint_eq(text.len, 0);
		buf_release(&text);
		err_init(&e);
		ck_assert(!rowbin_close(&a, &e));
		ck_assert_int_eq(e.class, ERR_DAMAGED);
		ck_assert(strstr(e.text, len & 1 ? "cut off" : "ends within a row"));
	}
}
END_TEST

START_TEST(absurd_lengths)
{
	static const char huge[] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
	struct rowbin a = answer_of(huge, sizeof huge - 1, 64, false);
	struct buf text = BUF_INIT;

	rowbin_text(&a, &text);
	ck_assert_uint_eq(text.len, 0);
	ck_assert_uint_eq(rowbin_count(&a), 0);
	err_init(&e);
	ck_assert(!rowbin_close(&a, &e));
	ck_assert(strstr(e.text, "impossible length"));
	buf_release(&text);
}
END_TEST

/* ---- the tables ---- */

START_TEST(tables)
{
	struct store_url p;
	struct buf out = BUF_INIT;

	ck_assert(store_url_read(&p, "clickhouse://h/d?tables=x_", &e));
	schema_create(&out, &p, SCHEMA_SAMPLES);
	ck_assert(strstr(out.at, "CREATE TABLE IF NOT EXISTS `x_samples` (\n\tservice String,"));
	buf_reset(&out);
	schema_visible(&out, &p, "service = 'a'");
	ck_assert(strstr(out.at, "`x_profiles` WHERE service = 'a' GROUP BY"));
	buf_release(&out);
	store_url_release(&p);
}
END_TEST

/* Every field counts, and where a name ends. */
START_TEST(hashes)
{
	struct schema_frame f = {"fn", "file", "mod", "", 2, 4, 3, 0, 7, 8, 1, 2};
	struct schema_frame g[10];
	uint64_t was = schema_hash(1, &f);

	for (int i = 0; i < 10; i++)
		g[i] = f;
	g[0].function_len = 1;
	g[1].file_len = 3;
	g[2].module_len = 2;
	g[3].line++;
	g[4].defined++;
	g[5].kind++;
	g[6].clause++;
	g[7].file = "mod", g[7].file_len = 3, g[7].module = "file", g[7].module_len = 4;
	g[8].line = f.defined, g[8].defined = f.line;
	g[9].build = "b1", g[9].build_len = 2;
	for (int i = 0; i < 10; i++)
		ck_assert_uint_ne(schema_hash(1, &g[i]), was);
	ck_assert_uint_ne(schema_hash(2, &f), was);
	ck_assert_uint_eq(schema_hash(1, &f), was);
	ck_assert_uint_eq(schema_hash_stack(was, 0), was);
	ck_assert_uint_ne(schema_hash_stack(was, 1), was);
}
END_TEST

/* Two addresses are named "COMMON: OLD -> NEW". */
static void
named(const char *old, const char *new, const char *want)
{
	const char *const url[] = {old, new};
	struct buf out = BUF_INIT;

	shortname_common(url, 2, &out);
	buf_adds(&out, ": ");
	shortname_own(url, 2, 0, &out);
	buf_adds(&out, " -> ");
	shortname_own(url, 2, 1, &out);
	ck_assert_str_eq(buf_str(&out), want);
	buf_release(&out);
}

START_TEST(short_names)
{
	named("clickhouse://h/d?service=s&host=a", "clickhouse://h/d?service=s&host=b",
	      "s: a -> b");
	named("clickhouse://h/old", "clickhouse://h/new", ": old -> new");
	/* a / in the query does not end the path */
	named("clickhouse://h/old?service=team/shop", "clickhouse://h/new?service=team/shop",
	      "team/shop: old -> new");
	named("clickhouse://h/old?service=s&label=d:/", "clickhouse://h/new?service=s&label=d:/",
	      "s: old -> new");
	/* the prefix of the tables, which is pnav_ by default */
	named("clickhouse://h/d?tables=old_&service=s", "clickhouse://h/d?service=s&tables=new_",
	      "s: old_ -> new_");
	named("clickhouse://h/d?service=s", "clickhouse://h/d?service=s&tables=new_",
	      "s: pnav_ -> new_");
	named("clickhouse://h/d?tables=x_&host=a", "clickhouse://h/d?tables=y_&host=b",
	      ": x_ a -> y_ b");
	named("clickhouse://h/old?tables=pnav_", "clickhouse://h/new", ": old -> new");
}
END_TEST

UNIT(store)
{
	Suite *suite = suite_create("store");
	TCase *t = tcase_create("store");

	suite_add_tcase(suite, t);
	err_init(&e);
	tcase_add_test(t, literals);
	tcase_add_test(t, literals_of_any_bytes);
	tcase_add_test(t, names);
	tcase_add_test(t, addresses);
	tcase_add_test(t, wrong_addresses);
	tcase_add_test(t, moments);
	tcase_add_test(t, rows);
	tcase_add_test(t, cut_rows);
	tcase_add_test(t, absurd_lengths);
	tcase_add_test(t, tables);
	tcase_add_test(t, hashes);
	tcase_add_test(t, short_names);
	return suite;
}
