/* grid.c - scrolling against the plainest rules, and columns in too little room. */
#include "ui/part/grid.h"

#include <check.h>
#include <string.h>

#include "tests/lib/unit.h"

/* The screen holds the cursor, begins at 0 or later, shows no gap that rows could fill, and
 * has moved no further than that takes: any screen between the old and the new one breaks a
 * rule. */
static bool
fits(int64_t top, int64_t at, int64_t n, int h)
{
	return top >= 0 && top <= at && at < top + h && (top == 0 || top + h <= n);
}

START_TEST(test_fit)
{
	for (int h = 1; h < 9; h++)
		for (int64_t n = 1; n < 20; n++)
			for (int64_t top = 0; top < 24; top++)
				for (int64_t at = -3; at < 24; at++) {
					struct scroll s = {at, top, h};
					scroll_fit(&s, n);
					int64_t want = at < 0 ? 0 : at >= n ? n - 1 : at;
					ck_assert_int_eq(s.at, want);
					ck_assert(fits(s.top, want, n, h));
					int step = s.top < top ? 1 : -1;
					for (int64_t t = top; t != s.top; t -= step)
						ck_assert(!fits(t, want, n, h));
				}
	struct scroll s = {5, 3, 4};
	scroll_fit(&s, 0);
	ck_assert(s.at == 0 && s.top == 0);
}
END_TEST

START_TEST(test_actions)
{
	ck_assert_int_eq(scroll_by(ACTION_DOWN, 10), 1);
	ck_assert_int_eq(scroll_by(ACTION_UP, 10), -1);
	ck_assert_int_eq(scroll_by(ACTION_HALF_DOWN, 11), 5);
	ck_assert_int_eq(scroll_by(ACTION_HALF_UP, 1), -1); /* never nothing */
	ck_assert_int_eq(scroll_by(ACTION_PAGE_DOWN, 10), 10);
	ck_assert_int_eq(scroll_by(ACTION_PAGE_UP, 10), -10);
	ck_assert_int_eq(scroll_by(ACTION_SEARCH, 10), 0);
	ck_assert_int_eq(scroll_clip(7 + scroll_by(ACTION_FIRST, 3), 100), 0);
	ck_assert_int_eq(scroll_clip(7 + scroll_by(ACTION_LAST, 3), 100), 99);
	ck_assert_int_eq(scroll_clip(3, 0), 0);
}
END_TEST

/* A text ends at the end of the screen, and one that is shorter does not move. */
START_TEST(test_text)
{
	struct scroll s = {.h = 4};
	ck_assert(scroll_text(&s, ACTION_LAST, 10));
	ck_assert_int_eq(s.top, 6);
	ck_assert(scroll_text(&s, ACTION_PAGE_UP, 10));
	ck_assert_int_eq(s.top, 2);
	ck_assert(!scroll_text(&s, ACTION_SEARCH, 5)); /* the file has shrunk */
	ck_assert_int_eq(s.top, 1);
	ck_assert(scroll_text(&s, ACTION_DOWN, 3));
	ck_assert_int_eq(s.top, 0);
}
END_TEST

static bool
is_it(const void *of, int64_t row)
{
	return ((const bool *)of)[row];
}

START_TEST(test_find)
{
	static const bool some[6] = {[1] = true, [4] = true}, none[6], one[6] = {[2] = true};
	ck_assert_int_eq(scroll_find(1, 6, 1, is_it, some), 4);
	ck_assert_int_eq(scroll_find(4, 6, 1, is_it, some), 1);
	ck_assert_int_eq(scroll_find(1, 6, -1, is_it, some), 4);
	ck_assert_int_eq(scroll_find(3, 6, -1, is_it, some), 1);
	ck_assert_int_eq(scroll_find(2, 6, 1, is_it, one), 2);
	ck_assert_int_eq(scroll_find(0, 6, 1, is_it, none), -1);
	ck_assert_int_eq(scroll_find(0, 0, -1, is_it, none), -1);
}
END_TEST

