/* json_dump.h - `pnav dump` for JSON formats. */
#ifndef PNAV_SRC_DECODE_COMMON_JSON_DUMP_H
#define PNAV_SRC_DECODE_COMMON_JSON_DUMP_H

#include "src/decode/decoder.h"
#include "src/input/json.h"

/* Writes one line per value, with its key; objects and arrays have a line for their beginning. */
bool json_dump(struct input *in, struct dump *out, struct err *e);
/* The same for the remaining tokens of a reader, which may read another notation. */
bool json_dump_tokens(struct json *j, struct dump *out, struct err *e);

#endif
