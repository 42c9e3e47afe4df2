/* The JSON form (proto3 JSON) has the same messages with names instead of numbers. It is converted
 * to the binary form by the names in the tables of fields, and then read like it. 64-bit numbers
 * are strings, bytes are in base 64, names in camel case or as in the schema. */
#include "src/decode/otlp/otlp_inside.h"

#include <stdlib.h>
#include <string.h>

#include "src/decode/common/json_read.h"
#include "src/input/decimal.h"
#include "src/input/json.h"

/* `resourceProfiles` is `resource_profiles`. */
static bool
is_name(const struct json_token *t, const char *name)
{
	for (size_t k = 0; k < t->len; k++, name++) {
		char c = t->at[k];
		bool upper = c >= 'A' && c <= 'Z';
		if ((upper && *name++ != '_') || *name != (upper ? (char)(c - 'A' + 'a') : c))
			return false;
	}
	return !*name;
}

/* Returns the number of a field by its name; 0 if the table lacks it. */
static uint32_t
field_of(const struct proto_table *t, const struct json_token *key)
{
	/* the lines of a location were `line` before */
	bool line = !strcmp(t->name, "Location") && key->len == 4 && !memcmp(key->at, "line", 4);

	for (uint32_t i = 1; i < t->n; i++)
		if (t->row[i].name &&
		    (is_name(key, t->row[i].name) || (line && !strcmp(t->row[i].name, "lines"))))
			return i;
	return 0;
}

/* ---- the binary form ---- */

static void
add_varint(struct buf *out, uint64_t v)
{
	for (; v > 127; v >>= 7)
		buf_addc(out, (char)((v & 127) | 128));
	buf_addc(out, (char)v);
}

static void
add_fixed64(struct buf *out, uint64_t v)
{
	for (int i = 0; i < 8; i++, v >>= 8)
		buf_addc(out, (char)(v & 255));
}

static void
add_bytes(struct buf *out, unsigned number, const struct buf *bytes)
{
	add_varint(out, (uint64_t)number << 3 | PROTO_BYTES);
	add_varint(out, bytes->len);
	buf_add(out, buf_str(bytes), bytes->len);
}

static int
digit64(char c)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c == '-' ? '+' : c == '_' ? '/' : c) : NULL;

	return at ? (int)(at - digits) : -1;
}

static void
add_base64(struct buf *out, const char *at, size_t len)
{
	uint32_t bits = 0;
	int n = 0;

	for (size_t i = 0; i < len; i++) {
		int digit = digit64(at[i]);
		if (digit < 0)
			continue;
		bits = bits << 6 | (uint32_t)digit;
		n += 6;
		if (n >= 8) {
			n -= 8;
			buf_addc(out, (char)(bits >> n & 255));
		}
	}
}

struct otlp_reader {
	struct json j;
	struct buf text;
};

/* Reads a number, or a string that contains one; numbers beyond 2^63 are unsigned. */
static uint64_t
otlp_number_of(const struct json_token *t)
{
	int64_t v = 0;
	char digits[32] = "";

	if ((t->kind != JSON_NUMBER && t->kind != JSON_STRING) || !t->len)
		return 0;
	if (decimal_scaled(t->at, t->len, 0, &v))
		return (uint64_t)v;
	if (t->len >= sizeof digits)
		return 0;
	memcpy(digits, t->at, t->len);
	return strtoull(digits, NULL, 10);
}

static void
add_value(struct otlp_reader *r, const struct proto_row *row, unsigned number,
	  const struct json_token *t, struct buf *out)
{
	bool base64 = !strcmp(row->name, "bytes_value") || !strcmp(row->name, "original_payload");
	struct buf bytes = BUF_INIT;
	uint64_t bits = otlp_number_of(t);
	double real = 0;

	if (row->type == PROTO_BYTES && t->kind != JSON_STRING)
		return;
	if (row->type == PROTO_BYTES) {
		buf_reset(&r->text);
		json_text(&r->j, t, &r->text);
		if (base64)
			add_base64(&bytes, buf_str(&r->text), r->text.len);
		add_bytes(out, number, base64 ? &bytes : &r->text);
		buf_release(&bytes);
		return;
	}
	add_varint(out, (uint64_t)number << 3 | row->type);
	if (!strcmp(row->name, "double_value")) {
		if (t->len)
			decimal_double(t->at, t->len, &real);
		memcpy(&bits, &real, sizeof bits);
	}
	if (row->type == PROTO_FIXED64)
		add_fixed64(out, bits);
	else
		add_varint(out, t->kind == JSON_TRUE ? 1 : bits);
}

static bool message_read(struct otlp_reader *r, const struct proto_table *t, struct buf *out);

/* Reads one value of a field, which *t begins; of a truncated message as much as there is. */
static bool
value_read(struct otlp_reader *r, const struct proto_row *row, unsigned number,
	   const struct json_token *t, struct buf *out)
{
	const struct proto_table *inner = proto_row_table(row);
	struct buf inside = BUF_INIT;
	bool good;

	if (!inner) {
		add_value(r, row, number, t, out);
		return json_skip(&r->j, t);
	}
	if (t->kind != JSON_OBJECT)
		return json_skip(&r->j, t);
	good = message_read(r, inner, &inside);
	add_bytes(out, number, &inside);
	buf_release(&inside);
	return good;
}

/* Reads the members of an object after its '{'; messages nest as deep as the schema. */
static bool
message_read(struct otlp_reader *r, const struct proto_table *table, struct buf *out)
{
	struct json_token t;
	bool good = true;

	while (good && json_next(&r->j, &t) && t.kind == JSON_KEY) {
		uint32_t n = field_of(table, &t);
		const struct proto_row *row = &table->row[n];
		if (!json_next(&r->j, &t))
			return false;
		if (!n) {
			good = json_skip(&r->j, &t);
		} else if (t.kind == JSON_ARRAY) {
			while (good && json_next(&r->j, &t) && t.kind != JSON_ARRAY_END)
				good = value_read(r, row, n, &t, out);
		} else if (t.kind != JSON_NULL) {
			good = value_read(r, row, n, &t, out);
		}
	}
	return good && !r->j.failed;
}

bool
otlp_of_json(struct input *in, const struct proto_table *table, struct buf *out, struct builder *b,
	     struct err *e)
{
	struct otlp_reader r = {.text = BUF_INIT};
	struct json_token t;
	bool good;

	json_init(&r.j, in);
	if (!json_next(&r.j, &t) || t.kind != JSON_OBJECT)
		return r.j.failed ? json_damage(&r.j, r.j.where, e)
				  : err_refuse(e, "not a profile: it is not an object");
	good = message_read(&r, table, out);
	json_say(&r.j, b);
	buf_release(&r.text);
	return good || json_damage(&r.j, r.j.where, e);
}
