#include "src/decode/perf/perfscript_probe.h"

#include <stdbool.h>
#include <string.h>

#include "src/decode/common/words.h"
#include "src/decode/perf/perfscript_line.h"
#include "src/input/input.h"

/* Classifies the lines at the beginning of a file. The text of perf script has no magic, so it is
 * recognised by the share of lines that fit. */

struct perfscript_tally {
	unsigned timed, others, frames, bad;
	unsigned bare; /* of `others`: a name and a number, as any list has them */
};

/* After this many other lines before the first one of the format, the file is refused. */
#define HOPELESS_LINES 100u

#define COMM_WIDTH 16u /* perf script fills the column of a name of a thread */

/* Returns true if a header without a time has a name and a number only, not in columns.  A number
 * of 16 digits passes for an address. */
static bool
is_bare(struct text_slice line, const struct perf_sample *s)
{
	struct text_slice number = s->tid.len ? s->tid : s->frame;
	bool in_columns = (size_t)(number.at - line.at) > COMM_WIDTH &&
			  s->comm.len < COMM_WIDTH;

	return s->comm.len && number.len && !in_columns && !memchr(number.at, ' ', number.len) &&
	       !s->pid.len && s->cpu < 0 && !s->event.len && !(s->tid.len && s->frame.len);
}

/* Returns true if a header without a time has a tab, which perf script prints only before frames
 * and within texts of events, or an event that is a number. */
static bool
is_foreign(struct text_slice line, const struct perf_sample *s)
{
	const char *stop = s->event.len ? s->event.at + s->event.len + 2 : line.at + line.len;

	if (stop > line.at + line.len)
		stop = line.at + line.len;
	return memchr(line.at, '\t', (size_t)(stop - line.at)) ||
	       (s->event.len && digits_end(s->event.at, s->event.at + s->event.len) ==
					s->event.at + s->event.len);
}

/* `whole`: these are all lines of the file. */
static int
judge(const struct perfscript_tally *t, bool whole)
{
	unsigned good = t->timed + t->others + t->frames;

	/* of a long name behind the first one, nothing may be seen */
	if (t->bare == good && (whole || t->bare > 1))
		return 0;
	/* nothing else looks like a header with a time: a damaged file may have a few */
	if (!good || t->bad > (t->timed ? good : good / 4))
		return 0;
	if (t->timed)
		return t->frames ? 85 : 75;
	if (t->frames > 1)
		return t->others ? 60 : 50;
	return t->others && !t->bad ? 45 : 0;
}

/* Counts a header. Returns what it counts as if a frame follows, and NULL if that is sure: any text
 * may have a line like that of -F comm,ip,sym. */
static unsigned *
count_header(struct perfscript_tally *t, struct text_slice line, const struct perf_sample *s)
{
	bool tells = s->tid.len || s->frame.len || (s->event.len && s->has_period);

	/* ftrace prints comm-tid, and no separate tid. */
	if (s->has_time && (s->tid.len || !s->comm.len)) {
		t->timed++;
	} else if (!s->has_time && tells && !is_foreign(line, s)) {
		t->others++;
		t->bare += is_bare(line, s);
	} else {
		t->bad++;
		return s->has_time ? &t->timed : &t->others;
	}
	return NULL;
}

int
perfscript_probe(struct head head)
{
	const char *at = (const char *)head.at, *end = at + head.len;
	struct perfscript_tally t = {0};
	bool open = false, framed = false, one_line = false;
	unsigned *vague = NULL, *kind;
	while (at < end) {
		if (t.bad >= HOPELESS_LINES && !t.timed && !t.others && !t.frames)
			return 0;
		const char *nl = memchr(at, '\n', (size_t)(end - at));
		struct text_slice a, behind, line = {at, (size_t)((nl ? nl : end) - at)};
		struct perf_sample s;
		if (!nl && !head.whole && (t.timed || t.others || t.frames))
			break;
		if (line.len && line.at[line.len - 1] == '\r')
			line.len--;
		at = nl ? nl + 1 : end;
		kind = vague;
		vague = NULL;
		switch (perf_line(line.at, line.len, open, framed, one_line, &s)) {
		case PERF_SAMPLE:
			one_line = s.frame.len > 0;
			open = true;
			framed = one_line;
			vague = count_header(&t, line, &s);
			break;
		case PERF_FRAME:
			/* Addresses fill their column; other columns of numbers in indented
			 * text do not. */
			perf_address(line.at, line.len, &a, &behind);
			if (line.at[0] == '\t' && behind.at - line.at > 16) {
				t.frames++;
				if (kind) {
					t.bad--;
					++*kind;
				}
			} else {
				t.bad += !open;
			}
			framed = true;
			break;
		case PERF_BLANK:
			open = framed = one_line = false;
			break;
		case PERF_OTHER:
			t.bad++;
			break;
		case PERF_RECORD:
			t.timed++;
			break;
		case PERF_COMMENT:
		case PERF_SOURCE:
		case PERF_FIELD:
			break;
		}
	}
	return judge(&t, head.whole);
}

/* These samples at the beginning decide, or those in these bytes. */
#define STEPS_SAMPLES 64u
#define STEPS_BYTES (256u << 10)

/* Steps vary: a large part of them is smaller than the one before; some are 0. Times since the
 * first sample go back only where another text or another thread follows. Sets *sure if more bytes
 * would not change the result. */
static bool
has_steps(const uint8_t *bytes, size_t len, bool *sure)
{
	const char *at = (const char *)bytes, *end = at + len, *nl;
	unsigned n = 0, back = 0, equal = 0;
	bool open = false, framed = false;
	int64_t last = 0;
	struct perf_sample s;

	*sure = false;
	for (; !*sure && (nl = memchr(at, '\n', (size_t)(end - at))) != NULL; at = nl + 1) {
		enum perf_kind kind = perf_line(at, (size_t)(nl - at), open, framed, false, &s);
		open = kind == PERF_SAMPLE || (open && kind != PERF_BLANK);
		framed = kind == PERF_FRAME || (framed && kind != PERF_BLANK);
		if (kind != PERF_SAMPLE || !s.has_time)
			continue;
		back += s.time_ns && s.time_ns < last;
		equal += s.time_ns && s.time_ns == last;
		last = s.time_ns ? s.time_ns : last;
		*sure = (!n && s.time_ns) || n + 1 == STEPS_SAMPLES;
		n++;
	}
	return back && (back + equal) * 5 >= n;
}

bool
perfscript_has_steps(struct input *in)
{
	size_t want = 1, have;
	bool sure, steps, more;

	do {
		more = input_need(in, want);
		have = input_have(in) < STEPS_BYTES ? input_have(in) : STEPS_BYTES;
		steps = has_steps(input_at(in), have, &sure);
		want = have * 2;
	} while (!sure && more && have < STEPS_BYTES);
	return steps;
}

/* An empty line ends a sample, and nothing of it matters behind that. */
size_t
perfscript_record_end(const uint8_t *at, size_t len)
{
	const uint8_t *end;

	for (size_t n = len; (end = memrchr(at, '\n', n)); n = (size_t)(end - at))
		if ((end > at && end[-1] == '\n') ||
		    (end > at + 1 && end[-1] == '\r' && end[-2] == '\n'))
			return (size_t)(end - at) + 1;
	return 0;
}
