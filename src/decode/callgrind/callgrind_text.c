#include "src/decode/callgrind/callgrind_text.h"

#include <stdlib.h>
#include <string.h>

#include "src/decode/common/words.h"

/* Numbers of a callgrind file, and how one is recognised. */

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
