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

#define JSON_SHORT_SCALE_MAX 11 /* seven digits times 10^11 fit an int64_t */

/* Parses a number without a sign times 10^scale, scale <= JSON_SHORT_SCALE_MAX: at most seven
 * digits, and at most seven after a point, as nearly all ids and times have. Returns its end; NULL
 * for another number. 24 bytes must be readable. */
static inline const uint8_t *
json_short_number(const uint8_t *at, int scale, int64_t *out)
{
	uint64_t x = bytes_u64(at, false) ^ SCAN_ONES * '0'; /* digits become 0 to 9 */
	uint64_t hit = scan_no_digits_of(x);

	if (!hit)
		return NULL;
	unsigned whole = (unsigned)__builtin_ctzll(hit) & ~7u; /* bits of its digits */
	at += whole / 8;
	if (!whole)
		return NULL;
	if (*at != '.') {
		*out = scan_eight_of(x << (64 - whole)) * json_power[scale];
		return at;
	}
	hit = hit >> whole >> 8; /* a point and digits leave the next bit reliable */
	bool one_word = hit;
	uint64_t y = 0;
	if (!one_word) {
		y = bytes_u64(at + 1, false) ^ SCAN_ONES * '0';
		hit = scan_no_digits_of(y);
	}
	unsigned behind = hit ? (unsigned)__builtin_ctzll(hit) & ~7u : 0;
	if (!behind || (int)behind / 8 > scale)
		return NULL;
	if (one_word) { /* the digits on both sides of the point are moved together */
		x = (x & ((UINT64_C(1) << whole) - 1)) | x >> whole >> 8 << whole;
		*out = scan_eight_of(x << (64 - whole - behind));
	} else {
		*out = scan_eight_of(x << (64 - whole)) * json_power[behind / 8] +
		       scan_eight_of(y << (64 - behind));
	}
	*out *= json_power[scale - (int)behind / 8];
	return at + 1 + behind / 8;
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
const uint8_t *json_plain_number(const uint8_t *at, uint64_t *out, int *places);

#endif
