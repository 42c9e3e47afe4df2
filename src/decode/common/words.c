#include "src/decode/common/words.h"

#include "model/base/buf.h"
#include "model/base/chars.h"
#include "src/input/lines.h"

/* For numbers below this one, one more digit cannot exceed 2^63. */
#define MANY (UINT64_C(1) << 58)

/* Parses [+-]digits or 0xhex, and nothing else. */
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
		if (digit >= base || (v >= MANY && v > (most - digit) / base))
			return false;
		v = v * base + digit;
	}
	*out = negative ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

unsigned
cells_split(const char *at, const char *end, char separator, struct text_cell *out, unsigned max)
{
	unsigned n = 0;

	while (n < max) {
		const char *next = at < end ? memchr(at, separator, (size_t)(end - at)) : NULL;
		out[n++] = (struct text_cell){at, next ? next : end};
		if (!next)
			break;
		at = next + 1;
	}
	return n;
}

bool
head_line(struct head head, const char **next, const char **at, const char **end)
{
	const char *stop = (const char *)head.at + head.len, *nl;

	if (!*next)
		*next = (const char *)head.at;
	if (*next == stop)
		return false;
	nl = memchr(*next, '\n', (size_t)(stop - *next));
	*at = *next;
	*end = nl ? nl : stop;
	*next = nl ? nl + 1 : stop;
	if (*end > *at && (*end)[-1] == '\r')
		--*end;
	return true;
}

bool
head_line_filled(struct head head, const char **next, const char **at, const char **end)
{
	while (head_line(head, next, at, end))
		if (skip_blanks(*at, *end) < *end)
			return true;
	return false;
}

bool
lines_dump(struct input *in, struct dump *d, struct err *e UNUSED)
{
	struct buf text = BUF_INIT;
	struct text_line line;
	struct lines lines;
	bool good = true;

	lines_init(&lines, in);
	while (good && lines_next(&lines, &line))
		good = dump_record(d, line.offset, "line %s",
				   dump_bytes(d, &text, line.at, line.len));
	buf_release(&text);
	return good;
}

bool
go_is_runtime(const char *name, size_t len, const char *file, size_t file_len)
{
	return begins_with(name, name + len, "runtime.") &&
	       text_find(file, file + file_len, "/runtime/");
}
