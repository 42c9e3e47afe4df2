#include "src/input/decimal.h"

/* The digits become one integer and a power of ten.  Thirty-six digits are kept, which 128
 * bits hold; more cannot change a result of nineteen, but for the exponent. */

#define DIGITS_MAX 36
#define SHORT_MAX 19
#define EXPONENT_MAX 100000

struct decimal {
	unsigned __int128 digits;
	int exponent;
	bool negative;
};

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The exponent behind the e, from `at` on. */
static bool
exponent_parse(const char *at, const char *end, int *out)
{
	bool negative = at < end && *at == '-';
	int value = 0;

	at += at < end && (*at == '-' || *at == '+');
	if (at == end)
		return false;
	for (; at < end; at++) {
		if (!is_digit(*at))
			return false;
		value = value < EXPONENT_MAX ? value * 10 + (*at - '0') : value;
	}
	*out = negative ? -value : value;
	return true;
}

/* At most nineteen characters without an exponent: their digits fit a word. */
static inline bool
short_parse(const char *at, size_t len, struct decimal *d)
{
	const char *end = at + len, *point = NULL;
	bool negative = *at == '-';
	uint64_t digits = 0;

	at += negative || *at == '+';
	const char *first = at;
	for (; at < end; at++) {
		unsigned digit = (unsigned)(unsigned char)*at - '0';
		if (digit < 10)
			digits = digits * 10 + digit;
		else if (*at == '.' && !point)
			point = at;
		else
			return false;
	}
	*d = (struct decimal){.digits = digits,
			      .exponent = point ? -(int)(end - point - 1) : 0,
			      .negative = negative};
	return end - first > (point != NULL);
}

static bool
decimal_parse(const char *at, size_t len, struct decimal *d)
{
	if (!len)
		return false; /* at may be NULL then */
	if (len <= SHORT_MAX && short_parse(at, len, d))
		return true;
	const char *end = at + len;
	bool point = false, any = false;
	int kept = 0;

	*d = (struct decimal){.negative = at < end && *at == '-'};
	at += at < end && (*at == '-' || *at == '+');
	for (; at < end && (is_digit(*at) || (*at == '.' && !point)); at++) {
		if (*at == '.') {
			point = true;
			continue;
		}
		any = true;
		if (kept < DIGITS_MAX) {
			d->digits = d->digits * 10 + (unsigned)(*at - '0');
			kept += d->digits != 0;
			d->exponent -= point;
		} else {
			d->exponent += !point;
		}
	}
	if (!any)
		return false;
	if (at < end) {
		int exponent;
		if ((*at | 32) != 'e' || !exponent_parse(at + 1, end, &exponent))
			return false;
		d->exponent += exponent;
	}
	return true;
}

bool
decimal_scaled(const char *at, size_t len, int scale, int64_t *out)
{
	struct decimal d;
	const unsigned __int128 most = (unsigned __int128)INT64_MAX + 1;

	if (!decimal_parse(at, len, &d))
		return false;
	int exponent = d.exponent + scale;
	while (exponent > 0 && d.digits && d.digits <= most) {
		d.digits *= 10;
		exponent--;
	}
	if (exponent < 0) {
		unsigned __int128 divisor = 1;
		for (; exponent < 0 && divisor <= d.digits; exponent++)
			divisor *= 10;
		/* a divisor of more than twice the digits gives 0 in any case */
		unsigned __int128 rest = exponent < 0 ? 0 : d.digits % divisor;
		d.digits = exponent < 0 ? 0 : d.digits / divisor + (rest >= divisor - rest);
	}
	if (d.digits > most - !d.negative)
		return false;
	*out = d.negative ? (int64_t)(0 - (uint64_t)d.digits) : (int64_t)d.digits;
	return true;
}

static long double
power_of_ten(int n)
{
	long double v = 1, square = 10;

	for (; n; n >>= 1, square *= square)
		if (n & 1)
			v *= square;
	return v;
}

bool
decimal_double(const char *at, size_t len, double *out)
{
	struct decimal d;

	if (!decimal_parse(at, len, &d))
		return false;
	/* beyond these the result is 0 or infinite with any digits */
	int n = d.exponent > 400 ? 400 : d.exponent < -400 ? -400 : d.exponent;
	long double v = (long double)d.digits;
	v = n < 0 ? v / power_of_ten(-n) : v * power_of_ten(n);
	*out = (double)(d.negative ? -v : v);
	return true;
}

bool
decimal_is_fraction(const char *at, size_t len)
{
	struct decimal d;

	if (!decimal_parse(at, len, &d) || !d.digits)
		return false;
	for (; d.exponent < 0 && d.digits % 10 == 0; d.exponent++)
		d.digits /= 10;
	return d.exponent < 0;
}
