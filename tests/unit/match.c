#include "model/lens/match.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/mem.h"
#include "model/lens/lens.h"
#include "model/lens/words.h"
#include "model/profile/profile.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* Patterns as pnav(1) describes them: [!][SUBJECT:]RE or [!][SUBJECT:]=TEXT, smart case, names
 * that are UTF-8 as UTF-8 and all others as bytes, errors with a position, a limit for endless
 * matches. */

static struct pattern *
compiled(const char *text)
{
	struct err e;

	err_init(&e);
	struct pattern *p = pattern_new(text, strlen(text), &e);
	ck_assert_msg(p != NULL, "%s", e.text);
	return p;
}

static bool
matches(const char *text, const char *name)
{
	struct pattern *p = compiled(text);
	bool yes = pattern_matches_bytes(p, name, strlen(name));

	pattern_unref(p);
	return yes;
}

static const struct {
	const char *pattern, *name;
	bool yes;
} names[] = {
	/* anywhere, and smart case */
	{"parse", "JsonParse", true},
	{"parse", "json_PARSE_it", true},
	{"Parse", "json_parse", false},
	{"Parse", "JsonParse", true},
	{"parse", "pars", false},
	{"a", "", false},
	{"", "", true},
	{"", "anything", true},
	{"^parse$", "PARSE", true},
	{"^parse$", "PARSER", false},
	{"par.e", "Parse", true},
	/* escapes are no upper case: \S, \x{..}, \xAB, \p{Lu}, \pL, \cA, (?P<Name> */
	{"\\Sarse", "PARSE", true},
	{"\\x{50}arse", "PARSE", true},
	{"\\x4Darse", "MARSE", true},
	{"^\\p{Lu}arse", "PARSE", true},
	{"^\\pLarse", "PARSE", true},
	{"(?<Name>p)arse", "PARSE", true},
	{"(?P<Name>p)arse\\k<Name>", "PARSEP", true},
	{"(?:P)arse", "PARSE", false},
	{"\\Wparse", "(PARSE", true},
	{"\\QP", "p", false},
	/* no operator, near the ends of a word of eight bytes */
	{"end", "0123456789abcEnd", true},
	{"end", "01234End", true},
	{"end", "0123456End", true},
	{"end", "Endless", true},
	{"eend", "0123456eeEnd", true},
	{"end", "en", false},
	{"a_b", "A_B", true},
	{"a_b",
	 "a\x7F"
	 "b",
	 false},
	{"a@b", "a`b", false},
	/* UTF-8: one character, caseless beyond ASCII */
	{"^na.ve$", "na\xC3\xAFve", true},
	{"na\xC3\xAFve", "NA\xC3\x8FVE", true},
	{"NA\xC3\x8FVE", "na\xC3\xAFve", false},
	{"na\xC3\x8Fve", "na\xC3\xAFve",
	 false}, /* an upper-case letter, if not of ASCII */
	{"^\\w+$",
	 "stra\xC3\x9F"
	 "e",
	 true},
	{"kelvin",
	 "\xE2\x84\xAA"
	 "elvin",
	 true},
	{"kelvin",
	 "\xE2\x84\xAA"
	 "elwin",
	 false},
	{"stra", "\xC5\xBFtra", true},
	/* not UTF-8: bytes */
	{"^caf.$", "caf\xE9", true},
	{"caf", "CAF\xE9", true},
	{"caf\xE9", "caf\xE9", true},
	{"caf\xE9", "caf\xC3\xA9", false},
	{"caf\xC3\xA9", "caf\xE9", false},
	{"^..$", "\xC3\xA9", false},
	{"^..$", "\xC3\xFF", true},
	/* =TEXT: the whole name, to the letter */
	{"=parse", "parse", true},
	{"=parse", "Parse", false},
	{"=parse", "parser", false},
	{"=a.b", "a.b", true},
	{"=a.b", "axb", false},
	{"=", "", true},
	{"=", "x", false},
	{"==", "=", true},
	{"fn:file:x", "file:x", true},
	{"fn:=file:x", "file:x", true},
	{"fn:!x", "!x", true},
	{"=caf\xE9", "caf\xE9", true},
};

