#include "src/decode/v8log/v8log.h"

#include <inttypes.h>

#include "src/decode/common/javascript.h"
#include "src/decode/common/json_say.h"
#include "src/input/decimal.h"
#include "src/input/json.h"

/* `{"code": [{"name", "type"}], "functions": [...], "ticks": [{"tm", "vm", "s"}]}`: of the code
 * there are tens of thousands, nearly all of it the symbols of libraries that no tick is in, so a
 * frame is made when a tick asks for it. */

struct v8_code {
	name_id name;
	frame_id frame;
	bool made, javascript;
};

struct v8_json {
	struct v8_out *o;
	struct json j;
	VEC(struct v8_code) code;
	uint64_t missing;
	bool any;
};

static bool
read_code(struct v8_json *v, uint64_t offset)
{
	struct v8_code code = {0};
	struct json_token t;

	while (json_next(&v->j, &t) && t.kind != JSON_OBJECT_END) {
		bool name = json_is(&t, "name"), type = json_is(&t, "type");
		if (!json_next(&v->j, &t))
			break;
		if (name)
			code.name = json_name(v->o->b, &v->j, &t);
		if (type)
			code.javascript = t.kind == JSON_STRING && json_is(&t, "JS");
		if (!json_skip(&v->j, &t))
			break;
	}
	if (v->j.failed)
		return json_damage(&v->j, offset, v->o->e);
	*vec_push(&v->code) = code;
	return true;
}

static frame_id
frame_of(struct v8_json *v, int64_t id)
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

/* Pairs of a piece of code and where in it. */
static bool
read_stack(struct v8_json *v)
{
	struct json_token t;
	bool is_code = true;

	while (json_next(&v->j, &t) && t.kind != JSON_ARRAY_END) {
		if (t.kind != JSON_NUMBER)
			return !v->j.failed &&
			       err_damage(v->o->e, t.offset, "a frame that is no number");
		if (is_code)
			*vec_push(&v->o->frame) = frame_of(v, json_integer(&t));
		is_code = !is_code;
	}
	return !v->j.failed;
}

static bool
read_tick(struct v8_json *v, uint64_t offset)
{
	int64_t time_ns = 0, state = -1;
	struct json_token t;
	bool timed = false;

	v->o->frame.n = 0;
	while (json_next(&v->j, &t) && t.kind != JSON_OBJECT_END) {
		bool time = json_is(&t, "tm"), vm = json_is(&t, "vm"), stack = json_is(&t, "s");
		if (!json_next(&v->j, &t))
			break;
		if (time)
			timed = t.kind == JSON_NUMBER && decimal_scaled(t.at, t.len, 3, &time_ns);
		if (vm)
			state = json_integer(&t);
		if (stack && t.kind == JSON_ARRAY ? !read_stack(v) : !json_skip(&v->j, &t))
			break;
	}
	if (v->j.failed)
		return json_damage(&v->j, offset, v->o->e);
	if (err_is_set(v->o->e))
		return false;
	if (!timed)
		return err_damage(v->o->e, offset, "a tick without its time");
	v8_tick_add(v->o, time_ns, state, offset);
	return true;
}

static bool
read_list(struct v8_json *v, bool (*read)(struct v8_json *, uint64_t offset))
{
	struct json_token t;

	while (json_next(&v->j, &t) && t.kind != JSON_ARRAY_END)
		if (t.kind == JSON_OBJECT ? !read(v, t.offset) : !json_skip(&v->j, &t))
			break;
	return !v->j.failed && !err_is_set(v->o->e);
}

static bool
read_document(struct v8_json *v)
{
	struct json_kept kept = {.text = BUF_INIT}; /* ticks before the code that they are in */
	struct json_token t;
	bool has_code = false, good = true;

	if (!json_next(&v->j, &t) || t.kind != JSON_OBJECT)
		return !v->j.failed && err_refuse(v->o->e, "no log of V8: it is no object");
	while (good && json_next(&v->j, &t) && t.kind != JSON_OBJECT_END) {
		bool code = json_is(&t, "code"), ticks = json_is(&t, "ticks");
		if (!json_next(&v->j, &t))
			break;
		v->any |= code || ticks;
		has_code |= code;
		if (code && t.kind == JSON_ARRAY)
			good = read_list(v, read_code);
		else if (ticks && t.kind == JSON_ARRAY)
			good = has_code ? read_list(v, read_tick) : json_keep(&v->j, &t, &kept);
		else
			good = json_skip(&v->j, &t);
	}
	if (good && !v->j.failed && kept.text.len) {
		struct json outer = json_enter(&v->j, &kept);
		if (json_next(&v->j, &t))
			read_list(v, read_tick);
		json_return(&v->j, &outer, &kept);
	}
	buf_release(&kept.text);
	if (!v->any && !v->j.failed)
		return err_refuse(v->o->e, "no log of V8: it has no ticks");
	return !v->j.failed && !err_is_set(v->o->e);
}

bool
v8_read_json(struct v8_out *o, struct input *in)
{
	struct v8_json v = {.o = o};

	json_init(&v.j, in);
	bool good = read_document(&v);
	if (v.j.failed && !err_is_set(o->e))
		json_damage(&v.j, v.j.where, o->e);
	if (v.missing)
		builder_warn(o->b, "%" PRIu64 " frames are of code that there is not: [unknown]",
			     v.missing);
	json_say(&v.j, o->b);
	vec_release(&v.code);
	return good;
}
