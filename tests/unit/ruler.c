/* ruler.c - ticks of a time axis. */
#include "ui/part/ruler.h"

#include <check.h>
#include <locale.h>

#include "tests/lib/unit.h"

static void
check_time(int64_t t, enum unit axis, const char *want)
{
	struct buf got = BUF_INIT;
	ruler_write(t, axis, &got);
	ck_assert_str_eq(buf_str(&got), want);
	buf_release(&got);
}

START_TEST(test_times_are_not_rounded)
{
	check_time(0, UNIT_NS, "0 ns");
	check_time(999, UNIT_NS, "999 ns");
	check_time(1500, UNIT_NS, "1.5 µs");
	check_time(20000000, UNIT_NS, "20 ms");
	check_time(2310004512, UNIT_NS, "2.310004512 s");
	check_time(-1500, UNIT_NS, "-1.5 µs");
	check_time(48210, UNIT_CALLS, "48,210");
}
END_TEST

START_TEST(test_steps)
{
	/* 100 columns of 1 s, ticks 12 apart: 120 ms at least */
	ck_assert_int_eq(ruler_step(1000000000, 100, 12), 200000000);
	ck_assert_int_eq(ruler_step(1000000000, 12, 12), 1000000000);
	ck_assert_int_eq(ruler_step(400000000, 100, 12), 50000000);
	ck_assert_int_eq(ruler_step(1, 100, 12), 1);
	ck_assert_int_gt(ruler_step(INT64_MAX, 1, 12), 0);
}
END_TEST

static void
check_line(int cols, int64_t end, enum unit axis, const char *want)
{
	struct canvas c;
	struct buf got = BUF_INIT;
	canvas_init(&c, cols, 1, false);
	ruler_draw(&c, (struct area){0, 0, 1, cols}, end, axis);
	canvas_write(&c, &got);
	ck_assert_str_eq(buf_str(&got), want);
	buf_release(&got);
	canvas_release(&c);
}

START_TEST(test_lines)
{
	/* The tick of t is in the column that holds it: t * cols / (end + 1). */
	check_line(40, 1000, UNIT_NS, "│0                 │500 ns         1 µs│\n");
	check_line(40, 999, UNIT_CALLS, "│0                  │500            999│\n");
	/* a label that would touch the end, or the next tick, gives way */
	check_line(12, 999, UNIT_NS, "│0   999 ns│\n");
	check_line(6, 999, UNIT_NS, "│0\n");
	check_line(24, 1234567890, UNIT_NS, "│0              1.234 s│\n");
	check_line(48, 4000000000, UNIT_CALLS,
		   "│0         │                      4,000,000,000│\n");
}
END_TEST

UNIT(ruler)
{
	Suite *suite = suite_create("ruler");
	TCase *t = tcase_create("ruler");
	setlocale(LC_CTYPE, "C.UTF-8");
	suite_add_tcase(suite, t);
	tcase_add_test(t, test_times_are_not_rounded);
	tcase_add_test(t, test_steps);
	tcase_add_test(t, test_lines);
	return suite;
}