START_TEST(test_converted)
{
	static const char dos[] = "FN\x81X", latin[] = "t\xe9";
	struct names t;

	names_init(&t);
	name_id name[2] = {names_put(&t, dos, 4), names_put(&t, latin, 2)};
	struct pattern *cp437 = compiled("=FN\u00fcX"), *letter = compiled("\u00e9");
	struct pattern *screen = compiled("=t\\xe9");
	ck_assert(!pattern_matches_name(cp437, &t, name[0]));
	ck_assert(pattern_matches_name(letter, &t, name[1]));
	ck_assert(pattern_matches_name(screen, &t, name[1]));
	ck_assert(!pattern_matches_name(screen, &t, name[0]));
	t.cp437 = true;
	ck_assert(pattern_matches_name(cp437, &t, name[0]));
	pattern_unref(cp437);
	pattern_unref(letter);
	pattern_unref(screen);
	names_release(&t);
}
END_TEST

START_TEST(test_names)
{
	bool yes = matches(names[_i].pattern, names[_i].name);

	ck_assert_msg(yes == names[_i].yes, "%s and %s", names[_i].pattern,
		      names[_i].name);
}
END_TEST

START_TEST(test_parts)
{
	static const struct {
		const char *text;
		enum subject subject;
		bool negated;
	} parts[] = {
		{"x", SUBJECT_FN, false},
		{"!x", SUBJECT_FN, true},
		{"fn:x", SUBJECT_FN, false},
		{"file:x", SUBJECT_FILE, false},
		{"!file:x", SUBJECT_FILE, true},
		{"module:=x", SUBJECT_MODULE, false},
		{"kind:^user$", SUBJECT_KIND, false},
		{"!kind:user", SUBJECT_KIND, true},
		{"FILE:x", SUBJECT_FN, false},
		{"!!x", SUBJECT_FN, true},
	};

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		struct pattern *p = compiled(parts[i].text);
		ck_assert_int_eq(pattern_subject(p), parts[i].subject);
		ck_assert_int_eq(pattern_negated(p), parts[i].negated);
		ck_assert_str_eq(pattern_text(p), parts[i].text);
		pattern_unref(p);
	}
}
END_TEST

/* Each subject looks at its own column, and `!` turns the answer around. */
START_TEST(test_subjects)
{
	struct profile *p = profile_new();
	struct function f = {
		.name = names_put(&p->names, "render", 6),
		.file = names_put(&p->names, "draw.c", 6),
		.module = names_put(&p->names, "app", 3),
		.kind = KIND_SYSTEM,
	};
	static const char *const yes[] = {"render",      "file:draw", "module:app",
					  "kind:system", "!file:app", "!kind:user",
					  "kind:=system"};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
		char turned[32];
		struct pattern *a = compiled(yes[i]);
		snprintf(turned, sizeof turned, "%s%s", *yes[i] == '!' ? "" : "!",
			 yes[i] + (*yes[i] == '!'));
		struct pattern *b = compiled(turned);
		ck_assert_msg(pattern_matches_function(a, p, &f), "%s", yes[i]);
		ck_assert_msg(!pattern_matches_function(b, p, &f), "%s", turned);
		pattern_unref(a);
		pattern_unref(b);
	}
	profile_free(p);
}
END_TEST

/* An error shows the pattern, the position in it and PCRE2's words. */
START_TEST(test_errors)
{
	static const struct {
		const char *pattern, *at, *words;
	} bad[] = {
		{"foo(", "at 4", "missing closing parenthesis"},
		{"!file:foo(", "at 10", "missing closing parenthesis"},
		{"a**b", NULL, NULL},
		{"[z-a]", "at ", "range out of order"},
		{"caf\xE9(", "at 5", "missing closing parenthesis"},
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err e;
		err_init(&e);
		struct pattern *p =
			pattern_new(bad[i].pattern, strlen(bad[i].pattern), &e);
		if (!bad[i].at) {
			pattern_unref(p);
			continue;
		}
		ck_assert_msg(!p, "%s", bad[i].pattern);
		ck_assert_int_eq(e.class, ERR_USAGE);
		ck_assert_msg(strstr(e.text, bad[i].at) && strstr(e.text, bad[i].words),
			      "%s", e.text);
		/* invalid UTF-8 is reported in the form for a screen */
		const char *shown = strchr(bad[i].pattern, '\xE9') ? "caf\\xe9(" : bad[i].pattern;
		ck_assert_msg(strstr(e.text, shown) != NULL, "%s", e.text);
	}
}
END_TEST

