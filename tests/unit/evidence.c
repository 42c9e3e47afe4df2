#include "model/base/evidence.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* Intervals and tests, against what is printed in the papers and tables that evidence.h
 * names; and calibrated: of profiles by chance, whose truth is known, what is called sure is
 * wrong as rarely as it says, and what grew is found. */

static void
near(double got, double expected, double by)
{
	ck_assert_msg(fabs(got - expected) <= by, "%.9g, not %.9g", got, expected);
}

/* Garwood's table, 95 %. */
START_TEST(test_poisson)
{
	static const struct {
		int n;
		double low, high;
	} table[] = {{0, 0, 3.689},      {1, 0.0253, 5.572},  {2, 0.2422, 7.225},
		     {5, 1.623, 11.668}, {10, 4.795, 18.390}, {20, 12.217, 30.888}};
	struct evidence_limits l;

	evidence_limits_init(&l);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		near(l.low[table[i].n], table[i].low, 0.0006);
		near(l.high[table[i].n], table[i].high, 0.0006);
	}
}
END_TEST

/* Student's t of 0.05, two-sided, from any table. */
START_TEST(test_student)
{
	static const double table[][2] = {{1, 12.706}, {2, 4.303},  {3, 3.182},  {5, 2.571},
					  {9, 2.262},  {18, 2.101}, {30, 2.042}, {120, 1.980}};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		near(evidence_student_limit(table[i][0]), table[i][1], 0.0006);
		near(evidence_student(table[i][1], table[i][0]), 0.05, 0.0001);
	}
	near(evidence_student(0, 7), 1, 1e-12);
	near(evidence_student(3.169, 10), 0.01, 0.0001);
}
END_TEST

/* Newcombe 1998, table II: 56 of 70 against 48 of 80, method 10. */
START_TEST(test_shares)
{
	struct evidence e = evidence_shares(
		(struct evidence_total){.value = 56, .weight = 1, .whole = 70},
		(struct evidence_total){.value = 48, .weight = 1, .whole = 80});
	double low, high;

	near(e.low / 70, 0.0524, 0.00006);
	near(e.high / 70, 0.3339, 0.00006);
	/* Wilson's, as Newcombe's other paper (Statistics in Medicine 17, 857) has them */
	evidence_wilson(81, 263, &low, &high);
	near(low, 0.2553, 0.00006);
	near(high, 0.3662, 0.00006);
	evidence_wilson(0, 20, &low, &high);
	near(low, 0, 0);
	near(high, 0.1611, 0.00006);
}
END_TEST

/* Przyborowski and Wilenski's test is the binomial one: 2 and 10 of 12, 1/2. */
START_TEST(test_counts)
{
	struct evidence_limits l;

	near(evidence_binomial(2, 12, 0.5), 2 * 79.0 / 4096, 1e-12);
	near(evidence_binomial(6, 12, 0.5), 1, 1e-12);
	evidence_limits_init(&l);
	/* 100 against 144 samples of 10 each: z is 44 / sqrt(244) */
	struct evidence e =
		evidence_totals(&l, (struct evidence_total){.value = 1440, .weight = 10},
				(struct evidence_total){.value = 1000, .weight = 10});
	near(e.p, erfc(44 / sqrt(244) / sqrt(2)), 1e-12);
	near(e.low, 440 - 19.59964 * sqrt(244), 1e-3);
	near(e.high, 440 + 19.59964 * sqrt(244), 1e-3);
	e = evidence_totals(&l, (struct evidence_total){.value = 5, .weight = 0},
			    (struct evidence_total){.value = 5, .weight = 1});
	ck_assert(!e.known);
	/* as many samples as a profile can claim, which no int holds */
	e = evidence_totals(&l, (struct evidence_total){.value = 9.2e18, .weight = 1},
			    (struct evidence_total){.value = 0, .weight = 1});
	ck_assert(e.known && e.low > 9e18 && e.high > e.low);
}
END_TEST

static struct evidence_sums
sums(unsigned n, double mean, double deviation)
{
	return (struct evidence_sums){
		.n = n, .mean = mean, .squares = deviation * deviation * (n - 1)};
}

/* NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.5.3: miles per gallon of cars of two
 * countries, variances not assumed to be equal: T = -12.94627 with 136.8750 degrees. */
