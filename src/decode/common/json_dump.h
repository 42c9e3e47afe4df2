/* json_dump.h - `pnav dump` of the formats that are JSON. */
#ifndef PNAV_SRC_DECODE_COMMON_JSON_DUMP_H
#define PNAV_SRC_DECODE_COMMON_JSON_DUMP_H

#include "src/decode/decoder.h"

/* A line a value, its key in front; of objects and arrays that they begin. */
bool json_dump(struct input *in, struct dump *out, struct err *e);

#endif
