#include <check.h>

#include "tests/lib/unit.h"

#ifdef HAVE_SQLITE

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/derive/derived.h"
#include "model/profile/human.h"
#include "src/command/report/report.h"
#include "src/decode/decoder.h"
#include "src/encode/encoder.h"
#include "src/encode/shown_stacks.h"
#include "src/encode/shown_times.h"
#include "src/sql/sql.h"
#include "tests/lib/asked.h"
#include "tests/lib/golden_inputs.h"
#include "tests/lib/random_profile.h"

/* SQL against others: sums against the slow and obvious way (naive.h), reports against what
 * `pnav report` prints, slices against the replay of exports, and the conditions of a WHERE
 * that tables evaluate against SQLite, which evaluates them if a + precedes the column. */

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
	struct derived *derived = derived_new();
	const char *name = report_views[i]->name;
	char *text = NULL;
	size_t len = 0;
	struct err e;

	err_init(&e);
	if (report_views[i]->parallelism)
		derived_want_parallelism(derived);
	FILE *out = open_memstream(&text, &len);
	struct encode_job job = {
		.profile = derived_look(derived, p, l, false, NULL, &e), .lens = l, .out = out};
	bool good = report_sheet(&job, name, "csv", &e);
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
	derived_free(derived);
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

/* ---- filters inside tables ---- */

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
	const char *columns = k == 1 ? "id, parent, self, start, finish, stack, depth"
				     : "time, value, labels";

	for (int plus = 0; plus < 2; plus++) {
		const char *sign = plus ? "+" : "";
		snprintf(where, sizeof where, "%s%s %s %d%s AND %s%s %s %d%s AND %strack %s %u",
			 sign, time[k], first, low, low_end, sign, time[k], second, high,
			 high_end, sign, op[low % 2 ? 2 : 4], low % 3 ? 1u : 0u);
		snprintf(plus ? b : a, sizeof a, "SELECT %s FROM %s WHERE %s", columns, table[k],
			 where);
	}
	asked_same(s, a, b);
	snprintf(a, sizeof a, "SELECT * FROM samples WHERE stack = %d", low / 4);
	snprintf(b, sizeof b, "SELECT * FROM samples WHERE +stack = %d", low / 4);
	asked_same(s, a, b);
	snprintf(a, sizeof a, "SELECT * FROM stacks WHERE id %s %d.5 AND id %s %d", first, low / 20,
		 second, high / 10);
	snprintf(b, sizeof b, "SELECT * FROM stacks WHERE +id %s %d.5 AND +id %s %d", first,
		 low / 20, second, high / 10);
	asked_same(s, a, b);
	asked_same(s, "SELECT * FROM samples WHERE metric = 'bytes'",
		     "SELECT * FROM samples WHERE +metric = 'bytes'");
	asked_same(s, "SELECT * FROM labels WHERE \"set\" = 2",
		     "SELECT * FROM labels WHERE +\"set\" = 2");
	asked_same(s, "SELECT * FROM labels WHERE label_set = 2 AND \"set\" < 3",
		     "SELECT * FROM labels WHERE +\"set\" = 2");
}

/* ---- slices ---- */

/* A slice by its id or parent: the replay begins in the middle, and a slice that was found before
 * comes from the cursor's memory. */
static void
lookups_are_same(struct sql *s, unsigned k)
{
	static const char *const query[] = {
		"SELECT t.*, t.parent FROM (SELECT id FROM slices WHERE depth %% 3 = %u UNION ALL"
		" SELECT id + 1 FROM slices) AS k CROSS JOIN slices AS t ON %st.id = k.id"
		" AND t.start > 20",
		"SELECT t.*, t.parent FROM (SELECT id FROM slices WHERE depth %% 3 = %u) AS k"
		" CROSS JOIN slices AS t ON %st.parent = k.id",
	};
	char a[256], b[256];

	for (unsigned i = 0; i < 2; i++) {
		snprintf(a, sizeof a, query[i], k, "");
		snprintf(b, sizeof b, query[i], k, "+");
		asked_same(s, a, b);
	}
}

struct replayed {
	struct shown_stacks stacks;
	struct shown_entry open[64];
	int64_t children[64]; /* [depth] the duration of those that ended */
	unsigned depth;
	track_id track;
	struct buf rows;
};

