/* Uses medians, because one slow run among seven says something about the machine, not about pnav.
 * The slowest run dominates means, and luck decides minima. */
#include "tests/bench/timing.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t
clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t
timing_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

int64_t
timing_cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static int
by_value(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

double
timing_quantile(double *value, size_t n, double share)
{
	size_t at = (size_t)(share * (double)n);

	qsort(value, n, sizeof *value, by_value);
	return value[at < n ? at : n - 1];
}

double
timing_median(double *value, size_t n)
{
	return timing_quantile(value, n, 0.5);
}

void
timing_print(const char *figure, double value, const char *unit, const char *budget,
	     double ratio, const char *yardstick)
{
	assert(!strchr(figure, ',') && !strchr(unit, ',')); /* each is a cell of its line */
	printf("%s,%.*f,%s,%s,", figure,
	       value < 10    ? 3
	       : value < 100 ? 1
			     : 0,
	       value, unit, budget);
	if (yardstick)
		printf("%.4f,%s", ratio, yardstick);
	else
		printf(",");
	printf("\n");
	fflush(stdout);
}
