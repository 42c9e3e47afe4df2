#include "model/base/evidence.h"

#include <math.h>
#include <stdlib.h>

#include "model/base/ordered.h"

/* The formulas of the papers that the header cites, and functions that they need and libm lacks:
 * the incomplete beta function, by its continued fraction (DLMF 8.17.22); digamma and trigamma,
 * by recurrence and asymptotic series (DLMF 5.5.2, 5.11.2); sums of Poisson and binomial
 * probabilities, which are short where they are used. */

#define Z95 1.959963984540054

/* ---- counts ---- */

/* P(X <= n) of a count with mean m. */
static double
poisson_below(int n, double m)
{
	double term = exp(-m), sum = 0;

	for (int i = 0; i <= n; term *= m / ++i)
		sum += term;
	return sum;
}

/* Returns the mean for which P(X <= n) is this; P falls as the mean grows. */
static double
poisson_mean(int n, double probability)
{
	double low = 0, high = 2.0 * n + 20;

	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;
		if (poisson_below(n, middle) > probability)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

void
evidence_limits_init(struct evidence_limits *l)
{
	for (int n = 0; n < EVIDENCE_FEW; n++) {
		l->low[n] = n ? poisson_mean(n - 1, 1 - EVIDENCE_LEVEL / 2) : 0;
		l->high[n] = poisson_mean(n, EVIDENCE_LEVEL / 2);
	}
}

double
evidence_binomial(unsigned k, unsigned n, double q)
{
	double below = 0, above = 0;

	if (!n || !(q > 0 && q < 1))
		return 1;
	for (unsigned i = 0; i <= n; i++) {
		double term = exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) +
				  i * log(q) + (n - i) * log1p(-q));
		below += i <= k ? term : 0;
		above += i >= k ? term : 0;
	}
	double p = 2 * (below < above ? below : above);
	return p < 1 ? p : 1;
}

/* The probability of a |z| at least as large. */
static double
normal(double z)
{
	return erfc(fabs(z) / sqrt(2));
}

/* Returns how many samples a total is. */
static double
samples(struct evidence_total t)
{
	return t.value > 0 ? t.value / t.weight : 0;
}

static void
count_limits(const struct evidence_limits *l, double n, double *low, double *high)
{
	if (n < EVIDENCE_FEW - 1) {
		int i = (int)(n + 0.5);
		*low = l->low[i];
		*high = l->high[i];
		return;
	}
	*low = n - Z95 * sqrt(n);
	*high = n + Z95 * sqrt(n);
}

/* Zou and Donner: the distances of each from its limits, squared and added. */
static void
evidence_difference(struct evidence *e, double now, const double *now_at, double base,
		    const double *base_at)
{
	double d = now - base;

	e->low = d - hypot(now - now_at[0], base_at[1] - base);
	e->high = d + hypot(now_at[1] - now, base - base_at[0]);
}

/* The probability of a split at least as uneven as n of `of`, if a part q is expected. */
static double
evidence_split(double n, double of, double q)
{
	if (of < 2 * EVIDENCE_FEW)
		return evidence_binomial((unsigned)(n + 0.5), (unsigned)(of + 0.5), q);
	return normal((n - of * q) / sqrt(of * q * (1 - q)));
}

static bool
is_sampled(struct evidence_total t)
{
	return t.weight > 0 && t.value >= 0;
}

struct evidence
evidence_totals(const struct evidence_limits *l, struct evidence_total now,
		struct evidence_total base)
{
	struct evidence e = {.known = is_sampled(now) && is_sampled(base)};
	double a = samples(now), b = samples(base), at_a[2], at_b[2];

	if (!e.known)
		return e;
	count_limits(l, a, &at_a[0], &at_a[1]);
	count_limits(l, b, &at_b[0], &at_b[1]);
	for (int i = 0; i < 2; i++) {
		at_a[i] *= now.weight;
		at_b[i] *= base.weight;
	}
	evidence_difference(&e, now.value, at_a, base.value, at_b);
	/* for equal totals, this part of the samples is in `now`: samples of less weight are
	 * more */
	double q = base.weight / (now.weight + base.weight);
	if (a + b < 2 * EVIDENCE_FEW)
		e.p = evidence_split(a, a + b, q);
	else
		e.p = normal((now.value - base.value) /
			     sqrt(now.value * now.weight + base.value * base.weight));
	return e;
}

/* ---- shares ---- */

void
evidence_wilson(double k, double n, double *low, double *high)
{
	double p = fmin(fmax(k / n, 0), 1), z2 = Z95 * Z95;
	double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
	double half = Z95 / (1 + z2 / n) * sqrt(p * (1 - p) / n + z2 / (4 * n * n));

	*low = k > 0 ? middle - half : 0;
	*high = k < n ? middle + half : 1;
}

