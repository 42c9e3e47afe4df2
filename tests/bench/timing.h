/* timing.h - shared by the programs of the bench: a clock, medians, and the lines they print.
 *
 * A line is `figure,value,unit,budget,ratio,yardstick`, the last three empty where there is
 * none.  run.sh makes the table. */
#ifndef PNAV_TESTS_BENCH_TIMING_H
#define PNAV_TESTS_BENCH_TIMING_H

#include <stddef.h>
#include <stdint.h>

int64_t timing_now_ns(void);
/* Processor time of this process, all threads, user and system. */
int64_t timing_cpu_ns(void);
/* Sorts the values. */
double timing_median(double *value, size_t n);
/* The value below which `share` (0..1) of the values lie.  Sorts them. */
double timing_quantile(double *value, size_t n, double share);

/* One line.  budget: "<=" or ">=" and a number, or ""; yardstick NULL: no ratio. */
void timing_print(const char *figure, double value, const char *unit, const char *budget,
		  double ratio, const char *yardstick);

#endif
