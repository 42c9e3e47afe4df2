/* perfdata_dump.h - every record of a perf.data file, one line each. */
#ifndef PNAV_SRC_DECODE_PERF_PERFDATA_DUMP_H
#define PNAV_SRC_DECODE_PERF_PERFDATA_DUMP_H

#include "src/decode/decoder.h"

bool perfdata_dump(struct input *in, struct dump *d, struct err *e);

#endif
