/* wide.h - whole numbers of 128 bits, for products of two numbers of 64 bits.
 *
 * Compilers have such a type on 64-bit machines alone; elsewhere, or with WIDE_FALLBACK defined,
 * it is two halves (wide_halves.h).  Write only the functions below, never an operator: both forms
 * then mean the same.  Results wrap at 2^127; wide_div() and wide_mod() truncate towards 0, and
 * their divisor is not 0.  tests/unit/wide.c compares the two. */
#ifndef PNAV_MODEL_BASE_WIDE_H
#define PNAV_MODEL_BASE_WIDE_H

#include <stdbool.h>
#include <stdint.h>

#if defined __SIZEOF_INT128__ && !defined WIDE_FALLBACK

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 wide_bits;

static inline wide
wide_of(int64_t v)
{
	return v;
}

static inline wide
wide_of_unsigned(uint64_t v)
{
	return (wide)v;
}

static inline wide
wide_add(wide a, wide b)
{
	return (wide)((wide_bits)a + (wide_bits)b);
}

static inline wide
wide_sub(wide a, wide b)
{
	return (wide)((wide_bits)a - (wide_bits)b);
}

static inline wide
wide_mul(wide a, wide b)
{
	return (wide)((wide_bits)a * (wide_bits)b);
}

static inline wide
wide_div(wide a, wide b)
{
	return a / b;
}

static inline wide
wide_mod(wide a, wide b)
{
	return a % b;
}

/* a divided by 2^n without the rest; a is not negative, n below 128. */
static inline wide
wide_down(wide a, int n)
{
	return (wide)((wide_bits)a >> n);
}

/* Less than 0, 0, more than 0: as a is less than b, equal, more. */
static inline int
wide_cmp(wide a, wide b)
{
	return (a > b) - (a < b);
}

/* The lowest 64 bits. */
static inline uint64_t
wide_low(wide a)
{
	return (uint64_t)a;
}

static inline long double
wide_real(wide a)
{
	return (long double)a;
}

#else
#include "model/base/wide_halves.h"
#endif

/* INT64_MIN or INT64_MAX where 64 bits do not hold it. */
static inline int64_t
wide_clipped(wide a)
{
	if (wide_cmp(a, wide_of(INT64_MAX)) > 0)
		return INT64_MAX;
	return wide_cmp(a, wide_of(INT64_MIN)) < 0 ? INT64_MIN : (int64_t)wide_low(a);
}

/* a * b / c, clipped. */
static inline int64_t
wide_ratio(int64_t a, int64_t b, int64_t c)
{
	return wide_clipped(wide_div(wide_mul(wide_of(a), wide_of(b)), wide_of(c)));
}

/* b - a, of numbers that lie as far apart as they can. */
static inline wide
wide_between(int64_t a, int64_t b)
{
	return wide_sub(wide_of(b), wide_of(a));
}

/* Where part i of n begins in [from, to), rounded down; `to` for i == n.  from <= to. */
static inline int64_t
wide_part(int64_t from, int64_t to, int64_t n, int64_t i)
{
	wide behind = wide_div(wide_mul(wide_between(from, to), wide_of(i)), wide_of(n));

	return wide_clipped(wide_add(wide_of(from), behind));
}

/* The same rounded up: the first whole moment of part i. */
static inline int64_t
wide_part_up(int64_t from, int64_t to, int64_t n, int64_t i)
{
	wide over = wide_add(wide_mul(wide_between(from, to), wide_of(i)), wide_of(n - 1));

	return wide_clipped(wide_add(wide_of(from), wide_div(over, wide_of(n))));
}

/* Which of the n parts of [from, to) `at` is in; from <= at < to. */
static inline int64_t
wide_column(int64_t from, int64_t to, int64_t n, int64_t at)
{
	wide behind = wide_mul(wide_between(from, at), wide_of(n));

	return wide_clipped(wide_div(behind, wide_between(from, to)));
}

#endif