/* A pattern cannot be a line of a file with a NUL in it. */
START_TEST(test_nul)
{
	struct err e;

	err_init(&e);
	ck_assert_ptr_null(pattern_new("a\0b", 3, &e));
	ck_assert_int_eq(e.class, ERR_USAGE);
}
END_TEST

START_TEST(test_find)
{
	struct pattern *p = compiled("b+");
	size_t from, to;

	ck_assert(pattern_find(p, "aBBc", 4, &from, &to));
	ck_assert_uint_eq(from, 1);
	ck_assert_uint_eq(to, 3);
	pattern_unref(p);
	p = compiled("needle");
	ck_assert(pattern_find(p, "a hay of Needles, needle", 24, &from, &to));
	ck_assert_uint_eq(from, 9);
	ck_assert_uint_eq(to, 15);
	pattern_unref(p);
}
END_TEST

/* A pattern without operators gives the result of PCRE2: `(?:x)` is the same, and has an
 * operator. */
START_TEST(test_plain_is_pcre)
{
	struct chance c;

	chance_init(&c, 5);
	for (int round = 0; round < 20000; round++) {
		static const char letters[] = "aabbkKsS_1AB\xC3\xAF\xE9";
		char text[8] = "", name[64] = "", other[16];
		size_t n = 1 + chance_below(&c, 3), len = chance_below(&c, 30), at[4];
		for (size_t i = 0; i < n; i++)
			text[i] = letters[chance_below(&c, 12)];
		for (size_t i = 0; i < len; i++)
			name[i] = letters[chance_below(&c, 15)];
		snprintf(other, sizeof other, "(?:%s)", text);
		struct pattern *a = compiled(text), *b = compiled(other);
		bool found = pattern_find(a, name, len, &at[0], &at[1]);
		ck_assert_msg(found == pattern_find(b, name, len, &at[2], &at[3]),
			      "%s in %s", text, name);
		if (found)
			ck_assert_msg(at[0] == at[2] && at[1] == at[3], "%s in %s", text,
				      name);
		pattern_unref(a);
		pattern_unref(b);
	}
}
END_TEST

/* Answers are remembered, and are those of the first time, also when the table grows. */
START_TEST(test_memory)
{
	struct names table;
	struct pattern *p = compiled("1[05]$");

	names_init(&table);
	for (int round = 0; round < 3; round++) {
		for (unsigned i = 0; i < 300; i++) {
			char name[16];
			int len = snprintf(name, sizeof name, "n%u",
					   i + 100u * (unsigned)round);
			name_id id = names_put(&table, name, (size_t)len);
			bool yes = pattern_matches_bytes(p, name, (size_t)len);
			ck_assert_int_eq(pattern_matches_name(p, &table, id), yes);
			ck_assert_int_eq(pattern_matches_name(p, &table, id), yes);
		}
	}
	names_release(&table);
	pattern_unref(p);
}
END_TEST

/* Patterns that try all divisions of a name terminate with an error. */
START_TEST(test_patience)
{
	static const char *const patterns[] = {"^(a+)+$", "^(a|aa)+$", "(x+x+)+y",
					       "^(.*)*\\d$"};
	struct names table;
	char name[400];

	names_init(&table);
	memset(name, 'a', sizeof name);
	name[300] = 'b';
	for (unsigned i = 0; i < 5000; i++) {
		memset(name + 150, i & 1 ? 'x' : 'a', 100);
		int len = snprintf(name + 301, 50, "%ub", i);
		names_put(&table, name, 301 + (size_t)len);
	}
	for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++) {
		struct pattern *p = compiled(patterns[k]);
		unsigned hits = 0;
		for (name_id i = 1; i < table.n; i++)
			hits += pattern_matches_name(p, &table, i);
		ck_assert_uint_eq(hits, 0);
		pattern_unref(p);
	}
	struct pattern *p = compiled("^(a+)+$");
	ck_assert(!pattern_matches_bytes(p, name, 301));
	ck_assert_uint_gt(pattern_gave_up(p), 0);
	ck_assert(pattern_matches_bytes(p, "aaaa", 4));
	pattern_unref(p);
	names_release(&table);
}
END_TEST

