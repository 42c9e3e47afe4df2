/* The JSON form: documents one after the other. Ids are digits in hexadecimal, or base 64 in Tempo;
 * 64-bit numbers may be strings, and enumerations names. */
#include <string.h>

#include "src/decode/common/json_read.h"
#include "src/decode/common/words.h"
#include "src/decode/spans/otlptrace.h"
#include "src/input/rows_proto.h"

struct json_span {
	name_id name;
	int64_t start, end, kind, status;
	bool has_start;
};

struct json_scope {
	name_id module;
};

/* ---- attributes ---- */

static bool
json_text_take(struct rows_json *r, void *pair, const struct json_value *v)
{
	struct otlp_pair *p = pair;

	p->kind = OTLP_TEXT;
	p->value = (struct span_value){.text = json_row_name(r, &v->t)};
	return true;
}

static bool
json_flag_take(struct rows_json *r, void *pair, const struct json_value *v)
{
	struct otlp_pair *p = pair;
	const char *word = v->t.kind == JSON_TRUE ? "true" : "false";

	p->kind = OTLP_TEXT;
	p->value = (struct span_value){.text = builder_name(r->b, word, strlen(word))};
	return true;
}

static bool
json_number_take(struct rows_json *r UNUSED, void *pair, const struct json_value *v)
{
	struct otlp_pair *p = pair;

	if (!json_value_scaled(v, 0, true, &p->value.number))
		return true;
	p->kind = OTLP_NUMBER;
	p->value.is_number = true;
	return true;
}

static bool
bytes_take(struct rows_json *r UNUSED, void *pair, const struct json_value *v UNUSED)
{
	((struct otlp_pair *)pair)->kind = OTLP_DEEPER;
	return true;
}

static bool
deeper_read(struct rows_json *r, void *pair, const struct json_token *t)
{
	((struct otlp_pair *)pair)->kind = OTLP_DEEPER;
	return json_skip(&r->j, t);
}

static const struct json_row value_rows[] = {
	{"stringValue", ROW_VALUE(json_text_take)},
	{"intValue", ROW_VALUE(json_number_take)},
	{"boolValue", ROW_VALUE(json_flag_take)},
	{"doubleValue", ROW_VALUE(json_text_take)},
	{"bytesValue", ROW_VALUE(bytes_take)},
	{"arrayValue", ROW_INSIDE(deeper_read)},
	{"kvlistValue", ROW_INSIDE(deeper_read)},
	{"string_value", ROW_VALUE(json_text_take)},
	{"int_value", ROW_VALUE(json_number_take)},
	{"bool_value", ROW_VALUE(json_flag_take)},
	{"double_value", ROW_VALUE(json_text_take)},
	{0},
};
static const struct json_row pair_rows[] = {
	{"key", ROW_NAME(struct otlp_pair, key)},
	{"value", ROW_HERE(value_rows)},
	{0},
};

static bool
json_pair_take(struct rows_json *r, void *none UNUSED, void *element)
{
	otlptrace_pair(r->context, element);
	return true;
}

#define ATTRIBUTES ROW_LIST_OF(struct otlp_pair, pair_rows, json_pair_take)

/* ---- events, links ---- */

static const struct json_row moment_rows[] = {
	{"timeUnixNano", ROW_NUMBER(struct otlp_moment, time_json), .loose = true},
	{"time_unix_nano", ROW_NUMBER(struct otlp_moment, time_json), .loose = true},
	{"name", ROW_NAME(struct otlp_moment, name)},
	{"attributes", ATTRIBUTES},
	{0},
};

static void *
moment_begin(struct rows_json *r, void *none UNUSED, void *own)
{
	struct otlptrace *t = r->context;

	t->target = OTLP_MOMENT;
	t->moment.n = 0;
	return own;
}

static bool
moment_take(struct rows_json *r, void *none UNUSED, void *element)
{
	struct otlptrace *t = r->context;
	const struct otlp_moment *m = element;

	t->target = OTLP_SPAN;
	otlptrace_moment(t, m->time_json, m->name);
	return true;
}

static const struct json_list moments = {.rows = moment_rows, .size = sizeof(struct otlp_moment),
					 .begin = moment_begin, .end = moment_take};

#define ID_MAX 32u

/* Converts an id in base 64 to digits, which go to `out`. Returns false if it is none: ids of 8 and
 * 16 bytes have 12 and 24 characters. */
