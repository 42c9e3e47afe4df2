/* perfscript_dump.h - the records of perf script, undecoded, for `pnav dump`. */
#ifndef PNAV_SRC_DECODE_PERF_PERFSCRIPT_DUMP_H
#define PNAV_SRC_DECODE_PERF_PERFSCRIPT_DUMP_H

#include <stdbool.h>

#include "src/decode/decoder.h"

bool perfscript_dump(struct input *in, struct dump *d, struct err *e);

#endif
