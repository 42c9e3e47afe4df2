/* proto_dump.h - a message of protocol buffers in the line of a dump. */
#ifndef PNAV_SRC_DECODE_COMMON_PROTO_DUMP_H
#define PNAV_SRC_DECODE_COMMON_PROTO_DUMP_H

#include "model/base/buf.h"
#include "src/decode/decoder.h"
#include "src/input/proto.h"

/* Adds ` NUMBER=VALUE` a field to the line, messages and texts as bytes. */
void proto_dump_fields(struct dump *d, struct proto p, struct buf *line);

#endif
