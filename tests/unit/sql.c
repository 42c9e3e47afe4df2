#include <check.h>

#ifdef HAVE_SQLITE

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/human.h"
#include "model/regroup.h"
#include "src/command/report.h"
#include "src/command/sql_reports.h"
#include "src/decode/decoder.h"
#include "src/encode/shown_times.h"
#include "src/sql/sql.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/run_suite.h"

/* SQL against others: sums against the slow and obvious way (naive.h), reports against what
 * `pnav report` prints, slices against the replay of exports, and what tables do themselves
 * of a WHERE against SQLite, which does it where a + stands before the column. */

/* How often a query asks whether it should go on before it is stopped. */
static unsigned patience = 100000;

static bool
stop(void *ctx)
{
	unsigned *times = ctx;

	return ++*times > patience;
}

static unsigned asked;

static struct sql *
open_sql(const struct profile *p, const struct lens *l)
{
	struct sql_asks asks = {
		.profile = p, .lens = l, .reports = &sql_reports, .memory = 64 << 20, .stop = stop,
		.ctx = &asked};
	struct err e;

	err_init(&e);
	struct sql *s = sql_open(&asks, &e);
	ck_assert_msg(s != NULL, "%s", e.text);
	return s;
}

static void
csv_word(const char *at, size_t len, struct buf *out)
{
	bool quote = false;

	for (size_t i = 0; i < len; i++)
		quote |= at[i] && strchr(",\"\r\n", at[i]);
	if (quote)
		buf_addc(out, '"');
	for (size_t i = 0; i < len; i++) {
		if (quote && at[i] == '"')
			buf_addc(out, '"');
		buf_addc(out, at[i]);
	}
	if (quote)
		buf_addc(out, '"');
}

static void
add_row(struct sql *s, struct buf *out)
{
	for (unsigned i = 0; i < sql_columns(s); i++) {
		struct sql_value v = sql_value(s, i);
		if (i)
			buf_addc(out, ',');
		if (v.kind == SQL_WHOLE)
			human_plain(out, v.whole, 0);
		else if (v.kind == SQL_REAL)
			human_real(out, v.real);
		else
			csv_word(v.at, v.len, out);
	}
	buf_addc(out, '\n');
}

/* All rows of a query; of one that fails what it says. */
static void
ask(struct sql *s, const char *query, struct buf *out)
{
	const char *rest;
	struct err e;

	err_init(&e);
	asked = 0;
	buf_reset(out);
	if (sql_prepare(s, query, &rest, &e) && sql_ready(s))
		while (sql_step(s, &e))
			add_row(s, out);
	if (err_is_set(&e))
		buf_addf(out, "error: %s\n", e.text);
}

static void
same_answers(struct sql *s, const char *a, const char *b)
{
	struct buf x = BUF_INIT, y = BUF_INIT;

	ask(s, a, &x);
	ask(s, b, &y);
	ck_assert_msg(!strncmp(buf_str(&x), "error", 5) == 0, "%s: %s", a, buf_str(&x));
	ck_assert_msg(!strcmp(buf_str(&x), buf_str(&y)), "%s\n%s%s\n%s", a, buf_str(&x), b,
		      buf_str(&y));
	buf_release(&x);
	buf_release(&y);
}

/* ---- sums ---- */

static void
sums_are_true(struct sql *s, const struct random_profile *r, const struct naive_lens *l)
{
	struct naive_profile *all = mem_alloc(1, sizeof *all);
	struct naive_fold *truth = mem_alloc(1, sizeof *truth);
	struct buf got = BUF_INIT, want = BUF_INIT;
	int64_t sum = 0;

	naive_regroup(&r->naive, l, all);
	naive_fold(all, l, truth);
	for (unsigned i = 0; i < NAIVE_KEYS; i++)
		sum += truth->row[i].self;
	ask(s, "SELECT total(value) FROM samples WHERE metric = (SELECT name FROM metrics"
	       " WHERE is_default)", &got);
	human_real(&want, (double)sum);
	buf_addc(&want, '\n');
	ck_assert_str_eq(buf_str(&got), buf_str(&want));
	buf_release(&got);
	buf_release(&want);
	free(all);
	free(truth);
}

/* ---- reports ---- */

/* Numbers with decimals are real ones in SQL: 0.5, where a report has 0.500000. */
static bool
same_cells(const char *a, const char *b)
{
	while (*a || *b) {
		size_t n = strcspn(a, ",\n"), m = strcspn(b, ",\n");
		char *x, *y;
		if (a[n] != b[m])
			return false;
		if ((n != m || memcmp(a, b, n)) &&
		    (strtod(a, &x) != strtod(b, &y) || x != a + n || y != b + m || !n || !m))
			return false;
		a += n + (a[n] != '\0');
		b += m + (b[m] != '\0');
	}
	return true;
}

