/* jaeger: traces of Jaeger, as its page and its API save them.
 *
 *	{"data": [TRACE, ...]} or TRACE:
 *	{"traceID": "5c", "spans": [{"traceID": "5c", "spanID": "1", "operationName": "get",
 *	   "references": [{"refType": "CHILD_OF", "traceID": "5c", "spanID": "2"}],
 *	   "startTime": 1470150004071068, "duration": 1000,		microseconds
 *	   "tags": [{"key": "http.path", "type": "string", "value": "/"}],
 *	   "logs": [{"timestamp": 1470150004071090, "fields": [{"key": "event", ...}]}],
 *	   "processID": "p1"}, ...],
 *	 "processes": {"p1": {"serviceName": "front", "tags": [...]}}}
 *
 * The processes may precede or follow the spans, so the spans of a trace wait for its end. */
#include <inttypes.h>
#include <stdlib.h>

#include "src/decode/common/idmap.h"
#include "src/decode/common/json_read.h"
#include "src/decode/common/spans.h"
#include "src/decode/common/words.h"
#include "src/decode/decoder.h"

struct jaeger_tag {
	name_id key;
	struct span_value value;
	bool has, is_true;
	uint8_t type; /* 1: int64 */
};

struct jaeger_process {
	name_id id;
	uint32_t track; /* SPAN_NONE: no span of it was met yet */
	struct span_labels labels;
	name_id text[SPAN_KEY_COUNT];
};

struct jaeger {
	struct spans s;
	VEC(struct jaeger_process) process; /* of the trace that is read */
	VEC(label_id) field; /* of the log that is read */
	struct span_id to; /* of the reference */
	name_id service, first; /* first: the first field */
	name_id event, message;
	int64_t time;
	uint64_t no_process;
	struct {
		name_id error, code, kind, service, event, message;
	} is;
	bool in_process;
};

struct jaeger_span {
	name_id name, process;
	int64_t start, length;
	bool has_start, has_length;
};

/* ---- tags and fields ---- */

static bool
tag_value(struct rows_json *r, void *element, const struct json_value *v)
{
	struct jaeger_tag *t = element;
	const char *word = v->t.kind == JSON_TRUE ? "true" : v->t.kind == JSON_FALSE ? "false"
										      : NULL;

	if (word)
		t->value.text = builder_name(r->b, word, strlen(word));
	else if (v->t.kind == JSON_NUMBER && json_value_scaled(v, 0, false, &t->value.number) &&
		 !memchr(v->t.at, '.', v->t.len))
		t->value.is_number = true;
	else
		t->value.text = json_row_name(r, &v->t);
	t->is_true = v->t.kind == JSON_TRUE || json_is(&v->t, "true");
	t->has = v->t.kind != JSON_NULL;
	return true;
}

static const char *const types[] = {"int64", NULL};
static const struct json_row tag_rows[] = {
	{"key", ROW_NAME(struct jaeger_tag, key)},
	{"value", ROW_VALUE(tag_value)},
	{"type", ROW_WORD(struct jaeger_tag, type, types)},
	{0},
};

/* Whole numbers beyond 2^53 are strings. */
static void
tag_settle(struct rows_json *r, struct jaeger_tag *t)
{
	struct name n = builder_name_get(r->b, t->value.text);

	if (t->type == 1 && !t->value.is_number)
		t->value.is_number = number_parse(n.at, n.at + n.len, &t->value.number);
}

static uint8_t
jaeger_kind(struct name n)
{
	static const char *const kinds[SPAN_KINDS] = {
		[SPAN_UNSPECIFIED] = "unspecified", [SPAN_INTERNAL] = "internal",
		[SPAN_SERVER] = "server",           [SPAN_CLIENT] = "client",
		[SPAN_PRODUCER] = "producer",       [SPAN_CONSUMER] = "consumer",
	};

	for (uint8_t i = SPAN_INTERNAL; i < SPAN_KINDS; i++)
		if (name_is(n, kinds[i]))
			return i;
	return SPAN_UNSPECIFIED;
}

static bool
jaeger_tag_take(struct rows_json *r, void *parent UNUSED, void *element)
{
	struct jaeger *j = r->context;
	struct jaeger_tag *t = element;

	if (!t->has || t->key == NAME_EMPTY)
		return true;
	tag_settle(r, t);
	if (!j->in_process && t->key == j->is.kind && !t->value.is_number)
		j->s.draft.kind = jaeger_kind(builder_name_get(r->b, t->value.text));
	if (!j->in_process &&
	    ((t->key == j->is.error && t->is_true) ||
	     (t->key == j->is.code && !t->value.is_number &&
	      name_is(builder_name_get(r->b, t->value.text), "ERROR"))))
		j->s.draft.bits |= SPAN_ERROR;
	spans_attribute(&j->s, j->in_process ? &j->s.owner : &j->s.own, t->key, t->value);
	return true;
}

