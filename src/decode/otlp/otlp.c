/* otlp: profiles of OpenTelemetry (opentelemetry-proto, profiles/v1development as of August 2026):
 * the output of the eBPF profiler and the Collector, a message alone or several with preceding
 * lengths, binary or in JSON.
 *
 * Profiles refer to the dictionary, which follows them in the message.  So each message is read
 * twice: the dictionary first, then the profiles.  Of a file that is one message, only one field is
 * in memory at a time: the profiles of a resource, or the dictionary. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <string.h>

#include "src/decode/common/json_dump.h"
#include "src/decode/common/proto_dump.h"
#include "src/decode/otlp/otlp_inside.h"

enum { SURE = 80, SURE_JSON = 90, SURE_FRAMED = 60 };

/* ---- the probe ---- */

/* Gets the part of a field of bytes before the end of the truncated data. */
static bool
cut_field(const uint8_t *at, size_t len, struct proto_field *out)
{
	struct cursor c = cursor_over(at, len);
	uint64_t tag = cursor_varint(&c);

	cursor_varint(&c);
	*out = (struct proto_field){
		.number = tag >> 3, .type = tag & 7, .at = c.at, .len = cursor_left(&c)};
	return !c.bad && out->type == PROTO_BYTES &&
	       !(tag >> 32);
}

/* ScopeProfiles without its end in the head, and with a profile that begins with its sample
 * type, a message.  Perfetto's packets begin with numbers there. */
static bool
is_scope_profiles(struct proto_field data)
{
	struct proto p = proto_inside(&data), profile;
	struct proto_field f, type;
	size_t where = 0;

	while (proto_next(&p, &f) ||
	       (p.c.torn && cut_field(data.at + where, data.len - where, &f))) {
		profile = proto_inside(&f);
		if (f.type != PROTO_BYTES)
			return false;
		if (f.number == 2)
			return proto_next(&profile, &type) && type.type == PROTO_BYTES &&
			       type.number == 1;
		if (f.number != 1 || p.c.torn)
			return false;
		where = (size_t)(p.c.at - p.c.start);
	}
	return false;
}

/* ResourceProfiles: messages, a text, and profiles among them.  `cut`: its end is not in the
 * head. */
static bool
is_resource_profiles(struct proto_field data, bool cut, bool *profiles)
{
	struct proto p = proto_inside(&data);
	struct proto_field f;
	size_t where = 0;
	bool resource = false; /* it is none of Perfetto's */

	while (proto_next(&p, &f) ||
	       (cut && p.c.torn && cut_field(data.at + where, data.len - where, &f))) {
		if (f.type != PROTO_BYTES ||
		    (f.number != 1 && f.number != 2 && f.number != 3 && f.number != 1000))
			return false;
		/* a packet of Perfetto may have either, but never both */
		resource |= f.number == 1 || (f.number == 2 && cut && is_scope_profiles(f));
		*profiles |= f.number == 2;
		if (p.c.torn)
			break;
		where = (size_t)(p.c.at - p.c.start);
	}
	return !p.c.bad || (cut && p.c.torn && resource);
}

static bool
is_message(const uint8_t *at, size_t len, bool *certain)
{
	struct proto p = proto_over(at, len);
	struct proto_field f;
	bool profiles = false, any = false;
	size_t where = 0;

	while (proto_next(&p, &f)) {
		if (f.type != PROTO_BYTES || (f.number != 1 && f.number != 2))
			return false;
		if (f.number == 1 && !is_resource_profiles(f, false, &profiles))
			return false;
		any = true;
		where = (size_t)(p.c.at - p.c.start);
	}
	/* the last one may be truncated, and the first may exceed the head */
	if (p.c.bad && !p.c.torn)
		return false;
	if (p.c.torn && !any && cut_field(at + where, len - where, &f)) {
		*certain = f.number == 1 && is_resource_profiles(f, true, &profiles) && profiles;
		return *certain;
	}
	return any && profiles;
}

