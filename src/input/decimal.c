#include "src/input/decimal.h"

#include "model/base/wide.h"
#include "src/input/scan.h"

/* The digits become one integer and a power of ten. It keeps thirty-six digits, which fit 128 bits;
 * further digits cannot change a result of nineteen, except through the exponent. */

#define DIGITS_MAX 36
#define SHORT_MAX 19
#define EXPONENT_MAX 100000

struct decimal {
	wide digits;
	int exponent;
	bool negative;
};

static bool
is_zero(wide v)
{
	return wide_cmp(v, wide_of(0)) == 0;
}

static bool
decimal_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Parses the exponent after the e. */
static bool
exponent_parse(const char *at, const char *end, int *out)
{
	bool negative = at < end && *at == '-';
	int value = 0;

	at += at < end && (*at == '-' || *at == '+');
	if (at == end)
		return false;
	for (; at < end; at++) {
		if (!decimal_is_digit(*at))
			return false;
		value = value < EXPONENT_MAX ? value * 10 + (*at - '0') : value;
	}
	*out = negative ? -value : value;
	return true;
}

/* Adds the digits at `at` to *digits; returns their end. */
static inline const uint8_t *
digits_parse(const uint8_t *at, const uint8_t *end, uint64_t *digits)
{
	uint64_t v;

	for (; end - at >= 8 && !scan_no_digits(v = bytes_u64(at, false)); at += 8)
		*digits = *digits * 100000000 + scan_eight(v);
	for (; at < end && (unsigned)(*at - '0') < 10; at++)
		*digits = *digits * 10 + (unsigned)(*at - '0');
	return at;
}

/* Parses at most nineteen characters without an exponent: their digits fit a word. The result is
 * digits / 10^places. */
static inline bool
short_parse(const char *text, size_t len, bool *negative, uint64_t *digits, unsigned *places)
{
	const uint8_t *at = (const uint8_t *)text, *end = at + len, *point;

	*negative = *at == '-';
	at += *negative || *at == '+';
	const uint8_t *first = at;
	*digits = 0;
	*places = 0;
	at = digits_parse(at, end, digits);
	if (at == end)
		return at > first;
	if (*at != '.')
		return false;
	point = at++;
	at = digits_parse(at, end, digits);
	*places = (unsigned)(at - point - 1);
	return at == end && end - first > 1;
}

static bool
decimal_parse(const char *at, size_t len, struct decimal *d)
{
	if (!len)
		return false; /* `at` may be NULL here */
	uint64_t digits;
	unsigned places;
	if (len <= SHORT_MAX && short_parse(at, len, &d->negative, &digits, &places)) {
		d->digits = wide_of_unsigned(digits);
		d->exponent = -(int)places;
		return true;
	}
	const char *end = at + len;
	bool point = false, any = false;
	int kept = 0;

	*d = (struct decimal){.negative = at < end && *at == '-'};
	at += at < end && (*at == '-' || *at == '+');
	for (; at < end && (decimal_is_digit(*at) || (*at == '.' && !point)); at++) {
		if (*at == '.') {
			point = true;
			continue;
		}
		any = true;
		if (kept < DIGITS_MAX) {
			d->digits = wide_add(wide_mul(d->digits, wide_of(10)), wide_of(*at - '0'));
			kept += !is_zero(d->digits);
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

/* The common case: the digits and the result fit a word. Returns false in all other cases. */
static inline bool
short_scaled(const char *at, size_t len, int scale, int64_t *out)
{
	static const uint64_t power[] = {1,          10,          100,          1000,
					 10000,      100000,      1000000,      10000000,
					 100000000,  1000000000};
	enum { POWERS = sizeof power / sizeof *power };
	uint64_t digits;
	unsigned places;
	bool negative;

	if (!len || len > SHORT_MAX || !short_parse(at, len, &negative, &digits, &places))
		return false;
	int exponent = scale - (int)places;
	if (exponent <= -POWERS || exponent >= POWERS)
		return false;
	if (exponent < 0) {
		uint64_t divisor = power[-exponent], rest = digits % divisor;
		digits = digits / divisor + (rest >= divisor - rest);
	} else if (__builtin_mul_overflow(digits, power[exponent], &digits)) {
		return false;
	}
	if (digits > INT64_MAX)
		return false;
	*out = negative ? -(int64_t)digits : (int64_t)digits;
	return true;
}

/* The fastest case: at most fifteen characters, and no rounding. */
static inline bool
plain_scaled(const char *at, size_t len, int scale, int64_t *out)
{
	static const int64_t power[] = {1, 10, 100, 1000};
	size_t i = 0, places = 0;
	int64_t v = 0;

	if (len > 15)
		return false;
	for (; i < len && decimal_is_digit(at[i]); i++)
		v = v * 10 + (at[i] - '0');
	if (i == 0)
		return false;
	if (i < len) {
		if (at[i] != '.' || i + 1 == len)
			return false;
		places = len - i - 1;
		for (i++; i < len && decimal_is_digit(at[i]); i++)
			v = v * 10 + (at[i] - '0');
		if (i < len)
			return false;
	}
	if (scale < (int)places || scale > (int)places + 3)
		return false;
	*out = v * power[scale - (int)places];
	return true;
}

/* Divides and rounds half up. */
static wide
decimal_rounded(wide digits, wide divisor)
{
	wide rest = wide_mod(digits, divisor);
	bool up = wide_cmp(rest, wide_sub(divisor, rest)) >= 0;

	return wide_add(wide_div(digits, divisor), wide_of(up));
}

bool
decimal_scaled(const char *at, size_t len, int scale, int64_t *out)
{
	struct decimal d;
	const wide most = wide_of_unsigned((uint64_t)INT64_MAX + 1), ten = wide_of(10);

	if (plain_scaled(at, len, scale, out) || short_scaled(at, len, scale, out))
		return true;
	if (!decimal_parse(at, len, &d))
		return false;
	int exponent = d.exponent + scale;
	while (exponent > 0 && !is_zero(d.digits) && wide_cmp(d.digits, most) <= 0) {
		d.digits = wide_mul(d.digits, ten);
		exponent--;
	}
	if (exponent < 0) {
		wide divisor = wide_of(1);
		for (; exponent < 0 && wide_cmp(divisor, d.digits) <= 0; exponent++)
			divisor = wide_mul(divisor, ten);
		/* a divisor of more than twice the digits gives 0 in any case */
		d.digits = exponent < 0 ? wide_of(0) : decimal_rounded(d.digits, divisor);
	}
	if (wide_cmp(d.digits, wide_sub(most, wide_of(!d.negative))) > 0)
		return false;
	*out = (int64_t)(d.negative ? 0 - wide_low(d.digits) : wide_low(d.digits));
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
	long double v = wide_real(d.digits);
	v = n < 0 ? v / power_of_ten(-n) : v * power_of_ten(n);
	*out = (double)(d.negative ? -v : v);
	return true;
}

bool
decimal_is_fraction(const char *at, size_t len)
{
	struct decimal d;

	if (!decimal_parse(at, len, &d) || is_zero(d.digits))
		return false;
	for (; d.exponent < 0 && is_zero(wide_mod(d.digits, wide_of(10))); d.exponent++)
		d.digits = wide_div(d.digits, wide_of(10));
	return d.exponent < 0;
}