static void
report_is_same(struct sql *s, const struct profile *p, const struct lens *l, size_t i,
	       const char *what)
{
	struct buf query = BUF_INIT, got = BUF_INIT, want = BUF_INIT;
	struct regroup *regroup = regroup_new();
	const char *name = report_views[i]->name;
	char *text = NULL;
	size_t len = 0;
	struct err e;

	err_init(&e);
	FILE *out = open_memstream(&text, &len);
	bool good = report_sheet(regroup_look(regroup, p, l, false), l, name, "csv", out, &e);
	fclose(out);
	buf_addf(&query, "SELECT * FROM report_%s", name);
	ask(s, buf_str(&query), &got);
	char *rows = good ? strchr(text, '\n') + 1 : text;
	if (good)
		buf_add(&want, rows, len - (size_t)(rows - text));
	else
		buf_addf(&want, "error: %s\n", e.text);
	if (strcmp(name, "info") != 0) /* of the profile that was loaded */
		ck_assert_msg(same_cells(buf_str(&got), buf_str(&want)), "%s: %s:\n%s\nis not\n%s",
			      what, name, buf_str(&got), buf_str(&want));
	free(text);
	regroup_free(regroup);
	buf_release(&query);
	buf_release(&got);
	buf_release(&want);
}

static void
reports_are_same(struct sql *s, const struct profile *p, const struct lens *l, const char *what)
{
	for (size_t i = 0; i < n_report_views; i++)
		report_is_same(s, p, l, i, what);
}

/* ---- what tables do themselves ---- */

static void
plans_are_same(struct sql *s, struct chance *c)
{
	static const char *const table[] = {"samples", "slices", "points"};
	static const char *const time[] = {"time", "start", "time"};
	static const char *const op[] = {"<", "<=", "=", ">", ">="};
	static const char *const end[] = {"", ".5", "", "", " || 'x'", "e300"};
	char where[256], a[512], b[512];
	unsigned k = chance_below(c, 3);
	const char *first = op[chance_below(c, 5)], *second = op[chance_below(c, 5)];
	int low = (int)chance_below(c, 400) - 20, high = low + (int)chance_below(c, 200);
	const char *low_end = end[chance_below(c, 6)], *high_end = end[chance_below(c, 6)];
	const char *columns = k == 1 ? "start, \"end\", stack, depth" : "time, value, labels";

	for (int plus = 0; plus < 2; plus++) {
		const char *sign = plus ? "+" : "";
		snprintf(where, sizeof where, "%s%s %s %d%s AND %s%s %s %d%s AND %strack %s %u",
			 sign, time[k], first, low, low_end, sign, time[k], second, high,
			 high_end, sign, op[low % 2 ? 2 : 4], low % 3 ? 1u : 0u);
		snprintf(plus ? b : a, sizeof a, "SELECT %s FROM %s WHERE %s", columns, table[k],
			 where);
	}
	same_answers(s, a, b);
	snprintf(a, sizeof a, "SELECT * FROM samples WHERE stack = %d", low / 4);
	snprintf(b, sizeof b, "SELECT * FROM samples WHERE +stack = %d", low / 4);
	same_answers(s, a, b);
	snprintf(a, sizeof a, "SELECT * FROM stacks WHERE id %s %d.5 AND id %s %d", first, low / 20,
		 second, high / 10);
	snprintf(b, sizeof b, "SELECT * FROM stacks WHERE +id %s %d.5 AND +id %s %d", first,
		 low / 20, second, high / 10);
	same_answers(s, a, b);
	same_answers(s, "SELECT * FROM samples WHERE metric = 'bytes'",
		     "SELECT * FROM samples WHERE +metric = 'bytes'");
	same_answers(s, "SELECT * FROM labels WHERE \"set\" = 2",
		     "SELECT * FROM labels WHERE +\"set\" = 2");
}

/* ---- slices ---- */

struct replayed {
	const struct profile *p;
	struct shown_entry open[64];
	unsigned depth;
	track_id track;
	struct buf rows;
};

static void
entered(void *ctx, const struct shown_entry *e)
{
	struct replayed *r = ctx;

	r->open[r->depth++] = *e;
}

static void
add_if(struct buf *b, bool known, int64_t v)
{
	if (known)
		buf_addf(b, ",%lld", (long long)v);
	else
		buf_addc(b, ',');
}

