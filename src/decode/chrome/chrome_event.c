#include "src/decode/chrome/chrome_inside.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "src/input/decimal.h"
#include "src/input/hash.h"

/* One event is read in one go, whatever the order of its members: `args` may stand before
 * `ph` says what they are for.  So all of it goes into one structure: what has a place there
 * at once, strings of args into a buffer that is emptied for each event, and only what is
 * used of it later is interned.  A CPU profile inside is put into the columns for samples
 * while it is read; an event that turns out to be of another kind gives them up.
 *
 * Rejected: finding the end of the event first, which reads everything twice. */

#define STRING_IDS (INT64_MIN / 2) /* ids that are strings: from here downward */

int64_t
chrome_id(struct chrome *d, const struct json_token *t)
{
	int64_t id;

	if ((t->kind == JSON_NUMBER || t->kind == JSON_STRING) && !t->escaped &&
	    decimal_scaled(t->at, t->len, 0, &id) && id > STRING_IDS)
		return id;
	return t->kind == JSON_STRING ? STRING_IDS - (int64_t)chrome_name(d, t) : 0;
}

name_id
chrome_id_text(int64_t id)
{
	return id <= STRING_IDS ? (name_id)(STRING_IDS - id) : NAME_EMPTY;
}

name_id
chrome_name(struct chrome *d, const struct json_token *t)
{
	if (!t->escaped)
		return builder_name(d->b, t->at, t->len);
	buf_reset(&d->scratch);
	json_text(&d->j, t, &d->scratch);
	return builder_name(d->b, buf_str(&d->scratch), d->scratch.len);
}

bool
chrome_time(const struct json_token *t, int scale, int64_t *out)
{
	return (t->kind == JSON_NUMBER || t->kind == JSON_STRING) &&
	       decimal_scaled(t->at, t->len, scale, out) && *out < CHROME_TIME_MAX &&
	       *out > -CHROME_TIME_MAX;
}

/* ---- args ---- */

/* The text of a token, in the event's buffer. */
static uint32_t
text_put(struct chrome *d, const struct json_token *t, uint32_t *len)
{
	uint32_t at = (uint32_t)d->text.len;

	if (t->escaped)
		json_text(&d->j, t, &d->text);
	else
		buf_add(&d->text, t->at, t->len);
	*len = (uint32_t)d->text.len - at;
	return at;
}

const char *
chrome_arg_text(const struct chrome *d, const struct chrome_arg *a)
{
	return buf_str(&d->text) + a->at;
}

static void
arg_put(struct chrome *d, name_id key)
{
	const struct json_token *t = &d->t;
	struct chrome_event *e = &d->e;

	if (e->n_args == CHROME_ARGS_MAX) {
		e->n_deeper++;
		return;
	}
	struct chrome_arg *a = &e->arg[e->n_args++];
	*a = (struct chrome_arg){.key = key, .kind = VALUE_TEXT};
	if (t->kind == JSON_NUMBER) {
		bool whole = !memchr(t->at, '.', t->len) &&
			     decimal_scaled(t->at, t->len, 0, &a->whole);
		a->kind = whole ? VALUE_WHOLE : VALUE_FRACTION;
	}
	if (a->kind != VALUE_WHOLE)
		a->at = text_put(d, t, &a->len);
}

/* A member that may say where a function stands. */
static bool
place_put(struct chrome *d, struct chrome_place *p, name_id key)
{
	const struct chrome_names *is = &d->is;
	const struct json_token *t = &d->t;

	if (key == is->url && t->kind == JSON_STRING) {
		p->file = chrome_name(d, t);
		p->has |= PLACE_FILE;
	} else if (key == is->line && decimal_scaled(t->at, t->len, 0, &p->line)) {
		p->has |= PLACE_LINE;
	} else if (key == is->column) {
		p->has |= PLACE_COLUMN;
	} else if (key == is->allocated) {
		p->has |= PLACE_ALLOCATED;
	} else {
		return false;
	}
	return true;
}

