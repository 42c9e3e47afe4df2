/* zipkin: traces of Zipkin, version 2, as its API and its page save them: spans in an array, or
 * traces, arrays of spans, in an array.
 *
 *	[{"traceId": "5c", "id": "1", "parentId": "2", "kind": "SERVER", "name": "get",
 *	  "timestamp": 1470150004071068, "duration": 1000,		microseconds
 *	  "localEndpoint": {"serviceName": "front", ...}, "remoteEndpoint": {...},
 *	  "annotations": [{"timestamp": 1470150004071090, "value": "ws"}],
 *	  "tags": {"http.path": "/"}, "shared": true}, ...]
 *
 * Next.js writes such an array for each batch of spans, a line each, with numbers for ids.
 *
 * A client and a server may report halves of one span, with one id: the server's is `shared`, and
 * a child of the client's half. */
#include "src/decode/common/json_read.h"
#include "src/decode/common/spans.h"
#include "src/decode/decoder.h"

struct zipkin_span {
	name_id service, name;
	int64_t start, length;
	bool has_start, has_length, shared;
	uint8_t kind;
};

struct zipkin {
	struct spans s;
	struct err *e;
};

struct zipkin_moment {
	int64_t time;
	name_id value;
	bool has_time;
};

/* ---- members ---- */

static bool
zipkin_trace(struct rows_json *r, void *span UNUSED, const struct json_value *v)
{
	struct zipkin *z = r->context;

	z->s.draft.id.trace = spans_id(v->t.at, v->t.len);
	z->s.draft.trace = spans_trace_name(&z->s, v->t.at, v->t.len);
	return true;
}

static bool
zipkin_id(struct rows_json *r, void *span UNUSED, const struct json_value *v)
{
	((struct zipkin *)r->context)->s.draft.id.span = spans_id(v->t.at, v->t.len);
	return true;
}

static bool
zipkin_parent(struct rows_json *r, void *span UNUSED, const struct json_value *v)
{
	if (v->t.kind == JSON_STRING || v->t.kind == JSON_NUMBER)
		((struct zipkin *)r->context)->s.draft.parent = spans_id(v->t.at, v->t.len);
	return true;
}

/* The name of a tag is in r->key. */
static bool
zipkin_tag(struct rows_json *r, void *span UNUSED, const struct json_value *v)
{
	struct zipkin *z = r->context;
	name_id key = builder_name(r->b, buf_str(&r->key), r->key.len);

	if (v->t.kind == JSON_STRING || v->t.kind == JSON_NUMBER)
		spans_attribute(&z->s, &z->s.own, key,
				(struct span_value){.text = json_row_name(r, &v->t)});
	if (r->key.len == 5 && !memcmp(buf_str(&r->key), "error", 5))
		z->s.draft.bits |= SPAN_ERROR;
	return true;
}

static bool
zipkin_moment(struct rows_json *r, void *span UNUSED, void *element)
{
	const struct zipkin_moment *m = element;

	if (m->has_time)
		spans_mark(&((struct zipkin *)r->context)->s, m->time, m->value, LABELS_NONE);
	return true;
}

/* Version 1 has an endpoint in each annotation. */
static bool
zipkin_old(struct rows_json *r, void *object UNUSED, const struct json_token *t UNUSED)
{
	return err_refuse(r->e, "a trace of Zipkin, version 1, which pnav does not read; send it "
				"to Zipkin and download it again");
}

