/* perfscript_probe.h - how surely a text is one of `perf script`. */
#ifndef PNAV_SRC_DECODE_PERF_PERFSCRIPT_PROBE_H
#define PNAV_SRC_DECODE_PERF_PERFSCRIPT_PROBE_H

#include "src/decode/decoder.h"

/* Returns the points of a file that begins so (decoder.h). */
int perfscript_probe(struct head head);
/* Returns true if the times of these lines are steps since the sample before (--deltatime): the
 * first is 0, and a later one is smaller than the one before it, since perf sorts samples. */
bool perfscript_has_steps(const uint8_t *bytes, size_t len);
/* Returns the end of the last sample that an empty line ends (decoder.h). */
size_t perfscript_record_end(const uint8_t *at, size_t len);

#endif