static bool
jaeger_field_take(struct rows_json *r, void *parent UNUSED, void *element)
{
	struct jaeger *j = r->context;
	struct jaeger_tag *t = element;

	if (!t->has)
		return true;
	tag_settle(r, t);
	j->first = j->first == NAME_EMPTY ? t->key : j->first;
	if (t->key == j->is.event && !t->value.is_number)
		j->event = t->value.text;
	if (t->key == j->is.message && !t->value.is_number)
		j->message = t->value.text;
	*vec_push(&j->field) =
		t->value.is_number
			? builder_label_number(r->b, t->key, t->value.number, NAME_EMPTY)
			: builder_label_text(r->b, t->key, t->value.text);
	return true;
}

static const struct json_row log_rows[] = {
	{"timestamp", ROW_NUMBER(struct jaeger, time), .scale = 3, .loose = true},
	{"fields", ROW_LIST_OF(struct jaeger_tag, tag_rows, jaeger_field_take)},
	{0},
};

static void *
log_begin(struct rows_json *r, void *parent UNUSED, void *own UNUSED)
{
	struct jaeger *j = r->context;

	j->time = -1;
	j->field.n = 0;
	j->first = j->event = j->message = NAME_EMPTY;
	return j;
}

static bool
log_take(struct rows_json *r, void *parent UNUSED, void *element)
{
	struct jaeger *j = element;
	name_id name = j->event != NAME_EMPTY     ? j->event
		       : j->message != NAME_EMPTY ? j->message
						  : j->first;

	spans_mark(&j->s, j->time, name,
		   j->field.n ? builder_labels(r->b, j->field.at, j->field.n) : LABELS_NONE);
	return true;
}

static const struct json_list logs = {.rows = log_rows, .begin = log_begin, .end = log_take};

/* ---- spans ---- */

static bool
trace_id(struct rows_json *r, void *span UNUSED, const struct json_value *v)
{
	struct jaeger *j = r->context;

	j->s.draft.id.trace = spans_id(v->t.at, v->t.len);
	j->s.draft.trace = spans_trace_name(&j->s, v->t.at, v->t.len);
	return true;
}

static bool
own_id(struct rows_json *r, void *span UNUSED, const struct json_value *v)
{
	((struct jaeger *)r->context)->s.draft.id.span = spans_id(v->t.at, v->t.len);
	return true;
}

static bool
to_id(struct rows_json *r UNUSED, void *to, const struct json_value *v)
{
	*(uint64_t *)to = spans_id(v->t.at, v->t.len);
	return true;
}

static const struct json_row reference_rows[] = {
	{"traceID", ROW_VALUE_IN(struct span_id, trace, to_id)},
	{"spanID", ROW_VALUE_IN(struct span_id, span, to_id)},
	{0},
};

static bool
reference_take(struct rows_json *r, void *parent UNUSED, void *element)
{
	struct jaeger *j = r->context;

	if (((struct span_id *)element)->span)
		spans_refer(&j->s, *(struct span_id *)element);
	return true;
}

static const struct json_row jaeger_span_rows[] = {
	{"traceID", ROW_VALUE(trace_id)},
	{"spanID", ROW_VALUE(own_id)},
	{"operationName", ROW_NAME(struct jaeger_span, name)},
	{"references", ROW_LIST_OF(struct span_id, reference_rows, reference_take)},
	{"startTime", ROW_NUMBER(struct jaeger_span, start), .scale = 3, .loose = true,
	 ROW_HAS(struct jaeger_span, has_start)},
	{"duration", ROW_NUMBER(struct jaeger_span, length), .scale = 3, .loose = true,
	 ROW_HAS(struct jaeger_span, has_length)},
	{"tags", ROW_LIST_OF(struct jaeger_tag, tag_rows, jaeger_tag_take)},
	{"logs", ROW_LIST(&logs)},
	{"processID", ROW_NAME(struct jaeger_span, process)},
	{0},
};

static void *
jaeger_span_begin(struct rows_json *r, void *parent UNUSED, void *own)
{
	spans_begin(&((struct jaeger *)r->context)->s);
	return own;
}

static bool
jaeger_span_take(struct rows_json *r, void *parent UNUSED, void *element)
{
	struct jaeger *j = r->context;
	const struct jaeger_span *x = element;
	struct span_draft *d = &j->s.draft;

	d->name = x->name;
	d->owner = x->process;
	d->start = d->end = x->start;
	if (x->has_length && __builtin_add_overflow(x->start, x->length, &d->end))
		d->end = INT64_MAX;
	d->bits |= SPAN_BY_REFERENCE | (x->has_start ? 0 : SPAN_TIMELESS) |
		   (x->has_length ? 0 : SPAN_UNFINISHED);
	spans_end(&j->s);
	return true;
}

static const struct json_list jaeger_spans = {
	.rows = jaeger_span_rows, .size = sizeof(struct jaeger_span), .record = true,
	.begin = jaeger_span_begin, .end = jaeger_span_take,
};

/* ---- processes ---- */

