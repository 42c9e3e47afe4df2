/* One line a field of the message: its name, then the fields in it by their numbers.
 *
 *	12 sample 1=1,2,3 2=5,70 3={1=4 2=6} */
#include "src/decode/pprof/pprof_dump.h"

#include <inttypes.h>

#include "model/base/buf.h"
#include "src/decode/pprof/pprof_tables.h"
#include "src/input/proto.h"

static const char *const names[] = {
	[PPROF_SAMPLE_TYPE] = "sample_type",
	[PPROF_SAMPLE] = "sample",
	[PPROF_MAPPING] = "mapping",
	[PPROF_LOCATION] = "location",
	[PPROF_FUNCTION] = "function",
	[PPROF_STRING] = "string",
	[PPROF_DROP_FRAMES] = "drop_frames",
	[PPROF_KEEP_FRAMES] = "keep_frames",
	[PPROF_TIME] = "time_nanos",
	[PPROF_DURATION] = "duration_nanos",
	[PPROF_PERIOD_TYPE] = "period_type",
	[PPROF_PERIOD] = "period",
	[PPROF_COMMENT] = "comment",
	[PPROF_DEFAULT_TYPE] = "default_sample_type",
	[PPROF_DOC] = "doc_url",
};

static void
add_numbers(struct buf *out, const struct proto_field *f)
{
	struct proto_numbers n = proto_numbers(f, PROTO_VARINT);
	uint64_t value;
	bool first = true;

	while (proto_number(&n, &value)) {
		buf_addf(out, "%s%" PRId64, first ? "" : ",", (int64_t)value);
		first = false;
	}
	if (n.c.bad)
		buf_adds(out, " malformed");
}

/* The fields of a message that holds numbers alone. */
static void
add_flat(struct buf *out, const struct proto_field *f)
{
	struct proto p = proto_inside(f);
	struct proto_field in;
	const char *blank = "";

	while (proto_next(&p, &in)) {
		buf_addf(out, "%s%" PRIu32 "=", blank, in.number);
		add_numbers(out, &in);
		blank = " ";
	}
	if (p.c.bad)
		buf_addf(out, "%smalformed", blank);
}

/* Labels of samples and lines of locations are messages of their own. */
static bool
is_nested(uint32_t outer, const struct proto_field *f)
{
	return f->type == PROTO_BYTES && ((outer == PPROF_SAMPLE && f->number == 3) ||
					  (outer == PPROF_LOCATION && f->number == 4));
}

static void
add_message(struct buf *out, const struct proto_field *f)
{
	struct proto p = proto_inside(f);
	struct proto_field in;

	while (proto_next(&p, &in)) {
		buf_addf(out, " %" PRIu32 "=", in.number);
		if (is_nested(f->number, &in)) {
			buf_addc(out, '{');
			add_flat(out, &in);
			buf_addc(out, '}');
		} else {
			add_numbers(out, &in);
		}
	}
	if (p.c.bad)
		buf_adds(out, " malformed");
}

bool
pprof_dump(struct input *in, struct dump *d, struct err *e)
{
	struct buf text = BUF_INIT, scratch = BUF_INIT;
	struct proto_field f;
	uint64_t offset;
	bool written = true;

	while (written && proto_next_of_input(in, &f, &offset, e)) {
		buf_reset(&text);
		bool known = f.number && f.number < sizeof names / sizeof *names;
		if (f.number == PPROF_STRING && f.type == PROTO_BYTES)
			buf_addf(&text, " %s", dump_bytes(d, &scratch, f.at, f.len));
		else if (f.type == PROTO_BYTES && f.number != PPROF_COMMENT)
			add_message(&text, &f);
		else {
			buf_addc(&text, ' ');
			add_numbers(&text, &f);
		}
		written = known ? dump_record(d, offset, "%s%s", names[f.number], buf_str(&text))
				: dump_record(d, offset, "field %" PRIu32 "%s", f.number,
					      buf_str(&text));
	}
	buf_release(&text);
	buf_release(&scratch);
	return written && !err_is_set(e);
}
