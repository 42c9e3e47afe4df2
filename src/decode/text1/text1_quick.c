#include "src/decode/text1/text1.h"

#include <ctype.h>
#include <string.h>

#include "src/decode/text1/text1_digits.h"

/* A timeline may have any format, but nearly all have this one, possibly without VALUE, possibly
 * with CONTEXT at the end:
 *
 *	%HANDLE%,%EVENT%,%VALUE%,%TIME%
 *	00000012,S,,1234567
 *
 * In nearly all rows of functions and lines the handle has eight digits and the value is empty. So
 * no search is needed: everything except the end of the time is at a known position. All other
 * rows, those of data, and the last ones of a window are left to text1_format.c, which reads any
 * format. Both give the same result for the rows that both can read. */

#define BATCH 64u   /* rows that are appended together */
#define ROW_MAX 48u /* bytes of a row without its context, and of a word after it */

bool
text1_quick_fits(const struct text1_format *f)
{
	unsigned n = 2;

	if (f->before.len || !ispunct((unsigned char)f->separator) || f->n < 3 ||
	    f->field[f->n - 1].after.len || f->field[0].macro != MACRO_HANDLE ||
	    f->field[1].macro != MACRO_EVENT)
		return false;
	n += f->field[n].macro == MACRO_VALUE;
	if (n == f->n || f->field[n++].macro != MACRO_TIME)
		return false;
	n += n < f->n && f->field[n].macro == MACRO_CONTEXT;
	return n == f->n;
}

/* Parses digits up to any other byte, at most eighteen; returns their number, 0 if there are
 * more. */
static inline unsigned
digits(const char *at, int64_t *out)
{
	static const uint64_t power[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
	uint64_t v = 0, part;
	unsigned n = 0;

	while (n < 16 && decimal_8(at + n, &part)) {
		v = v * 100000000 + part;
		n += 8;
	}
	unsigned rest = decimal_start(at + n, &part);
	if (n + rest > 18)
		return 0;
	*out = (int64_t)(v * power[rest] + part);
	return n + rest;
}

static inline bool
event_of(char c, enum event_type *out)
{
	switch (c) {
	case 'X':
		*out = EVENT_EXIT;
		return true;
	case 'S':
		*out = EVENT_SUSPEND;
		return true;
	case 'R':
		*out = EVENT_RESUME;
		return true;
	case 'E':
		*out = EVENT_ENTRY;
		return true;
	}
	return false;
}

/* Parses the rest after the time: the context of the previous row, if there is one, and a line end.
 * Returns the number of bytes; 0 if it differs. */
static inline size_t
row_end(const char *at, char separator, const struct buf *context)
{
	size_t n = 0;

	if (context) {
		n = context->len + 1;
		if (*at != separator || memcmp(at + 1, buf_str(context), context->len))
			return 0;
	}
	n += at[n] == '\r';
	return at[n] == '\n' ? n + 1 : 0;
}

bool
text1_quick_rows(struct text1 *t, const struct text1_format *f, const char *at, size_t len,
		 uint64_t offset, size_t *used, struct err *e)
{
	const struct buf *context = f->of[MACRO_CONTEXT] < 0 ? NULL : &t->known.text;
	size_t value = f->of[MACRO_VALUE] >= 0, pos = 0, n, n_batch = 0;
	struct event_record batch[BATCH];
	char separator = f->separator;
	bool good = true;

	*used = 0;
	if (context && (t->known.last >= CONTEXTS_MAX || !context->len ||
			memchr(buf_str(context), separator, context->len)))
		return true;
	uint32_t in = context ? t->known.last : CONTEXTS_MAX;
	for (size_t need = ROW_MAX + (context ? context->len : 0); good && len - pos >= need;
	     pos += n) {
		struct event_record *r = &batch[n_batch];
		const char *row = at + pos, *time = row + 11 + value;
		enum event_type type;
		int64_t at_time;
		uint64_t handle;
		if (!hex_8(row, &handle) || row[8] != separator || !event_of(row[9], &type) ||
		    row[10] != separator || time[-1] != separator || handle >> 28 > AREA_LINE)
			break;
		unsigned n_digits = digits(time, &at_time);
		n = n_digits ? row_end(time + n_digits, separator, context) : 0;
		if (!n)
			break;
		if (in == CONTEXTS_MAX)
			in = text1_map_find_context(t, slice_of("", 0));
		if (in == CONTEXTS_MAX)
			break;
		n += 11 + value + n_digits;
		*r = (struct event_record){
			.handle = (uint32_t)handle,
			.type = type,
			.context = in,
			.time = at_time,
			.offset = offset + pos,
		};
		if (++n_batch < BATCH)
			continue;
		good = text1_events(t, batch, n_batch, e);
		n_batch = 0;
	}
	*used = pos;
	return good && text1_events(t, batch, n_batch, e);
}
