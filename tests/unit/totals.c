#include "model/profile/totals.h"

#include <check.h>
#include <stdbool.h>
#include <stdint.h>

#include "tests/lib/unit.h"

/* Sums of all sizes against plain numbers: a page is widened by whichever of them grows. */

static void
compare(const struct totals *t, const int64_t *truth)
{
	int64_t all[TOTALS_PAGE];
	bool any = false;

	totals_read(t, all);
	for (uint32_t i = 0; i < TOTALS_PAGE; i++) {
		ck_assert_int_eq(all[i], truth[i]);
		ck_assert_int_eq(totals_get(t, i), truth[i]);
		any |= truth[i] != 0;
	}
	ck_assert_int_eq(totals_any(t), any);
}

START_TEST(test_widths)
{
	static const int64_t edge[] = {0, 1, -1, 127, -128, 32767, -32768, INT32_MAX, INT32_MIN,
				       INT64_C(1) << 40, -(INT64_C(1) << 40), INT64_MAX / 4};
	unsigned n = sizeof edge / sizeof *edge;
	uint64_t state = 1;

	for (unsigned upto = 1; upto <= n; upto++) {
		struct totals t = {0};
		int64_t truth[TOTALS_PAGE] = {0};
		for (unsigned k = 0; k < 300; k++) {
			state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
			uint32_t i = (uint32_t)(state >> 40) % TOTALS_PAGE;
			int64_t v = edge[(state >> 20) % upto];
			if (truth[i] > INT64_MAX / 2 && v > 0)
				v = -v;
			truth[i] += v;
			totals_add(&t, i, v);
		}
		compare(&t, truth);
		totals_release(&t);
		compare(&t, (const int64_t[TOTALS_PAGE]){0});
	}
}
END_TEST

START_TEST(test_one_too_many)
{
	struct totals t = {0};
	int64_t truth[TOTALS_PAGE] = {0};
	static const int64_t limit[] = {127, 32767, INT32_MAX};

	for (unsigned k = 0; k < 3; k++) {
		totals_add(&t, 1023, limit[k] - truth[1023]);
		truth[1023] = limit[k];
		ck_assert_uint_eq(t.width, 1u << k);
		totals_add(&t, 1023, 1);
		truth[1023]++;
		ck_assert_uint_eq(t.width, 2u << k);
		compare(&t, truth);
	}
	totals_add(&t, 1023, -truth[1023]);
	truth[1023] = 0;
	compare(&t, truth); /* all 0, and none forgotten */
	totals_release(&t);
}
END_TEST

START_TEST(test_scale)
{
	struct totals t = {0};
	int64_t truth[TOTALS_PAGE] = {0};

	totals_scale(&t, 1000);
	compare(&t, truth);
	for (uint32_t i = 0; i < TOTALS_PAGE; i += 3)
		totals_add(&t, i, truth[i] = (int64_t)i - 500);
	totals_scale(&t, 1000000);
	for (uint32_t i = 0; i < TOTALS_PAGE; i++)
		truth[i] *= 1000000;
	compare(&t, truth);
	totals_release(&t);
}
END_TEST

UNIT(totals)
{
	Suite *suite = suite_create("totals");
	TCase *cases = tcase_create("totals");

	tcase_add_test(cases, test_widths);
	tcase_add_test(cases, test_one_too_many);
	tcase_add_test(cases, test_scale);
	suite_add_tcase(suite, cases);
	return suite;
}
