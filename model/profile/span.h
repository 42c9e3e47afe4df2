/* span.h - a span of time in n equal columns: the one place that says where each begins. */
#ifndef PNAV_MODEL_SPAN_H
#define PNAV_MODEL_SPAN_H

#include <stdint.h>

/* Where column i of n begins; the end for i == n. */
static inline int64_t
span_part(int64_t from, int64_t to, unsigned n, unsigned i)
{
	return (int64_t)(from + ((__int128)to - from) * i / n);
}

#endif
