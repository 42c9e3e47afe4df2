#include <check.h>

#include "tests/lib/unit.h"

#ifdef HAVE_SQLITE

#include <stdio.h>
#include <string.h>

#include "tests/lib/asked.h"
#include "tests/lib/random_profile.h"

/* Harmful queries change nothing; permitted ones succeed. */

/* Each fails with these words, and changes nothing; NULL: with any words; an empty text: it may
 * succeed, and ends. */
static const struct {
	const char *query, *words;
} hostile[] = {
	{"ATTACH 'other.db' AS other", "not authorized"},
	{"ATTACH ':memory:' AS other", "not authorized"},
	{"DETACH main", "not authorized"},
	{"SELECT load_extension('x.so')", "not authorized"},
	{"SELECT load_extension('x.so', 'y')", "not authorized"},
	{"SELECT readfile('/etc/passwd')", "no such function"},
	{"SELECT writefile('x', 'y')", "no such function"},
	{"SELECT edit('x')", "no such function"},
	{"SELECT fts3_tokenizer('simple', x'00')", NULL},
	{"PRAGMA writable_schema = ON", "not authorized"},
	{"PRAGMA journal_mode = WAL", "not authorized"},
	{"PRAGMA temp_store_directory = '/tmp'", "not authorized"},
	{"PRAGMA hard_heap_limit = 0", "not authorized"},
	{"PRAGMA soft_heap_limit = 0", "not authorized"},
	{"PRAGMA cache_size = 1000000000", "not authorized"},
	{"PRAGMA trusted_schema = ON", "not authorized"},
	{"PRAGMA query_only = OFF", "not authorized"},
	{"PRAGMA mmap_size = 1000000000", "not authorized"},
	{"PRAGMA threads = 8", "not authorized"},
	{"PRAGMA user_version = 7", "not authorized"},
	{"PRAGMA integrity_check", "not authorized"},
	{"VACUUM", NULL},
	{"VACUUM INTO 'stolen.db'", NULL},
	{"ANALYZE", "not authorized"},
	{"CREATE TABLE t(a)", "not authorized"},
	{"CREATE TABLE main.t AS SELECT * FROM functions", "not authorized"},
	{"CREATE VIEW v AS SELECT 1", "not authorized"},
	{"CREATE INDEX i ON functions(name)", NULL},
	{"CREATE TRIGGER t AFTER INSERT ON samples BEGIN SELECT 1; END", NULL},
	{"CREATE TEMP TRIGGER t INSTEAD OF INSERT ON samples BEGIN SELECT 1; END", NULL},
	{"CREATE VIRTUAL TABLE t USING fts5(a)", NULL},
	{"CREATE VIRTUAL TABLE temp.t USING functions", NULL},
	{"CREATE VIRTUAL TABLE t USING functions", NULL},
	{"UPDATE sqlite_schema SET sql = ''", NULL},
	{"DELETE FROM sqlite_schema", NULL},
	{"DELETE FROM sqlite_temp_schema", NULL},
	{"INSERT INTO sqlite_schema VALUES('table', 'x', 'x', 2, 'CREATE TABLE x(a)')", NULL},
	{"WITH RECURSIVE x(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM x) SELECT count(*) FROM x",
	 "stopped"},
	{"WITH RECURSIVE x(a) AS (SELECT 1 UNION SELECT a + 1 FROM x) SELECT max(a) FROM x", NULL},
	{"WITH RECURSIVE x(a) AS (SELECT 'x' UNION ALL SELECT a || a FROM x)"
	 " SELECT count(*) FROM x",
	 "too big"},
	{"WITH RECURSIVE x(a) AS (SELECT zeroblob(10000) UNION ALL SELECT a FROM x)"
	 " SELECT group_concat(hex(a)) FROM x", NULL},
	{"SELECT zeroblob(2000000000)", "too big"},
	{"SELECT randomblob(2000000000)", "too big"},
	{"SELECT hex(zeroblob(16000000))", "too big"},
	/* one call each, of which none may take long */
	{"SELECT instr(hex(zeroblob(900000)), hex(zeroblob(400000)) || '1')", ""},
	{"SELECT length(replace(hex(zeroblob(900000)), hex(zeroblob(400000)) || '1', ''))", ""},
	{"SELECT replace(hex(zeroblob(900000)), hex(zeroblob(9999)), hex(zeroblob(99999)))",
	 "too big"},
	{"SELECT trim(hex(zeroblob(90000)), hex(zeroblob(40000)))", "too many characters"},
	{"SELECT hex(zeroblob(400000)) LIKE '%' || hex(zeroblob(400)) || '1'", "use REGEXP"},
	{"SELECT hex(zeroblob(400000)) GLOB '*' || hex(zeroblob(400)) || '1'", "use REGEXP"},
	{"SELECT json_patch('{}', '{}')", NULL},
	{"SELECT length(printf('%.*c', 20000000, 'x'))", ""},
	{"SELECT length(printf('%20000000d', 1))", ""},
	{"SELECT replace(printf('%.*c', 100000, 'x'), 'x', printf('%.*c', 1000, 'y'))", "too big"},
	{"SELECT group_concat(printf('%.*c', 1000000, 'x')) FROM samples a, samples b, samples c",
	 NULL},
	{"SELECT count(*) FROM samples a, samples b, samples c, samples d, samples e, samples f",
	 "stopped"},
	{"SELECT * FROM report_functions('--filter-file /etc/passwd')", "read no file"},
	{"SELECT * FROM report_functions('--filter /etc/passwd')", "read no file"},
	{"SELECT * FROM report_functions('/etc/passwd')", "read no file"},
	{"SELECT * FROM report_functions('--help')", "not one of its options"},
	{"SELECT * FROM report_functions('--by ''function')", "no end"},
	{"SELECT * FROM report_functions('--by nothing')", "by function"},
	{"SELECT * FROM report_functions('--include (')", "parenthes"},
	{"SELECT * FROM report_functions('--metric none')", "metric"},
	{"SELECT name REGEXP '(' FROM functions", "parenthes"},
	{"SELECT 'x' LIKE printf('%.*c', 5000, '%')", "LIKE"},
	{"SELECT percentile(id, 101) FROM functions", "0 to 100"},
	{"SELECT stack_path()", "wrong number"},
	{"SELECT * FROM functions('x')", NULL},
	{"SELECT 1; DROP TABLE functions", NULL},
	{"SELECT \"no such column\" FROM functions", "no such column"},
	{"SELECT nothing FROM functions", "at 8: SELECT >>>nothing FROM"},
	{"SELEC 1", "at 1: >>>SELEC 1"},
	{"SELECT", NULL},
	{"SELECT 'x", NULL},
	{"SELECT (((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
	 "(((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
	 "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1", NULL},
};