/* A member of args.data, whose key is d->t. */
static bool
data_member(struct chrome *d)
{
	struct chrome_event *e = &d->e;
	struct json_token key = d->t;
	bool profile = json_is(&key, "cpuProfile"), deltas = json_is(&key, "timeDeltas");
	bool start = json_is(&key, "startTime"), end = json_is(&key, "endTime");
	bool url = json_is(&key, "url"), line = json_is(&key, "lineNumber");
	bool function = json_is(&key, "functionName");
	int64_t *time = start ? &e->chunk.start : &e->chunk.end;
	enum chrome_own_key own = chrome_own_key(&key);

	if (!json_next(&d->j, &d->t))
		return false;
	if (own != OWN_NONE)
		return chrome_own_member(d, own);
	if (profile && d->t.kind == JSON_OBJECT)
		return chrome_profile_read(d);
	if (deltas && d->t.kind == JSON_ARRAY)
		return chrome_numbers_read(d, NUMBERS_DELTAS);
	if ((start || end) && chrome_time(&d->t, 3, time)) {
		e->has_profile |= start;
	} else if (url && d->t.kind == JSON_STRING) {
		e->data.file = chrome_name(d, &d->t);
		e->data.has |= PLACE_FILE;
	} else if (line && d->t.kind == JSON_NUMBER &&
		   decimal_scaled(d->t.at, d->t.len, 0, &e->data.line)) {
		e->data.has |= PLACE_LINE;
	} else if (function) {
		e->data.has |= PLACE_NAME;
	}
	e->n_deeper += !profile && !deltas;
	return json_skip(&d->j, &d->t);
}

static bool
data_read(struct chrome *d)
{
	while (json_next(&d->j, &d->t) && d->t.kind == JSON_KEY)
		if (!data_member(d))
			return false;
	return !d->j.failed;
}

/* `args`, whose '{' is d->t. */
static bool
args_read(struct chrome *d)
{
	struct chrome_event *e = &d->e;

	while (json_next(&d->j, &d->t) && d->t.kind == JSON_KEY) {
		name_id key = chrome_name(d, &d->t);
		if (!json_next(&d->j, &d->t))
			return false;
		switch (d->t.kind) {
		case JSON_STRING:
		case JSON_NUMBER:
			e->is_sum |= key == d->is.avg;
			place_put(d, &e->own, key);
			arg_put(d, key);
			break;
		case JSON_OBJECT:
		case JSON_ARRAY:
			if (d->t.kind == JSON_OBJECT && key == d->is.data) {
				if (!data_read(d))
					return false;
				break;
			}
			e->n_deeper++;
			if (!json_skip(&d->j, &d->t))
				return false;
			break;
		case JSON_TRUE:
		case JSON_FALSE:
		case JSON_NULL:
		case JSON_KEY: /* no value begins with these three */
		case JSON_OBJECT_END:
		case JSON_ARRAY_END:
			place_put(d, &e->own, key);
		}
	}
	return !d->j.failed;
}

/* ---- members ---- */

enum member { M_PH, M_TS, M_PID, M_TID, M_NAME, M_CAT, M_DUR, M_TDUR, M_ID, M_ID2, M_SCOPE, M_S,
	      M_SF, M_ARGS, M_OTHER };

/* The bytes of a short key as one number, so that a switch finds it. */
#define KEY2(a, b) ((uint64_t)(a) << 8 | (b))
#define KEY3(a, b, c) (KEY2(a, b) << 8 | (c))
#define KEY4(a, b, c, d) (KEY3(a, b, c) << 8 | (d))
#define KEY5(a, b, c, d, e) (KEY4(a, b, c, d) << 8 | (e))
#define KEY_MAX 5u

static enum member
member_of(const struct json_token *t)
{
	static const char *const names[] = {"ph",  "ts",   "pid", "tid", "name",  "cat", "dur",
					    "tdur", "id",   "id2", "scope", "s",   "sf",  "args"};
	uint64_t key = 0;

	if (t->escaped)
		return (enum member)json_key(t, names, M_OTHER);
	if (t->len > KEY_MAX)
		return M_OTHER;
	for (size_t i = 0; i < t->len; i++)
		key = key << 8 | (unsigned char)t->at[i];
	switch (key) {
	case 's': return M_S;
	case KEY2('p', 'h'): return M_PH;
	case KEY2('t', 's'): return M_TS;
	case KEY2('i', 'd'): return M_ID;
	case KEY2('s', 'f'): return M_SF;
	case KEY3('p', 'i', 'd'): return M_PID;
	case KEY3('t', 'i', 'd'): return M_TID;
	case KEY3('d', 'u', 'r'): return M_DUR;
	case KEY3('c', 'a', 't'): return M_CAT;
	case KEY3('i', 'd', '2'): return M_ID2;
	case KEY4('n', 'a', 'm', 'e'): return M_NAME;
	case KEY4('a', 'r', 'g', 's'): return M_ARGS;
	case KEY4('t', 'd', 'u', 'r'): return M_TDUR;
	case KEY5('s', 'c', 'o', 'p', 'e'): return M_SCOPE;
	default: return M_OTHER;
	}
}

