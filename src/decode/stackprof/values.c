/* Ruby's marshal, version 4.8 (its doc/marshal.rdoc), as far as hashes of simple values need it:
 *
 *	{ n pairs, } n pairs and a default      hash          [ n values      array
 *	i n    integer       l sign n words     large one     f len text      float
 *	" len bytes          string             : len bytes   symbol          ; n symbol again
 *	I value n pairs      a string with its encoding       @ n             object again
 *	0 T F                nil, true, false
 *
 * A number n is a byte: 0; from 5 on n + 5; below -4 n - 5; else so many bytes follow.
 * Objects are numbered in the order in which they begin, symbols by themselves. */
#include "src/decode/stackprof/values.h"

#include <math.h>
#include <string.h>

#include "src/input/decimal.h"

#define DEPTH_MAX 64u

void
values_init(struct values *v, struct input *in)
{
	*v = (struct values){.in = in};
	v->is_ruby = input_need(in, 2) && input_at(in)[0] == 4 && input_at(in)[1] == 8;
	if (v->is_ruby) {
		input_skip(in, 2);
	} else {
		json_init(&v->j, in);
	}
}

void
values_release(struct values *v)
{
	vec_release(&v->left);
	vec_release(&v->is_map);
	vec_release(&v->object);
	vec_release(&v->symbol);
	buf_release(&v->kept);
	buf_release(&v->text);
}

/* ---- Ruby ---- */

static bool
fail(struct values *v, const char *why)
{
	if (!v->failed) {
		v->why = why;
		v->where = input_offset(v->in);
	}
	v->failed = true;
	return false;
}

/* The next n bytes, which are stepped over. */
static const uint8_t *
take(struct values *v, size_t n)
{
	if (!input_need(v->in, n)) {
		fail(v, "a value is cut");
		return NULL;
	}
	const uint8_t *at = input_at(v->in);
	input_skip(v->in, n);
	return at;
}

static int64_t
take_number(struct values *v)
{
	const uint8_t *at = take(v, 1);
	int first = at ? (int8_t)*at : 0;
	uint64_t n = 0;

	if (first > 4)
		return first - 5;
	if (first < -4)
		return first + 5;
	unsigned bytes = (unsigned)(first < 0 ? -first : first);
	at = bytes ? take(v, bytes) : NULL;
	for (unsigned i = 0; at && i < bytes; i++)
		n |= (uint64_t)at[i] << 8 * i;
	return first < 0 ? (int64_t)n - ((int64_t)1 << 8 * bytes) : (int64_t)n;
}

/* A run of bytes with its length in front, which is kept. */
static struct value_text
take_text(struct values *v)
{
	int64_t len = take_number(v);
	const uint8_t *at = NULL;

	if (len < 0)
		fail(v, "a length below 0");
	if (!v->failed)
		at = take(v, (size_t)len);
	struct value_text t = {v->kept.len, at ? (size_t)len : 0, at != NULL};
	if (at)
		buf_add(&v->kept, at, (size_t)len);
	return t;
}

static void
give_text(struct values *v, const struct value_text *t, struct value *out)
{
	out->kind = t->is_text ? VALUE_TEXT : VALUE_NOTHING;
	out->at = t->is_text ? buf_str(&v->kept) + t->at : "";
	out->len = t->is_text ? t->len : 0;
}

static void
give_again(struct values *v, bool symbol, struct value *out)
{
	int64_t i = take_number(v);
	size_t n = symbol ? v->symbol.n : v->object.n;

	if (i < 0 || (uint64_t)i >= n)
		fail(v, "a reference to what was not there");
	else
		give_text(v, symbol ? &v->symbol.at[i] : &v->object.at[i], out);
}

static bool
open_list(struct values *v, struct value *out, bool map, bool has_default)
{
	int64_t n = take_number(v);

	if (n < 0 || v->left.n >= DEPTH_MAX)
		return fail(v, "a list that cannot be");
	*vec_push(&v->object) = (struct value_text){0};
	*vec_push(&v->left) = (uint64_t)n * (map ? 2 : 1) + has_default;
	*vec_push(&v->is_map) = (uint8_t)(map + has_default);
	out->kind = map ? VALUE_MAP : VALUE_LIST;
	return true;
}

static void
give_large(struct values *v, struct value *out)
{
	const uint8_t *sign = take(v, 1);
	bool negative = sign && *sign == '-';
	int64_t words = v->failed ? 0 : take_number(v);
	const uint8_t *at = words >= 0 && words <= 4 ? take(v, (size_t)words * 2) : NULL;
	uint64_t n = 0;

	if (!at && !v->failed)
		fail(v, "a number that does not fit");
	for (int64_t i = 0; at && i < words * 2; i++)
		n |= (uint64_t)at[i] << 8 * i;
	if (n > INT64_MAX)
		fail(v, "a number that does not fit");
	*vec_push(&v->object) = (struct value_text){0};
	out->kind = VALUE_INTEGER;
	out->integer = negative ? -(int64_t)n : (int64_t)n;
}

