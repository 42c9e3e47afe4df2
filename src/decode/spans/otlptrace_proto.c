/* The binary form: a message of any size, one ResourceSpans in memory at a time. */
#include <string.h>

#include "src/decode/spans/otlptrace.h"
#include "src/input/rows_proto.h"

struct proto_any {
	uint64_t number, real;
	name_id text;
	bool flag;
};

struct proto_pair {
	name_id key;
	struct otlp_pair pair;
};

struct proto_link {
	struct span_id to;
};

struct proto_span {
	uint64_t start, end, kind, status;
};

struct proto_scope {
	name_id module;
};

/* ---- attributes ---- */

static bool
proto_text_take(struct rows_proto *r, void *pair, const struct proto_field *f)
{
	struct otlp_pair *p = &((struct proto_pair *)pair)->pair;

	p->kind = OTLP_TEXT;
	p->value = (struct span_value){.text = builder_name(r->b, f->len ? (const void *)f->at : "",
							    f->len)};
	return true;
}

static bool
proto_flag_take(struct rows_proto *r, void *pair, const struct proto_field *f)
{
	struct otlp_pair *p = &((struct proto_pair *)pair)->pair;
	const char *word = f->value ? "true" : "false";

	p->kind = OTLP_TEXT;
	p->value = (struct span_value){.text = builder_name(r->b, word, strlen(word))};
	return true;
}

static bool
proto_number_take(struct rows_proto *r UNUSED, void *pair, const struct proto_field *f)
{
	struct otlp_pair *p = &((struct proto_pair *)pair)->pair;

	p->kind = OTLP_NUMBER;
	p->value = (struct span_value){.is_number = true, .number = (int64_t)f->value};
	return true;
}

static bool
real_take(struct rows_proto *r, void *pair, const struct proto_field *f)
{
	struct otlp_pair *p = &((struct proto_pair *)pair)->pair;
	double x;

	memcpy(&x, &f->value, sizeof x);
	p->kind = OTLP_TEXT;
	p->value = (struct span_value){.text = otlptrace_real(r->context, x)};
	return true;
}

static bool
deeper_take(struct rows_proto *r UNUSED, void *pair, const struct proto_field *f UNUSED)
{
	((struct proto_pair *)pair)->pair.kind = OTLP_DEEPER;
	return true;
}

/* for dumps */
static const struct proto_table any_table, pair_table;
static const struct proto_row array_rows[] = {
	[1] = {"values", FIELD_EACH(PROTO_BYTES, deeper_take), .inner = &any_table},
};
static const struct proto_table array_table = PROTO_TABLE("ArrayValue", array_rows);
static const struct proto_row kvlist_rows[] = {
	[1] = {"values", FIELD_EACH(PROTO_BYTES, deeper_take), .inner = &pair_table},
};
static const struct proto_table kvlist_table = PROTO_TABLE("KeyValueList", kvlist_rows);

static const struct proto_row any_rows[] = {
	[1] = {"string_value", FIELD_EACH(PROTO_BYTES, proto_text_take)},
	[2] = {"bool_value", FIELD_EACH(PROTO_VARINT, proto_flag_take)},
	[3] = {"int_value", FIELD_EACH(PROTO_VARINT, proto_number_take)},
	[4] = {"double_value", FIELD_EACH(PROTO_FIXED64, real_take), .real = true},
	[5] = {"array_value", FIELD_EACH(PROTO_BYTES, deeper_take), .inner = &array_table},
	[6] = {"kvlist_value", FIELD_EACH(PROTO_BYTES, deeper_take), .inner = &kvlist_table},
	[7] = {"bytes_value", FIELD_EACH(PROTO_BYTES, deeper_take)},
};
static const struct proto_table any_table = PROTO_TABLE("AnyValue", any_rows);
static const struct proto_row pair_rows[] = {
	[1] = {"key", FIELD_NAME(struct proto_pair, key)},
	[2] = {"value", FIELD_HERE(&any_table)},
};
static const struct proto_table pair_table = PROTO_TABLE("KeyValue", pair_rows);

static bool
proto_pair_take(struct rows_proto *r, void *none UNUSED, void *element)
{
	struct proto_pair *p = element;

	p->pair.key = p->key;
	otlptrace_pair(r->context, &p->pair);
	return true;
}

#define ATTRIBUTES FIELD_LIST_OF(struct proto_pair, &pair_table, proto_pair_take)

/* ---- spans ---- */