static const struct json_row moment_rows[] = {
	{"timestamp", ROW_NUMBER(struct zipkin_moment, time), .scale = 3, .loose = true,
	 ROW_HAS(struct zipkin_moment, has_time)},
	{"value", ROW_NAME(struct zipkin_moment, value)},
	{"endpoint", ROW_INSIDE(zipkin_old)},
	{0},
};
static const struct json_row endpoint_rows[] = {
	{"serviceName", ROW_NAME(struct zipkin_span, service)},
	{0},
};
static const struct json_row tag_rows[] = {
	{"*", ROW_VALUE(zipkin_tag)},
	{0},
};
static const char *const kinds[] = {"INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER", NULL};
static const struct json_row span_rows[] = {
	{"traceId", ROW_VALUE(zipkin_trace)},
	{"id", ROW_VALUE(zipkin_id)},
	{"parentId", ROW_VALUE(zipkin_parent)},
	{"name", ROW_NAME(struct zipkin_span, name)},
	{"kind", ROW_WORD(struct zipkin_span, kind, kinds)},
	{"timestamp", ROW_NUMBER(struct zipkin_span, start), .scale = 3, .loose = true,
	 ROW_HAS(struct zipkin_span, has_start)},
	{"duration", ROW_NUMBER(struct zipkin_span, length), .scale = 3, .loose = true,
	 ROW_HAS(struct zipkin_span, has_length)},
	{"localEndpoint", ROW_HERE(endpoint_rows)},
	{"annotations", ROW_LIST_OF(struct zipkin_moment, moment_rows, zipkin_moment)},
	{"tags", ROW_HERE(tag_rows)},
	{"binaryAnnotations", ROW_INSIDE(zipkin_old)},
	{"shared", ROW_TRUTH(struct zipkin_span, shared)},
	{0},
};

/* ---- spans ---- */

static void *
zipkin_begin(struct rows_json *r, void *parent UNUSED, void *own)
{
	spans_begin(&((struct zipkin *)r->context)->s);
	return own;
}

static bool
zipkin_take(struct rows_json *r, void *parent UNUSED, void *element)
{
	struct zipkin *z = r->context;
	const struct zipkin_span *x = element;
	struct span_draft *d = &z->s.draft;
	name_id service = builder_name(r->b, "service.name", 12);

	if (x->service != NAME_EMPTY)
		spans_attribute(&z->s, &z->s.own, service, (struct span_value){.text = x->service});
	d->name = x->name;
	d->kind = x->kind;
	d->start = x->start;
	d->end = x->start;
	if (x->has_length && __builtin_add_overflow(x->start, x->length, &d->end))
		d->end = INT64_MAX;
	d->bits |= (x->shared ? SPAN_SHARED : 0) | (x->has_start ? 0 : SPAN_TIMELESS) |
		   (x->has_length ? 0 : SPAN_UNFINISHED);
	spans_end(&z->s);
	spans_seal_one(&z->s, 0, spans_track(&z->s, x->service, NAME_EMPTY));
	spans_sealed(&z->s);
	return true;
}

static bool zipkin_inner(struct rows_json *r, void *parent, const struct json_token *t);

static const struct json_list spans = {
	.rows = span_rows, .size = sizeof(struct zipkin_span), .record = true,
	.begin = zipkin_begin, .end = zipkin_take, .other = zipkin_inner,
};

/* A trace within an array of traces. */
static bool
zipkin_inner(struct rows_json *r, void *parent, const struct json_token *t)
{
	return t->kind == JSON_ARRAY ? rows_json_list(r, &spans, parent) : json_skip(&r->j, t);
}

/* Reads an array of spans or of traces. Another document behind the first one is damage. */
static bool
zipkin_document(struct rows_json *r, struct zipkin *z, bool first)
{
	static const struct json_row array = {"", ROW_LIST(&spans)};
	struct json_token t;

	if (!json_next(&r->j, &t))
		return json_damage(&r->j, r->j.where, z->e);
	if (t.kind == JSON_ARRAY)
		return rows_json_value(r, &array, z, &t);
	return first ? err_refuse(z->e, "no trace of Zipkin: it is not an array")
		     : err_damage(z->e, t.offset, "no trace of Zipkin: it is not an array");
}

static bool
zipkin_decode(struct input *in, struct builder *b, struct err *e)
{
	struct zipkin z = {.e = e};
	struct rows_json r;
	bool good, first = true;

	spans_init(&z.s, in, b);
	z.s.by_track = true;
	json_rows_begin(&r, in, b, e, &z);
	do {
		good = zipkin_document(&r, &z, first);
		first = false;
	} while (good && json_another(&r.j));
	json_rows_end(&r);
	good = spans_write(&z.s, e) && good;
	spans_release(&z.s);
	return good;
}

const struct decoder decoder_zipkin = {
	.name = "zipkin",
	.title = "Zipkin: traces of version 2",
	.made_of = MADE_JSON,
	.members = "/traceId /id|[]/traceId []/id",
	.sure = 92,
	.decode = zipkin_decode,
};
