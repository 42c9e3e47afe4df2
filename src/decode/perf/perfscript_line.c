/* Lines of `perf script`, whose fields the user chooses with -F.
 *
 *	comm  pid/tid [cpu] misc  time:  period event: text   address symbol+0x1 (module)
 *
 * Every field may be missing, comm may contain blanks and colons, nothing is quoted.  Reading
 * from the left fails at comm.  So a header is read from its anchors outwards:
 *	the time, digits.6-to-9-digits with a colon: nothing else looks like that; with
 *	fewer decimals, as old simpleperf prints them, after a cpu or a thread;
 *	where no time is printed, the event: a word that ends in a colon, after a number;
 *	where there is neither, an address: perf sets it right-aligned into 16 columns.
 * Left of the anchor the line is read from the right: cpu, tid, and the remainder is comm.
 * Right of it are period and event, then the text of the event, and in the one-line form (no
 * call chains) the frame.
 *
 * A single number before an event is a tid or a period.  perf prints these in 5 to 7 and in 10
 * columns, so the width distinguishes them.
 *
 * Rejected: finding the columns from the first lines (two events need not print the same
 * fields), regular expressions (a tenth of the speed, and the same ambiguities). */
#include "src/decode/perf/perfscript_line.h"

#include <string.h>

#include "model/base/chars.h"

#define NS_PER_S 1000000000

#define ADDRESS_COLUMNS 16
#define PERIOD_COLUMNS 10
#define NS_DIGITS 9
#define BRACKETS_MAX 32u /* that a symbol has before its module */
#define EVENT_MAX 256 /* longer words are no names of events */

/* Removes the first word of *s and returns it. */
static struct text_slice
perfscript_line_take_word(struct text_slice *s)
{
	struct text_slice from = slice_lead(*s), w = slice_word(from);
	*s = slice_skip(from, w.len);
	return w;
}

/* Removes the last word of *s and returns it; *columns includes its blanks. */
static struct text_slice
take_last_word(struct text_slice *s, size_t *columns)
{
	*s = slice_bare(*s);
	size_t end = s->len;
	while (s->len && !is_blank(s->at[s->len - 1]))
		s->len--;
	struct text_slice w = slice_of(s->at + s->len, end - s->len);
	*s = slice_bare(*s);
	*columns = end - s->len;
	return w;
}

static bool
all_digits(struct text_slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!is_digit(s.at[i]))
			return false;
	return s.len > 0;
}

static bool
to_number(struct text_slice s, int64_t *out)
{
	*out = 0;
	for (size_t i = 0; i < s.len; i++)
		if (__builtin_mul_overflow(*out, 10, out) ||
		    __builtin_add_overflow(*out, s.at[i] - '0', out))
			return false;
	return true;
}

/* ---- the header ---- */

/* Parses "pid/tid" or "tid"; both numbers may be negative. Returns false if it is neither, else
 * *tid is the thread's. */
static bool
is_tid(struct text_slice w, struct text_slice *tid)
{
	const char *bar = memchr(w.at, '/', w.len);
	struct text_slice pid = bar ? slice_of(w.at, (size_t)(bar - w.at)) : w;
	*tid = bar ? slice_of(bar + 1, w.len - pid.len - 1) : w;
	if (pid.len && *pid.at == '-')
		pid = slice_of(pid.at + 1, pid.len - 1);
	struct text_slice digits = *tid;
	if (digits.len && *digits.at == '-')
		digits = slice_of(digits.at + 1, digits.len - 1);
	return all_digits(pid) && all_digits(digits);
}

static bool
is_cpu(struct text_slice w)
{
	return w.len > 2 && w.at[0] == '[' && w.at[w.len - 1] == ']' &&
	       all_digits(slice_of(w.at + 1, w.len - 2));
}

/* Returns true for the field `misc`: one letter for each of user, kernel, guest ... */
static bool
is_misc(struct text_slice w)
{
	for (size_t i = 0; i < w.len; i++)
		if (!memchr("UKMGHEDSFTtP", w.at[i], 12))
			return false;
	return w.len > 0 && w.len <= 4;
}

