/* odd_lines.h - lines of a text that are none of its format: they are skipped and counted, because
 * what stands behind them can be read.
 *
 *	struct odd_lines odd = {0};
 *	... if (!sample_line(...) && !err_is_set(e)) good = odd_line(&odd, in, &line, e);
 *	odd_lines_tell(&odd, b); */
#ifndef PNAV_SRC_DECODE_COMMON_ODD_LINES_H
#define PNAV_SRC_DECODE_COMMON_ODD_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/build/builder.h"
#include "src/input/input.h"
#include "src/input/lines.h"

struct odd_lines {
	uint64_t n, first; /* how many, and the byte where the first one begins */
};

/* Counts one that begins at the byte `offset`. */
static inline void
odd_at(struct odd_lines *o, uint64_t offset)
{
	if (!o->n++)
		o->first = offset;
}

/* Counts one.  False with damage in *e where it is the last line of the file
 * and has no end: the file was cut there.  (A last line without its end that can be read is
 * none of these.) */
static inline bool
odd_line(struct odd_lines *o, struct input *in, const struct text_line *line, struct err *e)
{
	if (!line->ended && !input_stopped(in))
		return err_damage(e, line->offset, "the last line is cut");
	odd_at(o, line->offset);
	return true;
}

/* Warns of them, if there were any. */
static inline void
odd_lines_tell(const struct odd_lines *o, struct builder *b)
{
	builder_odd_lines(b, o->n, o->first);
}

#endif