static int
messages_probe(struct head head)
{
	bool certain = false;

	if (is_message(head.at, head.len, &certain))
		return certain ? SURE_JSON + 10 : SURE;
	if (head.len < 8 || head.at[0])
		return 0;
	uint64_t len = bytes_u32(head.at, true);
	bool whole = len <= head.len - 4;
	if (!len || (!whole && head.whole))
		return 0;
	return is_message(head.at + 4, whole ? (size_t)len : head.len - 4, &certain) ? SURE_FRAMED
										     : 0;
}

static int
otlp_probe(struct head head)
{
	int sure = messages_probe(head);

	return !sure && head_drop_zeros(&head) ? messages_probe(head) : sure;
}

/* Returns true if the input is JSON.  Both a message and JSON may begin with a line end. */
static bool
is_json(struct input *in)
{
	const char *at, *end;
	bool certain = false;

	input_need(in, 64);
	input_skip_bom(in);
	at = (const char *)input_at(in);
	end = at + input_have(in);
	while (at < end && *at && strchr(" \t\r\n", *at))
		at++;
	return at < end && *at == '{' && !is_message(input_at(in), input_have(in), &certain);
}

/* ---- messages ---- */

static bool
refuse_version(struct otlp *d)
{
	struct buf list = BUF_INIT;

	for (unsigned i = 1; i < 64; i++)
		if (d->counts.fields >> i & 1)
			buf_addf(&list, " %u", i);
	err_refuse(d->err, "OpenTelemetry profiles of another version than the one of August 2026: "
			   "no dictionary, and profiles with the fields%s",
		   buf_str(&list));
	buf_release(&list);
	return false;
}

/* Goes to the first field of the message. */
static bool
message_begin(struct otlp *d)
{
	struct otlp_message *m = &d->message;

	if (!m->at)
		return input_seek(d->in, 0);
	m->rest = proto_over(m->at, (size_t)m->len);
	return true;
}

/* Reads the next field of the message.  Returns false at its end, with damage in *e if it has
 * none. */
static bool
message_field(struct otlp *d, struct proto_field *f, struct err *e)
{
	struct otlp_message *m = &d->message;
	const uint8_t *at = m->rest.c.at;
	uint64_t offset;

	if (m->at && proto_next(&m->rest, f)) {
		m->field_offset = m->offset + (uint64_t)(f->at - m->at);
	} else if (m->at) {
		m->len = (uint64_t)(at - m->at); /* up to the damage */
		return m->rest.c.bad && err_damage(e, m->offset + m->len,
						   m->rest.c.torn ? "the file ends within a field"
								  : "a malformed field");
	} else if (proto_next_of_input(d->in, f, &offset, e)) {
		m->field_offset = input_offset(d->in) - f->len;
	} else {
		m->len = input_offset(d->in);
		return false;
	}
	m->field = f->at;
	d->rows.fault = NULL;
	return true;
}

/* Returns the offset of the fault in the current field. */
static uint64_t
fault_offset(const struct otlp *d)
{
	return d->message.field_offset + (uint64_t)(d->rows.fault - d->message.field);
}

/* Reads the dictionary, and votes about the layout.  Sets *wrong to the offset of the first fault
 * in the dictionary. */
static void
message_tables(struct otlp *d, int *votes, uint64_t *wrong, struct err *ends)
{
	struct otlp_message *m = &d->message;
	size_t have = m->at ? (size_t)m->len : 0;
	struct proto_field f;

	while (message_field(d, &f, ends)) {
		if (f.number == 1)
			otlp_vote(&f, votes);
		if (f.number == 2 && f.type == PROTO_BYTES)
			otlp_dictionary(d, f);
		if (d->rows.fault && *wrong == UINT64_MAX)
			*wrong = fault_offset(d);
	}
	d->rows.fault = NULL;
	m->field = m->at ? m->at + m->len : input_at(d->in);
	m->field_offset = m->offset + m->len;
	have = m->at ? have - (size_t)m->len : input_have(d->in);
	/* damage in a group has the offset of the group, which is no field of bytes */
	bool outside = !m->at && err_is_set(ends) && ends->offset != m->field_offset;
	if (have && !outside && cut_field(m->field, have, &f) && f.number == 2)
		otlp_dictionary(d, f);
	if (d->rows.fault && *wrong == UINT64_MAX)
		*wrong = fault_offset(d);
}

