/* statistics.c - aggregates, also as window functions: percentile(), median(), stddev().
 *
 * An aggregate collects its values and sorts them once, at its end.  A window function returns a
 * number after each row, and values leave it again, so from the first such number on its values
 * stay sorted: in runs of up to RUN_MAX values, so that a value costs a search and a short move.
 * One sorted array was rejected, because a window of a million values moves eight megabytes a row.
 *
 *	run[0]  1 1 2 5     run[1]  5 8 9     run[2]  12 ...
 *
 * Each value is kept twice, since a double does not hold an integer beyond 2^53.  The order is that
 * of the doubles, then that of the integers. */
#include "src/sql/sql_inside.h"

#ifdef HAVE_SQLITE

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/bisect.h"

#define RUN_MAX 512u

struct statistics_value {
	double fraction;
	sqlite3_int64 whole;
};

struct statistics_run {
	unsigned n; /* at least 1 */
	struct statistics_value at[RUN_MAX];
};

struct percentile {
	struct statistics_value *at; /* until the first number of a window: unsorted */
	struct statistics_run **run; /* from then on */
	sqlite3_int64 n, cap;        /* values; room of `at` */
	size_t n_runs, runs_cap;
	sqlite3_int64 fractions; /* how many values are no integers: the fractions count */
	double p;
	bool wrong, runs;
};

static int
value_compare(const struct statistics_value *x, const struct statistics_value *y)
{
	int order = (x->fraction > y->fraction) - (x->fraction < y->fraction);

	return order ? order : (x->whole > y->whole) - (x->whole < y->whole);
}

static int
by_value(const void *a, const void *b, void *pace)
{
	if (!pace_on(pace, 1)) /* cancelled: the order does not matter */
		return 0;
	return value_compare(a, b);
}

/* ---- sorted runs ---- */

/* Returns the first run whose last value is not smaller; the last run if there is none. */
static size_t
run_for(const struct percentile *x, const struct statistics_value *v)
{
	return bisect(i, x->n_runs - 1, value_compare(&x->run[i]->at[x->run[i]->n - 1], v) < 0);
}

/* Returns the place of the first value of the run that is not smaller. */
static unsigned
run_place(const struct statistics_run *r, const struct statistics_value *v)
{
	return (unsigned)bisect(i, r->n, value_compare(&r->at[i], v) < 0);
}

/* Makes an empty run before run i; returns NULL without memory. */
static struct statistics_run *
run_insert(struct percentile *x, size_t i)
{
	if (x->n_runs == x->runs_cap) {
		size_t cap = x->runs_cap ? 2 * x->runs_cap : 8;
		struct statistics_run **run = sqlite3_realloc64(x->run, cap * sizeof(void *));
		if (!run)
			return NULL;
		x->run = run;
		x->runs_cap = cap;
	}
	struct statistics_run *r = sqlite3_malloc64(sizeof *r);
	if (!r)
		return NULL;
	memmove(x->run + i + 1, x->run + i, (x->n_runs - i) * sizeof(void *));
	x->run[i] = r;
	x->n_runs++;
	r->n = 0;
	return r;
}

static bool
runs_add(struct percentile *x, struct statistics_value v)
{
	size_t i = x->n_runs ? run_for(x, &v) : 0;
	struct statistics_run *r = x->n_runs ? x->run[i] : run_insert(x, 0);

	if (r && r->n == RUN_MAX) { /* halve it */
		struct statistics_run *second = run_insert(x, i + 1);
		if (!second)
			return false;
		memcpy(second->at, r->at + RUN_MAX / 2, RUN_MAX / 2 * sizeof *r->at);
		r->n = second->n = RUN_MAX / 2;
		r = value_compare(&r->at[r->n - 1], &v) < 0 ? second : r;
	}
	if (!r)
		return false;
	unsigned k = run_place(r, &v);
	memmove(r->at + k + 1, r->at + k, (r->n - k) * sizeof *r->at);
	r->at[k] = v;
	r->n++;
	return true;
}