static void
left(void *ctx, node_id node, int64_t time)
{
	struct replayed *r = ctx;
	const struct shown_entry *e = &r->open[--r->depth];
	bool known = e->stack != STACK_EMPTY;

	(void)node;
	buf_addf(&r->rows, "%u", r->track);
	add_if(&r->rows, true, e->time);
	add_if(&r->rows, true, time);
	add_if(&r->rows, true, time - e->time);
	add_if(&r->rows, known, e->stack);
	add_if(&r->rows, known,
	       known ? profile_frame(r->p, r->p->stacks.frame[e->stack])->function : 0);
	add_if(&r->rows, true, r->depth);
	add_if(&r->rows, e->valued, e->value);
	add_if(&r->rows, e->labels != LABELS_NONE, e->labels);
	buf_addc(&r->rows, '\n');
}

static void
slices_are_same(struct sql *s, const struct profile *p, const struct lens *l)
{
	struct regroup *regroup = regroup_new();
	struct encode_job job = {.profile = regroup_look(regroup, p, l, false), .lens = l};
	struct shown shown;
	struct replayed r = {.p = job.profile};
	struct shown_slices tell = {entered, left, &r};
	struct buf got = BUF_INIT;
	struct err e;

	err_init(&e);
	ck_assert(shown_open(&shown, &job, SHOWN_DIFF, &e));
	for (r.track = 0; r.track < shown.p->n_tracks; r.track++)
		for (uint32_t i = 0; i < shown.p->track[r.track].n_series; i++)
			if (shown.fold->tracks[r.track] &&
			    shown.p->track[r.track].series[i]->kind == SERIES_STEPS)
				shown_replay(&shown, shown.p->track[r.track].series[i], &tell);
	shown_close(&shown);
	regroup_free(regroup);
	ask(s, "SELECT * FROM slices", &got);
	ck_assert_str_eq(buf_str(&got), buf_str(&r.rows));
	buf_release(&got);
	buf_release(&r.rows);
}

#define PROFILES 40u

START_TEST(by_chance)
{
	for (unsigned i = 0; i < PROFILES; i++) {
		struct random_profile *r = random_profile_new(1000 + i);
		r->asks_labels = i % 2;
		random_profile_grow(r, 120);
		random_profile_finish(r);
		for (unsigned k = 0; k < 3; k++) {
			struct naive_lens naive;
			struct lens l;
			char what[32];
			random_lens(r, &naive, &l);
			snprintf(what, sizeof what, "profile %u, lens %u", i, k);
			struct sql *s = open_sql(r->model, &l);
			sums_are_true(s, r, &naive);
			reports_are_same(s, r->model, &l, what);
			for (unsigned n = 0; n < 6; n++)
				plans_are_same(s, &r->chance);
			sql_close(s);
			l.invert = false; /* tables are never turned over */
			s = open_sql(r->model, &l);
			slices_are_same(s, r->model, &l);
			sql_close(s);
			lens_release(&l);
		}
		random_profile_free(r);
	}
}
END_TEST

/* ---- every golden input ---- */

static void
golden_file(const char *path)
{
	struct profile *p = profile_new();
	struct lens l;
	struct err e;

	err_init(&e);
	lens_init(&l);
	struct input *in = input_open(path, &e);
	const struct decoder *d = in ? decoder_of(in, &e) : NULL;
	if (d) {
		struct builder *b = builder_new(p, path, d->name);
		d->decode(in, b, &e); /* of damaged ones the good prefix */
		builder_finish(b, &e);
		builder_free(b);
	}
	if (e.class != ERR_REFUSED && d) {
		struct sql *s = open_sql(p, &l);
		reports_are_same(s, p, &l, path);
		slices_are_same(s, p, &l);
		sql_close(s);
	}
	lens_release(&l);
	input_close(in);
	profile_free(p);
}

START_TEST(golden)
{
	const char *top = getenv("top_srcdir");
	char folder[4096];
	unsigned files_read = 0;

	snprintf(folder, sizeof folder, "%s/tests/golden", top ? top : ".");
	DIR *cases = opendir(folder);
	ck_assert_msg(cases != NULL, "%s", folder);
	for (struct dirent *c; (c = readdir(cases));) {
		char one[5000];
		snprintf(one, sizeof one, "%s/%s", folder, c->d_name);
		DIR *files = c->d_name[0] == '.' ? NULL : opendir(one);
		for (struct dirent *f; files && (f = readdir(files));) {
			char path[6000];
			if (strncmp(f->d_name, "input.", 6) != 0)
				continue;
			snprintf(path, sizeof path, "%s/%s", one, f->d_name);
			golden_file(path);
			files_read++;
		}
		if (files)
			closedir(files);
	}
	closedir(cases);
	ck_assert_uint_gt(files_read, 20);
}
END_TEST

