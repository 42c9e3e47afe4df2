/* unit.h - the beginning of each suite in tests/unit.
 *
 *	UNIT(fold)
 *	{
 *		Suite *suite = suite_create("fold");
 *		...
 *		return suite;
 *	}
 *
 * The name is that of the file.  The caller owns the suite; NULL means that this build has
 * nothing to test there.  UNIT_ALONE() makes a program of its own: for a file that replaces a
 * function of the C library or of a sanitizer, and one that ./check builds without the others. */
#ifndef PNAV_TESTS_LIB_UNIT_H
#define PNAV_TESTS_LIB_UNIT_H

#include <check.h>
#include <stddef.h>

/* libcheck writes a message for each assertion that holds, and its parent moves all that follow to
 * read one: of a hundred thousand assertions that is most of a test's time.  A sanitizer's report
 * says where a test died, too. */
#define _mark_point(file, line) ((void)0)

struct unit_suite {
	const char *name;
	Suite *(*suite)(void);
};

/* The suites of this program, from the Makefile or from UNIT_ALONE(). */
extern const struct unit_suite unit_suites[];
extern const size_t unit_suites_count;

/* Returns how often to repeat something random that is done `most` times in the long check
 * (PNAV_LONG is set): a twelfth of that, from the same seeds. */
unsigned unit_rounds(unsigned most);

/* Returns the step of a loop over all that there is: 1 in the long check, else `most`. */
unsigned unit_stride(unsigned most);

#define UNIT(name)                \
	Suite *unit_##name(void); \
	Suite *unit_##name(void)

#define UNIT_ALONE(name)                                     \
	Suite *unit_##name(void);                            \
	const struct unit_suite unit_suites[] = {{#name, unit_##name}}; \
	const size_t unit_suites_count = 1;                        \
	Suite *unit_##name(void)

#endif