/* Reads the message d->message. */
static bool
message_read(struct otlp *d, bool json)
{
	uint64_t wrong = UINT64_MAX;
	struct err ends = {0}, again = {0};
	struct proto_field f;
	int votes = 0;
	bool good = true;

	otlp_dictionary_release(d);
	if (!message_begin(d))
		return err_damage(d->err, 0, "the input cannot be read twice");
	message_tables(d, &votes, &wrong, &ends);
	d->layout = votes > 0 && !json ? LAYOUT_VALUES_2 : LAYOUT_ATTRIBUTES_2;
	/* errors of a faulty dictionary have an offset after all samples: they are shown */
	d->rows.fault = NULL;
	message_begin(d);
	while (good && message_field(d, &f, &again))
		if (f.number == 1 && f.type == PROTO_BYTES)
			good = otlp_resource(d, &f);
	bool faulty = d->rows.fault || wrong != UINT64_MAX;
	if (faulty && d->has_dictionary && !err_is_set(d->err))
		return err_damage(d->err, d->rows.fault ? fault_offset(d) : wrong,
				  "a malformed field");
	if (err_is_set(&ends) && good) {
		*d->err = ends;
		return false;
	}
	return (good || faulty) && !err_is_set(d->err);
}

static bool
framed_read(struct otlp *d)
{
	while (input_need(d->in, 4)) {
		uint32_t len = bytes_u32(input_at(d->in), true);
		uint64_t offset = input_offset(d->in);
		bool whole = input_need(d->in, (size_t)len + 4);
		size_t there = input_have(d->in) - 4;
		d->message = (struct otlp_message){.at = input_at(d->in) + 4,
						   .len = whole ? len : there,
						   .offset = offset + 4};
		if (!message_read(d, false))
			return false;
		if (!whole)
			return err_damage(d->err, offset,
					  "the file ends within a message");
		input_skip(d->in, (size_t)len + 4);
	}
	return !input_have(d->in) ||
	       err_damage(d->err, input_offset(d->in), "the file ends within a length");
}

static bool
messages_read(struct otlp *d)
{
	struct buf bytes = BUF_INIT;
	const uint8_t *at;
	bool good;

	if (!input_need(d->in, 1))
		return true;
	at = input_at(d->in);
	if (!*at && input_need(d->in, 4))
		return framed_read(d);
	if ((*at == 0x0A || *at == 0x12) && !is_json(d->in)) {
		input_keep(d->in);
		input_passes(d->in, 2);
		return message_read(d, false);
	}
	struct err first = {0};
	good = otlp_of_json(d->in, &otlp_data_table, &bytes, d->b, &first);
	d->message = (struct otlp_message){.at = (const uint8_t *)bytes.at, .len = bytes.len};
	if (bytes.len)
		good = message_read(d, true) && good;
	if (err_is_set(&first))
		*d->err = first;
	buf_release(&bytes);
	return good;
}

/* ---- decoding ---- */

#define LATER 75 /* percent of the time, spent on a message after it was read */

static void
otlp_report(struct otlp *d)
{
	builder_info(d->b, "profiles", "%" PRIu64, d->counts.profiles);
	builder_info(d->b, "samples", "%" PRIu64, d->counts.samples);
	builder_info_count(d->b, "original payloads", d->counts.payloads, ", not shown");
	builder_info_count(d->b, "attributes not shown", d->counts.deeper, " lists and maps");
	builder_warn_count(d->b, d->counts.missing, "index is out of range: [unknown]",
			   "indexes are out of range: [unknown]");
}

