#include "src/input/decimal.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* Decimal text: cases by hand, and by chance against arithmetic on the digits themselves. */

static const struct {
	const char *text;
	int scale;
	bool good;
	int64_t value;
} cases[] = {
	{"0", 0, true, 0},
	{"-0", 3, true, 0},
	{"17", 0, true, 17},
	{"+17", 0, true, 17},
	{"1761887343603.5583", 6, true, INT64_C(1761887343603558300)},
	{"0.5", 0, true, 1},
	{"-0.5", 0, true, -1},
	{"0.4999999999999999999999999999999999999999999", 0, true, 0},
	{"2.5", 0, true, 3},
	{"1e3", 0, true, 1000},
	{"1.5E-3", 6, true, 1500},
	{"1e-400", 0, true, 0},
	{"0e999999999999", 9, true, 0},
	{".25", 2, true, 25},
	{"5.", 1, true, 50},
	{"9223372036854775807", 0, true, INT64_MAX},
	{"9223372036854775807.4", 0, true, INT64_MAX},
	{"-9223372036854775808", 0, true, INT64_MIN},
	{"9223372036854775808", 0, false, 0},
	{"-9223372036854775809", 0, false, 0},
	{"9223372036854775807.5", 0, false, 0},
	{"1e19", 0, false, 0},
	{"922337203685477580700000000000000000000e-20", 0, true, INT64_MAX},
	{"1", 400, false, 0},
	{"", 0, false, 0},
	{".", 0, false, 0},
	{"-", 0, false, 0},
	{"1.2.3", 0, false, 0},
	{"1e", 0, false, 0},
	{"1e+", 0, false, 0},
	{"1x", 0, false, 0},
	{" 1", 0, false, 0},
};

START_TEST(test_cases)
{
	size_t len = strlen(cases[_i].text);
	/* a sanitizer sees a read behind it */
	char *exact = memcpy(mem_alloc(len, 1), cases[_i].text, len);
	int64_t value = 0;
	bool good = decimal_scaled(exact, len, cases[_i].scale, &value);

	free(exact);
	ck_assert_msg(good == cases[_i].good, "%s", cases[_i].text);
	if (good)
		ck_assert_msg(value == cases[_i].value, "%s: %" PRId64, cases[_i].text, value);
}
END_TEST

/* Numbers of all lengths, and points at all places in them: eight digits are read at once. */
START_TEST(test_lengths)
{
	static const char digits[] = "123456789012345678";

	for (size_t len = 1; len < sizeof digits; len++)
		for (size_t point = 0; point <= len; point++) {
			char *exact = mem_alloc(len + 1, 1);
			int64_t value = 0, wanted = 0;
			memcpy(exact, digits, point);
			exact[point] = '.';
			memcpy(exact + point + 1, digits + point, len - point);
			for (size_t i = 0; i < len; i++)
				wanted = 10 * wanted + digits[i] - '0';
			ck_assert(decimal_scaled(exact, len + 1, (int)(len - point), &value));
			ck_assert_int_eq(value, wanted);
			free(exact);
			exact = memcpy(mem_alloc(len, 1), digits, len);
			ck_assert(decimal_scaled(exact, len, 0, &value));
			ck_assert_int_eq(value, wanted);
			free(exact);
		}
}
END_TEST

/* An integer of millionths, written with its point somewhere, is itself. */
START_TEST(test_by_chance)
{
	struct chance c;

	chance_init(&c, 5);
	for (int i = 0; i < 100000; i++) {
		int64_t millionths = (int64_t)(chance_bits(&c) >> (1 + chance_below(&c, 62)));
		bool negative = chance_one_in(&c, 2);
		char text[80];
		int64_t value = 0;
		int n = snprintf(text, sizeof text, "%s%" PRId64 ".%06" PRId64, negative ? "-" : "",
				 millionths / 1000000, millionths % 1000000);
		ck_assert(decimal_scaled(text, (size_t)n, 6, &value));
		ck_assert_int_eq(value, negative ? -millionths : millionths);
		/* and rounded to units, half away from zero */
		int64_t units = millionths / 1000000 + (millionths % 1000000 >= 500000);
		ck_assert(decimal_scaled(text, (size_t)n, 0, &value));
		ck_assert_int_eq(value, negative ? -units : units);
		ck_assert(decimal_is_fraction(text, (size_t)n) == (millionths % 1000000 != 0));
		double d = 0, wanted = strtod(text, NULL);
		ck_assert(decimal_double(text, (size_t)n, &d));
		double off = d > wanted ? d - wanted : wanted - d;
		ck_assert(off <= (wanted < 0 ? -wanted : wanted) * 2.3e-16);
	}
}
END_TEST

UNIT(decimal)
{
	Suite *suite = suite_create("decimal");
	TCase *tests = tcase_create("decimal");

	tcase_add_loop_test(tests, test_cases, 0, (int)(sizeof cases / sizeof *cases));
	tcase_add_test(tests, test_lengths);
	tcase_add_test(tests, test_by_chance);
	suite_add_tcase(suite, tests);
	return suite;
}
