/* gmon_share.h - derives the costs of arcs that have only a number of calls. */
#ifndef PNAV_SRC_DECODE_GMON_GMON_SHARE_H
#define PNAV_SRC_DECODE_GMON_GMON_SHARE_H

#include <stddef.h>
#include <stdint.h>

#define GMON_NOBODY UINT32_MAX

/* The calls from one function to another; `cost` is the part of the callee's inclusive cost that
 * belongs to this caller. */
struct gmon_call {
	uint32_t from, to; /* from GMON_NOBODY: an unknown caller */
	int64_t calls;
	double cost;
};

/* Computes the costs of n calls among n_functions from self[], and sets gross[] to the inclusive
 * costs without calls inside a function's own ring: the `self` and `children` of gprof. Sorts the
 * calls by caller, then callee; there is one of each pair. */
void gmon_share(struct gmon_call *call, size_t n, const double *self, double *gross,
		uint32_t n_functions);

#endif
