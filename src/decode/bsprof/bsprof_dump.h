/* bsprof_dump.h - prints the records of a BrightScript profile, one a line. */
#ifndef PNAV_SRC_DECODE_BSPROF_BSPROF_DUMP_H
#define PNAV_SRC_DECODE_BSPROF_BSPROF_DUMP_H

#include <stdbool.h>

#include "src/decode/decoder.h"

/* See `dump` in decoder.h. */
bool bsprof_dump(struct input *in, struct dump *d, struct err *err);

#endif
