/* evidence.h - is a difference more than chance?  Intervals and tests, of plain numbers.
 *
 * A total of samples varies from one recording of a program to the next.  If samples were
 * independent, a count of n would vary by the root of n.  Samples of real programs depend on
 * each other: a function that runs for 50 ms at a time is seen 50 times or not at all.  So the
 * variance of a total is estimated from the recording itself, by batch means: the time is cut
 * into equal blocks, and the totals of the blocks show how much the whole varies.  The variance
 * of independent samples is the lower bound.  Totals of several files show the changes from run
 * to run as well.
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
#ifndef PNAV_MODEL_EVIDENCE_H
#define PNAV_MODEL_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>

#define EVIDENCE_LEVEL 0.05
#define EVIDENCE_FEW 30 /* samples: below that limits are exact, else those of the normal */

/* Garwood's limits of small counts, worked out once for many rows. */
struct evidence_limits {
	double low[EVIDENCE_FEW], high[EVIDENCE_FEW];
};
void evidence_limits_init(struct evidence_limits *l);

/* A total that was sampled. */
struct evidence_total {
	double value;  /* in units of the metric */
	double weight; /* of a sample, in the same units: the variance is weight times value */
	double whole;  /* of everything; for shares */
};

/* What is known of a change. */
struct evidence {
	bool known;       /* false: there is no telling, and nothing else is set */
	double low, high; /* of now less base, in the units of the totals */
	double p;         /* how often chance alone makes such a change */
};

/* The change of a total: of samples that came at the same rate for the same time. */
struct evidence evidence_totals(const struct evidence_limits *l, struct evidence_total now,
				struct evidence_total base);
/* The change of a share: values are those of `now`, and those of base as they would be of
 * the whole of now.  base.value and base.whole are as they were recorded. */
struct evidence evidence_shares(struct evidence_total now, struct evidence_total base);

/* Totals of several files, or of the blocks of one, added one after the other. */
struct evidence_sums {
	unsigned n;
	double mean, squares; /* sum of the squared distances from the mean */
};
void evidence_add(struct evidence_sums *s, double value);
/* The change of the mean; known with two files a side and more. */
struct evidence evidence_means(const struct evidence_sums *now, const struct evidence_sums *base);
/* The same where the totals are of samples, which weigh `now_weight` and `base_weight` (0: they
 * are not samples).  Files of one side that agree by chance prove nothing: the result has the
 * larger p and the wider interval of this and of evidence_totals(). */
struct evidence evidence_files(const struct evidence_limits *l, const struct evidence_sums *now,
			       const struct evidence_sums *base, double now_weight,
			       double base_weight);

/* ---- variances from blocks of time ---- */

/* The variance of a total, as a multiple of the variance that it would have if its samples were
 * independent, and how well it is known. */
struct evidence_dispersion {
	double factor, df; /* df 0: unknown */
};
/* The sum of the variances of one or two totals (base NULL: one), from the totals of their
 * blocks, divided by `independent`, the sum that independent samples would have.  The degrees
 * of freedom are Welch's. */
struct evidence_dispersion evidence_blocks(const struct evidence_sums *now,
					   const struct evidence_sums *base, double independent);
/* What the dispersions of n rows of one table have in common: the prior of empirical Bayes.
 * df is 0 where the rows are too few to tell. */
struct evidence_dispersion evidence_common(const struct evidence_dispersion *row, size_t n);
/* A row's dispersion in the light of the common one. */
struct evidence_dispersion evidence_moderate(struct evidence_dispersion row,
					     struct evidence_dispersion common);
/* Widens what independent samples tell of a change, `e`, to samples that depend on each other;
 * never narrows it.  `change` and `independent` are in units of e and their square. */
struct evidence evidence_disperse(struct evidence e, double change, double independent,
				  struct evidence_dispersion d);
/* The interval of a single total of independent samples.  Its p means nothing. */
struct evidence evidence_single(const struct evidence_limits *l, struct evidence_total t);

/* Of n tests, which are sure: those whose p is not above what this gives; below 0: none.
 * The p are sorted by it.  Of `tested` tests the n smallest are enough, as long as all that
 * are not above EVIDENCE_LEVEL are among them. */
double evidence_sure(double *p, size_t n, size_t tested);

/* ---- what they are made of ---- */

/* The probability of a |t| as large with df degrees of freedom, and the t of 0.05. */
double evidence_student(double t, double df);
double evidence_student_limit(double df);
/* k of n where each is one with probability q: how often it is as far off. */
double evidence_binomial(unsigned k, unsigned n, double q);
/* Wilson's limits of k of n; both may be fractions. */
void evidence_wilson(double k, double n, double *low, double *high);

#endif