static void
runs_remove(struct percentile *x, struct statistics_value v)
{
	if (!x->n_runs)
		return;
	size_t i = run_for(x, &v);
	struct statistics_run *r = x->run[i];
	unsigned k = run_place(r, &v);
	if (k == r->n || value_compare(&r->at[k], &v) != 0)
		return;
	memmove(r->at + k, r->at + k + 1, (--r->n - k) * sizeof *r->at);
	if (r->n)
		return;
	sqlite3_free(r);
	memmove(x->run + i, x->run + i + 1, (--x->n_runs - i) * sizeof(void *));
}

/* Moves the values into runs; returns false without memory. */
static bool
runs_begin(struct percentile *x)
{
	for (sqlite3_int64 i = 0; !x->runs && i < x->n; i++)
		if (!runs_add(x, x->at[i]))
			return false;
	x->runs = true;
	sqlite3_free(x->at);
	x->at = NULL;
	return true;
}

/* Returns value i in ascending order. */
static struct statistics_value
values_nth(const struct percentile *x, sqlite3_int64 i)
{
	size_t k = 0;

	i = i < 0 ? 0 : i >= x->n ? x->n - 1 : i;
	if (!x->runs)
		return x->at[i];
	for (; i >= x->run[k]->n; k++)
		i -= x->run[k]->n;
	return x->run[k]->at[i];
}

static void
values_release(struct percentile *x)
{
	for (size_t i = 0; i < x->n_runs; i++)
		sqlite3_free(x->run[i]);
	sqlite3_free(x->run);
	sqlite3_free(x->at);
}

/* ---- percentile(x, p), median(x) ---- */

static bool
values_add(struct percentile *x, struct statistics_value v)
{
	if (x->runs)
		return runs_add(x, v);
	if (x->n == x->cap) {
		sqlite3_int64 cap = x->cap ? x->cap * 2 : 64;
		struct statistics_value *at =
			sqlite3_realloc64(x->at, (sqlite3_uint64)cap * sizeof *at);
		if (!at)
			return false;
		x->at = at;
		x->cap = cap;
	}
	x->at[x->n] = v;
	return true;
}

/* Returns false for NULL. */
static bool
values_read(sqlite3_value *from, struct statistics_value *out, bool *fraction)
{
	int type = sqlite3_value_numeric_type(from);

	*fraction = type != SQLITE_INTEGER;
	*out = (struct statistics_value){sqlite3_value_double(from), sqlite3_value_int64(from)};
	return type != SQLITE_NULL;
}

static void
percentile_step(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	struct percentile *x = sqlite3_aggregate_context(out, sizeof *x);
	struct statistics_value v;
	bool fraction;

	if (!x || !values_read(argv[0], &v, &fraction))
		return;
	x->p = argc > 1 ? sqlite3_value_double(argv[1]) : 50;
	int type = argc > 1 ? sqlite3_value_numeric_type(argv[1]) : SQLITE_FLOAT;
	if ((type != SQLITE_FLOAT && type != SQLITE_INTEGER) || !(x->p >= 0 && x->p <= 100)) {
		x->wrong = true;
		return;
	}
	if (!values_add(x, v)) {
		sqlite3_result_error_nomem(out);
		return;
	}
	x->n++;
	x->fractions += fraction;
}

/* A row leaves the window. */
static void
percentile_inverse(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	struct percentile *x = sqlite3_aggregate_context(out, sizeof *x);
	struct statistics_value v;
	bool fraction;

	(void)argc;
	if (!x || x->wrong || !values_read(argv[0], &v, &fraction))
		return;
	if (!runs_begin(x)) {
		sqlite3_result_error_nomem(out);
		return;
	}
	runs_remove(x, v);
	x->n--;
	x->fractions -= fraction;
}

static void
result_nth(sqlite3_context *out, const struct percentile *x, sqlite3_int64 i)
{
	struct statistics_value v = values_nth(x, i);

	if (x->fractions)
		sqlite3_result_double(out, v.fraction);
	else
		sqlite3_result_int64(out, v.whole);
}

/* Returns the smallest value that is at least as large as p % of all values, as everywhere in
 * pnav. */
static void
result_percentile(sqlite3_context *out, const struct percentile *x)
{
	if (x->wrong)
		sqlite3_result_error(out, "percentile(x, p): p is from 0 to 100", -1);
	else if (x->n)
		result_nth(out, x, (sqlite3_int64)ceil((double)x->n * x->p / 100) - 1);
}