static bool
of_base64(const struct json_token *t, char out[2 * ID_MAX], size_t *len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	static const char hex[] = "0123456789abcdef";
	uint32_t bits = 0;
	int n = 0;

	*len = 0;
	if (t->escaped || (t->len != 12 && t->len != 24))
		return false;
	for (size_t i = 0; i < t->len && t->at[i] != '='; i++) {
		char c = t->at[i] == '-' ? '+' : t->at[i] == '_' ? '/' : t->at[i];
		const char *at = c ? strchr(digits, c) : NULL;
		if (!at)
			return false;
		bits = bits << 6 | (uint32_t)(at - digits);
		n += 6;
		if (n >= 8) {
			n -= 8;
			out[(*len)++] = hex[bits >> n >> 4 & 15];
			out[(*len)++] = hex[bits >> n & 15];
		}
	}
	return *len == 16 || *len == 32;
}

static uint64_t
json_id_of(const struct json_value *v, char digits[2 * ID_MAX], size_t *len)
{
	if (v->t.kind != JSON_STRING)
		return 0;
	if (of_base64(&v->t, digits, len))
		return spans_id(digits, *len);
	*len = 0;
	return spans_id(v->t.at, v->t.len);
}

static bool
link_id(struct rows_json *r UNUSED, void *id, const struct json_value *v)
{
	char digits[2 * ID_MAX];
	size_t len;

	*(uint64_t *)id = json_id_of(v, digits, &len);
	return true;
}

static const struct json_row link_rows[] = {
	{"traceId", ROW_VALUE_IN(struct span_id, trace, link_id)},
	{"spanId", ROW_VALUE_IN(struct span_id, span, link_id)},
	{"trace_id", ROW_VALUE_IN(struct span_id, trace, link_id)},
	{"span_id", ROW_VALUE_IN(struct span_id, span, link_id)},
	{0},
};

static bool
json_link_take(struct rows_json *r, void *none UNUSED, void *element)
{
	if (((struct span_id *)element)->span)
		spans_refer(&((struct otlptrace *)r->context)->s, *(struct span_id *)element);
	return true;
}

/* ---- spans ---- */

static bool
trace_take(struct rows_json *r, void *none UNUSED, const struct json_value *v)
{
	struct otlptrace *t = r->context;
	char digits[2 * ID_MAX];
	size_t len;

	t->s.draft.id.trace = json_id_of(v, digits, &len);
	t->s.draft.trace = len ? builder_name(r->b, digits, len)
			       : spans_trace_name(&t->s, v->t.at, v->t.len);
	return true;
}

static bool
id_take(struct rows_json *r, void *none UNUSED, const struct json_value *v)
{
	char digits[2 * ID_MAX];
	size_t len;

	((struct otlptrace *)r->context)->s.draft.id.span = json_id_of(v, digits, &len);
	return true;
}

static bool
parent_take(struct rows_json *r, void *none UNUSED, const struct json_value *v)
{
	char digits[2 * ID_MAX];
	size_t len;

	((struct otlptrace *)r->context)->s.draft.parent = json_id_of(v, digits, &len);
	return true;
}

/* Kinds and codes may be names. */
static bool
kind_take(struct rows_json *r UNUSED, void *kind, const struct json_value *v)
{
	static const char *const kinds[SPAN_KINDS] = {
		[SPAN_UNSPECIFIED] = "SPAN_KIND_UNSPECIFIED",
		[SPAN_INTERNAL] = "SPAN_KIND_INTERNAL",
		[SPAN_SERVER] = "SPAN_KIND_SERVER",
		[SPAN_CLIENT] = "SPAN_KIND_CLIENT",
		[SPAN_PRODUCER] = "SPAN_KIND_PRODUCER",
		[SPAN_CONSUMER] = "SPAN_KIND_CONSUMER",
	};

	for (int i = 0; v->t.kind == JSON_STRING && i < SPAN_KINDS; i++)
		if (json_is(&v->t, kinds[i]))
			*(int64_t *)kind = i;
	return true;
}

static bool
code_take(struct rows_json *r UNUSED, void *code, const struct json_value *v)
{
	if (v->t.kind == JSON_STRING)
		*(int64_t *)code = json_is(&v->t, "STATUS_CODE_ERROR") ? 2
				   : json_is(&v->t, "STATUS_CODE_OK")  ? 1
								       : 0;
	return true;
}

static bool
json_dropped_take(struct rows_json *r, void *none UNUSED, const struct json_value *v)
{
	int64_t n;

	if (json_value_scaled(v, 0, true, &n) && n > 0)
		((struct otlptrace *)r->context)->s.counts.dropped += (uint64_t)n;
	return true;
}

