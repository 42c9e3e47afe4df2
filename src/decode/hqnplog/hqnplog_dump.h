/* hqnplog_dump.h - prints the records of a Harlequin probe log, one a line. */
#ifndef PNAV_SRC_DECODE_HQNPLOG_HQNPLOG_DUMP_H
#define PNAV_SRC_DECODE_HQNPLOG_HQNPLOG_DUMP_H

#include <stdbool.h>

#include "src/decode/decoder.h"

/* See `dump` in decoder.h. */
bool hqnplog_dump(struct input *in, struct dump *out, struct err *err);

#endif
