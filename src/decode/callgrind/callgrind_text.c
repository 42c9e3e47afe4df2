#include "src/decode/callgrind/callgrind_text.h"

#include <stdlib.h>
#include <string.h>

#include "model/buf.h"
#include "model/chars.h"
#include "src/input/lines.h"

/* The words of a line, how a file is recognised, and its lines as they are. */

const char *
skip_blanks(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at;
}

const char *
word_end(const char *at, const char *end)
{
	while (at < end && !is_blank(*at))
		at++;
	return at;
}

/* [+-]digits or 0xhex, without more. */
bool
number_parse(const char *at, const char *end, int64_t *out)
{
	bool negative = at < end && *at == '-';
	uint64_t v = 0, most = (uint64_t)INT64_MAX + negative;
	unsigned base = 10;

	at += at < end && (*at == '-' || *at == '+');
	if (end - at > 2 && at[0] == '0' && (at[1] | 32) == 'x') {
		base = 16;
		at += 2;
	}
	if (at == end)
		return false;
	for (; at < end; at++) {
		unsigned digit = (unsigned char)*at - '0';
		if (digit > 9)
			digit = base == 16 ? ((unsigned char)*at | 32u) - 'a' + 10 : base;
		if (digit >= base || v > (most - digit) / base)
			return false;
		v = v * base + digit;
	}
	*out = negative ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

/* A number that may be relative to the one before: `+3`, `*`, and where `minus` says so `-3`. */
bool
relative_parse(const char *at, const char *end, bool minus, int64_t *value)
{
	int64_t v;

	if (end - at == 1 && *at == '*')
		return true;
	if (!number_parse(at, end, &v))
		return false;
	if (*at == '+' || (minus && *at == '-'))
		return !__builtin_add_overflow(*value, v, value);
	*value = v;
	return true;
}

bool
is_key(const char *key, size_t len, const char *name)
{
	return strlen(name) == len && !memcmp(key, name, len);
}

/* ---- probe and dump ---- */

/* Certain by its first line; else by a header that names events, and a body behind it. */
int
callgrind_probe(struct head head)
{
	static const char magic[] = "# callgrind format";
	static const char *const known[] = {"version:", "creator:", "pid:", "cmd:", "part:",
					    "desc:", "positions:", "event:", "summary:", "thread:"};
	const char *at = (const char *)head.at, *end = at + head.len;
	bool events = false;

	if (head.len >= sizeof magic - 1 && !memcmp(at, magic, sizeof magic - 1))
		return 100;
	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t len = stop ? (size_t)(stop - at) : (size_t)(end - at);
		bool header = false;
		for (size_t i = 0; i < sizeof known / sizeof *known; i++)
			header |= len >= strlen(known[i]) && !memcmp(at, known[i], strlen(known[i]));
		if (events && len >= 3 && (!memcmp(at, "fn=", 3) || !memcmp(at, "fl=", 3) || !memcmp(at, "ob=", 3)))
			return 90;
		if (len >= 7 && !memcmp(at, "events:", 7))
			events = header = true;
		if (len && at[0] != '#' && at[0] != '\r' && !header)
			return 0;
		at = stop ? stop + 1 : end;
	}
	return 0;
}

bool
callgrind_dump(struct input *in, struct dump *d, struct err *e)
{
	struct buf text = BUF_INIT;
	struct text_line line;
	struct lines lines;
	bool good = true;

	(void)e;
	lines_init(&lines, in);
	while (good && lines_next(&lines, &line))
		good = dump_record(d, line.offset, "line %s",
				   dump_bytes(d, &text, line.at, line.len));
	buf_release(&text);
	return good;
}