/* Operations that must fail on every table. */
static const char *const writes[] = {
	"INSERT INTO %s DEFAULT VALUES", "DELETE FROM %s", "DROP TABLE %s",
	"ALTER TABLE %s RENAME TO mine", "REPLACE INTO %s SELECT * FROM %s",
};

static void
fails_with(struct sql *s, const char *query, const char *words)
{
	struct buf got = BUF_INIT;
	const char *rest = query;
	struct err e;

	err_init(&e);
	for (asked_times = 0; *rest && !err_is_set(&e);)
		if (sql_prepare(s, rest, &rest, &e) && sql_ready(s))
			while (sql_step(s, &e))
				;
	ck_assert_msg(err_is_set(&e) || (words && !*words), "%s is taken", query);
	ck_assert_msg(!words || strstr(e.text, words), "%s: %s", query, e.text);
	ask(s, "SELECT (SELECT count(*) FROM functions) > 0 AND"
	       " (SELECT count(*) FROM sqlite_schema) > 10", &got);
	ck_assert_msg(!strcmp(buf_str(&got), "1\n"), "after %s: %s", query, buf_str(&got));
	buf_release(&got);
}

START_TEST(harm)
{
	struct random_profile *r = random_profile_new(7);
	struct buf tables = BUF_INIT;
	struct lens l;

	random_profile_grow(r, 100);
	random_profile_finish(r);
	lens_init(&l);
	struct sql *s = asked_open(r->model, &l);
	asked_patience = 6; /* with sanitizers, what a query does in 50 takes a minute */
	for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++)
		fails_with(s, hostile[i].query, hostile[i].words);
	ask(s, "SELECT name FROM sqlite_schema", &tables);
	unsigned n = 0;
	for (char *at = tables.at; *at; at += strlen(at) + 1, n++) {
		*strchr(at, '\n') = '\0';
		for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
			char query[200];
			snprintf(query, sizeof query, writes[i], at, at);
			fails_with(s, query, NULL);
		}
	}
	ck_assert_uint_ge(n, 20);
	sql_close(s);
	buf_release(&tables);
	lens_release(&l);
	random_profile_free(r);
}
END_TEST