static void
give_real(struct values *v, struct value *out)
{
	struct value_text t = take_text(v);
	const char *at = buf_str(&v->kept) + t.at;

	*vec_push(&v->object) = (struct value_text){0};
	out->kind = VALUE_INTEGER;
	if (!v->failed && !decimal_scaled(at, t.len, 0, &out->integer))
		out->kind = VALUE_NOTHING; /* inf, nan */
}

/* Variables of a string: its encoding. */
static void
skip_variables(struct values *v)
{
	int64_t n = take_number(v);

	for (int64_t i = 0; i < n && !v->failed; i++) {
		const uint8_t *name = take(v, 1), *at;
		if (name && *name == ':')
			*vec_push(&v->symbol) = take_text(v);
		else if (name && *name == ';')
			take_number(v);
		else if (name)
			fail(v, "a variable without a name");
		at = v->failed ? NULL : take(v, 1);
		if (at && *at == '"')
			*vec_push(&v->object) = take_text(v);
		else if (at && !strchr("TF0", *at))
			fail(v, "a value of a kind that is not read");
	}
}

static bool
ruby_value(struct values *v, struct value *out)
{
	const uint8_t *at = take(v, 1);
	char type = at ? (char)*at : '0';
	bool wrapped = type == 'I';

	if (wrapped) {
		at = take(v, 1);
		type = at ? (char)*at : '0';
		if (at && type != '"')
			fail(v, "a value of a kind that is not read");
	}
	out->kind = VALUE_NOTHING;
	switch (type) {
	case '0': case 'T': case 'F':
		break;
	case 'i':
		out->kind = VALUE_INTEGER;
		out->integer = take_number(v);
		break;
	case 'l':
		give_large(v, out);
		break;
	case 'f':
		give_real(v, out);
		break;
	case '"': case ':': {
		struct value_text t = take_text(v);
		if (type == ':')
			*vec_push(&v->symbol) = t;
		else
			*vec_push(&v->object) = t;
		if (wrapped)
			skip_variables(v);
		give_text(v, &t, out);
		break;
	}
	case ';': case '@':
		give_again(v, type == ';', out);
		break;
	case '[':
		return open_list(v, out, false, false) && !v->failed;
	case '{': case '}':
		return open_list(v, out, true, type == '}') && !v->failed;
	default:
		fail(v, "a value of a kind that is not read");
	}
	return !v->failed;
}

static bool
ruby_next(struct values *v, struct value *out)
{
	out->offset = input_offset(v->in);
	if (!v->left.n) /* the first value; behind it is the end */
		return !v->object.n && ruby_value(v, out);
	uint64_t *left = &v->left.at[v->left.n - 1];
	if (!*left) {
		v->left.n--;
		v->is_map.n--;
		out->kind = VALUE_END;
		return true;
	}
	uint8_t map = v->is_map.at[v->is_map.n - 1]; /* 2: with a default behind the pairs */
	out->is_key = map && *left >= map && (*left - (map - 1u)) % 2 == 0;
	--*left;
	return ruby_value(v, out);
}

/* ---- both ---- */

static bool
json_value(struct values *v, struct value *out)
{
	struct json_token t;

	if (!json_next(&v->j, &t)) {
		v->failed = v->j.failed;
		v->why = v->j.why;
		v->where = v->j.where;
		return false;
	}
	out->offset = t.offset;
	out->is_key = t.kind == JSON_KEY;
	out->kind = VALUE_NOTHING;
	if (t.kind == JSON_OBJECT || t.kind == JSON_ARRAY) {
		out->kind = t.kind == JSON_OBJECT ? VALUE_MAP : VALUE_LIST;
	} else if (t.kind == JSON_OBJECT_END || t.kind == JSON_ARRAY_END) {
		out->kind = VALUE_END;
	} else if (t.kind == JSON_KEY || t.kind == JSON_STRING) {
		buf_reset(&v->text);
		json_text(&v->j, &t, &v->text);
		out->kind = VALUE_TEXT;
		out->at = buf_str(&v->text);
		out->len = v->text.len;
	} else if (t.kind == JSON_NUMBER && decimal_scaled(t.at, t.len, 0, &out->integer)) {
		out->kind = VALUE_INTEGER;
	}
	return true;
}

bool
values_next(struct values *v, struct value *out)
{
	*out = (struct value){.at = ""};
	if (v->failed)
		return false;
	return v->is_ruby ? ruby_next(v, out) : json_value(v, out);
}

bool
values_skip(struct values *v, const struct value *x)
{
	struct value y;
	size_t depth = x->kind == VALUE_MAP || x->kind == VALUE_LIST;

	while (depth && values_next(v, &y)) {
		depth += y.kind == VALUE_MAP || y.kind == VALUE_LIST;
		depth -= y.kind == VALUE_END;
	}
	return !v->failed;
}
