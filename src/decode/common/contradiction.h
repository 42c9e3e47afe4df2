/* contradiction.h - inclusive numbers of a file that are smaller than what they include. */
#ifndef PNAV_SRC_DECODE_COMMON_CONTRADICTION_H
#define PNAV_SRC_DECODE_COMMON_CONTRADICTION_H

#include <stdint.h>

#include "model/build/builder.h"

/* Adds the row `contradicting` to the view `info`: the share that `part` has of the sum of both;
 * nothing if `part` is 0. The answer `trust` reads it. */
static inline void
contradiction_report(struct builder *b, int64_t part, int64_t whole)
{
	if (part > 0)
		builder_info(b, "contradicting", "%.1f %%",
			     100 * (double)part / ((double)part + (double)whole));
}

#endif
