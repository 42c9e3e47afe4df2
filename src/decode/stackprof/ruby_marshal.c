/* Ruby's marshal, version 4.8 (its doc/marshal.rdoc), the part that hashes of simple values
 * need:
 *
 *	{ n pairs, } n pairs and a default      hash          [ n values      array
 *	i n    integer       l sign n words     large one     f len text      float
 *	" len bytes          string             : len bytes   symbol          ; n symbol again
 *	I value n pairs      a string with its encoding       @ n             object again
 *	0 T F                nil, true, false
 *
 * A number n is a byte: 0; from 5 on n + 5; below -4 n - 5; else the number of bytes that
 * follow. Objects are numbered in the order in which they begin; symbols have numbers of their
 * own. */
#include "src/decode/stackprof/ruby_marshal.h"

#include <string.h>

#include "src/input/decimal.h"

#define DEPTH_MAX 64u
#define NOT_READ "a value of an unsupported kind"

void
ruby_marshal_release(struct ruby_marshal *m)
{
	vec_release_all(&m->left, &m->is_hash, &m->object, &m->symbol);
	buf_release(&m->kept);
}

/* Returns the next n bytes and advances past them; NULL if there are fewer. */
static const uint8_t *
ruby_marshal_take(struct json *j, size_t n)
{
	if (j->failed || !input_need(j->in, n)) {
		json_source_fault(j, "a value is truncated");
		return NULL;
	}
	const uint8_t *at = input_at(j->in);
	input_skip(j->in, n);
	return at;
}

static char
take_char(struct json *j)
{
	const uint8_t *at = ruby_marshal_take(j, 1);

	return at ? (char)*at : '\0';
}

static int64_t
take_number(struct json *j)
{
	int first = (int8_t)take_char(j);
	uint64_t n = 0;

	if (first > 4)
		return first - 5;
	if (first < -4)
		return first + 5;
	unsigned bytes = (unsigned)(first < 0 ? -first : first);
	const uint8_t *at = bytes ? ruby_marshal_take(j, bytes) : NULL;
	for (unsigned i = 0; at && i < bytes; i++)
		n |= (uint64_t)at[i] << 8 * i;
	return first < 0 ? (int64_t)n - ((int64_t)1 << 8 * bytes) : (int64_t)n;
}

static int64_t
take_large(struct ruby_marshal *m, struct json *j)
{
	bool negative = take_char(j) == '-';
	int64_t words = take_number(j);
	const uint8_t *at =
		words >= 0 && words <= 4 ? ruby_marshal_take(j, (size_t)words * 2) : NULL;
	uint64_t n = 0;

	for (int64_t i = 0; at && i < words * 2; i++)
		n |= (uint64_t)at[i] << 8 * i;
	if (!at || n > INT64_MAX)
		json_source_fault(j, "a number out of range");
	*vec_push(&m->object) = (struct ruby_text){0};
	return negative ? -(int64_t)n : (int64_t)n;
}

/* Reads a length and a run of bytes, and keeps the bytes. */
static struct ruby_text
ruby_marshal_take_text(struct ruby_marshal *m, struct json *j)
{
	int64_t len = take_number(j);
	struct ruby_text t = {m->kept.len, 0};

	if (len < 0)
		json_source_fault(j, "a length below 0");
	const uint8_t *at = j->failed ? NULL : ruby_marshal_take(j, (size_t)len);
	if (at) {
		t.len = (size_t)len;
		buf_add(&m->kept, at, t.len);
	}
	return t;
}

static void
give_text(struct ruby_marshal *m, struct ruby_text t, struct json_token *out)
{
	out->kind = JSON_STRING;
	out->at = buf_str(&m->kept) + t.at;
	out->len = t.len;
}

static void
give_number(struct ruby_marshal *m, int64_t n, struct json_token *out)
{
	char *end = m->digits + sizeof m->digits, *at = end;
	uint64_t rest = n < 0 ? -(uint64_t)n : (uint64_t)n;

	do
		*--at = (char)('0' + rest % 10);
	while (rest /= 10);
	if (n < 0)
		*--at = '-';
	out->kind = JSON_NUMBER;
	out->at = at;
	out->len = (size_t)(end - at);
}

static void
give_again(struct ruby_marshal *m, struct json *j, bool symbol, struct json_token *out)
{
	int64_t i = take_number(j);
	size_t n = symbol ? m->symbol.n : m->object.n;

	if (i < 0 || (uint64_t)i >= n)
		json_source_fault(j, "a reference to an undefined value");
	else
		give_text(m, symbol ? m->symbol.at[i] : m->object.at[i], out);
}

static void
open_list(struct ruby_marshal *m, struct json *j, char type, struct json_token *out)
{
	int64_t n = take_number(j);
	uint8_t is_hash = type == '[' ? 0 : type == '{' ? 1 : 2;

	if (n < 0 || m->left.n >= DEPTH_MAX) {
		json_source_fault(j, "an impossible list");
		return;
	}
	*vec_push(&m->object) = (struct ruby_text){0};
	*vec_push(&m->left) = (uint64_t)n << (is_hash > 0);
	*vec_push(&m->is_hash) = is_hash;
	j->depth++;
	out->kind = is_hash ? JSON_OBJECT : JSON_ARRAY;
}

