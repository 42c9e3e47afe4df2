#include "src/decode/chrome/chrome_inside.h"

#include <stddef.h>
#include <string.h>

#include "src/input/decimal.h"
#include "src/input/hash.h"

/* An event is read in one pass, with its members in any order: `args` may precede `ph`, which
 * gives them a meaning.  So all members go into one structure.  Strings of args go into a
 * buffer that each event reuses, and only those that are used later are interned.  The samples
 * of a CPU profile go into their columns while they are read; if the event turns out to be of
 * another kind, they are dropped.
 *
 * Rejected: finding the end of the event first, which reads everything twice. */

/* ---- args ---- */

/* Copies the text of a token to the event's buffer. */
static uint32_t
text_put(struct chrome *d, const struct json_token *t, uint32_t *len)
{
	uint32_t at = (uint32_t)d->text.len;

	if (t->escaped)
		json_text(&d->r.j, t, &d->text);
	else
		buf_add(&d->text, t->at, t->len);
	*len = (uint32_t)d->text.len - at;
	return at;
}

static void
arg_put(struct chrome *d, name_id key)
{
	const struct json_token *t = &d->t;
	struct chrome_event *e = &d->e;

	if (e->args.n == CHROME_ARGS_MAX) {
		e->args.n_deeper++;
		return;
	}
	struct chrome_arg *a = &e->args.at[e->args.n++];
	*a = (struct chrome_arg){.key = key, .kind = VALUE_TEXT};
	if (t->kind == JSON_NUMBER) {
		bool whole = !memchr(t->at, '.', t->len) &&
			     decimal_scaled(t->at, t->len, 0, &a->whole);
		a->kind = whole ? VALUE_WHOLE : VALUE_FRACTION;
	}
	if (a->kind != VALUE_WHOLE)
		a->at = text_put(d, t, &a->len);
}

/* Stores a member that describes the place of a function. */
static void
place_put(struct chrome *d, struct chrome_place *p, name_id key)
{
	const struct chrome_names *is = &d->is;
	const struct json_token *t = &d->t;

	if (key == is->url && t->kind == JSON_STRING) {
		p->file = chrome_name(d, t);
		p->has_file = true;
	} else if (key == is->line && decimal_scaled(t->at, t->len, 0, &p->line)) {
		p->has_line = true;
	} else if (key == is->column) {
		p->has_column = true;
	} else if (key == is->allocated) {
		p->has_name = true;
	}
}

/* `args`, whose '{' is d->t. */
static bool
args_read(struct chrome *d)
{
	static const struct json_row data_row = {"data", ROW_HERE(chrome_data_rows)};
	struct chrome_event *e = &d->e;

	while (json_next(&d->r.j, &d->t) && d->t.kind == JSON_KEY) {
		name_id key = chrome_name(d, &d->t);
		if (!json_next(&d->r.j, &d->t))
			return false;
		switch (d->t.kind) {
		case JSON_STRING:
		case JSON_NUMBER:
			e->args.is_sum |= key == d->is.avg;
			place_put(d, &e->args.own, key);
			arg_put(d, key);
			break;
		case JSON_OBJECT:
		case JSON_ARRAY:
			if (d->t.kind == JSON_OBJECT && key == d->is.data) {
				if (!rows_json_value(&d->r, &data_row, d, &d->t))
					return false;
				break;
			}
			e->args.n_deeper++;
			if (!json_skip(&d->r.j, &d->t))
				return false;
			break;
		case JSON_TRUE:
		case JSON_FALSE:
		case JSON_NULL:
		case JSON_KEY: /* no value begins with these three */
		case JSON_OBJECT_END:
		case JSON_ARRAY_END:
			place_put(d, &e->args.own, key);
		}
	}
	return !d->r.j.failed;
}

/* ---- members ---- */

static void
id_put(struct chrome *d, const struct json_token *t)
{
	struct chrome_event *e = &d->e;

	if (t->kind != JSON_STRING && t->kind != JSON_NUMBER)
		return;
	e->id.there = true;
	e->id.at = text_put(d, t, &e->id.len);
	e->id.hash = hash64(d->text.at + e->id.at, e->id.len);
}

static bool
id_take(struct rows_json *r, void *event UNUSED, const struct json_value *v)
{
	id_put(r->context, &v->t);
	return true;
}

static bool
local_take(struct rows_json *r, void *event, const struct json_value *v)
{
	((struct chrome_event *)event)->id.local = true;
	return id_take(r, event, v);
}

static bool
global_take(struct rows_json *r, void *event, const struct json_value *v)
{
	((struct chrome_event *)event)->id.local = false;
	return id_take(r, event, v);
}

static bool
bind_take(struct rows_json *r UNUSED, void *event, const struct json_value *v)
{
	struct chrome_key *id = &((struct chrome_event *)event)->id;

	id->binds = v->t.kind == JSON_STRING || v->t.kind == JSON_NUMBER;
	id->bind = hash64(v->t.at, v->t.len);
	return true;
}

static bool
phase_take(struct rows_json *r UNUSED, void *event, const struct json_value *v)
{
	((struct chrome_event *)event)->ph = v->t.escaped ? json_char(&v->t)
					     : v->t.len   ? *v->t.at
							  : '\0';
	return true;
}

