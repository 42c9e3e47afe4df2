/* evidence.h - tests whether a difference exceeds chance: intervals and tests on plain numbers.
 *
 * A total of samples varies from one recording of a program to the next.  If samples were
 * independent, a count of n would vary by the root of n.  Samples of real programs depend on
 * each other: a function that runs for 50 ms at a time is seen 50 times or not at all.  So the
 * variance of a total is estimated from the recording itself, by batch means: the time is cut
 * into equal blocks, and the totals of the blocks show how much the whole varies.  The variance
 * of independent samples is the lower bound.  Totals of several files show the changes from run
 * to run as well.
 *
 * A program that loads, computes and saves does so in each run: that its blocks differ is no
 * chance.  So the blocks of each phase (model/fold/phases.h) are compared with one another alone.
 *
 * Eight blocks know a variance only roughly (7 degrees of freedom a side), which would cost a
 * third of the power.  The rows of one table share what they know: empirical Bayes moves the
 * dispersion of each row, its variance divided by that of independent samples, towards the
 * common one, as far as the rows agree.
 *
 * Sources:
 *   exact limits of a count     F. Garwood, Fiducial limits for the Poisson distribution,
 *                               Biometrika 28 (1936) 437-442
 *   of a share                  E. B. Wilson, JASA 22 (1927) 209-212
 *   of a difference of two      R. G. Newcombe, Statistics in Medicine 17 (1998) 873-890,
 *                               method 10; of counts the same with Garwood's limits: G. Y. Zou
 *                               and A. Donner, ibid. 27 (2008) 1693-1702
 *   equal counts                J. Przyborowski and H. Wilenski, Biometrika 31 (1940) 313-323
 *   means of two sets           B. L. Welch, Biometrika 34 (1947) 28-35
 *   batch means                 A. M. Law, Simulation Modeling and Analysis, 5th ed., 9.5.3
 *   variances of many rows      G. K. Smyth, Stat. Appl. Genet. Mol. Biol. 3 (2004), art. 3,
 *                               sections 4 and 6.2
 *   of many, which are sure     Y. Benjamini and Y. Hochberg, J. R. Statist. Soc. B 57 (1995)
 *                               289-300
 *
 * Intervals hold 95 of 100 times. */
#ifndef PNAV_MODEL_BASE_EVIDENCE_H
#define PNAV_MODEL_BASE_EVIDENCE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define EVIDENCE_LEVEL 0.05
#define EVIDENCE_FEW 30 /* samples: below that, limits are exact, else those of the normal
			 * distribution */

/* Garwood's limits of small counts, computed once for many rows. */
struct evidence_limits {
	double low[EVIDENCE_FEW], high[EVIDENCE_FEW];
};
void evidence_limits_init(struct evidence_limits *l);

/* A sampled total. */
struct evidence_total {
	double value;  /* in units of the metric */
	double weight; /* of one sample, in the same units: the variance is weight times value */
	double whole;  /* the sum of everything; for shares */
};

/* The evidence of a change. */
struct evidence {
	bool known;       /* false: unknown, and nothing else is set */
	double low, high; /* of now minus base, in the units of the totals */
	double p;         /* the probability of such a change by chance alone */
};

/* Returns the error bar of x, for "x ±bar": the larger distance of a limit. Intervals are not
 * symmetric; those of a part that may be everything end there. */
static inline double
evidence_bar(struct evidence e, double x)
{
	return fmax(e.high - x, x - e.low);
}

/* Returns the error bar of a change: one that is more than chance has the distance of the limit
 * that is nearer to 0, so that its bar does not reach 0. */
static inline double
evidence_change_bar(struct evidence e, double change)
{
	return e.low > 0 ? change - e.low : e.high < 0 ? e.high - change : evidence_bar(e, change);
}

/* Returns the evidence of the change of a total; both sides are samples of the same rate over
 * the same time. */
struct evidence evidence_totals(const struct evidence_limits *l, struct evidence_total now,
				struct evidence_total base);
/* Returns the evidence of the change of a share. The interval is in values of `now`, with the
 * base scaled to the whole of now. base.value and base.whole are as recorded. */
struct evidence evidence_shares(struct evidence_total now, struct evidence_total base);

/* Totals of several files, or of the blocks of one, added one after the other. */
struct evidence_sums {
	unsigned n;
	float unknown;		/* of `variance`: 1 / its degrees of freedom */
	double mean, squares;	/* sum of the squared distances from the mean */
	double variance;	/* of the sum of the phases before, whose blocks n has not */
};
void evidence_add(struct evidence_sums *s, double value);
/* Begins another phase of the program: what is added next has another mean and variance. */
void evidence_next_phase(struct evidence_sums *s);
/* Returns the evidence of the change of the mean; known if each side has two or more totals. */
struct evidence evidence_means(const struct evidence_sums *now, const struct evidence_sums *base);
/* The same for totals of samples with the weights `now_weight` and `base_weight` (0: they are
 * not samples). Files of one side that agree by chance prove nothing. So the result has the
 * larger p and the wider interval of this test and of evidence_totals(). */
struct evidence evidence_files(const struct evidence_limits *l, const struct evidence_sums *now,
			       const struct evidence_sums *base, double now_weight,
			       double base_weight);

/* ---- variances from blocks of time ---- */

/* The variance of a total as a multiple of the variance of independent samples, and how well it
 * is known. */
struct evidence_dispersion {
	double factor, df; /* degrees of freedom; 0: unknown */
};
/* Returns the sum of the variances of one or two totals (base NULL: one), estimated from the
 * totals of their blocks and divided by `independent`, the sum for independent samples. The
 * degrees of freedom are Welch's. */
struct evidence_dispersion evidence_blocks(const struct evidence_sums *now,
					   const struct evidence_sums *base, double independent);
/* Returns the common dispersion of n rows of one table: the prior of empirical Bayes. df is 0 if
 * there are too few rows. */
struct evidence_dispersion evidence_common(const struct evidence_dispersion *row, size_t n);
/* Returns a row's dispersion, moderated by the common one. */
struct evidence_dispersion evidence_moderate(struct evidence_dispersion row,
					     struct evidence_dispersion common);
/* Widens the evidence `e`, which assumes independent samples, by a dispersion; never narrows it.
 * `change` is in the units of e, `independent` in their square. */
struct evidence evidence_disperse(struct evidence e, double change, double independent,
				  struct evidence_dispersion d);
/* Returns the interval of a single total of independent samples. Its p has no meaning. */
struct evidence evidence_single(const struct evidence_limits *l, struct evidence_total t);

/* Returns the largest p of the sure ones among n tests; below 0: none is sure. Sorts p[]. p[]
 * may have only the n smallest of `tested` values, if these include all that do not exceed
 * EVIDENCE_LEVEL. */
double evidence_sure(double *p, size_t n, size_t tested);

/* ---- building blocks ---- */

/* Return the probability of a |t| at least as large with df degrees of freedom; the t of
 * probability 0.05. */
double evidence_student(double t, double df);
double evidence_student_limit(double df);
/* Returns the probability of a result at least as extreme as k of n with probability q each. */
double evidence_binomial(unsigned k, unsigned n, double q);
/* Computes Wilson's limits of k of n; both may be fractions. */
void evidence_wilson(double k, double n, double *low, double *high);

#endif
