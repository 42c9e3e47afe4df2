/* perfdata_embedded.h - the section of a recording with embedded symbols. */
#ifndef PNAV_SRC_DECODE_PERF_PERFDATA_EMBEDDED_H
#define PNAV_SRC_DECODE_PERF_PERFDATA_EMBEDDED_H

#include "src/decode/perf/perfdata_frames.h"

/* Reads the section; modules added later use it. If it is damaged, *e reports that at `offset`, its
 * beginning, and the section is ignored, as is one of a later version. */
void perfdata_embedded(struct perfdata_frames *f, const uint8_t *at, size_t len, uint64_t offset,
		       struct err *e);

#endif
