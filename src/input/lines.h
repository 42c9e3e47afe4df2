/* lines.h - splits an input into lines, many at a time.
 *
 * input_line() returns one line and may move the window for the next. A decoder of text that looks
 * several lines ahead, to prefetch what each needs, wants all lines of the window and control over
 * when it moves:
 *
 *	struct lines l;
 *	struct text_line line;
 *	lines_init(&l, in);
 *	while (lines_next(&l, &line)) ...           -- one at a time, or:
 *	do
 *		while (lines_ready(&l, &line)) ...  -- no refill: earlier lines stay valid
 *	while (lines_more(&l));                     -- refills: earlier lines are void
 *	while (lines_next(&l, &line)) ...           -- a last line without an end
 *
 * A line ends with "\n" or "\r\n". Only these functions may move the input between two calls of
 * lines_next(). */
#ifndef PNAV_SRC_INPUT_LINES_H
#define PNAV_SRC_INPUT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "src/input/input.h"

/* A stack of a million frames fits. */
#define LINE_MAX_BYTES (64u << 20)

struct text_line {
	const char *at;
	size_t len;
	uint64_t offset;
	bool ended; /* has a line end; only the last line of the input may lack one */
	bool cut;   /* a piece of a line longer than LINE_MAX_BYTES */
};

struct lines {
	struct input *in;
	const char *at, *end; /* the part of the window that was not returned yet */
	uint64_t offset;      /* of at */
	size_t seen;          /* bytes from `at` that are known to contain no line end */
	bool inside;          /* the previous line was a piece of this one */
	uint64_t number;      /* of the line returned last, from 1 */
};

void lines_init(struct lines *l, struct input *in);
/* Extends the window. Returns false at the end, and if one line is too long. */
bool lines_more(struct lines *l);
/* Returns the rest if it contains no line end. */
bool lines_rest(struct lines *l, struct text_line *out);

/* Returns the next line that lies completely in the window. */
static inline bool
lines_ready(struct lines *l, struct text_line *out)
{
	const char *nl =
		memchr(l->at + l->seen, '\n', (size_t)(l->end - l->at) - l->seen);
	if (!nl) {
		l->seen = (size_t)(l->end - l->at);
		return false;
	}
	out->at = l->at;
	out->len = (size_t)(nl - l->at);
	out->offset = l->offset;
	out->ended = true;
	out->cut = l->inside;
	l->offset += out->len + 1;
	l->at = nl + 1;
	l->seen = 0;
	l->number += !l->inside;
	l->inside = false;
	if (out->len && nl[-1] == '\r')
		out->len--;
	return true;
}

static inline bool
lines_next(struct lines *l, struct text_line *out)
{
	while (!lines_ready(l, out))
		if (!lines_more(l))
			return lines_rest(l, out);
	return true;
}

#endif