struct evidence
evidence_shares(struct evidence_total now, struct evidence_total base)
{
	struct evidence e = {.known = is_sampled(now) && is_sampled(base) &&
				      now.whole >= now.value && base.whole >= base.value &&
				      now.whole > 0 && base.whole > 0};
	double at_a[2], at_b[2];

	if (!e.known)
		return e;
	double a = samples(now), b = samples(base);
	double n = now.whole / now.weight, m = base.whole / base.weight;
	evidence_wilson(a, n, &at_a[0], &at_a[1]);
	evidence_wilson(b, m, &at_b[0], &at_b[1]);
	evidence_difference(&e, a / n, at_a, b / m, at_b);
	e.low *= now.whole;
	e.high *= now.whole;
	double both = (a + b) / (n + m);
	if (a + b < 2 * EVIDENCE_FEW)
		e.p = evidence_split(a, a + b, n / (n + m));
	else if (both < 1)
		e.p = normal((a / n - b / m) / sqrt(both * (1 - both) * (1 / n + 1 / m)));
	else
		e.p = 1;
	return e;
}

/* ---- means ---- */

void
evidence_add(struct evidence_sums *s, double value)
{
	double from = value - s->mean;

	s->n++;
	s->mean += from / s->n;
	s->squares += from * (value - s->mean);
}

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double
beta_fraction(double x, double a, double b)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), f;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	f = d;
	for (int m = 1; m < 500; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step[2] = {even, odd}, before = f;
		for (int i = 0; i < 2; i++) {
			d = 1 + step[i] * d;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = 1 + step[i] / c;
			c = fabs(c) < tiny ? tiny : c;
			f *= c * d;
		}
		if (fabs(f - before) < 1e-14 * fabs(f))
			break;
	}
	return f;
}

/* I_x(a, b). */
static double
beta(double x, double a, double b)
{
	if (x <= 0 || x >= 1)
		return x > 0;
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(1 - x, b, a) / b;
}

double
evidence_student(double t, double df)
{
	return isinf(t) ? 0 : beta(df / (df + t * t), df / 2, 0.5);
}

double
evidence_student_limit(double df)
{
	/* Newton's method from below, where the tail is convex: each step comes nearer */
	double t = Z95;
	double scale = lgamma((df + 1) / 2) - lgamma(df / 2) - 0.5 * log(df * acos(-1));

	for (int i = 0; i < 100; i++) {
		double density = exp(scale - (df + 1) / 2 * log1p(t * t / df));
		double step = (evidence_student(t, df) - EVIDENCE_LEVEL) / (2 * density);
		t += step;
		if (fabs(step) < 1e-10 * t)
			break;
	}
	return t;
}

struct evidence
evidence_means(const struct evidence_sums *now, const struct evidence_sums *base)
{
	struct evidence e = {.known = now->n >= 2 && base->n >= 2};

	if (!e.known)
		return e;
	double d = now->mean - base->mean;
	double a = now->squares / (now->n - 1.0) / now->n;
	double b = base->squares / (base->n - 1.0) / base->n;
	if (!(a + b > 0)) { /* all files have the same total */
		e.low = e.high = d;
		e.p = d == 0;
		return e;
	}
	double df = (a + b) * (a + b) / (a * a / (now->n - 1.0) + b * b / (base->n - 1.0));
	double half = evidence_student_limit(df) * sqrt(a + b);
	e.low = d - half;
	e.high = d + half;
	e.p = evidence_student(d / sqrt(a + b), df);
	return e;
}

/* Returns the larger p and the wider interval of the two. */
static struct evidence
wider(struct evidence a, struct evidence b)
{
	if (!b.known)
		return a;
	a.p = fmax(a.p, b.p);
	a.low = fmin(a.low, b.low);
	a.high = fmax(a.high, b.high);
	return a;
}

struct evidence
evidence_files(const struct evidence_limits *l, const struct evidence_sums *now,
	       const struct evidence_sums *base, double now_weight, double base_weight)
{
	struct evidence e = evidence_means(now, base);

	if (!e.known || !(now_weight > 0) || !(base_weight > 0))
		return e;
	/* the mean of n files is the total of n times as many samples, each with 1/n of the
	 * weight */
	struct evidence_total a = {.value = now->mean, .weight = now_weight / now->n};
	struct evidence_total b = {.value = base->mean, .weight = base_weight / base->n};
	return wider(e, evidence_totals(l, a, b));
}

/* ---- blocks ---- */

#define COMMON_ROWS 8	  /* fewer rows have no common dispersion */
#define COMMON_LEAST 0.05 /* independent samples are never so even: such a row is ignored */
#define COMMON_DF_MAX 200 /* rows that agree better than chance are one family */

static double
digamma(double x)
{
	double sum = 0;

	for (; x < 8; x++)
		sum -= 1 / x;
	double y = 1 / (x * x);
	return sum + log(x) - 0.5 / x - y * (1 / 12.0 - y * (1 / 120.0 - y / 252));
}

