/* perfdata_embedded.h - the section of a recording that holds what its files said of it. */
#ifndef PNAV_SRC_DECODE_PERF_PERFDATA_EMBEDDED_H
#define PNAV_SRC_DECODE_PERF_PERFDATA_EMBEDDED_H

#include "src/decode/perf/perfdata_frames.h"

/* Reads the section: modules that are added from now on are looked up in it.  Damage in *e, at
 * `offset`, where the section begins; then it is left out, as one of a later version is. */
void perfdata_embedded(struct perfdata_frames *f, const uint8_t *at, size_t len, uint64_t offset,
		       struct err *e);

#endif