/* Parses comm, tid, cpu and misc, left of the anchor. */
static void
parse_left(struct text_slice left, struct perf_sample *s)
{
	size_t columns;
	struct text_slice rest = left;
	struct text_slice w = take_last_word(&rest, &columns);
	if (is_misc(w)) {
		struct text_slice before = rest;
		struct text_slice tid, v = take_last_word(&before, &columns);
		if (is_cpu(v) || is_tid(v, &tid)) {
			left = rest;
			w = take_last_word(&rest, &columns);
		}
	}
	if (is_cpu(w)) {
		if (!to_number(slice_of(w.at + 1, w.len - 2), &s->cpu))
			s->cpu = -1;
		left = rest;
		w = take_last_word(&rest, &columns);
	}
	if (is_tid(w, &s->tid)) {
		if (s->tid.at > w.at)
			s->pid = slice_of(w.at, (size_t)(s->tid.at - w.at) - 1);
		left = rest;
	} else {
		s->tid = slice_of(w.at, 0);
	}
	left = slice_trim(left);
	s->comm = left;
}

/* Returns true if a text contains a branch, `FROM/TO/P/-/-/4` (perf script -F +brstack): predicted
 * or not, in a transaction or not, aborted or not, cycles. */
static bool
has_branch(struct text_slice s)
{
	const char *at = s.at, *end = s.at + s.len;

	for (; (at = memchr(at, '/', (size_t)(end - at))) && end - at > 7; at++)
		if (memchr("PMN-", at[1], 4) && at[2] == '/' && memchr("X-", at[3], 2) &&
		    at[4] == '/' && memchr("A-", at[5], 2) && at[6] == '/')
			return true;
	return false;
}

/* Returns true for what perf script prints after the frame of a sample without a chain: numbers,
 * such as an address of data, or branches. */
static bool
is_no_frame(struct text_slice s)
{
	struct text_slice w, rest = s;

	while ((w = perfscript_line_take_word(&rest)).len)
		for (size_t i = 0; i < w.len; i++)
			if (hex_digit(w.at[i]) >= 16 && !(w.at[i] == 'x' && i == 1))
				return has_branch(s);
	return true;
}

/* Ends a frame after its module if other columns follow. Returns false if none do. */
static bool
cut_columns(struct text_slice *frame)
{
	struct text_slice all = slice_bare(*frame);
	const char *at = all.at, *end = all.at + all.len;

	if (!all.len || end[-1] == ')')
		return false;
	for (unsigned n = 0; n < BRACKETS_MAX && (at = memchr(at, ')', (size_t)(end - at))) &&
			     end - at > 1;
	     at++, n++) {
		struct text_slice rest = slice_of(at + 1, (size_t)(end - at) - 1);
		struct text_slice before = slice_of(all.at, (size_t)(at - all.at) + 1);
		if (perf_symbol(before).module.len &&
		    (is_blank(*rest.at) ? is_no_frame(rest) : has_branch(rest))) {
			*frame = before;
			return true;
		}
	}
	return false;
}

/* Finds an address and the text after it in the text of an event. */
static void
find_frame(struct text_slice text, struct perf_sample *s)
{
	struct text_slice rest = text, address, behind;
	s->frame = slice_of(text.at, 0);
	while (rest.len) {
		const char *before = rest.at;
		struct text_slice w = perfscript_line_take_word(&rest);
		size_t columns = (size_t)(w.at - before) + w.len;
		struct text_slice from_here = slice_of(w.at, w.len + rest.len);
		/* if the blanks were squeezed, only the first word counts, ... */
		if ((columns <= ADDRESS_COLUMNS && before != text.at) ||
		    !perf_address(from_here.at, from_here.len, &address, &behind))
			continue;
		if (cut_columns(&from_here))
			perf_address(from_here.at, from_here.len, &address, &behind);
		struct text_slice next = behind;
		if (has_branch(perfscript_line_take_word(&next))) { /* without a symbol */
			s->frame = address;
			break;
		}
		/* ... and the text must look like a symbol */
		if (columns > ADDRESS_COLUMNS || perf_symbol(behind).module.len) {
			s->frame = from_here;
			break;
		}
	}
	/* "from => to": a branch counts at its origin, if that is known. */
	const char *arrow =
		s->frame.len ? memmem(s->frame.at, s->frame.len, " => ", 4) : NULL;
	if (!arrow)
		return;
	s->branch = true;
	struct text_slice to =
		slice_of(arrow + 4, s->frame.len - (size_t)(arrow + 4 - s->frame.at));
	to = slice_lead(to);
	s->frame.len = (size_t)(arrow - s->frame.at);
	if (address.len == 1 && *address.at == '0' &&
	    perf_address(to.at, to.len, &address, &behind))
		s->frame = to;
}