START_TEST(test_means)
{
	struct evidence_sums a = sums(249, 20.14458, 6.41470), b = sums(79, 30.48101, 6.10771),
			     s = {0};
	struct evidence e = evidence_means(&a, &b);
	double half = (e.high - e.low) / 2, error = half / evidence_student_limit(136.8750);

	near((e.low + e.high) / 2 / error, -12.94627, 0.0002);
	ck_assert(e.p > 0 && e.p < 1e-20);
	for (int i = 1; i <= 4; i++)
		evidence_add(&s, i);
	near(s.mean, 2.5, 1e-12);
	near(s.squares, 5, 1e-12);
	struct evidence_sums one = {.n = 1, .mean = 3}, same = {.n = 3, .mean = 7},
			     other = {.n = 2, .mean = 8};
	ck_assert(!evidence_means(&one, &s).known);
	near(evidence_means(&same, &same).p, 1, 0);
	near(evidence_means(&same, &other).p, 0, 0);
}
END_TEST

/* The example of Benjamini and Hochberg: the four smallest of 15 are sure. */
START_TEST(test_many)
{
	double p[] = {0.0459, 0.3240, 0.4262, 0.0001, 0.0004, 0.0019, 0.0095, 0.0201,
		      0.0278, 0.0298, 0.0344, 0.5719, 0.6528, 0.7590, 1.0000};
	double few[] = {0.0095, 0.0201, 0.0019, 0.0001, 0.0004, 0.0278, 0.0298, 0.0344, 0.0459};

	near(evidence_sure(p, 15, 15), 0.0095, 0);
	near(evidence_sure(few, 9, 15), 0.0095, 0);
	near(evidence_sure(p + 10, 5, 5), -1, 0);
	near(evidence_sure(NULL, 0, 0), -1, 0);
}
END_TEST

/* ---- calibrated ---- */

#define PAIRS 1000
#define ROWS 20
#define SAMPLES 25000.0
#define GROWING 5 /* the row of 5 % */

/* A program with these costs of functions in per cent. */
static const double share[ROWS] = {18, 14, 11, 9, 7, 5, 5, 4, 4, 3, 3, 3, 2, 2, 2, 2, 2, 2, 1, 1};

/* Counts of a mean: where the sums of their probabilities reach a number by chance. */
struct poisson {
	int first, n;
	double *sum;
};

static double
unit(struct chance *c)
{
	return (double)(chance_bits(c) >> 11) / 9007199254740992.0;
}

static struct poisson
poisson_new(double mean)
{
	int spread = (int)(9 * sqrt(mean)) + 20, first = (int)mean - spread;
	struct poisson p = {.first = first < 0 ? 0 : first, .n = 2 * spread};

	p.sum = calloc((size_t)p.n, sizeof *p.sum);
	for (int i = 0; i < p.n; i++)
		p.sum[i] = exp((p.first + i) * log(mean) - mean - lgamma(p.first + i + 1.0)) +
			   (i ? p.sum[i - 1] : 0);
	return p;
}

static double
poisson_draw(const struct poisson *p, struct chance *c)
{
	double u = unit(c);
	int low = 0, high = p->n - 1;

	while (low < high) {
		int middle = (low + high) / 2;
		if (p->sum[middle] < u)
			low = middle + 1;
		else
			high = middle;
	}
	return p->first + low;
}

struct outcome {
	unsigned any, found, held, intervals;
};

/* Compares pairs of profiles with these numbers of samples, in which one function grew. */
static struct outcome
play(double now_samples, double base_samples, double grows, bool shares, uint64_t seed)
{
	struct poisson now[ROWS], base[ROWS];
	struct evidence_limits l;
	struct outcome out = {0};
	struct chance c;
	double all = 100 + share[GROWING] * (grows - 1);

	chance_init(&c, seed);
	evidence_limits_init(&l);
	for (int i = 0; i < ROWS; i++) {
		double mean = share[i] * (i == GROWING ? grows : 1) / 100;
		now[i] = poisson_new(mean * now_samples);
		base[i] = poisson_new(share[i] / 100 * base_samples);
	}
	for (int pair = 0; pair < PAIRS; pair++) {
		struct evidence_total a[ROWS], b[ROWS];
		double p[ROWS], sorted[ROWS], whole[2] = {0};
		for (int i = 0; i < ROWS; i++) {
			a[i] = (struct evidence_total){poisson_draw(&now[i], &c), 1, 0};
			b[i] = (struct evidence_total){poisson_draw(&base[i], &c), 1, 0};
			whole[0] += a[i].value;
			whole[1] += b[i].value;
		}
		for (int i = 0; i < ROWS; i++) {
			double mean = share[i] * (i == GROWING ? grows : 1) / 100;
			double truth = mean * now_samples - share[i] / 100 * base_samples;
			a[i].whole = whole[0];
			b[i].whole = whole[1];
			if (shares)
				truth = (mean * 100 / all - share[i] / 100) * whole[0];
			struct evidence e = shares ? evidence_shares(a[i], b[i])
						   : evidence_totals(&l, a[i], b[i]);
			sorted[i] = p[i] = e.p;
			out.held += e.low <= truth && truth <= e.high;
			out.intervals++;
		}
		double sure = evidence_sure(sorted, ROWS, ROWS);
		out.any += sure >= 0;
		out.found += p[GROWING] <= sure;
	}
	for (int i = 0; i < ROWS; i++) {
		free(now[i].sum);
		free(base[i].sum);
	}
	return out;
}

