#include "src/decode/common/proto_dump.h"

#include <inttypes.h>

/* Without the schema, messages and texts look the same. */

static const struct proto_table *
proto_dump_table_of(const struct proto_row *row)
{
	if (row->kind == PROTO_ROW_MESSAGE)
		return row->by.table;
	return row->kind == PROTO_ROW_LIST ? row->by.list->table : row->inner;
}

void
proto_dump_fields(struct dump *d, struct proto p, const struct proto_table *t, struct buf *line)
{
	static const struct proto_row none = {.name = NULL};
	struct buf quoted = BUF_INIT;
	struct proto_field f;

	while (proto_next(&p, &f)) {
		const struct proto_row *row = t && f.number < t->n ? &t->row[f.number] : &none;
		if (row->name)
			buf_addf(line, " %s", row->name);
		else
			buf_addf(line, " %" PRIu32, f.number);
		if (f.type == PROTO_BYTES && proto_dump_table_of(row)) {
			buf_addc(line, '{');
			proto_dump_fields(d, proto_inside(&f), proto_dump_table_of(row), line);
			buf_adds(line, " }");
		} else if (f.type == PROTO_BYTES) {
			buf_addf(line, "=%s",
				 dump_bytes(d, &quoted, f.len ? (const void *)f.at : "", f.len));
		} else {
			buf_addf(line, "=%" PRIu64, f.value);
		}
	}
	buf_release(&quoted);
}