static void
id_put(struct chrome *d)
{
	struct chrome_event *e = &d->e;

	if (d->t.kind != JSON_STRING && d->t.kind != JSON_NUMBER)
		return;
	e->has_id = true;
	e->id_at = text_put(d, &d->t, &e->id_len);
	e->id = hash64(d->text.at + e->id_at, e->id_len);
}

/* `id2`: {"local": "0x1"}, or global. */
static bool
id2_read(struct chrome *d)
{
	if (d->t.kind != JSON_OBJECT)
		return json_skip(&d->j, &d->t);
	while (json_next(&d->j, &d->t) && d->t.kind == JSON_KEY) {
		d->e.id_local = json_is(&d->t, "local");
		if (!json_next(&d->j, &d->t))
			return false;
		id_put(d);
		if (!json_skip(&d->j, &d->t))
			return false;
	}
	return !d->j.failed;
}

/* The value of a member, which d->t is. */
static bool
member_read(struct chrome *d, enum member member)
{
	struct chrome_event *e = &d->e;
	const struct json_token *t = &d->t;

	switch (member) {
	case M_PH: e->ph = t->escaped ? json_char(t) : t->len ? *t->at : '\0'; break;
	case M_S: e->s = t->len ? *t->at : 0; break;
	case M_TS: e->has_ts = chrome_time(t, 3, &e->ts); break;
	case M_DUR: e->has_dur = chrome_time(t, 3, &e->dur); break;
	case M_TDUR: e->has_tdur = chrome_time(t, 3, &e->tdur); break;
	case M_PID: e->pid = chrome_id(d, t); break;
	case M_TID: e->tid = chrome_id(d, t); break;
	case M_NAME: e->name = t->kind == JSON_STRING ? chrome_name(d, t) : NAME_EMPTY; break;
	case M_CAT: e->cat = t->kind == JSON_STRING ? chrome_name(d, t) : NAME_EMPTY; break;
	case M_ID: id_put(d); break;
	case M_ID2: return id2_read(d);
	case M_SCOPE: e->scope = hash64(t->at, t->len); break;
	case M_SF:
		e->sf = chrome_id(d, t);
		e->has_sf = true;
		break;
	case M_ARGS:
		if (t->kind == JSON_OBJECT)
			return args_read(d);
		break;
	case M_OTHER: break;
	}
	return json_skip_value(&d->j, &d->t);
}

static void
event_begin(struct chrome *d, uint64_t offset)
{
	struct chrome_event *e = &d->e;

	buf_reset(&d->text);
	d->raw.n = 0;
	memset(e, 0, offsetof(struct chrome_event, arg));
	e->offset = offset;
	e->chunk = (struct chrome_chunk){
		.start = CHROME_NO_TIME,
		.end = CHROME_NO_TIME,
		.sample = d->ids.n,
		.delta = d->deltas.n,
		.own = {.weight = d->weights.n, .rest = d->rests.n},
	};
}

bool
chrome_event_read(struct chrome *d)
{
	struct json_token key;

	event_begin(d, d->t.offset);
	while (json_member(&d->j, &key, &d->t)) {
		enum member member = member_of(&key);
		if ((d->t.kind == JSON_KEY && !json_next(&d->j, &d->t)) || !member_read(d, member))
			return false;
	}
	return !d->j.failed;
}

/* ---- events that look like one before ---- */

static bool
field_time(const struct json_field *f, int64_t *out, bool *has)
{
	if (!json_field_scaled(f, 3, out))
		return false;
	*has = *out < CHROME_TIME_MAX && *out > -CHROME_TIME_MAX;
	return true;
}