static const struct json_row status_rows[] = {
	{"code", ROW_NUMBER(struct json_span, status), .by.take = code_take},
	{0},
};
static const struct json_row span_rows[] = {
	{"traceId", ROW_VALUE(trace_take)},
	{"spanId", ROW_VALUE(id_take)},
	{"parentSpanId", ROW_VALUE(parent_take)},
	{"trace_id", ROW_VALUE(trace_take)},
	{"span_id", ROW_VALUE(id_take)},
	{"parent_span_id", ROW_VALUE(parent_take)},
	{"name", ROW_NAME(struct json_span, name)},
	{"kind", ROW_NUMBER(struct json_span, kind), .by.take = kind_take},
	{"startTimeUnixNano", ROW_NUMBER(struct json_span, start), .loose = true,
	 ROW_HAS(struct json_span, has_start)},
	{"endTimeUnixNano", ROW_NUMBER(struct json_span, end), .loose = true},
	{"start_time_unix_nano", ROW_NUMBER(struct json_span, start), .loose = true,
	 ROW_HAS(struct json_span, has_start)},
	{"end_time_unix_nano", ROW_NUMBER(struct json_span, end), .loose = true},
	{"attributes", ATTRIBUTES},
	{"events", ROW_LIST(&moments)},
	{"links", ROW_LIST_OF(struct span_id, link_rows, json_link_take)},
	{"status", ROW_HERE(status_rows)},
	{"droppedAttributesCount", ROW_VALUE(json_dropped_take)},
	{"droppedEventsCount", ROW_VALUE(json_dropped_take)},
	{"droppedLinksCount", ROW_VALUE(json_dropped_take)},
	{0},
};

static void *
span_begin(struct rows_json *r, void *none UNUSED, void *own)
{
	struct otlptrace *t = r->context;

	spans_begin(&t->s);
	t->target = OTLP_SPAN;
	return own;
}

static bool
json_span_take(struct rows_json *r, void *none UNUSED, void *element)
{
	struct otlptrace *t = r->context;
	const struct json_span *x = element;

	t->s.draft.name = x->name;
	t->s.draft.kind = x->kind >= 0 && x->kind < SPAN_KINDS ? (uint8_t)x->kind : 0;
	if (!x->has_start)
		t->s.draft.bits |= SPAN_TIMELESS;
	otlptrace_span(t, (uint64_t)x->start, (uint64_t)x->end, (int)(x->status & 3));
	return true;
}

static const struct json_list spans = {.rows = span_rows, .size = sizeof(struct json_span),
				       .record = true, .begin = span_begin, .end = json_span_take};

/* ---- scopes, resources, documents ---- */

static const struct json_row library_rows[] = {
	{"name", ROW_NAME(struct json_scope, module)},
	{0},
};
static const struct json_row scope_rows[] = {
	{"scope", ROW_HERE(library_rows)},
	{"instrumentationLibrary", ROW_HERE(library_rows)},
	{"spans", ROW_LIST(&spans)},
	{0},
};

static bool
json_scope_take(struct rows_json *r, void *none UNUSED, void *element)
{
	otlptrace_scope(r->context, ((struct json_scope *)element)->module);
	return true;
}

static const struct json_list scopes = {.rows = scope_rows, .size = sizeof(struct json_scope),
					.end = json_scope_take, .torn = true};

static bool
pair_of_resource(struct rows_json *r, void *none, void *element)
{
	((struct otlptrace *)r->context)->target = OTLP_RESOURCE;
	return json_pair_take(r, none, element);
}

static const struct json_row resource_rows[] = {
	{"attributes", ROW_LIST_OF(struct otlp_pair, pair_rows, pair_of_resource)},
	{0},
};
static const struct json_row resource_spans_rows[] = {
	{"resource", ROW_HERE(resource_rows)},
	{"scopeSpans", ROW_LIST(&scopes)},
	{"scope_spans", ROW_LIST(&scopes)},
	{"instrumentationLibrarySpans", ROW_LIST(&scopes)},
	{0},
};

static bool
json_resource_take(struct rows_json *r, void *none UNUSED, void *element UNUSED)
{
	otlptrace_resource(r->context);
	return true;
}

static const struct json_list resources = {.rows = resource_spans_rows, .end = json_resource_take,
					   .torn = true};
static const struct json_row inner_rows[] = {
	{"resourceSpans", ROW_LIST(&resources)},
	{0},
};
static const struct json_row document_rows[] = {
	{"resourceSpans", ROW_LIST(&resources)},
	{"resource_spans", ROW_LIST(&resources)},
	{"batches", ROW_LIST(&resources)},
	{"result", ROW_HERE(inner_rows)},
	{"trace", ROW_HERE(inner_rows)},
	{0},
};

bool
otlptrace_json(struct otlptrace *t, struct input *in)
{
	struct rows_json r;
	bool good;

	json_rows_begin(&r, in, t->b, t->e, t);
	do
		good = rows_json_document(&r, document_rows, NULL, "no traces of OpenTelemetry");
	while (good && json_another(&r.j));
	json_rows_end(&r);
	return good;
}
