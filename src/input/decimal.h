/* decimal.h - converts decimal text to integers without an intermediate double.
 *
 * A time of 1761887343603.5583 ms has more digits than a double holds. It is read as an integer of
 * a smaller unit, rounded once, half away from zero. */
#ifndef PNAV_SRC_INPUT_DECIMAL_H
#define PNAV_SRC_INPUT_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parses [+-]digits[.digits][(e|E)[+-]digits] in len bytes, with at least one digit, and multiplies
 * it by 10^scale. Returns false if the text is not such a number, or the result does not fit. */
bool decimal_scaled(const char *at, size_t len, int scale, int64_t *out);
/* The same as a double, at most one unit in the last place off; infinite if it is too large. */
bool decimal_double(const char *at, size_t len, double *out);
/* Returns true if the text has a fraction other than 0. */
bool decimal_is_fraction(const char *at, size_t len);

#endif