/* Returns the value in the middle, or the mean of the two there. */
static void
result_median(sqlite3_context *out, const struct percentile *x)
{
	if (x->n % 2) {
		result_nth(out, x, x->n / 2);
	} else if (x->n) {
		double low = values_nth(x, x->n / 2 - 1).fraction;
		double high = values_nth(x, x->n / 2).fraction;
		sqlite3_result_double(out, low / 2 + high / 2);
	}
}

typedef void result_writer(sqlite3_context *out, const struct percentile *x);

static void
values_number(sqlite3_context *out, result_writer *result)
{
	struct percentile *x = sqlite3_aggregate_context(out, 0);

	if (x && !runs_begin(x))
		sqlite3_result_error_nomem(out);
	else if (x)
		result(out, x);
}

static void
values_end(sqlite3_context *out, result_writer *result)
{
	struct percentile *x = sqlite3_aggregate_context(out, 0);
	struct sql *s = sqlite3_user_data(out);

	if (!x)
		return;
	if (!x->runs && x->n)
		qsort_r(x->at, (size_t)x->n, sizeof *x->at, by_value, &s->pace);
	result(out, x);
	values_release(x);
}

static void
percentile_value(sqlite3_context *out)
{
	values_number(out, result_percentile);
}

static void
percentile_end(sqlite3_context *out)
{
	values_end(out, result_percentile);
}

static void
median_value(sqlite3_context *out)
{
	values_number(out, result_median);
}

static void
median_end(sqlite3_context *out)
{
	values_end(out, result_median);
}

/* ---- stddev(x) ---- */

/* The sum of the squares of the distances from the mean, by Welford's method, which loses no digits
 * of close values. */
struct deviation {
	sqlite3_int64 n;
	double mean, squares;
};

static void
stddev_step(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	struct deviation *d = sqlite3_aggregate_context(out, sizeof *d);
	double x = sqlite3_value_double(argv[0]);

	(void)argc;
	if (!d || sqlite3_value_numeric_type(argv[0]) == SQLITE_NULL)
		return;
	double from = x - d->mean;
	d->mean += from / (double)++d->n;
	d->squares += from * (x - d->mean);
}

static void
stddev_inverse(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	struct deviation *d = sqlite3_aggregate_context(out, sizeof *d);
	double x = sqlite3_value_double(argv[0]);

	(void)argc;
	if (!d || sqlite3_value_numeric_type(argv[0]) == SQLITE_NULL)
		return;
	if (--d->n <= 0) {
		*d = (struct deviation){0};
		return;
	}
	double from = x - d->mean;
	d->mean -= from / (double)d->n;
	d->squares -= from * (x - d->mean);
}

/* Returns the deviation of a sample: of n - 1 degrees of freedom. */
static void
stddev_value(sqlite3_context *out)
{
	const struct deviation *d = sqlite3_aggregate_context(out, 0);

	if (d && d->n > 1)
		sqlite3_result_double(
			out, d->squares > 0 ? sqrt(d->squares / (double)(d->n - 1))
					    : 0);
}

/* ---- */

int
sql_statistics_register(struct sql *s)
{
	static const struct {
		const char *name;
		int n;
		void (*step)(sqlite3_context *out, int argc, sqlite3_value **argv);
		void (*end)(sqlite3_context *out);
		void (*value)(sqlite3_context *out);
		void (*inverse)(sqlite3_context *out, int argc, sqlite3_value **argv);
	} rows[] = {
		{"percentile", 2, percentile_step, percentile_end, percentile_value,
		 percentile_inverse},
		{"median", 1, percentile_step, median_end, median_value, percentile_inverse},
		{"stddev", 1, stddev_step, stddev_value, stddev_value, stddev_inverse},
	};
	int flags = SQLITE_UTF8 | SQLITE_INNOCUOUS | SQLITE_DETERMINISTIC, status = SQLITE_OK;

	for (size_t i = 0; i < sizeof rows / sizeof *rows && !status; i++)
		status = sqlite3_create_window_function(s->db, rows[i].name, rows[i].n, flags, s,
							rows[i].step, rows[i].end, rows[i].value,
							rows[i].inverse, NULL);
	return status;
}

#endif
