/* Numbers of 128 bits in two halves, as 32-bit machines have them, beside the compiler's own: sums,
 * products, quotients and comparisons of extremes and of numbers by chance. */
#ifndef WIDE_FALLBACK
#define WIDE_FALLBACK
#endif
#include "model/base/wide.h"

#include <check.h>
#include <stdlib.h>

#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

#define ROUNDS 20000

#ifdef __SIZEOF_INT128__

__extension__ typedef __int128 whole;
__extension__ typedef unsigned __int128 bits;

static wide
halves(whole v)
{
	return (wide){(uint64_t)((bits)v >> 64), (uint64_t)v};
}

static void
is(wide got, whole want, whole a, whole b, const char *what)
{
	wide w = halves(want), x = halves(a), y = halves(b);

	if (got.high != w.high || got.low != w.low)
		ck_abort_msg("%016llx:%016llx %s %016llx:%016llx is %016llx:%016llx, not "
			     "%016llx:%016llx",
			     (unsigned long long)x.high, (unsigned long long)x.low, what,
			     (unsigned long long)y.high, (unsigned long long)y.low,
			     (unsigned long long)w.high, (unsigned long long)w.low,
			     (unsigned long long)got.high, (unsigned long long)got.low);
}

static const whole least = (whole)((bits)1 << 127);

static void
compare(whole a, whole b)
{
	wide x = halves(a), y = halves(b);

	is(wide_add(x, y), (whole)((bits)a + (bits)b), a, b, "+");
	is(wide_sub(x, y), (whole)((bits)a - (bits)b), a, b, "-");
	is(wide_mul(x, y), (whole)((bits)a * (bits)b), a, b, "*");
	if (b && !(a == least && b == -1)) {
		is(wide_div(x, y), a / b, a, b, "/");
		is(wide_mod(x, y), a % b, a, b, "%");
		if (a >= 0)
			is(wide_down(x, (int)(b & 127)), a >> (b & 127), a, b, ">>");
	}
	ck_assert_int_eq(wide_cmp(x, y), (a > b) - (a < b));
	ck_assert(wide_real(x) == (long double)a);
	ck_assert_int_eq(wide_clipped(x), a > INT64_MAX   ? INT64_MAX
					  : a < INT64_MIN ? INT64_MIN
							  : (int64_t)a);
}

/* For all lengths. */
static whole
by_chance(struct chance *c)
{
	bits v = (bits)chance_bits(c) << 64 | chance_bits(c);

	v >>= chance_below(c, 128);
	return chance_below(c, 2) ? (whole)v : (whole)(0 - v);
}

START_TEST(same)
{
	const whole extreme[] = {0, 1, -1, 2, 10, INT64_MAX, INT64_MIN, UINT64_MAX,
				 (whole)UINT64_MAX + 1, -(whole)UINT64_MAX, least, ~least};
	enum { EXTREMES = sizeof extreme / sizeof *extreme };
	struct chance c;

	chance_init(&c, 1);
	for (size_t i = 0; i < EXTREMES; i++)
		for (size_t k = 0; k < EXTREMES; k++)
			compare(extreme[i], extreme[k]);
	for (int i = 0; i < ROUNDS; i++)
		compare(by_chance(&c), by_chance(&c));
}
END_TEST

#endif

/* Parts and columns belong together, and nothing is wrong at the ends of the range. */
START_TEST(parts)
{
	ck_assert_int_eq(wide_ratio(INT64_MAX, INT64_MAX, INT64_MAX), INT64_MAX);
	ck_assert_int_eq(wide_ratio(INT64_MAX, 2, 1), INT64_MAX);
	ck_assert_int_eq(wide_ratio(-7, 3, 2), -10);
	ck_assert_int_eq(wide_part(INT64_MIN, INT64_MAX, 2, 1), -1);
	ck_assert_int_eq(wide_part_up(INT64_MIN, INT64_MAX, 2, 1), 0);
	ck_assert_int_eq(wide_part(INT64_MIN, INT64_MAX, 80, 80), INT64_MAX);
	ck_assert_int_eq(wide_column(INT64_MIN, INT64_MAX, 80, INT64_MAX - 1), 79);
	for (int n = 1; n < 50; n++)
		for (int i = 0; i < n; i++)
			ck_assert_int_eq(wide_column(10, 110, n, wide_part_up(10, 110, n, i)), i);
}
END_TEST

UNIT(wide)
{
	Suite *s = suite_create("wide");
	TCase *c = tcase_create("wide");

#ifdef __SIZEOF_INT128__
	tcase_add_test(c, same);
#endif
	tcase_add_test(c, parts);
	suite_add_tcase(s, c);
	return s;
}
