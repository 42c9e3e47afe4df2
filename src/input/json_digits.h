/* json_digits.h - parses the digits of numbers in text, eight at a time; for the files of json.h.
 * slabs.c uses the powers.
 *
 * The number of digits causes no branch: all eight bytes are loaded, and bytes that are not digits
 * are shifted out. */
#ifndef PNAV_SRC_INPUT_JSON_DIGITS_H
#define PNAV_SRC_INPUT_JSON_DIGITS_H

#include <stdbool.h>
#include <stdint.h>

#include "src/input/scan.h"

#define JSON_DIGITS 18 /* an int64_t surely holds so long a number */

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

/* Parses up to eight digits at `at` into *out; returns how many bits of the word they fill. */
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

/* The same for a run of digits. Returns its end; NULL if it is too long. */
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

/* Divides v by 10^places, rounded half away from zero (negative places multiply). Returns false if
 * the result does not fit. */
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

/* Parses digits, perhaps with a point between them, as *out / 10^*places. Returns their end; NULL
 * if there are none, or too many. 40 bytes must be readable. */
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