static bool
letter_take(struct rows_json *r UNUSED, void *event, const struct json_value *v)
{
	((struct chrome_event *)event)->s = v->t.len ? *v->t.at : '\0';
	return true;
}

static bool
scope_take(struct rows_json *r UNUSED, void *event, const struct json_value *v)
{
	((struct chrome_event *)event)->id.scope = hash64(v->t.at, v->t.len);
	return true;
}

static bool
args_take(struct rows_json *r, void *event UNUSED, const struct json_token *t)
{
	struct chrome *d = r->context;

	d->t = *t;
	return t->kind == JSON_OBJECT ? args_read(d) : json_skip(&r->j, t);
}

/* Returns what the rounding of a number of us to ns took away, or added, in billionths of a ns. */
static int32_t
rounded_off(const char *at, size_t len)
{
	const char *end = at + len, *c = memchr(at, '.', len);
	int32_t rest = 0;
	unsigned places = 0;

	if (!c || memchr(at, 'e', len) || memchr(at, 'E', len))
		return 0;
	for (c++; c < end && places < 12; c++, places++)
		rest = places < 3 ? 0 : rest * 10 + (*c - '0');
	for (; places > 3 && places < 12; places++)
		rest *= 10;
	rest -= rest >= 500000000 ? 1000000000 : 0;
	return *at == '-' ? -rest : rest;
}

static bool
time_take(const struct json_value *v, int64_t *ns, int32_t *off, bool *has)
{
	*has = json_value_scaled(v, 3, true, ns);
	if (*has && !(v->plain && v->places <= 3))
		*off += rounded_off(v->t.at, v->t.len);
	return true;
}

static bool
ts_take(struct rows_json *r, void *ts UNUSED, const struct json_value *v)
{
	struct chrome_event *e = &((struct chrome *)r->context)->e;

	return time_take(v, &e->ts, &e->off, &e->has_ts);
}

static bool
dur_take(struct rows_json *r, void *dur UNUSED, const struct json_value *v)
{
	struct chrome_event *e = &((struct chrome *)r->context)->e;

	return time_take(v, &e->dur, &e->off, &e->has_dur);
}

/* `id2`: {"local": "0x1"}, or global. */
static const struct json_row id2_rows[] = {
	{"local", ROW_VALUE(local_take)},
	{"*", ROW_VALUE(global_take)},
	{0},
};

const struct json_row chrome_event_rows[] = {
	{"name", ROW_NAME(struct chrome_event, name)},
	{"cat", ROW_NAME(struct chrome_event, cat)},
	{"ph", ROW_VALUE(phase_take)},
	{"ts", ROW_SHORT(struct chrome_event, ts, ts_take), .scale = 3,
	 ROW_HAS(struct chrome_event, has_ts)},
	{"dur", ROW_SHORT(struct chrome_event, dur, dur_take), .scale = 3,
	 ROW_HAS(struct chrome_event, has_dur)},
	{"tdur", ROW_NUMBER(struct chrome_event, tdur), .scale = 3, .loose = true,
	 ROW_HAS(struct chrome_event, has_tdur)},
	{"pid", ROW_NUMBER(struct chrome_event, pid), .loose = true, .by.take = chrome_id_take},
	{"tid", ROW_NUMBER(struct chrome_event, tid), .loose = true, .by.take = chrome_id_take},
	{"id", ROW_VALUE(id_take)},
	{"id2", ROW_HERE(id2_rows)},
	{"scope", ROW_VALUE(scope_take)},
	{"bind_id", ROW_VALUE(bind_take)},
	{"flow_in", ROW_TRUTH(struct chrome_event, id.flow_in)},
	{"flow_out", ROW_TRUTH(struct chrome_event, id.flow_out)},
	{"s", ROW_VALUE(letter_take)},
	{"bp", ROW_VALUE(letter_take)}, /* of flows, which have no `s` */
	{"sf", ROW_VALUE_IN(struct chrome_event, sf, chrome_id_take),
	 ROW_HAS(struct chrome_event, has_sf)},
	{"args", ROW_INSIDE(args_take)},
	{0},
};

void *
chrome_event_begin(struct rows_json *r, void *parent UNUSED, void *own UNUSED)
{
	struct chrome *d = r->context;
	struct chrome_event *e = &d->e;

	buf_reset(&d->text);
	d->cpu.raw.n = 0;
	memset(e, 0, offsetof(struct chrome_event, args.at));
	e->offset = r->offset;
	e->chunk = (struct chrome_chunk){
		.start = CHROME_NO_TIME,
		.end = CHROME_NO_TIME,
		.sample = d->cpu.ids.n,
		.delta = d->cpu.deltas.n,
		.own = {.weight = d->cpu.weights.n, .rest = d->cpu.rests.n},
	};
	return e;
}

static bool
is_near(int64_t ns)
{
	return ns < CHROME_TIME_MAX && ns > -CHROME_TIME_MAX;
}

void
chrome_event_end(struct chrome_event *e)
{
	e->has_ts = e->has_ts && is_near(e->ts);
	e->has_dur = e->has_dur && is_near(e->dur);
	e->has_tdur = e->has_tdur && is_near(e->tdur);
	if (!is_near(e->chunk.start))
		e->chunk.start = CHROME_NO_TIME;
	if (!is_near(e->chunk.end))
		e->chunk.end = CHROME_NO_TIME;
}
