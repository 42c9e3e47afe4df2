/* odd_lines.h - counts lines of a text that are not of its format. They are skipped, since the
 * lines after them may be readable.
 *
 *	struct odd_lines odd = {0};
 *	... if (!sample_line(...) && !err_is_set(e)) good = odd_line(&odd, in, &line, e);
 *	odd_lines_report(&odd, b); */
#ifndef PNAV_SRC_DECODE_COMMON_ODD_LINES_H
#define PNAV_SRC_DECODE_COMMON_ODD_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/build/builder.h"
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
static inline bool
odd_line(struct odd_lines *o, struct input *in, const struct text_line *line, struct err *e)
{
	if (!line->ended && !input_stopped(in))
		return err_damage(e, line->offset, "the last line is truncated");
	odd_at(o, line->offset);
	return true;
}

/* Adds a warning if there were any. */
static inline void
odd_lines_report(const struct odd_lines *o, struct builder *b)
{
	builder_odd_lines(b, o->n, o->first);
}

#endif