static const struct proto_row event_rows[] = {
	[1] = {"time_unix_nano", FIELD_FIXED64(struct otlp_moment, time)},
	[2] = {"name", FIELD_NAME(struct otlp_moment, name)},
	[3] = {"attributes", ATTRIBUTES},
};
static const struct proto_table event_table = PROTO_TABLE("Event", event_rows);

static bool
event_take(struct rows_proto *r, void *none UNUSED, const struct proto_field *f)
{
	struct otlptrace *t = r->context;
	struct otlp_moment m = {0};

	t->target = OTLP_MOMENT;
	t->moment.n = 0;
	bool good = rows_proto_read(r, &event_table, f, &m);
	t->target = OTLP_SPAN;
	if (good)
		otlptrace_moment(t, m.time > INT64_MAX ? INT64_MAX : (int64_t)m.time, m.name);
	return good;
}

/* Returns the id of bytes, the same as that of their digits. */
static uint64_t
proto_id_of(const struct proto_field *f, char digits[64], size_t *len)
{
	static const char hex[] = "0123456789abcdef";
	size_t n = f->len < 32 ? f->len : 32;

	for (size_t i = 0; i < n; i++) {
		digits[2 * i] = hex[f->at[i] >> 4];
		digits[2 * i + 1] = hex[f->at[i] & 15];
	}
	*len = 2 * n;
	return spans_id(digits, *len);
}

static bool
link_trace(struct rows_proto *r UNUSED, void *link, const struct proto_field *f)
{
	char digits[64];
	size_t len;

	((struct proto_link *)link)->to.trace = proto_id_of(f, digits, &len);
	return true;
}

static bool
link_span(struct rows_proto *r UNUSED, void *link, const struct proto_field *f)
{
	char digits[64];
	size_t len;

	((struct proto_link *)link)->to.span = proto_id_of(f, digits, &len);
	return true;
}

static const struct proto_row link_rows[] = {
	[1] = {"trace_id", FIELD_EACH(PROTO_BYTES, link_trace)},
	[2] = {"span_id", FIELD_EACH(PROTO_BYTES, link_span)},
};
static const struct proto_table link_table = PROTO_TABLE("Link", link_rows);

static bool
proto_link_take(struct rows_proto *r, void *none UNUSED, void *element)
{
	const struct proto_link *l = element;

	if (l->to.span)
		spans_refer(&((struct otlptrace *)r->context)->s, l->to);
	return true;
}

static bool
span_trace(struct rows_proto *r, void *none UNUSED, const struct proto_field *f)
{
	struct otlptrace *t = r->context;
	char digits[64];
	size_t len;

	t->s.draft.id.trace = proto_id_of(f, digits, &len);
	t->s.draft.trace = builder_name(r->b, digits, len);
	return true;
}

static bool
span_id(struct rows_proto *r, void *none UNUSED, const struct proto_field *f)
{
	char digits[64];
	size_t len;

	((struct otlptrace *)r->context)->s.draft.id.span = proto_id_of(f, digits, &len);
	return true;
}

static bool
span_parent(struct rows_proto *r, void *none UNUSED, const struct proto_field *f)
{
	char digits[64];
	size_t len;

	((struct otlptrace *)r->context)->s.draft.parent = proto_id_of(f, digits, &len);
	return true;
}

static bool
span_name(struct rows_proto *r, void *none UNUSED, const struct proto_field *f)
{
	((struct otlptrace *)r->context)->s.draft.name =
		builder_name(r->b, f->len ? (const void *)f->at : "", f->len);
	return true;
}

static bool
proto_dropped_take(struct rows_proto *r, void *none UNUSED, const struct proto_field *f)
{
	((struct otlptrace *)r->context)->s.counts.dropped += f->value;
	return true;
}

