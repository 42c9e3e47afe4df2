/* odd_lines.h - reads texts whose lines may not be of their format. Such lines are counted and
 * skipped, since the lines after them may be readable.
 *
 *	good = text_lines(in, b, e, &x.offset, last_line_open, sample_line, &x); */
#ifndef PNAV_SRC_DECODE_COMMON_ODD_LINES_H
#define PNAV_SRC_DECODE_COMMON_ODD_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/build/builder.h"
#include "src/decode/common/last_line.h"
#include "src/input/input.h"
#include "src/input/lines.h"

struct odd_lines {
	uint64_t n, first; /* their number, and the offset of the first */
};

/* Counts a line that begins at `offset`. */
static inline void
odd_at(struct odd_lines *o, uint64_t offset)
{
	if (!o->n++)
		o->first = offset;
}

/* Counts a line. Returns false with damage in *e if it is the last line of the file and has no end,
 * since the file was then truncated in it. (A readable last line without an end does not get
 * here.) */
bool odd_line(struct odd_lines *o, struct input *in, const struct text_line *line, struct err *e);
/* Passes each line of the input to `read`, without its end; *offset is that of the line. `read`
 * returns false with an error in *e, or without one if the line is not of the format. Adds a
 * warning for such lines. `shows` judges a last line without an end. Returns false after an error;
 * a truncated or overlong line is damage. */
bool text_lines(struct input *in, struct builder *b, struct err *e, uint64_t *offset,
		enum last_line (*shows)(const char *at, const char *end),
		bool (*read)(void *state, const char *at, const char *end), void *state);

/* Adds a warning if there were any. */
static inline void
odd_lines_report(const struct odd_lines *o, struct builder *b)
{
	builder_odd_lines(b, o->n, o->first);
}

#endif
