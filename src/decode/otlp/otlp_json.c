/* The JSON form (proto3 JSON) has the same messages with names for numbers: it is made into
 * the binary form, by a table of what each message has, and then read as that.  64-bit numbers
 * stand as strings, bytes in base 64; names in camel case, or as the schema writes them. */
#include "src/decode/otlp/otlp_inside.h"

#include <stdlib.h>
#include <string.h>

#include "src/decode/common/json_say.h"
#include "src/input/decimal.h"
#include "src/input/json.h"

enum message {
	DATA,
	RESOURCE_PROFILES,
	RESOURCE,
	KEY_VALUE,
	ANY_VALUE,
	SCOPE_PROFILES,
	SCOPE,
	PROFILE,
	VALUE_TYPE,
	SAMPLE,
	DICTIONARY,
	MAPPING,
	LOCATION,
	LINE,
	FUNCTION,
	ATTRIBUTE,
	STACK,
	NO_MESSAGE,
};

enum form { IS_MESSAGE, IS_NUMBER, IS_FIXED64, IS_TEXT, IS_BYTES, IS_REAL, IS_TRUTH };

static const struct member {
	uint8_t of; /* enum message */
	const char *name;
	uint8_t number, kind, message;
} members[] = {
	{DATA, "resourceProfiles", 1, IS_MESSAGE, RESOURCE_PROFILES},
	{DATA, "dictionary", 2, IS_MESSAGE, DICTIONARY},
	{RESOURCE_PROFILES, "resource", 1, IS_MESSAGE, RESOURCE},
	{RESOURCE_PROFILES, "scopeProfiles", 2, IS_MESSAGE, SCOPE_PROFILES},
	{RESOURCE, "attributes", 1, IS_MESSAGE, KEY_VALUE},
	{KEY_VALUE, "key", 1, IS_TEXT, 0},
	{KEY_VALUE, "value", 2, IS_MESSAGE, ANY_VALUE},
	{KEY_VALUE, "keyStrindex", 3, IS_NUMBER, 0},
	{ANY_VALUE, "stringValue", 1, IS_TEXT, 0},
	{ANY_VALUE, "boolValue", 2, IS_TRUTH, 0},
	{ANY_VALUE, "intValue", 3, IS_NUMBER, 0},
	{ANY_VALUE, "doubleValue", 4, IS_REAL, 0},
	{ANY_VALUE, "bytesValue", 7, IS_BYTES, 0},
	{ANY_VALUE, "stringValueStrindex", 8, IS_NUMBER, 0},
	{SCOPE_PROFILES, "scope", 1, IS_MESSAGE, SCOPE},
	{SCOPE_PROFILES, "profiles", 2, IS_MESSAGE, PROFILE},
	{SCOPE, "name", 1, IS_TEXT, 0},
	{PROFILE, "sampleType", 1, IS_MESSAGE, VALUE_TYPE},
	{PROFILE, "samples", 2, IS_MESSAGE, SAMPLE},
	{PROFILE, "timeUnixNano", 3, IS_FIXED64, 0},
	{PROFILE, "durationNano", 4, IS_NUMBER, 0},
	{PROFILE, "periodType", 5, IS_MESSAGE, VALUE_TYPE},
	{PROFILE, "period", 6, IS_NUMBER, 0},
	{PROFILE, "originalPayload", 10, IS_BYTES, 0},
	{VALUE_TYPE, "typeStrindex", 1, IS_NUMBER, 0},
	{VALUE_TYPE, "unitStrindex", 2, IS_NUMBER, 0},
	{SAMPLE, "stackIndex", 1, IS_NUMBER, 0},
	{SAMPLE, "attributeIndices", 2, IS_NUMBER, 0},
	{SAMPLE, "linkIndex", 3, IS_NUMBER, 0},
	{SAMPLE, "values", 4, IS_NUMBER, 0},
	{SAMPLE, "timestampsUnixNano", 5, IS_FIXED64, 0},
	{DICTIONARY, "mappingTable", 1, IS_MESSAGE, MAPPING},
	{DICTIONARY, "locationTable", 2, IS_MESSAGE, LOCATION},
	{DICTIONARY, "functionTable", 3, IS_MESSAGE, FUNCTION},
	{DICTIONARY, "stringTable", 5, IS_TEXT, 0},
	{DICTIONARY, "attributeTable", 6, IS_MESSAGE, ATTRIBUTE},
	{DICTIONARY, "stackTable", 7, IS_MESSAGE, STACK},
	{MAPPING, "memoryStart", 1, IS_NUMBER, 0},
	{MAPPING, "memoryLimit", 2, IS_NUMBER, 0},
	{MAPPING, "fileOffset", 3, IS_NUMBER, 0},
	{MAPPING, "filenameStrindex", 4, IS_NUMBER, 0},
	{MAPPING, "attributeIndices", 5, IS_NUMBER, 0},
	{LOCATION, "mappingIndex", 1, IS_NUMBER, 0},
	{LOCATION, "address", 2, IS_NUMBER, 0},
	{LOCATION, "lines", 3, IS_MESSAGE, LINE},
	{LOCATION, "line", 3, IS_MESSAGE, LINE},
	{LOCATION, "attributeIndices", 4, IS_NUMBER, 0},
	{LINE, "functionIndex", 1, IS_NUMBER, 0},
	{LINE, "line", 2, IS_NUMBER, 0},
	{FUNCTION, "nameStrindex", 1, IS_NUMBER, 0},
	{FUNCTION, "systemNameStrindex", 2, IS_NUMBER, 0},
	{FUNCTION, "filenameStrindex", 3, IS_NUMBER, 0},
	{FUNCTION, "startLine", 4, IS_NUMBER, 0},
	{ATTRIBUTE, "keyStrindex", 1, IS_NUMBER, 0},
	{ATTRIBUTE, "value", 2, IS_MESSAGE, ANY_VALUE},
	{ATTRIBUTE, "unitStrindex", 3, IS_NUMBER, 0},
	{STACK, "locationIndices", 1, IS_NUMBER, 0},
};