static const struct proto_row status_rows[] = {
	[3] = {"code", FIELD_UINT(struct proto_span, status)},
};
static const struct proto_table status_table = PROTO_TABLE("Status", status_rows);
static const struct proto_row span_rows[] = {
	[1] = {"trace_id", FIELD_EACH(PROTO_BYTES, span_trace)},
	[2] = {"span_id", FIELD_EACH(PROTO_BYTES, span_id)},
	[4] = {"parent_span_id", FIELD_EACH(PROTO_BYTES, span_parent)},
	[5] = {"name", FIELD_EACH(PROTO_BYTES, span_name)},
	[6] = {"kind", FIELD_UINT(struct proto_span, kind)},
	[7] = {"start_time_unix_nano", FIELD_FIXED64(struct proto_span, start)},
	[8] = {"end_time_unix_nano", FIELD_FIXED64(struct proto_span, end)},
	[9] = {"attributes", ATTRIBUTES},
	[10] = {"dropped_attributes_count", FIELD_EACH(PROTO_VARINT, proto_dropped_take)},
	[11] = {"events", FIELD_EACH(PROTO_BYTES, event_take), .inner = &event_table},
	[12] = {"dropped_events_count", FIELD_EACH(PROTO_VARINT, proto_dropped_take)},
	[13] = {"links", FIELD_LIST_OF(struct proto_link, &link_table, proto_link_take)},
	[14] = {"dropped_links_count", FIELD_EACH(PROTO_VARINT, proto_dropped_take)},
	[15] = {"status", FIELD_HERE(&status_table)},
};
static const struct proto_table span_table = PROTO_TABLE("Span", span_rows);

static bool
proto_span_take(struct rows_proto *r, void *none UNUSED, const struct proto_field *f)
{
	struct otlptrace *t = r->context;
	struct proto_span x = {0};

	spans_begin(&t->s);
	t->target = OTLP_SPAN;
	if (!rows_proto_read(r, &span_table, f, &x))
		return false;
	t->s.draft.kind = x.kind < SPAN_KINDS ? (uint8_t)x.kind : SPAN_UNSPECIFIED;
	otlptrace_span(t, x.start, x.end, (int)(x.status & 3));
	return true;
}

/* ---- scopes and resources ---- */

static const struct proto_row library_rows[] = {
	[1] = {"name", FIELD_NAME(struct proto_scope, module)},
};
static const struct proto_table library_table = PROTO_TABLE("InstrumentationScope", library_rows);
static const struct proto_row scope_rows[] = {
	[1] = {"scope", FIELD_HERE(&library_table)},
	[2] = {"spans", FIELD_EACH(PROTO_BYTES, proto_span_take), .inner = &span_table},
};
static const struct proto_table scope_table = PROTO_TABLE("ScopeSpans", scope_rows);

static bool
proto_scope_take(struct rows_proto *r, void *none UNUSED, const struct proto_field *f)
{
	struct proto_scope scope = {0};

	bool good = rows_proto_read(r, &scope_table, f, &scope);
	otlptrace_scope(r->context, scope.module);
	return good;
}

static const struct proto_row resource_rows[] = {
	[1] = {"attributes", ATTRIBUTES},
};
static const struct proto_table resource_table = PROTO_TABLE("Resource", resource_rows);

static bool
proto_resource_take(struct rows_proto *r, void *none, const struct proto_field *f)
{
	((struct otlptrace *)r->context)->target = OTLP_RESOURCE;
	return rows_proto_read(r, &resource_table, f, none);
}

static const struct proto_row resource_spans_rows[] = {
	[1] = {"resource", FIELD_EACH(PROTO_BYTES, proto_resource_take), .inner = &resource_table},
	[2] = {"scope_spans", FIELD_EACH(PROTO_BYTES, proto_scope_take), .inner = &scope_table},
};
/* The field's number before version 0.15. */
static const struct proto_table resource_spans_table =
	PROTO_TABLE("ResourceSpans", resource_spans_rows);

#define OLD_SCOPES 1000u

static bool
resource_spans_take(struct rows_proto *r, void *none, const struct proto_field *f)
{
	struct proto p = proto_inside(f);
	const uint8_t *at = p.c.at;
	bool good = true;

	for (struct proto_field g; good && proto_next(&p, &g); at = p.c.at) {
		g.number = g.number == OLD_SCOPES ? 2 : g.number;
		good = rows_proto_field(r, &resource_spans_table, &g, at, none);
	}
	if (good && p.c.bad) {
		r->fault = at;
		r->of = &resource_spans_table;
		good = false;
	}
	otlptrace_resource(r->context);
	return good;
}

static const struct proto_row traces_rows[] = {
	[1] = {"resource_spans", FIELD_EACH(PROTO_BYTES, resource_spans_take),
	       .inner = &resource_spans_table},
};
const struct proto_table otlptrace_table = PROTO_TABLE("TracesData", traces_rows);

bool
otlptrace_proto(struct otlptrace *t, struct input *in)
{
	struct rows_proto r = {.context = t, .b = t->b, .name = builder_name};

	return rows_proto_input(&r, in, &otlptrace_table, NULL, t->e);
}