/* Queries may also make temporary tables in memory. */
START_TEST(own_things)
{
	static const char *const good[] = {
		"CREATE TEMP TABLE mine AS SELECT * FROM functions",
		"CREATE TEMP VIEW seen AS SELECT stack_path(id) AS path FROM stacks",
		"CREATE INDEX temp.fast ON mine(name)",
		"INSERT INTO mine SELECT * FROM functions",
		"UPDATE mine SET name = 'x'",
		"DELETE FROM mine",
		"SELECT count(*) FROM seen WHERE path REGEXP 'a'",
		"DROP TABLE mine",
		"DROP VIEW seen",
		"PRAGMA table_info(samples)",
		"SELECT count(*) FROM pragma_table_info('samples')",
		"BEGIN",
		"COMMIT",
		"SELECT percentile(id, 50), percentile(id / 2.0, 99) FROM functions",
		"SELECT human(max(id), 'ns'), human(NULL, 'ns') FROM functions",
		"SELECT human(1.5, 'apples') FROM functions",
	};
	struct random_profile *r = random_profile_new(7);
	struct buf got = BUF_INIT;
	struct lens l;

	random_profile_grow(r, 100);
	random_profile_finish(r);
	lens_init(&l);
	struct sql *s = asked_open(r->model, &l);
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		ask(s, good[i], &got);
		ck_assert_msg(strncmp(buf_str(&got), "error", 5) != 0, "%s: %s", good[i],
			      buf_str(&got));
	}
	ask(s,
	    "EXPLAIN QUERY PLAN SELECT * FROM samples"
	    " WHERE time >= 5 AND time < 9 AND track = 1",
	    &got);
	ck_assert_msg(strstr(buf_str(&got), "track= time>= time<") != NULL, "%s", buf_str(&got));
	ask(s, "EXPLAIN QUERY PLAN SELECT * FROM slices WHERE start BETWEEN 5 AND 9", &got);
	ck_assert_msg(strstr(buf_str(&got), "start>= start<=") != NULL, "%s", buf_str(&got));
	ask(s, "EXPLAIN QUERY PLAN SELECT * FROM samples JOIN stacks ON stack = stacks.id", &got);
	ck_assert_msg(strstr(buf_str(&got), ":id=") != NULL, "%s", buf_str(&got));
	asked_same(s, "SELECT percentile(value, 50), percentile(value, 100), percentile(value, 0)"
			" FROM (SELECT 1 AS value UNION ALL SELECT 2 UNION ALL SELECT 30"
			" UNION ALL SELECT 4)",
		     "SELECT 2, 30, 1");
	asked_same(s, "SELECT 'abc' REGEXP 'B', 'abc' REGEXP 'b', 'a=b' REGEXP '=b',"
			" 'x' REGEXP '!x', '!x' REGEXP '!x', NULL REGEXP 'x'",
		     "SELECT 0, 1, 1, 0, 1, NULL");
	sql_close(s);
	buf_release(&got);
	lens_release(&l);
	random_profile_free(r);
}
END_TEST

UNIT(sql_harm)
{
	Suite *s = suite_create("sql_harm");
	TCase *t = tcase_create("sql_harm");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, harm);
	tcase_add_test(t, own_things);
	suite_add_tcase(s, t);
	return s;
}

#else

UNIT(sql_harm)
{
	return NULL; /* built without SQLite */
}

#endif
