/* bsprof_dump.h - the records of a BrightScript profile as text, one a line. */
#ifndef PNAV_SRC_DECODE_BSPROF_BSPROF_DUMP_H
#define PNAV_SRC_DECODE_BSPROF_BSPROF_DUMP_H

#include <stdbool.h>

#include "src/decode/decoder.h"

/* As decoder.h says of `dump`. */
bool bsprof_dump(struct input *in, struct dump *d, struct err *err);

#endif
