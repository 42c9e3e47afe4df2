/* units.c - main() of the unit tests.  They are one program, since linking one for each took longer
 * than running them.  The name of the program chooses the suite: tests/unit/fold runs that of
 * tests/unit/fold.c.  As `units`, it takes the names as arguments. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "tests/lib/unit.h"

unsigned
unit_rounds(unsigned most)
{
	return getenv("PNAV_LONG") ? most : (most + 11) / 12;
}

unsigned
unit_stride(unsigned most)
{
	return getenv("PNAV_LONG") ? 1 : most;
}

static const struct unit_suite *
unit_named(const char *name)
{
	for (size_t i = 0; i < unit_suites_count; i++)
		if (strcmp(unit_suites[i].name, name) == 0)
			return &unit_suites[i];
	return NULL;
}

/* Suites of many short tests, which share the process: with sanitizers a child for each took up to
 * ten times as long as the test. If one crashes, the others do not run. CK_FORK=yes runs each in a
 * child. */
static bool
in_one_process(const char *name)
{
	static const char *const names[] = {"bands", "branches",      "cells", "hqnplog", "match",
					    "series", "series_beside", "series_pack"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static double
seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

/* Does the same as tap_done() of tap.sh; most suites run each test in a child. */
static void
tell_time(time_t began)
{
	struct rusage own, children;

	getrusage(RUSAGE_SELF, &own);
	getrusage(RUSAGE_CHILDREN, &children);
	printf("# time: %d s, %.1f s of processors\n", (int)(time(NULL) - began),
		seconds(&own.ru_utime) + seconds(&own.ru_stime) + seconds(&children.ru_utime) +
			seconds(&children.ru_stime));
}

/* Prints TAP; returns true if all tests passed. */
static bool
unit_run(const struct unit_suite *unit)
{
	Suite *suite = unit->suite();
	time_t began = time(NULL);
	SRunner *runner;
	int failed;

	if (suite == NULL) {
		puts("1..0 # SKIP there is nothing to test in this build");
		return true;
	}
	runner = srunner_create(suite);
	srunner_set_tap(runner, "-");
	if (in_one_process(unit->name) && getenv("CK_FORK") == NULL)
		srunner_set_fork_status(runner, CK_NOFORK);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	tell_time(began);
	return failed == 0;
}

/* Returns true if the suite exists and all its tests passed. */
static bool
unit_passes(const char *name)
{
	const struct unit_suite *unit = unit_named(name);

	if (unit == NULL)
		fprintf(stderr, "units: there is no suite %s\n", name);
	return unit != NULL && unit_run(unit);
}

int
main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	const char *own = slash != NULL ? slash + 1 : argv[0];
	bool passed = true;

	if (strcmp(own, "units") != 0)
		return !unit_passes(own);
	for (int i = 1; i < argc; i++)
		passed = unit_passes(argv[i]) && passed;
	return !passed;
}