/* ---- queries that mean harm ---- */

/* Each fails with these words, and what there is stays as it is; NULL: with any; an empty
 * text: it may be taken, and ends. */
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
	{"WITH RECURSIVE x(a) AS (SELECT 'x' UNION ALL SELECT a || a FROM x) SELECT count(*) FROM x",
	 "too big"},
	{"WITH RECURSIVE x(a) AS (SELECT zeroblob(10000) UNION ALL SELECT a FROM x)"
	 " SELECT group_concat(hex(a)) FROM x", NULL},
	{"SELECT zeroblob(2000000000)", "too big"},
	{"SELECT randomblob(2000000000)", "too big"},
	{"SELECT hex(zeroblob(16000000))", "too big"},
	{"SELECT length(printf('%.*c', 20000000, 'x'))", ""},
	{"SELECT length(printf('%20000000d', 1))", ""},
	{"SELECT replace(printf('%.*c', 100000, 'x'), 'x', printf('%.*c', 1000, 'y'))", "too big"},
	{"SELECT group_concat(printf('%.*c', 10000, 'x')) FROM samples a, samples b", NULL},
	{"SELECT count(*) FROM samples a, samples b, samples c, samples d, samples e, samples f",
	 "stopped"},
	{"SELECT * FROM report_functions('--filter-file /etc/passwd')", "reads a file"},
	{"SELECT * FROM report_functions('--filter /etc/passwd')", "reads a file"},
	{"SELECT * FROM report_functions('/etc/passwd')", "reads a file"},
	{"SELECT * FROM report_functions('--help')", "none of its options"},
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
	{"SELECT ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
	 "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
	 "((((((((((((((((((((((((((((((((((((((((((((((((((((((1", NULL},
};

/* Each of all tables, and what cannot be done to it. */
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
	for (asked = 0; *rest && !err_is_set(&e);)
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
	struct sql *s = open_sql(r->model, &l);
	patience = 50;
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

/* What is allowed besides: things of one's own, in memory. */
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
		"SELECT percentile(id, 50), percentile(id / 2.0, 99), human(max(id), 'ns'),"
		" human(NULL, 'ns'), human(1.5, 'apples') FROM functions",
	};
	struct random_profile *r = random_profile_new(7);
	struct buf got = BUF_INIT;
	struct lens l;

	random_profile_grow(r, 100);
	random_profile_finish(r);
	lens_init(&l);
	struct sql *s = open_sql(r->model, &l);
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		ask(s, good[i], &got);
		ck_assert_msg(strncmp(buf_str(&got), "error", 5) != 0, "%s: %s", good[i],
			      buf_str(&got));
	}
	ask(s, "EXPLAIN QUERY PLAN SELECT * FROM samples WHERE time >= 5 AND time < 9 AND track = 1",
	    &got);
	ck_assert_msg(strstr(buf_str(&got), "track= time>= time<") != NULL, "%s", buf_str(&got));
	ask(s, "EXPLAIN QUERY PLAN SELECT * FROM slices WHERE start BETWEEN 5 AND 9", &got);
	ck_assert_msg(strstr(buf_str(&got), "start>= start<=") != NULL, "%s", buf_str(&got));
	ask(s, "EXPLAIN QUERY PLAN SELECT * FROM samples JOIN stacks ON stack = stacks.id", &got);
	ck_assert_msg(strstr(buf_str(&got), ":id=") != NULL, "%s", buf_str(&got));
	same_answers(s, "SELECT percentile(value, 50), percentile(value, 100), percentile(value, 0)"
			" FROM (SELECT 1 AS value UNION ALL SELECT 2 UNION ALL SELECT 30"
			" UNION ALL SELECT 4)",
		     "SELECT 2, 30, 1");
	same_answers(s, "SELECT 'abc' REGEXP 'B', 'abc' REGEXP 'b', 'a=b' REGEXP '=b',"
			" 'x' REGEXP '!x', '!x' REGEXP '!x', NULL REGEXP 'x'",
		     "SELECT 0, 1, 1, 0, 1, NULL");
	sql_close(s);
	buf_release(&got);
	lens_release(&l);
	random_profile_free(r);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("sql");
	TCase *t = tcase_create("sql");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, by_chance);
	tcase_add_test(t, golden);
	tcase_add_test(t, harm);
	tcase_add_test(t, own_things);
	suite_add_tcase(s, t);
	return run_suite(s);
}

#else

int
main(void)
{
	return 77; /* built without SQLite */
}

#endif