static bool
otlp_decode(struct input *in, struct builder *b, struct err *e)
{
	struct otlp d = {.in = in, .b = b, .err = e, .first = METRIC_NONE,
			 .cast = {.b = b, .lone = true}};

	d.rows = (struct rows_proto){
		.context = &d, .name = builder_name, .text = otlp_string, .b = b};
	input_later(in, LATER);
	pprof_frames_init(&d.frames, in, b);
	bool good = messages_read(&d);
	if (!d.has_dictionary && (d.counts.samples || d.rows.fault) && good) {
		good = refuse_version(&d);
	} else {
		if (d.first == METRIC_NONE)
			d.first = builder_metric(b, "samples", UNIT_SAMPLES, ROLE_VALUE);
		builder_default_metric(b, d.first);
		cast_rename(&d.cast);
		otlp_report(&d);
	}
	otlp_dictionary_release(&d);
	pprof_frames_release(&d.frames);
	vec_release(&d.resource);
	buf_release(&d.text);
	cast_release(&d.cast);
	text_cache_release(&d.said_by);
	vec_release_all(&d.said, &d.sample.attribute, &d.sample.value, &d.sample.time, &d.series);
	return good;
}

/* ---- dump ---- */

/* Dumps each field of a message, and behind it the fields in it. */
static bool
dump_message(struct dump *out, const uint8_t *at, size_t len, uint64_t offset)
{
	struct proto p = proto_over(at, len);
	struct buf line = BUF_INIT;
	struct proto_field f, g;
	bool good = true;

	while (good && proto_next(&p, &f)) {
		bool known = f.number < otlp_data_table.n && f.type == PROTO_BYTES;
		const struct proto_row *row = &otlp_data_table.row[known ? f.number : 0];
		uint64_t where = offset + (uint64_t)(f.type == PROTO_BYTES ? f.at - at : 0);
		good = dump_record(out, where, "field %" PRIu32 " %s bytes=%zu", f.number,
				   row->name ? row->name : "?", f.len);
		for (struct proto q = proto_inside(&f); good && proto_next(&q, &g);) {
			buf_reset(&line);
			proto_dump_field(out, &g, row->inner, &line);
			good = dump_record(out, where, " %s", buf_str(&line));
		}
	}
	buf_release(&line);
	return good;
}

static bool
otlp_dump(struct input *in, struct dump *out, struct err *e)
{
	bool good = true;

	if (!input_need(in, 4))
		return true;
	uint8_t first = *input_at(in);
	if ((first != 0x0A && first != 0x12 && first) || is_json(in))
		return json_dump(in, out, e);
	while (!first && good && input_need(in, 4)) {
		uint32_t len = bytes_u32(input_at(in), true);
		uint64_t offset = input_offset(in);
		good = dump_record(out, offset, "length %" PRIu32, len);
		if (!input_need(in, (size_t)len + 4))
			return err_damage(e, offset, "the file ends within a message");
		good = good && dump_message(out, input_at(in) + 4, len, offset + 4);
		input_skip(in, (size_t)len + 4);
	}
	if (!first)
		return good;
	while (input_have(in) < INPUT_WINDOW_MAX && input_more(in))
		;
	return dump_message(out, input_at(in), input_have(in), 0);
}

const struct decoder decoder_otlp = {
	.name = "otlp",
	.title = "OpenTelemetry profiles: the eBPF profiler, the Collector; binary and JSON",
	.made_of = MADE_BINARY | MADE_JSON,
	.mangled = true,
	.members = "resourceProfiles|resource_profiles",
	.probe = otlp_probe,
	.decode = otlp_decode,
	.dump = otlp_dump,
};
