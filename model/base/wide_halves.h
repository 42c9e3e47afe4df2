/* wide_halves.h - wide.h's type where the compiler has none of 128 bits: two halves, as two's
 * complement.  Only wide.h includes it. */
#ifndef PNAV_MODEL_BASE_WIDE_HALVES_H
#define PNAV_MODEL_BASE_WIDE_HALVES_H

#include <stdbool.h>
#include <stdint.h>

struct wide_halves {
	uint64_t high, low;
};
typedef struct wide_halves wide; /* as the compiler's own has one word */

static inline wide
wide_of(int64_t v)
{
	return (wide){v < 0 ? UINT64_MAX : 0, (uint64_t)v};
}

static inline wide
wide_of_unsigned(uint64_t v)
{
	return (wide){0, v};
}

static inline wide
wide_add(wide a, wide b)
{
	uint64_t low = a.low + b.low;

	return (wide){a.high + b.high + (low < a.low), low};
}

static inline wide
wide_sub(wide a, wide b)
{
	return (wide){a.high - b.high - (a.low < b.low), a.low - b.low};
}

static inline wide
wide_down(wide a, int n)
{
	if (n >= 64)
		return (wide){0, a.high >> (n - 64)};
	return (wide){a.high >> n, n ? a.high << (64 - n) | a.low >> n : a.low};
}

static inline bool
wide_is_negative(wide a)
{
	return a.high >> 63;
}

static inline wide
wide_negated(wide a)
{
	return wide_sub((wide){0, 0}, a);
}

static inline wide
wide_size(wide a)
{
	return wide_is_negative(a) ? wide_negated(a) : a;
}

/* The product of two halves, by four of quarters:
 *
 *	          a.low b.low
 *	  a.high b.low          each 32 bits further up
 *	  a.low b.high
 *	a.high b.high           */
static inline wide
wide_of_product(uint64_t a, uint64_t b)
{
	const uint64_t quarter = UINT32_MAX;
	uint64_t low = (a & quarter) * (b & quarter);
	uint64_t one = (a >> 32) * (b & quarter) + (low >> 32);
	uint64_t two = (a & quarter) * (b >> 32) + (one & quarter);

	return (wide){(a >> 32) * (b >> 32) + (one >> 32) + (two >> 32),
		      two << 32 | (low & quarter)};
}

static inline wide
wide_mul(wide a, wide b)
{
	wide product = wide_of_product(a.low, b.low);

	product.high += a.high * b.low + a.low * b.high;
	return product;
}

/* Bit by bit: a = b * the result + *rest, of numbers without a sign. */
static inline wide
wide_divide(wide a, wide b, wide *rest)
{
	wide quotient = {0, 0};

	*rest = (wide){0, 0};
	if (!a.high && !b.high) {
		*rest = (wide){0, a.low % b.low};
		return (wide){0, a.low / b.low};
	}
	for (int i = 127; i >= 0; i--) {
		uint64_t half = i < 64 ? a.low : a.high;
		bool carry = rest->high >> 63;

		*rest = (wide){rest->high << 1 | rest->low >> 63,
			       rest->low << 1 | (half >> (i & 63) & 1)};
		quotient = (wide){quotient.high << 1 | quotient.low >> 63, quotient.low << 1};
		if (carry || rest->high > b.high ||
		    (rest->high == b.high && rest->low >= b.low)) {
			*rest = wide_sub(*rest, b);
			quotient.low |= 1;
		}
	}
	return quotient;
}

static inline wide
wide_div(wide a, wide b)
{
	wide rest, size = wide_divide(wide_size(a), wide_size(b), &rest);

	return wide_is_negative(a) != wide_is_negative(b) ? wide_negated(size) : size;
}

static inline wide
wide_mod(wide a, wide b)
{
	wide rest;

	wide_divide(wide_size(a), wide_size(b), &rest);
	return wide_is_negative(a) ? wide_negated(rest) : rest;
}

static inline int
wide_cmp(wide a, wide b)
{
	int64_t x = (int64_t)a.high, y = (int64_t)b.high;

	return x != y ? (x > y) - (x < y) : (a.low > b.low) - (a.low < b.low);
}

static inline uint64_t
wide_low(wide a)
{
	return a.low;
}

static inline long double
wide_real(wide a)
{
	wide size = wide_size(a);
	long double real = (long double)size.high * 18446744073709551616.0L + (long double)size.low;

	return wide_is_negative(a) ? -real : real;
}

#endif