static void
entered(void *ctx, const struct shown_entry *e)
{
	struct replayed *r = ctx;

	r->children[r->depth] = 0;
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
	stack_id stack = shown_stacks_leaf(&r->stacks, e->stack);
	bool known = stack != STACK_EMPTY;

	(void)node;
	buf_addf(&r->rows, "%u", r->track);
	add_if(&r->rows, true, e->time);
	add_if(&r->rows, true, time);
	add_if(&r->rows, true, time - e->time);
	add_if(&r->rows, true, time - e->time - r->children[r->depth]);
	if (r->depth)
		r->children[r->depth - 1] += time - e->time;
	add_if(&r->rows, known, stack);
	add_if(&r->rows, known, known ? shown_stacks_function(&r->stacks, stack) : 0);
	add_if(&r->rows, true, r->depth);
	add_if(&r->rows, e->valued, e->value);
	add_if(&r->rows, e->labels != LABELS_NONE, e->labels);
	buf_addc(&r->rows, '\n');
}

static void
slices_are_same(struct sql *s, const struct profile *p, const struct lens *l)
{
	struct derived *derived = derived_new();
	struct err e;

	err_init(&e);
	struct encode_job job = {.lens = l};
	struct shown shown;
	struct replayed r = {.depth = 0};
	struct shown_slices emit = {entered, left, &r};
	struct buf got = BUF_INIT;

	job.profile = derived_look(derived, p, l, false, NULL, &e);
	ck_assert(shown_open(&shown, &job, SHOWN_DIFF, &e));
	ck_assert(shown_stacks_open(&r.stacks, &shown));
	for (r.track = 0; r.track < shown.p->n_tracks; r.track++)
		for (uint32_t i = 0; i < shown.p->track[r.track].n_series; i++)
			if (shown.fold->tracks[r.track] &&
			    shown.p->track[r.track].series[i]->kind == SERIES_STEPS)
				shown_replay(&shown, shown.p->track[r.track].series[i], &emit);
	shown_stacks_release(&r.stacks);
	shown_close(&shown);
	derived_free(derived);
	ask(s, "SELECT track, start, \"end\", duration, self, stack, function, depth, value, labels"
	       " FROM slices", &got);
	ck_assert_str_eq(buf_str(&got), buf_str(&r.rows));
	/* ids are unique; a parent is around its child, one level up, and no slice has two */
	buf_reset(&got);
	ask(s, "SELECT count(*) - count(DISTINCT id) FROM slices UNION ALL"
	       " SELECT count(*) FROM slices AS s LEFT JOIN slices AS p ON p.id = s.parent WHERE"
	       " CASE WHEN s.depth THEN p.track IS NOT s.track OR p.depth <> s.depth - 1 OR"
	       " p.start > s.start OR p.finish < s.finish ELSE s.parent IS NOT NULL END", &got);
	ck_assert_str_eq(buf_str(&got), "0\n0\n");
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
			struct sql *s = asked_open(r->model, &l);
			sums_are_true(s, r, &naive);
			reports_are_same(s, r->model, &l, what);
			for (unsigned n = 0; n < 6; n++)
				plans_are_same(s, &r->chance);
			sql_close(s);
			l.invert = false; /* tables are never turned over */
			s = asked_open(r->model, &l);
			slices_are_same(s, r->model, &l);
			lookups_are_same(s, k);
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
	struct err e;
	struct lens l;
	struct profile *p = golden_profile(path, &e);

	if (!p)
		return;
	lens_init(&l);
	struct sql *s = asked_open(p, &l);
	reports_are_same(s, p, &l, path);
	slices_are_same(s, p, &l);
	sql_close(s);
	lens_release(&l);
	profile_free(p);
}

START_TEST(golden)
{
	glob_t inputs = golden_inputs();

	for (size_t i = 0; i < inputs.gl_pathc; i++)
		golden_file(inputs.gl_pathv[i]);
	globfree(&inputs);
}
END_TEST

UNIT(sql)
{
	Suite *s = suite_create("sql");
	TCase *t = tcase_create("sql");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, by_chance);
	tcase_add_test(t, golden);
	suite_add_tcase(s, t);
	return s;
}

#else

UNIT(sql)
{
	return NULL; /* built without SQLite */
}

#endif
