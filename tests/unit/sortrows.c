#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/vec.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* sort_rows() leaves the same rows as qsort(), in order of their keys: rows in order, some of them
 * late by a little or by much, falling ones, any; of sizes that are inserted and that are not. */

#define ROWS 3000u

struct sorted_row {
	uint32_t key, number;
	char rest[192];
};

static size_t compared;

static int
by_key(const void *a, const void *b)
{
	const struct sorted_row *x = a, *y = b;

	compared++;
	return (x->key > y->key) - (x->key < y->key);
}

static int
by_row(const void *a, const void *b)
{
	const struct sorted_row *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

enum { IN_ORDER, A_BIT_LATE, ONE_LATE, MANY_LATE, FALLING, ANY, EQUAL, ORDERS };

static uint32_t
key_by_chance(struct chance *c, int order, uint32_t i, uint32_t n)
{
	switch (order) {
	case IN_ORDER:
		return i / 2;
	case A_BIT_LATE:
		return 10 + i - (chance_one_in(c, 9) ? chance_below(c, 9) : 0);
	case ONE_LATE:
		return i == n - 1 ? 0 : 1 + i;
	case MANY_LATE:
		return chance_one_in(c, 4) ? chance_below(c, i + 1) : i;
	case FALLING:
		return n - i;
	case ANY:
		return chance_below(c, n);
	}
	return 7;
}

START_TEST(as_qsort)
{
	static const size_t size[] = {8, 32, 128, 200};
	static const uint32_t count[] = {0, 1, 2, 3, 50, ROWS};
	size_t bytes = size[_i % 4];
	char *rows = mem_alloc(ROWS, bytes), *want = mem_alloc(ROWS, bytes);
	struct chance c;

	chance_init(&c, 1 + (unsigned)_i);
	for (unsigned k = 0; k < sizeof count / sizeof *count; k++) {
		uint32_t n = count[k];
		for (uint32_t i = 0; i < n; i++) {
			struct sorted_row row = {.key = key_by_chance(&c, _i / 4, i, n),
						 .number = i};
			memset(row.rest, (int)(i % 251), sizeof row.rest);
			memcpy(rows + i * bytes, &row, bytes);
			memcpy(want + i * bytes, &row, bytes);
		}
		sort_rows(rows, n, bytes, by_key);
		for (uint32_t i = 1; i < n; i++)
			ck_assert_int_le(by_key(rows + (i - 1) * bytes, rows + i * bytes), 0);
		/* equal keys may be in any order */
		qsort(rows, n, bytes, by_row);
		qsort(want, n, bytes, by_row);
		ck_assert_int_eq(memcmp(rows, want, n * bytes), 0);
	}
	free_all(rows, want);
}
END_TEST

/* Rows that are in order, or nearly so, are compared a few times. */
START_TEST(linear)
{
	struct sorted_row *rows = mem_zalloc(ROWS, sizeof *rows);
	static const unsigned most[] = {[IN_ORDER] = 1, [A_BIT_LATE] = 3, [ONE_LATE] = 2};
	struct chance c;

	chance_init(&c, 3);
	for (uint32_t i = 0; i < ROWS; i++) {
		struct sorted_row row = {.key = key_by_chance(&c, _i, i, ROWS), .number = i};
		memcpy((char *)rows + i * 16, &row, 16);
	}
	compared = 0;
	sort_rows(rows, ROWS, 16, by_key);
	ck_assert_uint_le(compared, (size_t)most[_i] * ROWS);
	free(rows);
}
END_TEST

UNIT(sortrows)
{
	Suite *s = suite_create("sortrows");
	TCase *t = tcase_create("sortrows");

	tcase_add_loop_test(t, as_qsort, 0, 4 * ORDERS);
	tcase_add_loop_test(t, linear, 0, 3);
	suite_add_tcase(s, t);
	return s;
}
