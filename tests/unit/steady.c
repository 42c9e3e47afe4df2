/* steady.c - an order that does not jump. */
#include "ui/part/steady.h"

#include <check.h>

#include "tests/lib/unit.h"

/* Sorts weights whose places were 0, 1, ..., and looks for the ids in this order. */
static void
check_order(const int64_t *weight, const size_t *was, size_t n, const size_t *want)
{
	struct steady at[8];

	for (size_t i = 0; i < n; i++)
		at[i] = (struct steady){weight[i], was ? was[i] : STEADY_NEW, i};
	steady_sort(at, n);
	for (size_t i = 0; i < n; i++)
		ck_assert_uint_eq(at[i].id, want[i]);
}

START_TEST(test_new_ones_stand_by_weight)
{
	check_order((int64_t[]){100, 101, 99, 100}, NULL, 4, (size_t[]){1, 0, 3, 2});
	steady_sort(NULL, 0);
}
END_TEST

START_TEST(test_little_more_changes_nothing)
{
	check_order((int64_t[]){100, 111}, (size_t[]){0, 1}, 2, (size_t[]){0, 1});
	check_order((int64_t[]){0, 0, 0}, (size_t[]){2, 1, 0}, 3, (size_t[]){2, 1, 0});
}
END_TEST

START_TEST(test_an_eighth_more_goes_ahead)
{
	check_order((int64_t[]){100, 116}, (size_t[]){0, 1}, 2, (size_t[]){1, 0});
	check_order((int64_t[]){0, 1}, (size_t[]){0, 1}, 2, (size_t[]){1, 0});
}
END_TEST

START_TEST(test_the_edge_of_a_run_is_one_place)
{
	/* the third wavers around seven eighths of the first */
	check_order((int64_t[]){100, 99, 87}, (size_t[]){0, 1, 2}, 3, (size_t[]){0, 1, 2});
	check_order((int64_t[]){99, 100, 88}, (size_t[]){0, 1, 2}, 3, (size_t[]){0, 1, 2});
}
END_TEST

START_TEST(test_who_comes_stands_behind_its_likes)
{
	check_order((int64_t[]){110, 100, 20}, (size_t[]){STEADY_NEW, 0, 1}, 3,
		    (size_t[]){1, 0, 2});
}
END_TEST

UNIT(steady)
{
	Suite *suite = suite_create("steady");
	TCase *t = tcase_create("steady");
	suite_add_tcase(suite, t);
	tcase_add_test(t, test_new_ones_stand_by_weight);
	tcase_add_test(t, test_little_more_changes_nothing);
	tcase_add_test(t, test_an_eighth_more_goes_ahead);
	tcase_add_test(t, test_the_edge_of_a_run_is_one_place);
	tcase_add_test(t, test_who_comes_stands_behind_its_likes);
	return suite;
}
