/* keys.c - the list of actions and the keymap: no key means two things at once. */
#include "ui/part/keys.h"

#include <check.h>
#include <string.h>

#include "tests/lib/unit.h"

START_TEST(test_each_key_once)
{
	struct keymap m;
	keymap_init(&m);
	ck_assert_uint_gt(m.n, ACTION_COUNT - 1);
	for (size_t i = 0; i < m.n; i++)
		for (size_t k = 0; k < i; k++)
			if (m.at[i].key == m.at[k].key)
				ck_assert_int_ne(action_scope(m.at[i].action),
						 action_scope(m.at[k].action));
	keymap_release(&m);
}
END_TEST

/* Every default key is one that can be parsed: none is silently lost. */
START_TEST(test_each_action_has_a_key)
{
	struct keymap m;
	keymap_init(&m);
	for (int a = ACTION_NONE + 1; a < ACTION_COUNT; a++) {
		bool bound = false;
		for (size_t i = 0; i < m.n; i++)
			bound |= m.at[i].action == (enum action)a;
		ck_assert_msg(bound, "%s has no key", action_name((enum action)a));
		ck_assert_int_eq(action_named(action_name((enum action)a)), a);
		ck_assert_uint_le(strlen(action_help((enum action)a)), 64);
	}
	keymap_release(&m);
}
END_TEST

START_TEST(test_scopes)
{
	struct keymap m;
	keymap_init(&m);
	ck_assert_int_eq(keymap_action(&m, '-', SCOPE_TREE, false), ACTION_CLOSE);
	ck_assert_int_eq(keymap_action(&m, '-', SCOPE_FLAME, false), ACTION_NARROW);
	/* With the focus on the scrubber, the view's own keys are not there. */
	ck_assert_int_eq(keymap_action(&m, '-', SCOPE_TREE, true), ACTION_NARROW);
	ck_assert_int_eq(keymap_action(&m, KEYCODE_LEFT, SCOPE_TREE, true),
			 ACTION_SCRUB_LEFT);
	ck_assert_int_eq(keymap_action(&m, KEYCODE_LEFT, SCOPE_TREE, false), ACTION_LEFT);
	ck_assert_int_eq(keymap_action(&m, KEYCODE_ESC, SCOPE_ANY, true),
			 ACTION_RANGE_CLEAR);
	ck_assert_int_eq(keymap_action(&m, 'r', SCOPE_TABLE, false), ACTION_SORT_REVERSE);
	ck_assert_int_eq(keymap_action(&m, 'r', SCOPE_TREE, false), ACTION_NONE);
	/* terminals send different codes for the same key */
	ck_assert_int_eq(keymap_action(&m, '\n', SCOPE_ANY, false), ACTION_ENTER);
	ck_assert_int_eq(keymap_action(&m, 8, SCOPE_ANY, false), ACTION_OUT);
	keymap_release(&m);
}
END_TEST

/* A user's key: in its scope alone, or everywhere when the action is of all views. */
START_TEST(test_bind)
{
	struct keymap m;
	keymap_init(&m);
	keymap_bind(&m, '+', ACTION_CLOSE);
	ck_assert_int_eq(keymap_action(&m, '+', SCOPE_TREE, false), ACTION_CLOSE);
	ck_assert_int_eq(keymap_action(&m, '+', SCOPE_FLAME, false), ACTION_WIDEN);
	keymap_bind(&m, '+', ACTION_INVERT);
	ck_assert_int_eq(keymap_action(&m, '+', SCOPE_TREE, false), ACTION_INVERT);
	ck_assert_int_eq(keymap_action(&m, '+', SCOPE_FLAME, true), ACTION_INVERT);
	keymap_bind(&m, '+', ACTION_NONE);
	ck_assert_int_eq(keymap_action(&m, '+', SCOPE_TREE, false), ACTION_NONE);
	ck_assert_int_eq(keymap_action(&m, '-', SCOPE_TREE, false), ACTION_CLOSE);
	keymap_release(&m);
}
END_TEST

START_TEST(test_names)
{
	static const char *const names[] = {"Enter", "Esc",   "^R",  "a",
					    "é",     "F1",    "F12", "S-Left",
					    "PgDn",  "Space", "\\",  "^_"};
	static const char *const none[] = {"", "Entr", "^r", "ab", "F13", "^", "\x80"};
	uint32_t key;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct buf out = BUF_INIT;
		ck_assert(key_parse(names[i], strlen(names[i]), &key));
		key_write(key, &out);
		ck_assert_str_eq(buf_str(&out), names[i]);
		buf_release(&out);
	}
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		if (strcmp(none[i], "^"))
			ck_assert_msg(!key_parse(none[i], strlen(none[i]), &key), "%s",
				      none[i]);
	/* A caret alone is the caret. */
	ck_assert(key_parse("^", 1, &key));
	ck_assert_uint_eq(key, '^');
}
END_TEST

UNIT(keys)
{
	Suite *suite = suite_create("keys");
	TCase *t = tcase_create("keys");
	suite_add_tcase(suite, t);
	tcase_add_test(t, test_each_key_once);
	tcase_add_test(t, test_each_action_has_a_key);
	tcase_add_test(t, test_scopes);
	tcase_add_test(t, test_bind);
	tcase_add_test(t, test_names);
	return suite;
}