/* Parses period, event and text, right of the time. */
static void
parse_right(struct text_slice right, struct perf_sample *s)
{
	struct text_slice rest = right;
	struct text_slice w = perfscript_line_take_word(&rest), number = slice_of(w.at, 0);
	if (all_digits(w)) {
		number = w;
		w = perfscript_line_take_word(&rest);
	}
	if (w.len > 1 && w.len <= EVENT_MAX && w.at[w.len - 1] == ':') {
		s->event = slice_of(w.at, w.len - 1);
		if (number.len) {
			s->has_period = true;
			s->huge |= !to_number(number, &s->period);
		}
		right = rest;
		s->text = rest;
	} else if (number.len && !w.len) {
		s->has_period = true;
		s->huge |= !to_number(number, &s->period);
		right = rest;
	}
	find_frame(right, s);
}

/* Returns true if a cpu or the number of a thread is the last word. */
static bool
ends_in_place(struct text_slice left)
{
	size_t ignored;
	struct text_slice word = take_last_word(&left, &ignored), tid;

	return is_cpu(word) || is_tid(word, &tid);
}

/* Finds "1251.738066:" and sets the time; returns false if there is none. */
static bool
find_time(struct text_slice line, struct perf_sample *s, struct text_slice *left,
	  struct text_slice *right)
{
	const char *end = line.at + line.len;
	for (const char *colon = line.at;
	     (colon = memchr(colon, ':', (size_t)(end - colon))); colon++) {
		if (colon + 1 < end && !is_blank(colon[1]))
			continue;
		const char *point = colon;
		while (point > line.at && is_digit(point[-1]))
			point--;
		size_t digits = (size_t)(colon - point);
		if (!digits || digits > NS_DIGITS || point == line.at ||
		    *--point != '.')
			continue;
		const char *start = point;
		while (start > line.at && is_digit(start[-1]))
			start--;
		if (start == point || (start > line.at && !is_blank(start[-1])))
			continue;
		if (digits < 6 && !ends_in_place(slice_of(line.at, (size_t)(start - line.at))))
			continue;
		int64_t fraction, scale = 1;
		for (size_t i = digits; i < NS_DIGITS; i++)
			scale *= 10;
		to_number(slice_of(point + 1, digits), &fraction);
		s->huge |=
			!to_number(slice_of(start, (size_t)(point - start)), &s->time_ns) ||
			__builtin_mul_overflow(s->time_ns, NS_PER_S, &s->time_ns) ||
			__builtin_add_overflow(s->time_ns, fraction * scale, &s->time_ns);
		s->has_time = true;
		*left = slice_of(line.at, (size_t)(start - line.at));
		*right = slice_of(colon + 1, (size_t)(end - colon - 1));
		return true;
	}
	return false;
}

/* Parses a line without a time: finds a word that ends in a colon, after a number or cpu. */
static bool
parse_by_event(struct text_slice line, struct perf_sample *s)
{
	struct text_slice rest = line, before = slice_of(line.at, 0);
	bool first = true;
	while (rest.len) {
		struct text_slice w = perfscript_line_take_word(&rest), tid;
		bool anchored = first || is_cpu(before) || is_tid(before, &tid);
		if (w.len > 1 && w.len <= EVENT_MAX && w.at[w.len - 1] == ':' &&
		    anchored) {
			struct text_slice left = slice_of(line.at, (size_t)(w.at - line.at)),
						back;
			size_t columns, ignored;
			struct text_slice number = take_last_word(&left, &columns);
			back = left;
			struct text_slice second = take_last_word(&back, &ignored);
			bool period = all_digits(number) &&
				      (is_cpu(second) || columns > PERIOD_COLUMNS ||
				       is_tid(second, &tid));
			/* "comm 12 cycles:" is a tid, "comm 5 12 cycles:" has both. */
			if (!period)
				left = slice_of(line.at, (size_t)(w.at - line.at));
			parse_left(left, s);
			parse_right(slice_of(period ? number.at : w.at,
					  (size_t)(rest.at + rest.len -
						   (period ? number.at : w.at))),
				    s);
			/* "Warning: ..." also begins with such a word. */
			return !first || s->frame.len || !slice_lead(rest).len;
		}
		first = false;
		before = w;
	}
	return false;
}

/* Parses a line with neither time nor event: "comm tid", "comm tid  address symbol", "address
 * symbol". */
static bool
parse_bare(struct text_slice line, struct perf_sample *s)
{
	find_frame(line, s);
	struct text_slice left = line;
	if (s->frame.len)
		left.len = (size_t)(s->frame.at - line.at);
	parse_left(left, s);
	if (s->frame.len)
		return true;
	/* perf ends each field with a blank; prose does not. */
	return line.len && is_blank(line.at[line.len - 1]) && (s->tid.len || s->comm.len);
}