/* Widths, and the columns omitted first, for a table made up here. */
static const struct table_column made_up[] = {
	{.name = "a", .title = "a", .width = 10},
	{.name = "b", .title = "b", .width = 5, .drop = 2},
	{.name = "name", .title = "name", .left = true},
	{.name = "c", .title = "c", .width = 7, .drop = 1, .left = true},
	{.name = "d", .title = "d", .width = 4, .drop = 2, .left = true},
};

static void
check_columns(int w, const char *names, int name_width)
{
	struct grid g;
	char got[16] = "";
	grid_init(&g, NULL, NULL);
	for (size_t i = 0; i < sizeof made_up / sizeof *made_up; i++)
		ck_assert_ptr_nonnull(grid_add(&g, &made_up[i]));
	grid_fit(&g, w, 8);
	for (unsigned i = 0; i < g.n; i++) {
		strcat(got, (const char[]){*g.column[i].of->name, '\0'});
		if (g.column[i].of == &made_up[2])
			ck_assert_int_eq(g.column[i].width, name_width);
	}
	ck_assert_str_eq(got, names);
}

/* Blanks between: a 11, b 6, c 8, d 5, the name after all of them. */
START_TEST(test_columns)
{
	check_columns(50, "abncd", 20);
	check_columns(38, "abncd", 8);
	check_columns(37, "abnd", 15);
	check_columns(30, "abnd", 8);
	check_columns(29, "abn", 12); /* of two that go together, the right one */
	check_columns(24, "an", 13);
	check_columns(12, "an", 1); /* a column that is never omitted stays */
}
END_TEST

START_TEST(test_column_at)
{
	struct grid g;
	grid_init(&g, NULL, NULL);
	for (size_t i = 0; i < sizeof made_up / sizeof *made_up; i++)
		grid_add(&g, &made_up[i]);
	grid_fit(&g, 38, 8);
	ck_assert_ptr_eq(grid_column_at(&g, 0)->of, &made_up[0]);
	ck_assert_ptr_eq(grid_column_at(&g, 10)->of, &made_up[0]);
	ck_assert_ptr_eq(grid_column_at(&g, 11)->of, &made_up[1]);
	ck_assert_ptr_eq(grid_column_at(&g, 17)->of, &made_up[2]);
	ck_assert_ptr_eq(grid_column_at(&g, 38)->of, &made_up[4]);
	ck_assert_ptr_null(grid_column_at(&g, 39));
}
END_TEST

static bool
is_even(const void *of, unsigned column)
{
	(void)of;
	return column % 2 == 0 && column < 6;
}

START_TEST(test_order)
{
	struct grid_order o = {.column = 2, .reverse = true};
	ck_assert(grid_order_step(&o, 1, is_even, NULL));
	ck_assert(o.column == 4 && !o.reverse);
	ck_assert(!grid_order_step(&o, 1, is_even, NULL));
	ck_assert_uint_eq(o.column, 4);
	grid_order_by(&o, 4);
	ck_assert(o.column == 4 && o.reverse);
	grid_order_by(&o, 0);
	ck_assert(o.column == 0 && !o.reverse);
	/* numbers fall, words rise, at first */
	ck_assert_str_eq(grid_order_mark(&o, &table_columns[0]), "▾");
	ck_assert_str_eq(grid_order_mark(&o, &table_columns[1]), "");
	o.column = (unsigned)(column_find("function", 8, ROWS_FOLD) - table_columns);
	ck_assert_str_eq(grid_order_mark(&o, &table_columns[o.column]), "▴");
	o.reverse = true;
	ck_assert_str_eq(grid_order_mark(&o, &table_columns[o.column]), "▾");
}
END_TEST

UNIT(grid)
{
	Suite *suite = suite_create("grid");
	TCase *t = tcase_create("grid");
	tcase_add_test(t, test_fit);
	tcase_add_test(t, test_actions);
	tcase_add_test(t, test_text);
	tcase_add_test(t, test_find);
	tcase_add_test(t, test_columns);
	tcase_add_test(t, test_column_at);
	tcase_add_test(t, test_order);
	suite_add_tcase(suite, t);
	return suite;
}