/* The numbers that nearly all events have; false where member_read() is to be asked. */
static inline bool
field_number(struct chrome_event *e, enum member member, const struct json_field *f)
{
	switch ((int)member) {
	case M_TS: return field_time(f, &e->ts, &e->has_ts);
	case M_DUR: return field_time(f, &e->dur, &e->has_dur);
	case M_TDUR: return field_time(f, &e->tdur, &e->has_tdur);
	case M_PID: return json_field_scaled(f, 0, &e->pid);
	case M_TID: return json_field_scaled(f, 0, &e->tid);
	default: return false;
	}
}

static name_id
field_cat(struct chrome *d, const struct json_field *f)
{
	struct chrome_shapes *x = &d->shapes;

	if (f->len == x->cat_len && !memcmp(f->at, x->cat, f->len))
		return x->cat_name;
	name_id name = builder_name(d->b, f->at, f->len);
	if (f->len <= sizeof x->cat) {
		memcpy(x->cat, f->at, f->len);
		x->cat_len = f->len;
		x->cat_name = name;
	}
	return name;
}

static void
fields_take(struct chrome *d, const struct json_shape *shape, const uint8_t *members)
{
	for (unsigned i = 0; i < shape->n; i++) {
		const struct json_field *f = &d->shapes.field[i];
		enum member member = (enum member)members[i];
		bool string = shape->key[i].string;
		if (member == M_OTHER || (!string && field_number(&d->e, member, f)))
			continue;
		if (string && member == M_CAT) {
			d->e.cat = field_cat(d, f);
			continue;
		}
		d->t = json_field_token(shape, i, f);
		member_read(d, member); /* which cannot fail: there is nothing to step over */
	}
}

bool
chrome_event_met(struct chrome *d)
{
	struct chrome_shapes *x = &d->shapes;
	uint64_t offset;

	for (unsigned k = 0; k < CHROME_SHAPES; k++) {
		unsigned which = (x->last + k) % CHROME_SHAPES;
		if (!json_shape_next(&d->j, &x->of[which], x->field, &offset))
			continue;
		x->last = which;
		event_begin(d, offset);
		fields_take(d, &x->of[which], x->member[which]);
		return true;
	}
	return false;
}

void
chrome_event_learn(struct chrome *d, uint64_t from)
{
	struct chrome_shapes *x = &d->shapes;
	unsigned which = (x->last + 1) % CHROME_SHAPES; /* the one that was met longer ago */
	struct json_shape *shape = &x->of[which];

	if (!json_shape_learn(&d->j, shape, from))
		return;
	for (unsigned i = 0; i < shape->n; i++) {
		struct json_token t = {.at = shape->key[i].name, .len = shape->key[i].len};
		x->member[which][i] = (uint8_t)member_of(&t);
	}
	x->last = which;
}

/* ---- what the event is of ---- */

static label_id
arg_label(struct chrome *d, const struct chrome_arg *a)
{
	if (a->kind == VALUE_WHOLE)
		return builder_label_number(d->b, a->key, a->whole, NAME_EMPTY);
	return builder_label_text(d->b, a->key,
				  builder_name(d->b, chrome_arg_text(d, a), a->len));
}

labels_id
chrome_labels(struct chrome *d)
{
	const struct chrome_event *e = &d->e;
	label_id id[CHROME_ARGS_MAX + 1];
	size_t n = 0;

	if (e->cat != NAME_EMPTY)
		id[n++] = builder_label_text(d->b, d->is.cat, e->cat);
	for (unsigned i = 0; i < e->n_args; i++)
		if (e->arg[i].len || e->arg[i].kind == VALUE_WHOLE)
			id[n++] = arg_label(d, &e->arg[i]);
	d->deeper += e->n_deeper;
	return builder_labels(d->b, id, n);
}

static uint32_t
function_new(struct chrome *d, struct chrome_function f)
{
	f.frame = CHROME_NO_FRAME;
	*vec_push(&d->function) = f;
	return (uint32_t)d->function.n - 1;
}

static uint32_t
function_plain(struct chrome *d, name_id name)
{
	if (name >= d->n_plain) {
		size_t n = vec_grown(d->n_plain, (size_t)name + 1);
		d->plain = mem_realloc(d->plain, n, sizeof *d->plain);
		memset(d->plain + d->n_plain, 0, (n - d->n_plain) * sizeof *d->plain);
		d->n_plain = n;
	}
	if (!d->plain[name])
		d->plain[name] =
			function_new(d, (struct chrome_function){.name = name,
								 .kind = CHROME_KIND_BY_NAME}) +
			1;
	return d->plain[name] - 1;
}