/* ---- kinds of lines ---- */

/* Returns true for a line of the code between branches (perf script -F +brstackinsn):
 * `<TAB>main+16:`, `<TAB>0000000000401136<TAB>insn: 55`, `<TAB>... not reaching sample ...`. */
static bool
is_instruction(struct text_slice line)
{
	size_t digit = line.len - 1;

	if (line.len < 5 || line.at[0] != '\t')
		return false;
	if (line.at[line.len - 1] == ':') {
		while (digit && is_digit(line.at[digit - 1]))
			digit--;
		return digit < line.len - 1 && line.at[digit - 1] == '+';
	}
	return !memcmp(line.at + 1, "... ", 4) ||
	       (line.len > 12 && !memcmp(line.at + 1, "mismatch of", 11)) ||
	       (line.len > 17 && line.at[17] == '\t' && line.at[1] != ' ');
}

/* Returns true for a frame of a text without its indents: `ffffffff8103d0ca
 * native_write_msr_safe ([k])`. */
static bool
is_flush_frame(struct text_slice line)
{
	struct text_slice address, behind;
	size_t digits = 0;

	line = slice_bare(line);
	if (!perf_address(line.at, line.len, &address, &behind) || address.len < 6 ||
	    !behind.len || behind.at[behind.len - 1] != ')')
		return false;
	for (size_t i = 0; i < address.len; i++)
		digits += is_digit(address.at[i]);
	return digits > 0;
}

enum perf_kind
perf_line(const char *at, size_t len, bool open, bool framed, bool one_line,
	  struct perf_sample *sample)
{
	struct text_slice line = slice_of(at, len), left, right, address, behind;
	if (!len)
		return PERF_BLANK;
	if (at[0] == '#')
		return PERF_COMMENT;
	if (at[0] == '\t' && perf_address(at, len, &address, &behind))
		return is_instruction(line) ? PERF_FIELD : PERF_FRAME;
	*sample = (struct perf_sample){.pid = {at, 0},
				       .comm = {at, 0},
				       .tid = {at, 0},
				       .event = {at, 0},
				       .cpu = -1,
				       .text = {at, 0},
				       .frame = {at, 0}};
	if (find_time(line, sample, &left, &right)) {
		right = slice_lead(right);
		if (right.len >= 12 && !memcmp(right.at, "PERF_RECORD_", 12))
			return PERF_RECORD;
		parse_left(left, sample);
		parse_right(right, sample);
		return PERF_SAMPLE;
	}
	line = slice_lead(line);
	if (!line.len)
		return PERF_BLANK;
	/* Below a chain every line with branches is one of branches alone; else a sample may begin
	 * here whose branches follow. */
	struct text_slice rest = line, first = perfscript_line_take_word(&rest);
	if (has_branch(open && framed && !one_line ? line : first) ||
	    is_instruction(slice_of(at, len)))
		return PERF_FIELD;
	if (open && framed && len > 2 && at[0] == ' ' && at[1] == ' ' && !is_blank(at[2]))
		return PERF_SOURCE;
	if (at[0] != '\t' && memmem(at, len, " PERF_RECORD_", 13)) /* no time is printed */
		return PERF_RECORD;
	line = slice_of(at, len);
	bool indented = is_blank(at[0]);
	if (indented && open && !one_line && perf_address(at, len, &address, &behind))
		return PERF_FRAME;
	if (parse_by_event(line, sample))
		return PERF_SAMPLE;
	if (open && !one_line && indented && framed)
		return PERF_FIELD;
	if (open && !one_line && is_flush_frame(line))
		return PERF_FRAME;
	return parse_bare(line, sample) ? PERF_SAMPLE : PERF_OTHER;
}

bool
perf_address(const char *at, size_t len, struct text_slice *address,
	     struct text_slice *behind)
{
	size_t i = 0, first;
	while (i < len && is_blank(at[i]))
		i++;
	for (first = i; i < len && hex_digit(at[i]) < 16; i++)
		;
	if (i == first || i - first > ADDRESS_COLUMNS || (i < len && !is_blank(at[i])))
		return false;
	*address = slice_of(at + first, i - first);
	*behind = slice_lead(slice_of(at + i, len - i));
	return true;
}