static const struct json_row process_rows[] = {
	{"serviceName", ROW_NAME(struct jaeger, service)},
	{"tags", ROW_LIST_OF(struct jaeger_tag, tag_rows, jaeger_tag_take)},
	{0},
};

/* The process's id is in r->key. */
static void *
process_begin(struct rows_json *r, void *parent UNUSED, void *own UNUSED)
{
	struct jaeger *j = r->context;
	struct jaeger_process *p = vec_push(&j->process);

	memset(p, 0, sizeof *p); /* it stays so if the file ends within it */
	p->id = builder_name(r->b, buf_str(&r->key), r->key.len);
	p->track = SPAN_NONE;
	j->service = NAME_EMPTY;
	j->in_process = true;
	spans_owner_reset(&j->s);
	return j;
}

static bool
process_take(struct rows_json *r UNUSED, void *parent UNUSED, void *element)
{
	struct jaeger *j = element;
	struct jaeger_process *p = &j->process.at[j->process.n - 1];

	j->in_process = false;
	if (j->service != NAME_EMPTY)
		spans_attribute(&j->s, &j->s.owner, j->is.service,
				(struct span_value){.text = j->service});
	p->labels = j->s.owner;
	memcpy(p->text, j->s.owner_text, sizeof p->text);
	return true;
}

static const struct json_list processes = {
	.rows = process_rows, .begin = process_begin, .end = process_take};
static const struct json_row processes_rows[] = {
	{"*", ROW_ELEMENT(&processes)},
	{0},
};

/* ---- traces ---- */

/* Finishes the spans of a trace, whose processes are known. */
static void
trace_seal(struct jaeger *j)
{
	struct idmap of = {0};
	uint32_t last = IDMAP_NONE - 1;

	for (size_t i = 0; i < j->process.n; i++)
		idmap_put(&of, j->process.at[i].id, (uint32_t)i);
	for (size_t i = 0; i < j->s.drafts.n; i++) {
		uint32_t at = idmap_get(&of, j->s.drafts.at[i].owner);
		struct jaeger_process *p = at == IDMAP_NONE ? NULL : &j->process.at[at];
		if (at != last) {
			spans_owner_reset(&j->s);
			if (p) {
				j->s.owner = p->labels;
				memcpy(j->s.owner_text, p->text, sizeof p->text);
			}
			last = at;
		}
		j->no_process += !p;
		uint32_t track = p && p->track != SPAN_NONE ? p->track
							    : spans_owner_track(&j->s);
		if (p)
			p->track = track;
		spans_seal_one(&j->s, i, track);
	}
	idmap_release(&of);
	spans_sealed(&j->s);
	spans_owner_reset(&j->s);
	j->process.n = 0;
}

static bool
jaeger_trace_take(struct rows_json *r, void *parent UNUSED, void *element UNUSED)
{
	trace_seal(r->context);
	return true;
}

static const struct json_row trace_rows[] = {
	{"spans", ROW_LIST(&jaeger_spans)},
	{"processes", ROW_HERE(processes_rows)},
	{0},
};
static const struct json_list traces = {.rows = trace_rows, .end = jaeger_trace_take, .torn = true};

/* Traces, or the one that Jaeger's page keeps. */
static bool
jaeger_data_read(struct rows_json *r, void *object, const struct json_token *t)
{
	static const struct json_row list = {"", ROW_LIST(&traces)};
	static const struct json_row one = {"", ROW_ELEMENT(&traces)};

	return rows_json_value(r, t->kind == JSON_OBJECT ? &one : &list, object, t);
}

static const struct json_row document_rows[] = {
	{"data", ROW_INSIDE(jaeger_data_read)},
	{"spans", ROW_LIST(&jaeger_spans)},
	{"processes", ROW_HERE(processes_rows)},
	{0},
};

static bool
jaeger_decode(struct input *in, struct builder *b, struct err *e)
{
	struct jaeger *j = mem_zalloc(1, sizeof *j);

	spans_init(&j->s, in, b);
	j->is.error = builder_name(b, "error", 5);
	j->is.code = builder_name(b, "otel.status_code", 16);
	j->is.kind = builder_name(b, "span.kind", 9);
	j->is.service = builder_name(b, "service.name", 12);
	j->is.event = builder_name(b, "event", 5);
	j->is.message = builder_name(b, "message", 7);
	bool good = json_decode(in, b, e, document_rows, j, "no trace of Jaeger");
	trace_seal(j);
	if (good)
		builder_warn_count(b, j->no_process,
				   "span without a process: [unknown service]",
				   "spans without a process: [unknown service]");
	good = spans_write(&j->s, e) && good;
	spans_release(&j->s);
	vec_release_all(&j->process, &j->field);
	free(j);
	return good;
}

const struct decoder decoder_jaeger = {
	.name = "jaeger",
	.title = "Jaeger: traces as its page and its API save them",
	.made_of = MADE_JSON,
	.members = "data/traceID data/spans|traceID spans processes|traceID spans/spanID|"
		   "data total limit offset errors",
	.sure = 95,
	.decode = jaeger_decode,
};
