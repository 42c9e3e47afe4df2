/* evidence.h - is a difference more than chance?  Intervals and tests, of plain numbers.
 *
 * A total of samples is a count of chance: of a function that is seen n times, the next
 * recording of the same program sees n, give or take the root of n.  Here is what follows
 * from that for the change of two totals, and what follows from totals of several files,
 * which differ from run to run by more than that.
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

/* Totals of several files, one after the other. */
struct evidence_sums {
	unsigned n;
	double mean, squares; /* sum of the squared distances from the mean */
};
void evidence_add(struct evidence_sums *s, double value);
/* The change of the mean; known with two files a side and more. */
struct evidence evidence_means(const struct evidence_sums *now, const struct evidence_sums *base);
/* The same of totals that were sampled, a sample weighing so much in each side (0: they were
 * not): a handful of samples that happen to be equal in all files of a side are no proof, so
 * of few no more is known than their count tells. */
struct evidence evidence_files(const struct evidence_limits *l, const struct evidence_sums *now,
			       const struct evidence_sums *base, double now_weight,
			       double base_weight);

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