/* The derivative of digamma. */
static double
trigamma(double x)
{
	double sum = 0;

	for (; x < 8; x++)
		sum += 1 / (x * x);
	double y = 1 / (x * x);
	return sum + 1 / x + y / 2 + y / x * (1 / 6.0 - y * (1 / 30.0 - y / 42));
}

/* Returns the x with this trigamma; trigamma falls from infinity to 0. */
static double
trigamma_inverse(double value)
{
	double low = 1e-3, high = 1e6;

	for (int i = 0; i < 80; i++) {
		double middle = sqrt(low * high);
		if (trigamma(middle) > value)
			low = middle;
		else
			high = middle;
	}
	return sqrt(low * high);
}

/* A variance, and 1 / its degrees of freedom. */
struct blocks_variance {
	double variance, unknown;
};

/* Returns the variance of the sum of two that are independent (Satterthwaite). */
static struct blocks_variance
blocks_both(struct blocks_variance a, struct blocks_variance b)
{
	double sum = a.variance + b.variance;

	if (!(sum > 0))
		return (struct blocks_variance){0};
	double of_a = a.variance / sum, of_b = b.variance / sum;
	return (struct blocks_variance){sum, of_a * of_a * a.unknown + of_b * of_b * b.unknown};
}

/* Returns the variance of the sum of all blocks. */
static struct blocks_variance
blocks_variance(const struct evidence_sums *s)
{
	struct blocks_variance now = {0}, before = {s->variance, (double)s->unknown};

	if (s->n > 1)
		now = (struct blocks_variance){s->n * s->squares / (s->n - 1.0), 1 / (s->n - 1.0)};
	return blocks_both(before, now);
}

void
evidence_next_phase(struct evidence_sums *s)
{
	struct blocks_variance v = blocks_variance(s);

	*s = (struct evidence_sums){.variance = v.variance, .unknown = (float)v.unknown};
}

struct evidence_dispersion
evidence_blocks(const struct evidence_sums *now, const struct evidence_sums *base,
		double independent)
{
	struct blocks_variance v = blocks_variance(now);

	if (base)
		v = blocks_both(v, blocks_variance(base));
	if (!(independent > 0) || !(v.variance > 0))
		return (struct evidence_dispersion){0};
	return (struct evidence_dispersion){v.variance / independent, 1 / v.unknown};
}

struct evidence_dispersion
evidence_common(const struct evidence_dispersion *row, size_t n)
{
	double sum = 0, squares = 0, chance = 0, of = 0;

	/* Logarithms of variances: those of chi squared spread by trigamma(df / 2). Spread
	 * beyond that is the real difference of the rows. */
	for (size_t i = 0; i < n; i++) {
		if (!(row[i].df > 0) || row[i].factor < COMMON_LEAST)
			continue;
		double half = row[i].df / 2;
		double e = log(row[i].factor) - digamma(half) + log(half), from = e - sum;
		sum += from / ++of;
		squares += from * (e - sum);
		chance += trigamma(half);
	}
	if (of < COMMON_ROWS)
		return (struct evidence_dispersion){0};
	double real = squares / (of - 1) - chance / of;
	double df = real > 0 ? fmin(2 * trigamma_inverse(real), COMMON_DF_MAX) : COMMON_DF_MAX;
	return (struct evidence_dispersion){exp(sum + digamma(df / 2) - log(df / 2)), df};
}

struct evidence_dispersion
evidence_moderate(struct evidence_dispersion row, struct evidence_dispersion common)
{
	double df = row.df + common.df;

	if (!(df > 0))
		return row;
	return (struct evidence_dispersion){
		(row.df * row.factor + common.df * common.factor) / df, df};
}

struct evidence
evidence_disperse(struct evidence e, double change, double independent,
		  struct evidence_dispersion d)
{
	double variance = d.factor * independent;

	if (!e.known || !(d.df > 0) || !(variance > 0))
		return e;
	double half = evidence_student_limit(d.df) * sqrt(variance);
	struct evidence blocks = {.known = true, .low = change - half, .high = change + half};
	blocks.p = evidence_student(change / sqrt(variance), d.df);
	return wider(e, blocks);
}

struct evidence
evidence_single(const struct evidence_limits *l, struct evidence_total t)
{
	struct evidence e = {.known = is_sampled(t), .p = 1};

	if (e.known)
		count_limits(l, samples(t), &e.low, &e.high);
	e.low *= t.weight;
	e.high *= t.weight;
	return e;
}

/* ---- many of them ---- */

ORDERED_NUMBERS(by_size, double)

double
evidence_sure(double *p, size_t n, size_t tested)
{
	double sure = -1;

	if (n > 1)
		qsort(p, n, sizeof *p, by_size);
	for (size_t i = 0; i < n; i++)
		if (p[i] <= EVIDENCE_LEVEL * (double)(i + 1) / (double)tested)
			sure = p[i];
	return sure;
}
