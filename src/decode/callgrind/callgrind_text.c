#include "src/decode/callgrind/callgrind_text.h"

#include <string.h>
#include <strings.h>

#include "model/base/buf.h"
#include "src/decode/common/words.h"
#include "src/decode/pprof/pprof_types.h"

/* Numbers of a callgrind file, and the probe. */

/* Parses a number that may be relative to the previous one: `+3`, `*`, and with `minus` also
 * `-3`. */
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

/* ---- events ---- */

/* The notations of units: after the name, or in the title of the event. */
static const struct {
	const char *text;
	enum unit unit;
	int64_t scale;
} suffixes[] = {
	{"_(10ns)", UNIT_NS, 10},      {"_(ns)", UNIT_NS, 1},   {"_(us)", UNIT_NS, 1000},
	{"_(ms)", UNIT_NS, 1000000},   {"_(bytes)", UNIT_BYTES, 1},
}, titles[] = {
	{"nanoseconds", UNIT_NS, 1},        {"microseconds", UNIT_NS, 1000},
	{"milliseconds", UNIT_NS, 1000000}, {"seconds", UNIT_NS, 1000000000},
	{"bytes", UNIT_BYTES, 1},
};

void
callgrind_event(struct builder *b, struct callgrind_events *events, const char *at, const char *end)
{
	const char *stop = word_end(at, end), *colon = memchr(stop, ':', (size_t)(end - stop));

	for (size_t i = 0; colon && i < sizeof titles / sizeof *titles; i++) {
		size_t n = strlen(titles[i].text);
		if ((size_t)(end - colon) <= n || strncasecmp(end - n, titles[i].text, n) != 0)
			continue;
		*vec_push(&events->unit) =
			(struct callgrind_unit){builder_name(b, at, (size_t)(stop - at)),
						titles[i].unit, titles[i].scale};
		return;
	}
}

/* yappi's Ticks are microseconds, and so are the wall_time, process_time, ... of ruby-prof and
 * JRuby, and what pprofile names so.  lsprofcalltree's Ticks, in files without a creator, are not
 * always the same. */
static bool
is_microseconds(const struct callgrind_events *events, const char *at, size_t len)
{
	return (events->has_creator && is_key(at, len, "Ticks")) ||
	       is_key(at, len, "microseconds") ||
	       (len > 5 && !memcmp(at + len - 5, "_time", 5));
}

/* Returns the unit of the events that pprof writes, "cpu(ms)"; nothing if there is none. */
static struct name
unit_in_brackets(const char *at, size_t len)
{
	const char *open = memchr(at, '(', len);

	if (!open || open == at || at[len - 1] != ')')
		return (struct name){0};
	return (struct name){.at = open + 1, .len = (uint32_t)(at + len - open) - 2};
}

metric_id
callgrind_metric(struct builder *b, const struct callgrind_events *events, const char *at,
		 size_t len, int64_t *scale)
{
	struct buf name = BUF_INIT;
	enum unit unit = UNIT_COUNT;

	*scale = 1;
	if (is_microseconds(events, at, len)) {
		unit = UNIT_NS;
		*scale = 1000;
	}
	for (size_t i = 0; i < events->unit.n; i++)
		if (events->unit.at[i].event == builder_name(b, at, len)) {
			unit = events->unit.at[i].unit;
			*scale = events->unit.at[i].scale;
		}
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		size_t n = strlen(suffixes[i].text);
		if (len > n && !memcmp(at + len - n, suffixes[i].text, n)) {
			unit = suffixes[i].unit;
			*scale = suffixes[i].scale;
			len -= n;
			break;
		}
	}
	struct name brackets = unit_in_brackets(at, len);
	enum unit known;
	int64_t factor;
	if (brackets.len && pprof_unit(brackets, &known, &factor)) {
		unit = known;
		*scale = factor;
		len -= brackets.len + 2;
	}
	buf_add(&name, at, len);
	metric_id m = builder_metric(b, buf_str(&name), unit, ROLE_VALUE);
	buf_release(&name);
	return m;
}

/* ---- recognition ---- */

static const char *const headers[] = {"version", "creator", "pid",    "cmd",     "part",   "desc",
				      "event",   "events",  "thread", "positions", "summary",
				      "totals"};

bool
callgrind_is_header(const char *key, size_t len)
{
	for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
		if (is_key(key, len, headers[i]))
			return true;
	return false;
}

bool
callgrind_is_run(const char *at, size_t len)
{
	static const char run[] = "==== NEW PROFILING FILE ====";

	return len >= sizeof run - 1 && !memcmp(at, run, sizeof run - 1);
}

/* Certain by its first line; otherwise by a header that names events and is followed by a body, or
 * by their sums if nothing was recorded. */
int
callgrind_probe(struct head head)
{
	static const char magic[] = "# callgrind format";
	static const char *const body[] = {"fn=", "fl=", "fi=", "ob="};
	const char *at = (const char *)head.at, *end = at + head.len;
	bool events = false, sums = false;

	if (head.len >= sizeof magic - 1 && !memcmp(at, magic, sizeof magic - 1))
		return 100;
	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t len = stop ? (size_t)(stop - at) : (size_t)(end - at);
		const char *colon = memchr(at, ':', len);
		bool header = colon && callgrind_is_header(at, (size_t)(colon - at));
		for (size_t i = 0; events && i < sizeof body / sizeof *body; i++)
			if (len >= 3 && !memcmp(at, body[i], 3))
				return 90;
		sums |= events && callgrind_ends(at, len);
		events |= header && is_key(at, (size_t)(colon - at), "events");
		if (len && at[0] != '#' && at[0] != '\r' && !header && !callgrind_is_run(at, len))
			return 0;
		at = stop ? stop + 1 : end;
	}
	return sums ? 90 : 0;
}

bool
callgrind_ends(const char *at, size_t len)
{
	return len > 8 && (!memcmp(at, "totals:", 7) || !memcmp(at, "summary:", 8));
}

enum last_line
callgrind_last_line(const char *at, const char *end, unsigned all)
{
	unsigned words = 0;
	enum last_line number = last_line_number(at, end);

	if (callgrind_ends(at, (size_t)(end - at)))
		return number;
	for (const char *p = at; (p = skip_blanks(p, end)) < end; p = word_end(p, end))
		words++;
	return number == LAST_CLOSED || *at == '#' ? LAST_CLOSED
	       : words == all && (is_digit(*at) || strchr("*+-", *at)) ? number : LAST_OPEN;
}
