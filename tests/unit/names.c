#include "model/profile/names.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* Names: equal bytes are one id, different bytes are different ids, whatever the bytes and
 * however many; a pointer to a name holds while the table grows. */

START_TEST(test_empty)
{
	struct names t;

	names_init(&t);
	ck_assert_uint_eq(t.n, 1);
	ck_assert_uint_eq(names_put(&t, NULL, 0), NAME_EMPTY);
	ck_assert_uint_eq(names_put(&t, "x", 0), NAME_EMPTY);
	ck_assert_uint_eq(names_find(&t, "", 0), NAME_EMPTY);
	ck_assert_uint_eq(names_find(&t, "x", 1), UINT32_MAX);
	ck_assert_str_eq(names_get(&t, NAME_EMPTY).at, "");
	names_release(&t);
}
END_TEST

START_TEST(test_bytes)
{
	struct names t;

	names_init(&t);
	name_id a = names_put(&t, "a\0b", 3), b = names_put(&t, "a\0c", 3);
	name_id c = names_put(&t, "a", 1), d = names_put(&t, "a\0", 2);
	ck_assert(a != b && a != c && a != d && b != c && b != d && c != d);
	ck_assert_uint_eq(names_put(&t, "a\0b", 3), a);
	ck_assert_uint_eq(names_get(&t, a).len, 3);
	ck_assert(!memcmp(names_get(&t, a).at, "a\0b", 4)); /* followed by a NUL */
	names_release(&t);
}
END_TEST

/* A name beyond the limit is truncated, and stays different from similar ones. */
START_TEST(test_cut)
{
	enum { LEN = NAME_LEN_MAX + 5 };
	char *text = mem_alloc(LEN, 1);
	struct names t;

	names_init(&t);
	memset(text, 'n', LEN);
	name_id most = names_put_cut(&t, text, NAME_LEN_MAX);
	ck_assert_uint_eq(names_get(&t, most).len, NAME_LEN_MAX);
	ck_assert_uint_eq(t.n_cut, 0);
	name_id one = names_put_cut(&t, text, LEN), more = names_put_cut(&t, text, LEN - 1);
	text[LEN - 1] = 'm';
	name_id other = names_put_cut(&t, text, LEN);
	ck_assert(one != most && one != other && one != more && other != more);
	ck_assert_uint_eq(t.n_cut, 3);
	ck_assert_uint_eq(names_put_cut(&t, text, LEN), other);
	ck_assert_uint_eq(t.n_cut, 3);
	struct name cut = names_get(&t, other);
	ck_assert_uint_eq(cut.len, NAME_LEN_MAX);
	ck_assert(!memcmp(cut.at + cut.len - 12, "n…", 4));
	ck_assert_uint_eq(strspn(cut.at + cut.len - 8, "0123456789abcdef"), 8);
	memcpy(text + NAME_LEN_MAX - 12, "ä", 2); /* the cut would lie in it */
	cut = names_get(&t, names_put_cut(&t, text, LEN));
	ck_assert_uint_eq(cut.len, NAME_LEN_MAX - 1);
	ck_assert(!memcmp(cut.at + cut.len - 12, "n…", 4));
	names_release(&t);
	free(text);
}
END_TEST

START_TEST(test_many)
{
	enum { MANY = 200000 };
	struct names t;
	const char **kept = mem_alloc(MANY, sizeof *kept);
	name_id *id = mem_alloc(MANY, sizeof *id);
	bool good = true;
	char name[32];

	names_init(&t);
	for (int i = 0; i < MANY; i++) {
		int len = snprintf(name, sizeof name, "name-%d", i);
		id[i] = names_put(&t, name, (size_t)len);
		kept[i] = names_get(&t, id[i]).at;
	}
	ck_assert_uint_eq(t.n, MANY + 1);
	for (int i = 0; i < MANY; i++) {
		int len = snprintf(name, sizeof name, "name-%d", i);
		good &= names_put(&t, name, (size_t)len) == id[i];
		good &= names_find(&t, name, (size_t)len) == id[i];
		good &= names_get(&t, id[i]).at == kept[i] && !strcmp(kept[i], name);
	}
	ck_assert(good);
	ck_assert_uint_eq(t.n, MANY + 1);
	ck_assert_uint_eq(names_find(&t, "name-200000", 11), UINT32_MAX);
	names_release(&t);
	free(kept);
	free(id);
}
END_TEST

/* Longer than an arena, and the names after it. */
/* The length is in one byte or five, and a branch reads the names of its origin. */
START_TEST(test_lengths)
{
	static char text[700000];
	struct names t, branch;
	name_id id[600];

	memset(text, 'x', sizeof text);
	names_init(&t);
	for (size_t len = 0; len < 600; len++)
		id[len] = names_put(&t, text, len);
	name_id large = names_put(&t, text, sizeof text), end = names_put(&t, "end", 3);
	names_branch(&branch, &t);
	name_id own = names_put(&branch, "own", 3);
	for (size_t len = 0; len < 600; len++) {
		struct name name = names_get(&branch, id[len]);
		ck_assert_uint_eq(name.len, len);
		ck_assert(!memcmp(name.at, text, len) && !name.at[len]);
		ck_assert_uint_eq(names_find(&branch, text, len), id[len]);
	}
	ck_assert_uint_eq(names_get(&branch, large).len, sizeof text);
	ck_assert_uint_eq(names_find(&branch, text, sizeof text), large);
	ck_assert_str_eq(names_get(&branch, end).at, "end");
	ck_assert_str_eq(names_get(&branch, own).at, "own");
	ck_assert_uint_eq(names_find(&t, "own", 3), UINT32_MAX);
	names_release(&branch);
	names_release(&t);
}
END_TEST

START_TEST(test_long)
{
	size_t len = 5u << 20;
	char *name = mem_alloc(len, 1);
	struct names t;

	memset(name, 'x', len);
	names_init(&t);
	name_id first = names_put(&t, "first", 5), whole = names_put(&t, name, len);
	name_id most = names_put(&t, name, len - 1), last = names_put(&t, "last", 4);
	ck_assert_uint_ne(whole, most);
	ck_assert_uint_eq(names_put(&t, name, len), whole);
	ck_assert_uint_eq(names_get(&t, most).len, len - 1);
	ck_assert(!memcmp(names_get(&t, whole).at, name, len));
	ck_assert_str_eq(names_get(&t, first).at, "first");
	ck_assert_str_eq(names_get(&t, last).at, "last");
	names_release(&t);
	free(name);
}
END_TEST

UNIT(names)
{
	Suite *suite = suite_create("names");
	TCase *cases = tcase_create("names");

	tcase_set_timeout(cases, 60);
	tcase_add_test(cases, test_empty);
	tcase_add_test(cases, test_bytes);
	tcase_add_test(cases, test_cut);
	tcase_add_test(cases, test_many);
	tcase_add_test(cases, test_lengths);
	tcase_add_test(cases, test_long);
	suite_add_tcase(suite, cases);
	return suite;
}
