#include "src/input/json_inside.h"

#include <string.h>

#include "src/input/scan.h"

/* A profile's samples are columns of millions of numbers, a few bytes each: a token for each of
 * them costs several times what its digits do.  Here digits are found and turned into a number
 * eight at a time, without a branch on how many they are, and stored.
 *
 * Only what is surely the same as a token after the other is taken: digits, perhaps a point
 * between them, at most sixteen on either side and eighteen in all, and what ends a value right
 * behind.  Anything else, and what lies near the window's end, is left where it is. */

#define PLAIN_BYTES 48u /* more than a number, with all that is read behind it */
#define HALF_DIGITS 16
#define MOST_DIGITS 18

static const int64_t power[MOST_DIGITS + 1] = {
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
some_digits(const uint8_t *at, uint64_t *out)
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
take_digits(const uint8_t *at, uint64_t *out)
{
	unsigned bits = some_digits(at, out);
	uint64_t more;

	at += bits / 8;
	if (bits < 64)
		return at;
	bits = some_digits(at, &more);
	*out = *out * (uint64_t)power[bits / 8] + more;
	return bits < 64 ? at + bits / 8 : NULL;
}

/* v / 10^places as a whole number, rounded half away from zero, or times 10^-places; false where
 * it does not fit. */
static inline bool
scaled(uint64_t v, int places, int64_t *out)
{
	if (places > 0) {
		uint64_t by = (uint64_t)power[places], rest = v % by;
		*out = (int64_t)(v / by + (rest >= by - rest));
		return true;
	}
	return !__builtin_mul_overflow((int64_t)v, power[-places], out);
}

/* The number at `at`; where it ends, NULL where it is none of the plainest. */
static inline const uint8_t *
plain_number(const uint8_t *at, int scale, int64_t *out)
{
	bool negative = *at == '-';
	const uint8_t *first = at += negative;
	uint64_t v, fraction;
	int places = 0;

	at = take_digits(at, &v);
	if (!at || at == first)
		return NULL;
	if (*at == '.') {
		const uint8_t *behind = at + 1;
		at = take_digits(behind, &fraction);
		if (!at || at == behind || at - first > MOST_DIGITS + 1)
			return NULL;
		places = (int)(at - behind);
		v = v * (uint64_t)power[places] + fraction;
	}
	if ((*at != ',' && *at != ']') || (places != scale && !scaled(v, places - scale, out)))
		return NULL;
	if (places == scale)
		*out = (int64_t)v;
	*out = negative ? -*out : *out;
	return at;
}

static inline const uint8_t *
plain_null(const uint8_t *at, int64_t *out)
{
	if (memcmp(at, "null", 4) != 0 || (at[4] != ',' && at[4] != ']'))
		return NULL;
	*out = JSON_NO_NUMBER;
	return at + 4;
}

/* With a scale that the compiler knows. */
static inline size_t
plain_numbers(struct json *j, int scale, bool nulls, int64_t *out, size_t n)
{
	const uint8_t *at = j->at, *next;
	size_t i = 0;

	for (; i < n && j->end - at > PLAIN_BYTES && *at == ','; i++) {
		next = at + 1;
		if (*next <= ' ') {
			next = json_over_blanks(next, j->end);
			if (j->end - next <= PLAIN_BYTES)
				break;
		}
		const uint8_t *stop = plain_number(next, scale, &out[i]);
		if (!stop && (!nulls || !(stop = plain_null(next, &out[i]))))
			break;
		at = stop;
	}
	j->at = at;
	return i;
}

size_t
json_column(struct json *j, unsigned scale, bool nulls, int64_t *out, size_t n)
{
	if (j->failed || j->wants != WANTS_COMMA_OR_END || json_in_object(j))
		return 0;
	return scale == 0   ? plain_numbers(j, 0, nulls, out, n)
	       : scale == 3 ? plain_numbers(j, 3, nulls, out, n)
			    : plain_numbers(j, (int)scale, nulls, out, n);
}
