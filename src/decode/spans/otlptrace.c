/* otlptrace: traces of OpenTelemetry (opentelemetry-proto, trace/v1), as SDKs and the Collector
 * write them: in JSON, one document or several, or binary, alone or behind lengths.
 *
 *	TracesData: ResourceSpans* (service and host)
 *	  ScopeSpans* (library)
 *	    Span*: ids, name, kind, start and end in ns since 1970, attributes, events, links
 *
 * A resource may follow its spans in JSON, so they wait for the end of their ResourceSpans. */
#include "src/decode/spans/otlptrace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/decode/common/json_dump.h"
#include "src/decode/common/proto_dump.h"
#include "src/decode/decoder.h"
#include "src/input/rows_proto.h"

enum { SURE_BINARY = 92, SURE_LENGTHS = 87 };

/* ---- the probe ---- */

/* Returns the first field of bytes of this number; it may be truncated. */
static bool
first_bytes(struct proto_field data, uint32_t number, struct proto_field *out)
{
	struct proto p = proto_inside(&data);
	size_t where = 0;

	for (struct proto_field f; proto_next(&p, &f); where = (size_t)(p.c.at - p.c.start)) {
		*out = f;
		if (f.type != PROTO_BYTES)
			return false;
		if (f.number == number)
			return true;
	}
	struct cursor c = cursor_over(data.at + where, data.len - where);
	uint64_t tag = p.c.torn ? cursor_varint(&c) : 0;
	cursor_varint(&c);
	*out = (struct proto_field){.number = (uint32_t)(tag >> 3), .type = tag & 7, .at = c.at,
				    .len = cursor_left(&c)};
	return !c.bad && out->type == PROTO_BYTES && out->number == number;
}

/* A span begins with an id of 16 bytes and one of 8. */
static bool
is_traces(const uint8_t *at, size_t len)
{
	struct proto_field f = {.type = PROTO_BYTES, .at = at, .len = len}, id;

	if (!len || *at != (1 << 3 | PROTO_BYTES) || !first_bytes(f, 1, &f))
		return false;
	struct proto_field resource = f;
	if (!first_bytes(f, 2, &f) && !first_bytes(resource, 1000, &f))
		return false;
	if (!first_bytes(f, 2, &f))
		return false;
	struct proto p = proto_inside(&f);
	return proto_next(&p, &id) && id.number == 1 && id.len == 16 && proto_next(&p, &id) &&
	       id.number == 2 && id.len == 8;
}

static int
otlptrace_probe(struct head head)
{
	if (is_traces(head.at, head.len))
		return SURE_BINARY;
	if (head.len < 8 || head.at[0])
		return 0;
	uint64_t len = bytes_u32(head.at, true);
	bool whole = len <= head.len - 4;
	if (!len || (!whole && head.whole))
		return 0;
	return is_traces(head.at + 4, whole ? (size_t)len : head.len - 4) ? SURE_LENGTHS : 0;
}

/* ---- containers ---- */

/* Both a message and JSON may begin with a line end. */
static bool
is_json(struct input *in)
{
	input_need(in, 64);
	input_skip_bom(in);
	const uint8_t *at = input_at(in), *end = at + input_have(in);

	if (is_traces(at, (size_t)(end - at)))
		return false;
	while (at < end && *at && strchr(" \t\r\n", *at))
		at++;
	return at < end && *at == '{';
}

static bool
lengths_read(struct otlptrace *t, struct input *in)
{
	while (input_need(in, 4)) {
		uint32_t len = bytes_u32(input_at(in), true);
		uint64_t offset = input_offset(in);
		if (!input_need(in, (size_t)len + 4))
			return err_damage(t->e, offset, "the file ends within a message");
		struct input *one = input_open_bytes_at(input_at(in) + 4, len,
						       input_name(in), offset + 4);
		bool good = otlptrace_proto(t, one);
		input_close(one);
		if (!good)
			return false;
		input_skip(in, (size_t)len + 4);
	}
	return !input_have(in) ||
	       err_damage(t->e, input_offset(in), "the file ends within a length");
}

static bool
otlptrace_decode(struct input *in, struct builder *b, struct err *e)
{
	struct otlptrace *t = mem_zalloc(1, sizeof *t);
	bool good = true;

	t->b = b;
	t->e = e;
	spans_init(&t->s, in, b);
	input_need(in, 8);
	if (is_json(in))
		good = otlptrace_json(t, in);
	else if (input_have(in) >= 4 && !*input_at(in))
		good = lengths_read(t, in);
	else
		good = otlptrace_proto(t, in);
	good = spans_write(&t->s, e) && good;
	spans_release(&t->s);
	buf_release(&t->text);
	free(t);
	return good;
}

/* ---- dump ---- */

static bool
otlptrace_dump(struct input *in, struct dump *out, struct err *e)
{
	bool good = true;

	if (is_json(in))
		return json_dump(in, out, e);
	if (!input_have(in) || *input_at(in))
		return proto_dump_input(in, out, &otlptrace_table, e);
	while (good && input_need(in, 4)) {
		uint32_t len = bytes_u32(input_at(in), true);
		uint64_t offset = input_offset(in);
		good = dump_record(out, offset, "length %" PRIu32, len);
		if (!input_need(in, (size_t)len + 4))
			return err_damage(e, offset, "the file ends within a message");
		struct input *one = input_open_bytes_at(input_at(in) + 4, len,
						       input_name(in), offset + 4);
		good = good && proto_dump_input(one, out, &otlptrace_table, e);
		input_close(one);
		input_skip(in, (size_t)len + 4);
	}
	return good;
}

const struct decoder decoder_otlptrace = {
	.name = "otlptrace",
	.title = "OpenTelemetry traces: SDKs, the Collector, Tempo; binary and JSON",
	.made_of = MADE_BINARY | MADE_JSON,
	.members = "resourceSpans|resource_spans|batches/resource|result/resourceSpans|"
		   "trace/resourceSpans",
	.sure = 95,
	.probe = otlptrace_probe,
	.decode = otlptrace_decode,
	.dump = otlptrace_dump,
};