/* Takes "+0x2c7" off the end. */
static void
drop_offset(struct text_slice *s)
{
	size_t i = s->len;
	while (i && hex_digit(s->at[i - 1]) < 16)
		i--;
	if (i < s->len && i >= 3 && !memcmp(s->at + i - 3, "+0x", 3))
		s->len = i - 3;
}

/* Returns the bracket that the last character of s closes, or NULL. */
static const char *
opening(struct text_slice s)
{
	size_t depth = 0;
	for (size_t i = s.len; i-- > 0;) {
		if (s.at[i] == ')')
			depth++;
		else if (s.at[i] == '(' && !--depth)
			return s.at + i;
	}
	return NULL;
}

struct perf_symbol
perf_symbol(struct text_slice behind)
{
	struct perf_symbol out = {.name = behind};
	behind = slice_bare(behind);
	out.name = behind;
	out.module = slice_of(behind.at, 0);
	if (behind.len && behind.at[behind.len - 1] == ')') {
		const char *open = opening(behind);
		/* operator()(int): brackets of a name follow it directly. */
		if (open && (open == behind.at || is_blank(open[-1]))) {
			size_t before = (size_t)(open - behind.at);
			out.module = slice_of(open + 1, behind.len - before - 2);
			out.name.len = before;
			out.whole = true;
		}
	}
	if (out.module.len == 7 && !memcmp(out.module.at, "inlined", 7)) {
		out.inlined = true;
		out.module.len = 0;
	}
	drop_offset(&out.module);
	out.name = slice_bare(out.name);
	drop_offset(&out.name);
	return out;
}

struct perf_source
perf_source(const char *at, size_t len)
{
	struct perf_source out = {.file = {at, 0}};
	struct text_slice s = slice_trim(slice_of(at, len));
	if (s.len > 10 && !memcmp(s.at + s.len - 10, " (inlined)", 10)) {
		out.inlined = true;
		s.len -= 10;
	}
	/* addr2line's "(discriminator 3)" distinguishes parts of one line. */
	if (s.len && s.at[s.len - 1] == ')') {
		const char *open = memrchr(s.at, '(', s.len);
		if (open && open > s.at && s.at + s.len - open > 14 &&
		    !memcmp(open, "(discriminator", 14))
			s.len = (size_t)(open - s.at);
		s = slice_bare(s);
	}
	const char *colon = memrchr(s.at, ':', s.len);
	if (!colon || colon == s.at)
		return out;
	int64_t line;
	struct text_slice digits = slice_of(colon + 1, s.len - (size_t)(colon + 1 - s.at));
	if (!all_digits(digits) || !to_number(digits, &line) || line > UINT32_MAX)
		return out;
	if (colon - s.at == 2 && !memcmp(s.at, "??", 2))
		return out;
	out.file = slice_of(s.at, (size_t)(colon - s.at));
	out.line = (uint32_t)line;
	return out;
}

bool
perf_comment(const char *at, size_t len, struct text_slice *key,
	     struct text_slice *value)
{
	const char *colon = memchr(at, ':', len);
	if (!colon || colon - at < 3)
		return false;
	*key = slice_trim(slice_of(at + 1, (size_t)(colon - at) - 1));
	*value = slice_trim(slice_of(colon + 1, len - (size_t)(colon + 1 - at)));
	return key->len && value->len;
}

/* Returns the number after these words; 0 if they are missing, or if it is too large. */
static int64_t
number_behind(struct text_slice text, const char *words)
{
	size_t len = strlen(words);
	const char *end = text.at + text.len, *at = memmem(text.at, text.len, words, len);
	int64_t n = 0;
	if (!at)
		return 0;
	for (at += len; at < end && *at >= '0' && *at <= '9' && n <= NS_PER_S; at++)
		n = n * 10 + (*at - '0');
	return n <= NS_PER_S ? n : 0;
}

bool
perf_event(struct text_slice key, struct text_slice value,
	   struct text_slice *name, int64_t *interval_ns)
{
	static const char words[] = "name = ";
	size_t skip = sizeof words - 1;
	if (key.len != 5 || memcmp(key.at, "event", 5) || value.len <= skip ||
	    memcmp(value.at, words, skip))
		return false;
	const char *end = memchr(value.at, ',', value.len);
	if (!end || end == value.at + skip)
		return false;
	*name = slice_of(value.at + skip, (size_t)(end - value.at) - skip);
	/* a frequency lasts as long as the event occurs; a period in events is not a time */
	int64_t rate = number_behind(value, "sample_freq } = ");
	*interval_ns = rate && number_behind(value, ", freq = ") == 1 ? NS_PER_S / rate : 0;
	return true;
}
