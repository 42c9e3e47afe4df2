/* span.h - divides a span of time into n equal columns; the only place that computes their
 * bounds. */
#ifndef PNAV_MODEL_PROFILE_SPAN_H
#define PNAV_MODEL_PROFILE_SPAN_H

#include <stdint.h>

#include "model/base/wide.h"

/* Where column i of n begins; the end for i == n. */
static inline int64_t
span_part(int64_t from, int64_t to, unsigned n, unsigned i)
{
	return wide_part(from, to, n, i);
}

#endif
