/* pprof_dump.h - every field of a pprof message, raw. */
#ifndef PNAV_SRC_DECODE_PPROF_DUMP_H
#define PNAV_SRC_DECODE_PPROF_DUMP_H

#include "src/decode/decoder.h"

bool pprof_dump(struct input *in, struct dump *d, struct err *e);

#endif
