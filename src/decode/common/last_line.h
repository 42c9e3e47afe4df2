/* last_line.h - decides whether the last line of a text is whole although it has no end.
 *
 * A file that was cut nearly always ends within a line, and half a line may read well:
 * `next_pid=10` of 1000, a stack without its root. Programs end their last line, so such a line is
 * dropped and reported, unless its form shows that it is whole. Each format states how:
 *
 *	if (!last_line_whole(in, line.ended, line.offset, foo_last_line(at, end), e))
 *		break;
 *
 * Decoders that read by text_lines() (odd_lines.h) pass that function to it. */
#ifndef PNAV_SRC_DECODE_COMMON_LAST_LINE_H
#define PNAV_SRC_DECODE_COMMON_LAST_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/err.h"
#include "src/input/input.h"

/* The end of a line, as its form shows it. */
enum last_line {
	LAST_OPEN,   /* nothing: any number of bytes may be missing */
	LAST_NUMBER, /* ends in the number or name that ends all lines of a format whose writers
			often omit the last line end; in a damaged input it may be truncated */
	LAST_CLOSED, /* ends in what only ends lines, or has nothing to lose */
};

/* Returns true if the line has an end, if it shows that it is whole, or if the user stopped
 * reading. Otherwise returns false with damage at `offset` in *e. Evaluates `shows` only for a line
 * without an end: to look at all lines takes a tenth of the time of some formats. */
#define last_line_whole(in, ended, offset, shows, e)                                       \
	((ended) || last_line_allowed((in), (offset), (shows), (e)))
/* The same for a line without an end. */
bool last_line_allowed(struct input *in, uint64_t offset, enum last_line shows, struct err *e);

/* LAST_CLOSED for a blank line, and for one that ends with one of the characters `closing`. */
enum last_line last_line_closed(const char *at, const char *end, const char *closing);
/* The same without such characters. */
enum last_line last_line_open(const char *at, const char *end);
/* LAST_CLOSED for a blank line, LAST_NUMBER for one that ends in a digit. */
enum last_line last_line_number(const char *at, const char *end);
/* LAST_CLOSED for a blank line, LAST_NUMBER for one that ends in an address `0x...` of `digits` or
 * more digits: an address that is cut is shorter than the others. */
enum last_line last_line_address(const char *at, const char *end, size_t digits);
/* Returns the number of digits of the first address of a line, 0 if there is none. */
size_t last_line_digits(const char *at, const char *end);

#endif
