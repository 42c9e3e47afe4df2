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
/* The same for one field of such a message. */
void proto_dump_field(struct dump *d, const struct proto_field *f, const struct proto_table *t,
		      struct buf *line);
/* Dumps an input that is such a message, a record a field. Returns false at damage (*e), and if the
 * dump accepts no more. */
bool proto_dump_input(struct input *in, struct dump *d, const struct proto_table *t, struct err *e);

#endif