/* `resource_profiles` is `resourceProfiles`. */
static bool
is_name(const struct json_token *t, const char *camel)
{
	size_t i = 0;

	for (size_t k = 0; k < t->len; k++) {
		bool under = t->at[k] == '_' && k + 1 < t->len;
		char c = under ? t->at[k + 1] : t->at[k];
		if (under && c >= 'a' && c <= 'z')
			c = (char)(c - 'a' + 'A');
		k += under;
		if (camel[i] != c)
			return false;
		i++;
	}
	return !camel[i];
}

static const struct member *
member_of(enum message of, const struct json_token *key)
{
	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		if (members[i].of == of && is_name(key, members[i].name))
			return &members[i];
	return NULL;
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

struct reader {
	struct json j;
	struct buf text;
};

/* A number, or a string that is one; numbers beyond 2^63 are unsigned ones. */
static uint64_t
number_of(const struct json_token *t)
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
add_value(struct reader *r, const struct member *m, const struct json_token *t, struct buf *out)
{
	struct buf bytes = BUF_INIT;
	uint64_t bits;
	double real = 0;

	switch ((enum form)m->kind) {
	case IS_TEXT:
	case IS_BYTES:
		if (t->kind != JSON_STRING)
			break;
		buf_reset(&r->text);
		json_text(&r->j, t, &r->text);
		if (m->kind == IS_TEXT)
			add_bytes(out, m->number, &r->text);
		else
			add_base64(&bytes, buf_str(&r->text), r->text.len);
		if (m->kind == IS_BYTES)
			add_bytes(out, m->number, &bytes);
		break;
	case IS_FIXED64:
		add_varint(out, (uint64_t)m->number << 3 | PROTO_FIXED64);
		add_fixed64(out, number_of(t));
		break;
	case IS_REAL:
		if (t->len)
			decimal_double(t->at, t->len, &real);
		memcpy(&bits, &real, sizeof bits);
		add_varint(out, (uint64_t)m->number << 3 | PROTO_FIXED64);
		add_fixed64(out, bits);
		break;
	case IS_TRUTH:
	case IS_NUMBER:
		add_varint(out, (uint64_t)m->number << 3 | PROTO_VARINT);
		add_varint(out, t->kind == JSON_TRUE ? 1 : number_of(t));
		break;
	case IS_MESSAGE:
		break;
	}
	buf_release(&bytes);
}

static bool message_read(struct reader *r, enum message of, struct buf *out);

/* One value of a member, which *t begins.  A message that is cut is taken as far as it goes. */
static bool
value_read(struct reader *r, const struct member *m, const struct json_token *t, struct buf *out)
{
	struct buf inside = BUF_INIT;
	bool good;

	if (m->kind != IS_MESSAGE) {
		add_value(r, m, t, out);
		return json_skip(&r->j, t);
	}
	if (t->kind != JSON_OBJECT)
		return json_skip(&r->j, t);
	good = message_read(r, (enum message)m->message, &inside);
	add_bytes(out, m->number, &inside);
	buf_release(&inside);
	return good;
}

/* The members of an object whose '{' was read; messages nest as deep as the schema. */
static bool
message_read(struct reader *r, enum message of, struct buf *out)
{
	struct json_token t;
	bool good = true;

	while (good && json_next(&r->j, &t) && t.kind == JSON_KEY) {
		const struct member *m = member_of(of, &t);
		if (!json_next(&r->j, &t))
			return false;
		if (!m) {
			good = json_skip(&r->j, &t);
		} else if (t.kind == JSON_ARRAY) {
			while (good && json_next(&r->j, &t) && t.kind != JSON_ARRAY_END)
				good = value_read(r, m, &t, out);
		} else if (t.kind != JSON_NULL) {
			good = value_read(r, m, &t, out);
		}
	}
	return good && !r->j.failed;
}

bool
otlp_of_json(struct input *in, struct buf *out, struct builder *b, struct err *e)
{
	struct reader r = {.text = BUF_INIT};
	struct json_token t;
	bool good;

	json_init(&r.j, in);
	if (!json_next(&r.j, &t) || t.kind != JSON_OBJECT)
		return r.j.failed ? json_damage(&r.j, r.j.where, e)
				  : err_refuse(e, "no profile: it is no object");
	good = message_read(&r, DATA, out);
	json_say(&r.j, b);
	buf_release(&r.text);
	return good || json_damage(&r.j, r.j.where, e);
}