uint32_t
chrome_function(struct chrome *d, name_id name, name_id file, uint32_t line, int kind)
{
	uint32_t key[] = {name, file, line, (uint32_t)kind};
	struct hash128 hash = hash128(key, sizeof key);

	if (file == NAME_EMPTY && !line && kind == CHROME_KIND_BY_NAME)
		return function_plain(d, name);
	uint32_t *found = text_cache_find(&d->placed, hash);
	if (*found)
		return *found - 1;
	uint32_t f = function_new(d, (struct chrome_function){name, file, line, (int8_t)kind, 0});
	text_cache_put(&d->placed, found, hash, f + 1);
	return f;
}

static uint32_t
line_of(int64_t line)
{
	return line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
}

/* `NAME: DETAIL`, as Clang and swc name what they work on. */
static name_id
name_with_detail(struct chrome *d)
{
	const struct chrome_event *e = &d->e;

	for (unsigned i = 0; i < e->n_args; i++) {
		const struct chrome_arg *a = &e->arg[i];
		if (a->key != d->is.detail || a->kind != VALUE_TEXT || !a->len)
			continue;
		struct name name = builder_name_get(d->b, e->name);
		buf_reset(&d->scratch);
		buf_add(&d->scratch, name.at, name.len);
		buf_adds(&d->scratch, ": ");
		buf_add(&d->scratch, chrome_arg_text(d, a), a->len);
		return builder_name(d->b, buf_str(&d->scratch), d->scratch.len);
	}
	return e->name;
}

uint32_t
chrome_event_function(struct chrome *d)
{
	const struct chrome_event *e = &d->e;
	name_id name = e->n_args ? name_with_detail(d) : e->name;

	if (name == NAME_EMPTY)
		name = builder_name(d->b, "(unnamed)", 9);
	if ((e->own.has & PLACE_HERMES) == PLACE_HERMES)
		return chrome_function(d, name, e->own.file, line_of(e->own.line), KIND_USER);
	if ((e->data.has & PLACE_V8) == PLACE_V8)
		return chrome_function(d, name, e->data.file, line_of(e->data.line + 1),
				       KIND_USER);
	return function_plain(d, name);
}

/* ---- frames, when all is read ---- */

/* `func (file:line)`, as viztracer names functions. */
static void
split_place(struct chrome *d, struct chrome_function *f)
{
	struct name n = builder_name_get(d->b, f->name);
	size_t end = n.len, colon;
	int64_t line;

	if (!end || n.at[end - 1] != ')')
		return;
	for (colon = end - 1; colon && n.at[colon] != ':' && n.at[colon] != '('; colon--)
		continue;
	if (n.at[colon] != ':' ||
	    !decimal_scaled(n.at + colon + 1, end - colon - 2, 0, &line))
		return;
	for (size_t open = 0; open + 2 < colon; open++)
		if (n.at[open] == ' ' && n.at[open + 1] == '(') {
			buf_reset(&d->scratch);
			buf_add(&d->scratch, n.at, colon);
			const char *at = buf_str(&d->scratch);
			f->name = builder_name(d->b, at, open);
			f->file = builder_name(d->b, at + open + 2, colon - open - 2);
			f->line = line_of(line);
			return;
		}
}

frame_id
chrome_frame(void *chrome, uint32_t function)
{
	struct chrome *d = chrome;
	struct chrome_function *f = &d->function.at[function];

	if (f->frame != CHROME_NO_FRAME)
		return f->frame;
	if (d->viztracer)
		split_place(d, f);
	struct name name = builder_name_get(d->b, f->name);
	enum kind kind = f->kind != CHROME_KIND_BY_NAME ? (enum kind)f->kind
			 : d->viztracer		  ? KIND_USER
						  : kind_of_name(name.at, name.len);
	function_id id = builder_function(d->b, (struct function){
							.name = f->name,
							.file = f->file,
							.line = f->line,
							.kind = (uint8_t)kind,
						});
	f->frame = builder_frame(d->b, id, line_unknown());
	return f->frame;
}
