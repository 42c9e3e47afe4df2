/* json_dump.h - `pnav dump` for JSON formats. */
#ifndef PNAV_SRC_DECODE_COMMON_JSON_DUMP_H
#define PNAV_SRC_DECODE_COMMON_JSON_DUMP_H

#include "src/decode/decoder.h"

/* Writes one line per value, with its key; objects and arrays have a line for their beginning. */
bool json_dump(struct input *in, struct dump *out, struct err *e);

#endif
