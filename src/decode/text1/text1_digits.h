/* text1_digits.h - parses eight digits at once, for the files that read rows of a Text1 export. */
#ifndef PNAV_SRC_DECODE_TEXT1_TEXT1_DIGITS_H
#define PNAV_SRC_DECODE_TEXT1_TEXT1_DIGITS_H

#include <stdbool.h>
#include <stdint.h>

#include "src/input/cursor.h"

/* Parses eight hexadecimal digits, as in handles; false if one is invalid. */
static inline bool
hex_8(const char *at, uint64_t *out)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones * 0x80;
	uint64_t v = bytes_u64((const uint8_t *)at, false), lower = v | ones * 0x20;
	/* bytes stay below 0x80, so that the sum of one does not carry into the next */
	uint64_t digit = (v + ones * (0x80 - '0')) & ~(v + ones * (0x7F - '9'));
	uint64_t letter = (lower + ones * (0x80 - 'a')) & ~(lower + ones * (0x7F - 'f'));

	if ((v & tops) || ((digit | letter) & tops) != tops)
		return false;
	v = (v & ones * 0x0F) + ((letter & tops) >> 7) * 9;
	v = (v << 4 | v >> 8) & UINT64_C(0x00FF00FF00FF00FF);
	v = (v << 8 | v >> 16) & UINT64_C(0x0000FFFF0000FFFF);
	*out = (v << 16 | v >> 32) & UINT64_C(0xFFFFFFFF);
	return true;
}

/* Combines eight decimal digits to a number. */
static inline uint64_t
decimal_value(uint64_t v)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);

	v = (v & ones * 0x0F) * 2561 >> 8;
	v = (v & UINT64_C(0x00FF00FF00FF00FF)) * 6553601 >> 16;
	return (v & UINT64_C(0x0000FFFF0000FFFF)) * UINT64_C(42949672960001) >> 32;
}

/* Returns a word with zeros for decimal digits, reliable up to the first other byte. */
static inline uint64_t
decimal_faults(uint64_t v)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);

	return ((v & ones * 0xF0) | ((v + ones * 6) & ones * 0xF0) >> 4) ^ ones * 0x33;
}

/* Parses eight decimal digits; false if one is invalid. */
static inline bool
decimal_8(const char *at, uint64_t *out)
{
	uint64_t v = bytes_u64((const uint8_t *)at, false);

	if (decimal_faults(v))
		return false;
	*out = decimal_value(v);
	return true;
}

/* Parses the digits at the beginning of eight bytes; returns their number, below eight. */
static inline unsigned
decimal_start(const char *at, uint64_t *out)
{
	uint64_t v = bytes_u64((const uint8_t *)at, false), faults = decimal_faults(v);
	unsigned n = faults ? (unsigned)__builtin_ctzll(faults) / 8 : 7;

	*out = n ? decimal_value(v << (64 - 8 * n)) : 0;
	return n;
}

#endif