/* pattern_exact() matches the bytes it was made from and no others, and survives a line of
 * a file. */
START_TEST(test_exact)
{
	struct chance c;
	char bytes[40];

	chance_init(&c, 6);
	for (int round = 0; round < 20000; round++) {
		struct buf text = BUF_INIT, spec = BUF_INIT;
		size_t len = chance_below(&c, 12);
		bool ascii = chance_one_in(&c, 2);
		struct lens l;
		struct err e;
		err_init(&e);
		lens_init(&l);
		for (size_t i = 0; i < len; i++)
			bytes[i] = (char)(chance_bits(&c) >> 40 & (ascii ? 0x7F : 0xFF));
		if (chance_one_in(&c, 4)) {
			static const char *const hard[] = {
				"!x",  "=x", "fn:x", "~hide", "# x",
				" x ", "\r", "a\n",  "\\E",   "kind:="};
			const char *from = hard[chance_below(&c, 10)];
			len = strlen(from);
			memcpy(bytes, from, len);
		}
		enum subject subject = (enum subject)chance_below(&c, 4);
		pattern_exact(&text, subject, bytes, len);
		ck_assert(lens_add(&l, VERB_HIDE, buf_str(&text), text.len, &e));
		lens_write_spec(&l, &spec);
		lens_release(&l);
		lens_init(&l);
		ck_assert_msg(lens_read_spec(&l, "spec", buf_str(&spec), spec.len, &e),
			      "%s", e.text);
		ck_assert_uint_eq(l.entries.n, 1);
		struct pattern *p = l.entries.at[0].pattern;
		ck_assert_int_eq(pattern_subject(p), subject);
		ck_assert(!pattern_negated(p));
		ck_assert_msg(pattern_matches_bytes(p, bytes, len), "%s", buf_str(&text));
		bytes[len] = 'x';
		ck_assert(!pattern_matches_bytes(p, bytes, len + 1));
		if (len) {
			ck_assert(!pattern_matches_bytes(p, bytes, len - 1));
			size_t where = chance_below(&c, (uint32_t)len);
			bytes[where] = (char)(bytes[where] ^ 0x20);
			ck_assert(!pattern_matches_bytes(p, bytes, len));
		}
		lens_release(&l);
		buf_release(&text);
		buf_release(&spec);
	}
}
END_TEST

/* Cached results belong to a table, not to an address. */
START_TEST(test_memory_of_names)
{
	struct pattern *p = compiled("abc");
	struct names t;

	names_init(&t);
	ck_assert(pattern_matches_name(p, &t, names_put(&t, "abc", 3)));
	names_release(&t);
	names_init(&t);
	ck_assert(!pattern_matches_name(p, &t, names_put(&t, "xyz", 3)));
	names_release(&t);
	pattern_unref(p);
}
END_TEST

UNIT(match)
{
	Suite *suite = suite_create("match");
	TCase *cases = tcase_create("patterns");

	tcase_set_timeout(cases, 60);
	tcase_add_loop_test(cases, test_names, 0, (int)(sizeof names / sizeof *names));
	tcase_add_test(cases, test_parts);
	tcase_add_test(cases, test_subjects);
	tcase_add_test(cases, test_errors);
	tcase_add_test(cases, test_nul);
	tcase_add_test(cases, test_find);
	tcase_add_test(cases, test_plain_is_pcre);
	tcase_add_test(cases, test_memory);
	tcase_add_test(cases, test_patience);
	tcase_add_test(cases, test_exact);
	tcase_add_test(cases, test_converted);
	tcase_add_test(cases, test_memory_of_names);
	suite_add_tcase(suite, cases);
	return suite;
}
