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
#include <math.h>
#include <stdio.h>
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

/* ---- what both forms share ---- */

void
otlptrace_pair(struct otlptrace *t, const struct otlp_pair *p)
{
	struct span_labels *of = t->target == OTLP_RESOURCE ? &t->s.owner
				 : t->target == OTLP_SPAN   ? &t->s.own
							    : &t->moment;

	if (p->kind == OTLP_DEEPER)
		t->s.counts.not_shown++;
	else if (p->kind != OTLP_NO_VALUE && p->key != NAME_EMPTY)
		spans_attribute(&t->s, of, p->key, p->value);
}

name_id
otlptrace_real(struct otlptrace *t, double x)
{
	char text[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, x);
		if (strtod(text, NULL) == x || isnan(x))
			break;
	}
	return builder_name(t->b, text, strlen(text));
}

void
otlptrace_moment(struct otlptrace *t, int64_t time, name_id name)
{
	label_id id[SPANS_LABELS_MAX];

	for (uint32_t i = 0; i < t->moment.n; i++)
		id[i] = t->moment.at[i].id;
	spans_mark(&t->s, time, name,
		   t->moment.n ? builder_labels(t->b, id, t->moment.n) : LABELS_NONE);
}

void
otlptrace_span(struct otlptrace *t, uint64_t start, uint64_t end, int status)
{
	struct span_draft *d = &t->s.draft;

	d->start = start > INT64_MAX ? INT64_MAX : (int64_t)start;
	d->end = end > INT64_MAX ? INT64_MAX : (int64_t)end;
	d->bits |= status == 2 ? SPAN_ERROR : status == 1 ? SPAN_OK : 0;
	if (!end) {
		d->end = d->start;
		d->bits |= SPAN_OPEN | SPAN_UNFINISHED;
	}
	spans_end(&t->s);
}

void
otlptrace_scope(struct otlptrace *t, name_id module)
{
	for (size_t i = t->scopes; i < t->s.drafts.n; i++)
		t->s.drafts.at[i].module = module;
	t->scopes = t->s.drafts.n;
}

void
otlptrace_resource(struct otlptrace *t)
{
	spans_seal(&t->s);
	t->scopes = 0;
}

/* ---- containers ---- */

/* Both a message and JSON may begin with a line end. */
static bool
is_json(struct input *in)
{
	input_need(in, 64);
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
		struct input *one = input_open_bytes(input_at(in) + 4, len, input_name(in));
		struct err inner;
		err_init(&inner);
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
		struct input *one = input_open_bytes(input_at(in) + 4, len, input_name(in));
		good = good && proto_dump_input(one, out, &otlptrace_table, e);
		input_close(one);
		input_skip(in, (size_t)len + 4);
	}
	return good;
}

const struct decoder decoder_otlptrace = {
	.name = "otlptrace",
	.title = "OpenTelemetry traces: SDKs, the Collector, Tempo; binary and JSON",
	.manual = "otlptrace",
	.made_of = MADE_BINARY | MADE_JSON,
	.members = "resourceSpans|resource_spans|batches/resource|result/resourceSpans|"
		   "trace/resourceSpans",
	.sure = 95,
	.probe = otlptrace_probe,
	.decode = otlptrace_decode,
	.dump = otlptrace_dump,
};
