/* run_suite.h - runs a suite of libcheck and prints TAP, for main() of a unit test. */
#ifndef PNAV_TESTS_LIB_RUN_SUITE_H
#define PNAV_TESTS_LIB_RUN_SUITE_H

#include <check.h>

/* The exit status: 0 when all passed. */
static inline int
run_suite(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}

#endif
