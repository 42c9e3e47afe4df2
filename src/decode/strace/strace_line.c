/* The head of a line of strace. Each of its columns belongs to an option:
 *
 *	40<sh> 1795303320.785980 (+     0.000011) [  59] [00007f06f46c4ad7] execve(...
 *	pid    time              since the line   number instruction        the rest
 *	  comm                   before
 *	-f -Y  -t -tt -ttt       -r               -n     -i
 *
 * On a terminal the process is `[pid    40<sh>]`. --secontext prints a security context in brackets
 * before the time. All widths vary. A number without a point is a time after the process, if no
 * process has so large a number, or in the six columns of -r. */
#include "src/decode/strace/strace_inside.h"

#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/words.h"
#include "src/input/decimal.h"

#define PID_MAX (INT64_C(1) << 22)
#define STEP_COLUMNS 6 /* of -r without a fraction: 999 s at most, or it is a process */
#define STEP_MAX 999

#define SECOND_NS INT64_C(1000000000)

/* `HH:MM:SS[.fraction]`, with leap seconds */
static bool
day_time(const char *at, const char *end, int64_t *ns)
{
	int64_t h, m, s;

	if (end - at < 8 || at[2] != ':' || at[5] != ':' ||
	    !number_parse(at, at + 2, &h) || !number_parse(at + 3, at + 5, &m) ||
	    !decimal_scaled(at + 6, (size_t)(end - at) - 6, 9, &s) || s < 0 || h < 0 ||
	    m < 0 || h > 24 || m > 59 || s >= 61 * SECOND_NS)
		return false;
	*ns = (h * 3600 + m * 60) * SECOND_NS + s;
	return true;
}

/* `40` or `40<sh>`; strace escapes a `>` in the name. */
static const char *
pid_parse(struct strace_line *l, const char *at, const char *end)
{
	const char *digits = digits_end(at, end), *close;

	if (!number_parse(at, digits, &l->pid))
		return NULL;
	if (digits == end || *digits != '<')
		return digits;
	close = memchr(digits, '>', (size_t)(end - digits));
	if (!close)
		return NULL;
	l->comm = digits + 1;
	l->comm_len = (size_t)(close - l->comm);
	return close + 1;
}

/* Skips `[00007f06f46c4ad7] `, `[  59] `, `[????] ` and security contexts. */
static const char *
skip_brackets(const char *at, const char *end)
{
	const char *close, *c;

	while (at < end && *at == '[' &&
	       (close = memchr(at, ']', (size_t)(end - at))) != NULL) {
		bool context = memchr(at, ':', (size_t)(close - at)) != NULL;

		for (c = at + 1; c < close; c++)
			if (!context && hex_digit(*c) == 16 && *c != ' ' && *c != '?')
				return at;
		at = skip_blanks(close + 1, end);
	}
	return at;
}

static const char *
time_parse(struct strace_line *l, const char *at, const char *end)
{
	const char *stop = word_end(at, end);
	size_t len = (size_t)(stop - at);
	int64_t number;

	if (at == end || !is_digit(*at))
		return at;
	if (day_time(at, stop, &l->time_ns)) {
		l->clock = CLOCK_DAY;
		l->whole = len == 8;
	} else if (memchr(at, '.', len) || number_parse(at, stop, &number)) {
		if (!decimal_scaled(at, len, 9, &l->time_ns))
			return at;
		l->clock = l->time_ns < INT64_C(100000000) * 1000000000 ? CLOCK_STEP
									: CLOCK_EPOCH;
		l->whole = !memchr(at, '.', len);
	} else {
		return at;
	}
	l->has_time = true;
	return skip_blanks(stop, end);
}

void
strace_line_parse(struct strace_line *l, const char *at, const char *end)
{
	const char *from = at, *stop, *close;

	*l = (struct strace_line){0};
	at = skip_blanks(at, end);
	bool step = at > from && word_end(at, end) - from == STEP_COLUMNS;
	if (begins_with(at, end, "[pid ")) {
		stop = pid_parse(l, skip_blanks(at + 5, end), end);
		if (stop && stop < end && *stop == ']') {
			l->has_pid = true;
			at = skip_blanks(stop + 1, end);
		}
	} else if ((stop = pid_parse(l, at, end)) != NULL && stop < end &&
		   is_blank(*stop)) {
		from = skip_blanks(stop, end);
		l->has_pid = l->pid > 0 && l->pid <= PID_MAX &&
			     (!step || l->pid > STEP_MAX || is_digit(*from));
		at = l->has_pid ? from : at;
	}
	at = time_parse(l, skip_brackets(at, end), end);
	if (begins_with(at, end, "(+")) { /* -r beside another clock */
		close = memchr(at, ')', (size_t)(end - at));
		at = close ? skip_blanks(close + 1, end) : at;
	}
	l->rest = skip_brackets(at, end);
}

const char *
strace_call_name(const char *at, const char *end)
{
	const char *c = at;

	while (c < end && (is_digit(*c) || *c == '_' || (unsigned)((*c | 32) - 'a') < 26))
		c++;
	return c > at && !is_digit(*at) && c < end && *c == '(' ? c : NULL;
}

bool
strace_is_unfinished(const char *at, const char *end)
{
	const char *mark = text_find_last(at, end, "<unfinished ...>");
	struct name line = {at, (uint32_t)(end - at)};

	if (name_ends(line, "<detached ...>") || name_ends(line, " detached"))
		return true;
	if (!mark)
		return false;
	mark += strlen("<unfinished ...>");
	mark = skip_blanks(mark < end && *mark == ')' ? mark + 1 : mark, end);
	return mark == end || (begins_with(mark, end, "= ?") &&
			       !memchr(mark, '"', (size_t)(end - mark)));
}

enum last_line
strace_last_line(const struct strace *s, const char *at, const char *end)
{
	struct name line = {at, (uint32_t)(end - at)};
	const char *equals = text_find_last(at, end, " = "), *took = end;

	if (s->table.columns)
		return name_ends(line, " total") ? LAST_CLOSED : last_line_open(at, end);
	if (name_ends(line, " +++") || name_ends(line, " ---") || name_ends(line, " ...>") ||
	    name_ends(line, " detached"))
		return LAST_CLOSED;
	if (begins_with(skip_blanks(at, end), end, "> ")) /* a caller (-k) */
		return last_line_closed(at, end, "]");
	if (!equals || (equals += 3) == end)
		return last_line_open(at, end);
	if (is_blank(end[-1]))
		return LAST_OPEN;
	if (!s->any_length && !text_find(equals, end, " <"))
		return last_line_closed(at, end, ")>?") == LAST_CLOSED ? LAST_CLOSED
								      : last_line_number(at, end);
	while (took > equals && took[-1] != '<')
		took--;
	return took > equals && end[-1] == '>' && is_digit(*took) ? LAST_CLOSED : LAST_OPEN;
}
