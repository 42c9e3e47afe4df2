/* proto_dump.h - prints a message of protocol buffers in the line of a dump. */
#ifndef PNAV_SRC_DECODE_COMMON_PROTO_DUMP_H
#define PNAV_SRC_DECODE_COMMON_PROTO_DUMP_H

#include "model/base/buf.h"
#include "src/decode/decoder.h"
#include "src/input/rows_proto.h"

/* Appends ` NAME=VALUE` for each field, with names from the table, and ` NAME{...}` for known
 * messages. Fields without a row have their number as name; texts and unknown messages are bytes.
 * `t` may be NULL. */
void proto_dump_fields(struct dump *d, struct proto p, const struct proto_table *t,
		       struct buf *line);

#endif
