/* gmon_share.h - what arcs cost that know only how often they were taken. */
#ifndef PNAV_SRC_DECODE_GMON_GMON_SHARE_H
#define PNAV_SRC_DECODE_GMON_GMON_SHARE_H

#include <stddef.h>
#include <stdint.h>

#define GMON_NOBODY UINT32_MAX

/* A function calls another so often; `cost` is what the callee costs with all it calls, as far
 * as this caller has it. */
struct gmon_call {
	uint32_t from, to; /* from GMON_NOBODY: an unknown caller */
	int64_t calls;
	double cost;
};

/* Sets the costs of n calls among n_functions, self[] being what those cost themselves, and
 * gross[] to what they cost with all that they call, calls within their own ring excepted: the
 * `self` and `children` of gprof.  Sorts the calls by caller, then callee; there is one of each
 * pair. */
void gmon_share(struct gmon_call *call, size_t n, const double *self, double *gross,
		uint32_t n_functions);

#endif