static void
give_real(struct ruby_marshal *m, struct json *j, struct json_token *out)
{
	int64_t whole;

	give_text(m, ruby_marshal_take_text(m, j), out);
	*vec_push(&m->object) = (struct ruby_text){0};
	/* JSON has no inf and nan */
	out->kind = decimal_scaled(out->at, out->len, 0, &whole) ? JSON_NUMBER : JSON_NULL;
}

/* Skips the instance variables of a string: its encoding. */
static void
skip_variables(struct ruby_marshal *m, struct json *j)
{
	int64_t n = take_number(j);

	for (int64_t i = 0; i < n && !j->failed; i++) {
		char name = take_char(j);
		if (name == ':')
			*vec_push(&m->symbol) = ruby_marshal_take_text(m, j);
		else if (name == ';')
			take_number(j);
		else
			json_source_fault(j, "a variable without a name");
		char value = take_char(j);
		if (value == '"')
			*vec_push(&m->object) = ruby_marshal_take_text(m, j);
		else if (!value || !strchr("TF0", value))
			json_source_fault(j, NOT_READ);
	}
}

static void
give_string(struct ruby_marshal *m, struct json *j, char type, bool wrapped, struct json_token *out)
{
	struct ruby_text t = ruby_marshal_take_text(m, j);

	if (type == ':')
		*vec_push(&m->symbol) = t;
	else
		*vec_push(&m->object) = t;
	if (wrapped)
		skip_variables(m, j);
	give_text(m, t, out);
}

static void
give_value(struct ruby_marshal *m, struct json *j, struct json_token *out)
{
	char type = take_char(j);
	bool wrapped = type == 'I';

	if (wrapped) {
		type = take_char(j);
		if (type != '"')
			json_source_fault(j, NOT_READ);
	}
	out->kind = type == 'T' ? JSON_TRUE : type == 'F' ? JSON_FALSE : JSON_NULL;
	if (type == 'i')
		give_number(m, take_number(j), out);
	else if (type == 'l')
		give_number(m, take_large(m, j), out);
	else if (type == 'f')
		give_real(m, j, out);
	else if (type == '"' || type == ':')
		give_string(m, j, type, wrapped, out);
	else if (type == ';' || type == '@')
		give_again(m, j, type == ';', out);
	else if (type == '[' || type == '{' || type == '}')
		open_list(m, j, type, out);
	else if (type != 'T' && type != 'F' && type != '0')
		json_source_fault(j, NOT_READ);
}

/* Ends the innermost list or hash, after the default value of a hash. */
static void
close_list(struct ruby_marshal *m, struct json *j, struct json_token *out)
{
	uint8_t is_hash = m->is_hash.at[--m->is_hash.n];

	m->left.n--;
	j->depth--;
	if (is_hash == 2)
		give_value(m, j, out);
	if (out->kind == JSON_OBJECT || out->kind == JSON_ARRAY)
		json_source_fault(j, NOT_READ);
	out->kind = is_hash ? JSON_OBJECT_END : JSON_ARRAY_END;
}

static bool
marshal_next(struct json *j, struct json_token *out)
{
	struct ruby_marshal *m = j->source_state;

	j->offset = input_offset(j->in);
	*out = (struct json_token){.kind = JSON_NULL, .at = "", .offset = j->offset};
	if (!m->left.n) { /* after the first value, the file ends */
		if (m->object.n)
			return false;
		give_value(m, j, out);
		return !j->failed;
	}
	uint64_t *left = &m->left.at[m->left.n - 1];
	if (!*left) {
		close_list(m, j, out);
		return !j->failed;
	}
	bool is_key = m->is_hash.at[m->is_hash.n - 1] && !(*left % 2);
	--*left;
	give_value(m, j, out);
	if (is_key && (out->kind == JSON_OBJECT || out->kind == JSON_ARRAY))
		json_source_fault(j, NOT_READ);
	out->kind = is_key ? JSON_KEY : out->kind;
	return !j->failed;
}

static size_t
marshal_column(struct json *j, int64_t *out, size_t n)
{
	struct ruby_marshal *m = j->source_state;
	uint64_t *left = &m->left.at[m->left.n - 1];
	size_t i = 0;

	for (; i < n && *left && !j->failed && input_need(j->in, 1); i++, --*left) {
		char type = (char)*input_at(j->in);
		if (type != 'i' && type != 'l')
			break;
		input_skip(j->in, 1);
		out[i] = type == 'i' ? take_number(j) : take_large(m, j);
	}
	return i - j->failed; /* without the token that is truncated */
}

bool
ruby_marshal_is(struct input *in)
{
	return input_need(in, 2) && input_at(in)[0] == 4 && input_at(in)[1] == 8;
}

void
ruby_marshal_init(struct ruby_marshal *m, struct json *j, struct input *in)
{
	input_skip(in, 2);
	json_init_source(j, in, marshal_next);
	j->source_column = marshal_column;
	j->source_state = m;
}
