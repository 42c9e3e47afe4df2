#include "src/decode/common/proto_dump.h"

#include <inttypes.h>

/* What is a message and what a text only the schema knows: both are bytes. */

void
proto_dump_fields(struct dump *d, struct proto p, struct buf *line)
{
	struct buf quoted = BUF_INIT;
	struct proto_field f;

	while (proto_next(&p, &f)) {
		if (f.type == PROTO_BYTES)
			buf_addf(line, " %" PRIu32 "=%s", f.number,
				 dump_bytes(d, &quoted, f.len ? (const void *)f.at : "", f.len));
		else
			buf_addf(line, " %" PRIu32 "=%" PRIu64, f.number, f.value);
	}
	buf_release(&quoted);
}