static void
holds(struct outcome o)
{
	double part = (double)o.held / o.intervals;

	ck_assert_msg(part >= 0.93 && part <= 0.97, "%.4f of the intervals hold the truth", part);
}

START_TEST(test_same)
{
	for (int shares = 0; shares < 2; shares++) {
		struct outcome o = play(SAMPLES, SAMPLES, 1, shares, 11 + (uint64_t)shares);
		ck_assert_uint_le(o.any, PAIRS * 7 / 100);
		holds(o);
	}
	/* half as long a recording, by shares */
	struct outcome o = play(SAMPLES / 2, SAMPLES, 1, true, 13);
	ck_assert_uint_le(o.any, PAIRS * 7 / 100);
	holds(o);
	/* so few samples that limits are exact: never less than they say */
	o = play(400, 400, 1, false, 14);
	ck_assert_uint_le(o.any, PAIRS * 7 / 100);
	ck_assert_double_ge((double)o.held / o.intervals, 0.93);
}
END_TEST

START_TEST(test_grown)
{
	struct outcome o = play(SAMPLES, SAMPLES, 1.2, false, 21);

	ck_assert_uint_ge(o.found, PAIRS * 90 / 100);
	holds(o);
	o = play(SAMPLES, SAMPLES, 1.2, true, 22);
	ck_assert_uint_ge(o.found, PAIRS * 90 / 100);
	/* as the manual says: about half at 10,000 */
	o = play(10000, 10000, 1.2, false, 23);
	ck_assert_uint_ge(o.found, PAIRS * 35 / 100);
	ck_assert_uint_le(o.found, PAIRS * 65 / 100);
}
END_TEST

/* Nearly normal. */
static double
bell(struct chance *c)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += unit(c);
	return sum;
}

/* Files a side whose totals differ from run to run by 3 %, beside the chance of sampling. */
static struct outcome
play_files(unsigned files, double grows, uint64_t seed)
{
	struct outcome out = {0};
	struct chance c;

	chance_init(&c, seed);
	for (int pair = 0; pair < PAIRS; pair++) {
		double p[ROWS], sorted[ROWS];
		for (int i = 0; i < ROWS; i++) {
			struct evidence_sums side[2] = {{0}};
			double mean[2];
			for (int now = 0; now < 2; now++) {
				mean[now] = share[i] / 100 * SAMPLES *
					    (now && i == GROWING ? grows : 1);
				for (unsigned k = 0; k < files; k++)
					evidence_add(&side[now],
						     mean[now] * (1 + 0.03 * bell(&c)) +
							     sqrt(mean[now]) * bell(&c));
			}
			struct evidence e = evidence_means(&side[1], &side[0]);
			double truth = mean[1] - mean[0];
			sorted[i] = p[i] = e.p;
			out.held += e.low <= truth && truth <= e.high;
			out.intervals++;
		}
		double sure = evidence_sure(sorted, ROWS, ROWS);
		out.any += sure >= 0;
		out.found += p[GROWING] <= sure;
	}
	return out;
}

/* How many of some samples that fall here with one in fifty: about two. */
static double
few(struct chance *c)
{
	double n = 0;

	for (int i = 0; i < 100; i++)
		n += chance_one_in(c, 50);
	return n;
}

/* Rows of two samples a file, two files a side: equal by chance in every sixth side, which
 * the files' own spread takes for certainty. */
