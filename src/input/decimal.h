/* decimal.h - decimal text to integers, without a double in between.
 *
 * A time of 1761887343603.5583 ms has more digits than a double: it is read as an integer of
 * a smaller unit, rounded once, half away from zero. */
#ifndef PNAV_SRC_INPUT_DECIMAL_H
#define PNAV_SRC_INPUT_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* [+-]digits[.digits][(e|E)[+-]digits] times 10^scale, in len bytes; at least one digit.
 * False where the text is no such number, or the result does not fit. */
bool decimal_scaled(const char *at, size_t len, int scale, int64_t *out);
/* The same as a double, to the nearest or the one beside it; infinite where it is too large. */
bool decimal_double(const char *at, size_t len, double *out);
/* Does the text have a fraction that is not 0? */
bool decimal_is_fraction(const char *at, size_t len);

#endif
