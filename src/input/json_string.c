#include "src/input/json.h"

#include <string.h>

#include "model/base/chars.h"

/* Decodes the escapes of strings to UTF-8. Most strings have none and are copied. Also the texts of
 * faults. */

/* Returns the code unit of \uXXXX at `at`; -1 if it is malformed. */
static int32_t
unit_at(const char *at, const char *end)
{
	uint64_t unit;

	if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
		return -1;
	return hex_digits(at + 2, at + 6, &unit) == at + 6 ? (int32_t)unit : -1;
}

/* Decodes the escape at `at`; returns its end. */
static const char *
add_escape(struct json *j, const char *at, const char *end, struct buf *out)
{
	static const char letters[] = "bfnrt", bytes[] = "\b\f\n\r\t";
	int32_t unit = unit_at(at, end), low;
	const char *letter;

	if (unit < 0) {
		letter = memchr(letters, at[1], sizeof letters - 1);
		buf_addc(out, letter ? bytes[letter - letters] : at[1]);
		return at + 2;
	}
	if (unit < 0xD800 || unit > 0xDFFF) {
		buf_add_utf8(out, (uint32_t)unit);
		return at + 6;
	}
	low = unit < 0xDC00 ? unit_at(at + 6, end) : -1;
	if (low >= 0xDC00 && low <= 0xDFFF) {
		buf_add_utf8(out, 0x10000 + ((uint32_t)(unit - 0xD800) << 10) +
					  (uint32_t)(low - 0xDC00));
		return at + 12;
	}
	j->halves++;
	buf_add_utf8(out, 0xFFFD);
	return at + 6;
}

void
json_text(struct json *j, const struct json_token *t, struct buf *out)
{
	const char *at = t->at, *end = t->at + t->len;

	if (!t->escaped) {
		buf_add(out, t->at, t->len);
		return;
	}
	while (at < end) {
		const char *slash = memchr(at, '\\', (size_t)(end - at));
		size_t n = slash ? (size_t)(slash - at) : (size_t)(end - at);
		buf_add(out, at, n);
		at += n;
		if (slash)
			at = add_escape(j, at, end, out);
	}
}

bool
json_is_escaped(const struct json_token *t, const char *text)
{
	struct json none = {0};
	struct buf out = BUF_INIT;

	json_text(&none, t, &out);
	bool same = out.len == strlen(text) && !memcmp(buf_str(&out), text, out.len);
	buf_release(&out);
	return same;
}

bool
json_damage(const struct json *j, uint64_t element, struct err *e)
{
	if (j->source)
		return err_damage(e, element, "%s", j->why);
	return err_damage(e, element, "JSON: at byte %llu: %s", (unsigned long long)j->where,
			  j->why);
}