START_TEST(test_few_in_files)
{
	struct evidence_limits l;
	struct chance c;
	unsigned sure = 0, means_sure = 0, held = 0;

	evidence_limits_init(&l);
	chance_init(&c, 7);
	for (int i = 0; i < 4000; i++) {
		struct evidence_sums side[2] = {{0}};
		for (int k = 0; k < 4; k++)
			evidence_add(&side[k % 2], 10 * few(&c));
		struct evidence e = evidence_files(&l, &side[0], &side[1], 10, 10);
		sure += e.p <= EVIDENCE_LEVEL;
		held += e.low <= 0 && 0 <= e.high;
		means_sure += evidence_means(&side[0], &side[1]).p <= EVIDENCE_LEVEL;
	}
	ck_assert_uint_le(sure, 4000 * 5 / 100);
	ck_assert_uint_ge(held, 4000 * 95 / 100);
	ck_assert_uint_gt(means_sure, sure);
	/* two samples in each of two files, none before: one in eight by chance alone */
	struct evidence_sums two = {.n = 2, .mean = 20}, none = {.n = 2};
	near(evidence_files(&l, &two, &none, 10, 10).p, 0.125, 1e-12);
	/* what is not of samples is as the files say; of many samples hardly anything is chance:
	 * 200 in each of two files, none before */
	near(evidence_files(&l, &two, &none, 0, 0).p, 0, 0);
	near(evidence_files(&l, &two, &none, 0.1, 0.1).p, 0, 1e-9);
}
END_TEST

/* Digamma and trigamma are private; a table of dispersions says whether they are right. */
START_TEST(test_common)
{
	struct evidence_dispersion row[400], common;
	struct chance c;

	/* Variances of eight values each of one normal: 7 degrees of freedom, all of one family */
	chance_init(&c, 3);
	for (int i = 0; i < 400; i++) {
		struct evidence_sums s = {0};
		for (int k = 0; k < 8; k++)
			evidence_add(&s, 100 + 3 * bell(&c));
		row[i] = evidence_blocks(&s, NULL, 8 * 9 / 4.0);
		near(row[i].df, 7, 1e-9);
	}
	common = evidence_common(row, 400);
	near(common.factor, 4, 0.2);
	ck_assert_double_ge(common.df, 60);
	/* half of them vary sixteen times as much: they share little */
	for (int i = 0; i < 400; i += 2)
		row[i].factor *= 16;
	common = evidence_common(row, 400);
	ck_assert_double_le(common.df, 3);
	/* a row moves towards the others by what each knows */
	struct evidence_dispersion one = {2, 7}, all = {5, 14}, both = evidence_moderate(one, all);
	near(both.factor, 4, 1e-12);
	near(both.df, 21, 1e-12);
	/* seven rows are no family */
	near(evidence_common(row, 7).df, 0, 0);
	/* and never is an interval narrower than that of independent samples */
	struct evidence e = {.known = true, .low = -5, .high = 9, .p = 0.2};
	struct evidence same = evidence_disperse(e, 2, 4, (struct evidence_dispersion){0.1, 200});
	near(same.low, -5, 0);
	near(same.high, 9, 0);
	near(same.p, 0.2, 0.0);
	/* 2 of a variance of 100 with 10 degrees of freedom: t is 0.2, the limit 2.228 */
	e = evidence_disperse(e, 2, 4, (struct evidence_dispersion){25, 10});
	near(e.low, 2 - 22.28139, 1e-4);
	near(e.high, 2 + 22.28139, 1e-4);
	near(e.p, 0.84548, 1e-4);
}
END_TEST

START_TEST(test_files)
{
	struct outcome o = play_files(5, 1, 31);

	ck_assert_uint_le(o.any, PAIRS * 7 / 100);
	holds(o);
	o = play_files(10, 1.2, 32);
	ck_assert_uint_ge(o.found, PAIRS * 90 / 100);
	holds(o);
}
END_TEST

UNIT(evidence)
{
	Suite *s = suite_create("evidence");
	TCase *tables = tcase_create("tables"), *calibrated = tcase_create("calibrated");

	tcase_add_test(tables, test_poisson);
	tcase_add_test(tables, test_student);
	tcase_add_test(tables, test_shares);
	tcase_add_test(tables, test_counts);
	tcase_add_test(tables, test_means);
	tcase_add_test(tables, test_many);
	suite_add_tcase(s, tables);
	tcase_set_timeout(calibrated, 60);
	tcase_add_test(calibrated, test_same);
	tcase_add_test(calibrated, test_grown);
	tcase_add_test(calibrated, test_few_in_files);
	tcase_add_test(calibrated, test_common);
	tcase_add_test(calibrated, test_files);
	suite_add_tcase(s, calibrated);
	return s;
}
