/* perfscript_probe.h - how surely a text is one of `perf script`. */
#ifndef PNAV_SRC_DECODE_PERF_PERFSCRIPT_PROBE_H
#define PNAV_SRC_DECODE_PERF_PERFSCRIPT_PROBE_H

#include "src/decode/decoder.h"

/* Returns the points of a file that begins so (decoder.h). */
int perfscript_probe(struct head head);
/* Returns true if the times of the text are steps since the sample before (--deltatime): the first
 * is 0, and many of the first ones are not larger than the one before, since perf sorts samples.
 * Extends the window until that is certain, which the first sample decides in other texts. */
bool perfscript_has_steps(struct input *in);
/* Returns the end of the last sample that an empty line ends (decoder.h). */
size_t perfscript_record_end(const uint8_t *at, size_t len);

#endif
