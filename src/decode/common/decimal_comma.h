/* decimal_comma.h - lines of programs that print numbers in the user's locale:
 *
 *	341,67 msec     1.065.848.451 cycles     27 655 923 827 instructions
 */
#ifndef PNAV_SRC_DECODE_COMMON_DECIMAL_COMMA_H
#define PNAV_SRC_DECODE_COMMON_DECIMAL_COMMA_H

#include <stdbool.h>

#include "model/base/buf.h"

/* Returns true if this sign can only be the decimal one of a number in the text: not three digits
 * follow it, or it follows a zero. */
bool decimal_sign_in(const char *at, const char *end, char sign);
/* Returns the decimal sign that a line of numbers shows, NUL if it shows none. Of text only words
 * that are numbers count, and what follows a `#`; not the names that it has. */
char decimal_sign_of(const char *at, const char *end, bool text);
/* Replaces *out by the line with decimal points and without separators of thousands; blanks before
 * a number keep the columns where they are. */
void decimal_comma_plain(const char *at, const char *end, struct buf *out);

#endif
