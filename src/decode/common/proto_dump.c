#include "src/decode/common/proto_dump.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Without the schema, messages and texts look the same. */

/* Deeper messages, as of values that contain values, are printed as bytes. */
#define DEPTH_MAX 32

static void
proto_dump_numbers(const struct proto_field *f, enum proto_type type, struct buf *line)
{
	struct proto_numbers n = proto_numbers(f, type);
	const char *before = "=";
	uint64_t value;

	for (; proto_number(&n, &value); before = ",")
		buf_addf(line, "%s%" PRId64, before, (int64_t)value);
	if (n.c.bad)
		buf_adds(line, " malformed");
}

/* With the fewest digits that give the same number. */
static void
proto_dump_real(uint64_t bits, struct buf *line)
{
	char text[32];
	double x;
	int digits = 15;

	memcpy(&x, &bits, sizeof x);
	do
		snprintf(text, sizeof text, "%.*g", digits, x);
	while (digits++ < 17 && strtod(text, NULL) != x && !isnan(x));
	buf_addf(line, "=%s", text);
}

static void proto_dump_message(struct dump *d, struct proto p, const struct proto_table *t,
			       unsigned depth, struct buf *line);

static void
dump_one(struct dump *d, const struct proto_field *f, const struct proto_table *t, unsigned depth,
	 struct buf *line)
{
	static const struct proto_row none = {.name = NULL};
	const struct proto_row *row = t && f->number < t->n ? &t->row[f->number] : &none;
	struct buf quoted = BUF_INIT;

	if (row->name)
		buf_addf(line, " %s", row->name);
	else
		buf_addf(line, " %" PRIu32, f->number);
	if (f->type == PROTO_BYTES && proto_row_table(row) && depth < DEPTH_MAX) {
		buf_addc(line, '{');
		proto_dump_message(d, proto_inside(f), proto_row_table(row), depth + 1, line);
		buf_adds(line, " }");
	} else if (row->kind == PROTO_ROW_NUMBERS) {
		proto_dump_numbers(f, (enum proto_type)row->type, line);
	} else if (f->type == PROTO_BYTES) {
		buf_addf(line, "=%s",
			 dump_bytes(d, &quoted, f->len ? (const void *)f->at : "", f->len));
	} else if (row->real && f->type == PROTO_FIXED64) {
		proto_dump_real(f->value, line);
	} else {
		buf_addf(line, "=%" PRIu64, f->value);
	}
	buf_release(&quoted);
}

static void
proto_dump_message(struct dump *d, struct proto p, const struct proto_table *t, unsigned depth,
		   struct buf *line)
{
	struct proto_field f;

	while (proto_next(&p, &f))
		dump_one(d, &f, t, depth, line);
	if (p.c.bad)
		buf_adds(line, " malformed");
}

void
proto_dump_field(struct dump *d, const struct proto_field *f, const struct proto_table *t,
		 struct buf *line)
{
	dump_one(d, f, t, 0, line);
}

void
proto_dump_fields(struct dump *d, struct proto p, const struct proto_table *t, struct buf *line)
{
	proto_dump_message(d, p, t, 0, line);
}

bool
proto_dump_input(struct input *in, struct dump *d, const struct proto_table *t, struct err *e)
{
	struct buf line = BUF_INIT;
	struct proto_field f;
	uint64_t offset;
	bool good = true;

	while (good && proto_next_of_input(in, &f, &offset, e)) {
		buf_reset(&line);
		proto_dump_field(d, &f, t, &line);
		good = dump_record(d, offset, "%s", buf_str(&line) + 1);
	}
	buf_release(&line);
	return good && !err_is_set(e);
}
