#include "src/decode/v8log/v8log.h"

#include "src/decode/common/json_read.h"

/* `{"code": [{"name", "type"}], "functions": [...], "ticks": [{"tm", "vm", "s"}]}`: there are
 * tens of thousands of pieces of code, nearly all of them symbols of libraries without a tick,
 * so a frame is made when a tick needs it. */

struct v8_code {
	name_id name;
	frame_id frame;
	bool made;
	uint8_t javascript;
};

struct v8_json_tick {
	int64_t time_ns, state;
};

struct v8_json {
	struct v8_out *o;
	VEC(struct v8_code) code;
	struct json_kept kept; /* ticks that precede their code */
	uint64_t missing;
	bool has_code, has_ticks;
	bool is_code; /* the next number of a stack is a piece of code, not an offset in it */
};

static bool
code_take(struct rows_json *r UNUSED, void *json, void *code)
{
	*vec_push(&((struct v8_json *)json)->code) = *(struct v8_code *)code;
	return true;
}

static const char *const javascript[] = {"JS", NULL};
static const struct json_row code_rows[] = {
	{"name", ROW_NAME(struct v8_code, name)},
	{"type", ROW_WORD(struct v8_code, javascript, javascript)},
	{0},
};

static frame_id
v8log_json_frame_of(struct v8_json *v, int64_t id)
{
	if (id < 0 || (uint64_t)id >= v->code.n) {
		v->missing += id != -1;
		return v->o->unknown;
	}
	struct v8_code *code = &v->code.at[id];
	if (!code->made)
		code->frame = v8_frame(v->o, code->name, code->javascript);
	code->made = true;
	return code->frame;
}

/* Reads pairs of a piece of code and an offset in it. */
static bool
stack_take(struct rows_json *r, void *tick UNUSED, const int64_t *number, size_t n)
{
	struct v8_json *v = r->context;

	if (*number == JSON_NO_NUMBER)
		return err_damage(r->e, r->offset, "a frame that is not a number");
	for (size_t i = 0; i < n; i++, v->is_code = !v->is_code)
		if (v->is_code)
			*vec_push(&v->o->frame) = v8log_json_frame_of(v, number[i]);
	return true;
}

static void *
tick_begin(struct rows_json *r UNUSED, void *json, void *own)
{
	struct v8_json *v = json;

	v->o->frame.n = 0;
	v->is_code = true;
	((struct v8_json_tick *)own)->state = -1;
	return own;
}

static bool
tick_take(struct rows_json *r, void *json, void *element)
{
	const struct v8_json_tick *tick = element;

	v8_tick_add(((struct v8_json *)json)->o, tick->time_ns, tick->state, r->offset);
	return true;
}

static const struct json_row tick_rows[] = {
	{"tm", ROW_NUMBER(struct v8_json_tick, time_ns), .scale = 3,
	 .must = "a tick without its time"},
	{"vm", ROW_NUMBER(struct v8_json_tick, state)},
	{"s", ROW_COLUMN(stack_take)},
	{0},
};
static const struct json_list ticks = {
	.rows = tick_rows, .size = sizeof(struct v8_json_tick), .record = true,
	.begin = tick_begin, .end = tick_take};
static const struct json_row ticks_row = {"ticks", ROW_LIST(&ticks)};

static bool
ticks_read(struct rows_json *r, void *json, const struct json_token *t)
{
	struct v8_json *v = json;

	if (v->has_code || t->kind != JSON_ARRAY)
		return rows_json_value(r, &ticks_row, v, t);
	return json_keep(&r->j, t, &v->kept);
}

static const struct json_row document_rows[] = {
	{"code", ROW_RECORDS_OF(struct v8_code, code_rows, code_take),
	 ROW_HAS(struct v8_json, has_code)},
	{"ticks", ROW_INSIDE(ticks_read), ROW_HAS(struct v8_json, has_ticks)},
	{0},
};

bool
v8_read_json(struct v8_out *o, struct input *in)
{
	struct v8_json v = {.o = o, .kept = {.text = BUF_INIT}};
	struct rows_json r;

	json_rows_begin(&r, in, o->b, o->e, &v);
	bool good = rows_json_document(&r, document_rows, &v, "not a log of V8") &&
		    rows_json_again(&r, &v.kept, &ticks_row, &v);
	if (good && !v.has_code && !v.has_ticks)
		good = err_refuse(o->e, "not a log of V8: it has no ticks");
	builder_warn_count(o->b, v.missing, "frame refers to missing code: [unknown]",
			   "frames refer to missing code: [unknown]");
	json_say(&r.j, o->b);
	buf_release(&v.kept.text);
	rows_json_release(&r);
	vec_release(&v.code);
	return good;
}
