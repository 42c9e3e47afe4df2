#include "src/input/json_digits.h"
#include "src/input/json_inside.h"
#include "src/input/slabs.h"

#include <string.h>

/* A profile's samples are columns of millions of numbers of a few bytes each; a token for each
 * would cost several times as much as its digits. Here digits are found and converted eight at a
 * time, without a branch on their count.
 *
 * The fast path takes only what the tokenizer would read in the same way: digits, perhaps a point
 * between them, at most sixteen on either side and eighteen in all, directly followed by the end of
 * the value. It leaves everything else, and what lies near the window's end, to the tokenizer. */

#define SHORT_TRIES 16u /* that may fail in a call: the others are probably long, too */
#define PLAIN_BYTES 48u /* more bytes than a number and the bytes read after it */

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
static __attribute__((noinline)) const uint8_t *
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

const uint8_t *
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

/* Parses the number at `at` if it has the plainest form. Returns its end, else NULL. */
static const uint8_t *
plain_number(const uint8_t *at, int scale, int64_t *out)
{
	bool negative = *at == '-';
	uint64_t v;
	int places;

	at = json_plain_number(at + negative, &v, &places);
	if (!at || (*at != ',' && *at != ']') ||
	    (places != scale && !json_scaled(v, places - scale, out)))
		return NULL;
	if (places == scale)
		*out = (int64_t)v;
	*out = negative ? -*out : *out;
	return at;
}

/* The same for a short number. */
static inline const uint8_t *
short_number(const uint8_t *at, int scale, int64_t *out)
{
	at = json_short_number(at, scale, out);
	return at && (*at == ',' || *at == ']') ? at : NULL;
}

static inline const uint8_t *
plain_null(const uint8_t *at, int64_t *out)
{
	if (memcmp(at, "null", 4) != 0 || (at[4] != ',' && at[4] != ']'))
		return NULL;
	*out = JSON_NO_NUMBER;
	return at + 4;
}

/* The loop, for a scale that the compiler knows. */
static inline size_t
plain_numbers(struct json *j, int scale, bool nulls, int64_t *out, size_t n)
{
	const uint8_t *at = j->at, *next;
	unsigned tries = scale <= JSON_SHORT_SCALE_MAX ? SHORT_TRIES : 0;
	size_t i = 0;

	for (; i < n && (size_t)(j->end - at) > PLAIN_BYTES && *at == ','; i++) {
		next = at + 1;
		if (*next <= ' ') {
			next = json_over_blanks(next, j->end);
			if ((size_t)(j->end - next) <= PLAIN_BYTES)
				break;
		}
		const uint8_t *stop = tries ? short_number(next, scale, &out[i]) : NULL;
		if (!stop) {
			tries -= tries > 0;
			stop = plain_number(next, scale, &out[i]);
		}
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
	if (j->source_column)
		return j->failed || scale ? 0 : j->source_column(j, out, n);
	if (j->wants == WANTS_COLUMN && !j->failed)
		return slabs_numbers(j->slabs, scale, nulls, out, n);
	if (j->failed || j->wants != WANTS_COMMA_OR_END || json_in_object(j))
		return 0;
	return scale == 0   ? plain_numbers(j, 0, nulls, out, n)
	       : scale == 3 ? plain_numbers(j, 3, nulls, out, n)
			    : plain_numbers(j, (int)scale, nulls, out, n);
}
