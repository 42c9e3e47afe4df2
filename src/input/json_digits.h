/* json_digits.h - the digits of numbers in text, eight at a time: for the files of json.h alone.
 *
 * How many digits there are makes no branch: all eight bytes are taken, those that are no digits
 * are shifted out. */
#ifndef PNAV_SRC_INPUT_JSON_DIGITS_H
#define PNAV_SRC_INPUT_JSON_DIGITS_H

#include <stdbool.h>
#include <stdint.h>

#include "src/input/scan.h"

#define JSON_DIGITS 18 /* that an int64_t surely holds */

static const int64_t json_power[JSON_DIGITS + 1] = {
	1,
	10,
	100,
	1000,
	10000,
	100000,
	1000000,
	10000000,
	100000000,
	1000000000,
	10000000000,
	100000000000,
	1000000000000,
	10000000000000,
	100000000000000,
	1000000000000000,
	10000000000000000,
	100000000000000000,
	1000000000000000000,
};

/* The number that up to eight digits are from `at` on; how many bits of the word they fill. */
static inline unsigned
json_some_digits(const uint8_t *at, uint64_t *out)
{
	uint64_t x = bytes_u64(at, false) ^ SCAN_ONES * '0'; /* digits become 0 to 9 */
	uint64_t hit = scan_no_digits_of(x);

	if (!hit) {
		*out = scan_eight_of(x);
		return 64;
	}
	unsigned bits = (unsigned)__builtin_ctzll(hit) & ~7u;
	*out = scan_eight_of(x << (63 - bits) << 1); /* zeros in front */
	return bits;
}

/* The same of a run of digits; where it ends, NULL where it is too long. */
static inline const uint8_t *
json_digits(const uint8_t *at, uint64_t *out)
{
	unsigned bits = json_some_digits(at, out);
	uint64_t more;

	at += bits / 8;
	if (bits < 64)
		return at;
	bits = json_some_digits(at, &more);
	*out = *out * (uint64_t)json_power[bits / 8] + more;
	return bits < 64 ? at + bits / 8 : NULL;
}

/* v / 10^places as a whole number, rounded half away from zero, or times 10^-places; false where
 * it does not fit. */
static inline bool
json_scaled(uint64_t v, int places, int64_t *out)
{
	if (places > 0) {
		uint64_t by = (uint64_t)json_power[places], rest = v % by;
		*out = (int64_t)(v / by + (rest >= by - rest));
		return true;
	}
	return !__builtin_mul_overflow((int64_t)v, json_power[-places], out);
}

/* Digits from `at` on, perhaps with a point between them, are *out / 10^*places.  Where they end,
 * NULL where there are none, or too many; 40 bytes can be read. */
static inline const uint8_t *
json_plain_number(const uint8_t *at, uint64_t *out, int *places)
{
	const uint8_t *first = at, *behind;
	uint64_t fraction;

	*places = 0;
	at = json_digits(at, out);
	if (!at || at == first || *at != '.')
		return at == first ? NULL : at;
	behind = at + 1;
	at = json_digits(behind, &fraction);
	if (!at || at == behind || at - first > JSON_DIGITS + 1)
		return NULL;
	*places = (int)(at - behind);
	*out = *out * (uint64_t)json_power[*places] + fraction;
	return at;
}

#endif
