#include "model/profile/human.h"

#include <check.h>
#include <stdint.h>
#include <string.h>

#include "model/base/escape.h"
#include "model/base/utf8.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* Numbers and bytes in the form for people. The expected texts are written by hand; they include
 * extremes, because a view shows whatever a file contains. */

#define SAYS(call, ...)                                                                  \
	do {                                                                             \
		struct buf says_ = BUF_INIT;                                             \
		call(&says_, __VA_ARGS__);                                               \
		ck_assert_str_eq(buf_str(&says_), says);                                 \
		buf_release(&says_);                                                     \
	} while (0)

START_TEST(test_count)
{
	static const struct {
		int64_t v;
		const char *says;
	} counts[] = {
		{0, "0"},
		{7, "7"},
		{999, "999"},
		{1000, "1,000"},
		{48210, "48,210"},
		{-1, "-1"},
		{-1000, "-1,000"},
		{1234567, "1,234,567"},
		{INT64_MAX, "9,223,372,036,854,775,807"},
		{INT64_MIN, "-9,223,372,036,854,775,808"},
	};

	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		const char *says = counts[i].says;
		SAYS(human_count, counts[i].v);
	}
}
END_TEST

START_TEST(test_value)
{
	static const struct {
		int64_t v;
		enum unit unit;
		const char *says;
	} values[] = {
		{0, UNIT_NS, "0 ns"},
		{999, UNIT_NS, "999 ns"},
		{1000, UNIT_NS, "1.00 µs"},
		{1500, UNIT_NS, "1.50 µs"},
		{999499, UNIT_NS, "999 µs"},
		{999500, UNIT_NS, "1.00 ms"},
		{812000000, UNIT_NS, "812 ms"},
		{4100000000, UNIT_NS, "4.10 s"},
		{12400000000, UNIT_NS, "12.4 s"},
		{999400000000, UNIT_NS, "999 s"},
		{1234567000000000, UNIT_NS, "1,234,567 s"},
		{-812000000, UNIT_NS, "-812 ms"},
		{-1234567000000000, UNIT_NS, "-1,234,567 s"},
		{INT64_MAX, UNIT_NS, "9,223,372,037 s"},
		{INT64_MIN, UNIT_NS, "-9,223,372,037 s"},
		{0, UNIT_BYTES, "0 B"},
		{1023, UNIT_BYTES, "1,023 B"},
		{1024, UNIT_BYTES, "1.00 KiB"},
		{-1024, UNIT_BYTES, "-1.00 KiB"},
		{1572864, UNIT_BYTES, "1.50 MiB"},
		{INT64_C(5) << 40, UNIT_BYTES, "5.00 TiB"},
		{48210, UNIT_SAMPLES, "48,210"},
		{99999999, UNIT_CALLS, "99,999,999"},
		{123456789, UNIT_OPS, "123 M"},
		{INT64_C(5000000000), UNIT_COUNT, "5.00 G"},
		{-123456789, UNIT_ENTRIES, "-123 M"},
	};

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		struct metric m = {.unit = (uint8_t)values[i].unit};
		const char *says = values[i].says;
		SAYS(human_value, values[i].v, &m);
	}
	struct metric m = {.unit = UNIT_COUNT, .decimals = 6};
	const char *says = "1.5";
	SAYS(human_value, 1500000, &m);
	says = "12,345,679";
	SAYS(human_value, INT64_C(12345678900000), &m);
	says = "999,999";
	SAYS(human_value, INT64_C(999999400000), &m);
	says = "123,457";
	SAYS(human_value, INT64_C(123456500000), &m);
	says = "1,000";
	SAYS(human_value, 999999600, &m);
	says = "-1,000";
	SAYS(human_value, -999999600, &m);
	says = "999";
	SAYS(human_value, 999400000, &m);
}
END_TEST

/* Every number has a text, and no text is absurdly long: columns rely on it. */
START_TEST(test_value_any)
{
	struct chance c;

	chance_init(&c, 7);
	for (int i = 0; i < 100000; i++) {
		struct buf out = BUF_INIT;
		int64_t v = (int64_t)(chance_bits(&c) >> chance_below(&c, 64));
		struct metric m = {.unit = (uint8_t)chance_below(&c, UNIT_COUNT + 1),
				   .decimals = chance_one_in(&c, 4) ? 6 : 0};
		v = chance_one_in(&c, 2) ? -v : v;
		human_value(&out, v, &m);
		if (!out.len || out.len > (m.decimals ? 24 : 17))
			ck_abort_msg("'%s'", buf_str(&out));
		buf_reset(&out);
		human_time(&out, v, (enum unit)m.unit);
		if (!out.len || out.len > 27)
			ck_abort_msg("'%s'", buf_str(&out));
		buf_release(&out);
	}
}
END_TEST

START_TEST(test_time)
{
	static const struct {
		int64_t v;
		enum unit axis;
		const char *says;
	} times[] = {
		{0, UNIT_NS, "0 ns"},
		{-5, UNIT_NS, "-5 ns"},
		{1000, UNIT_NS, "1.000 µs"},
		{2310000, UNIT_NS, "2.310 ms"},
		{2310000000, UNIT_NS, "2.310 s"},
		{-2310000000, UNIT_NS, "-2.310 s"},
		{INT64_MAX, UNIT_NS, "9223372036.854 s"},
		{INT64_MIN, UNIT_NS, "-9223372036.854 s"},
		{48210, UNIT_SAMPLES, "48,210"},
		{INT64_MIN, UNIT_ENTRIES, "-9,223,372,036,854,775,808"},
	};

	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		const char *says = times[i].says;
		SAYS(human_time, times[i].v, times[i].axis);
	}
}
END_TEST

START_TEST(test_share)
{
	const char *says = "33.1 %";
	SAYS(human_share, 331, 1000);
	says = "0.0 %";
	SAYS(human_share, 0, 7);
	SAYS(human_share, 0, -7);
	says = "100.0 %";
	SAYS(human_share, INT64_MAX, INT64_MAX);
	says = "-50.0 %";
	SAYS(human_share, -1, 2);
	SAYS(human_share, -1, -2); /* the sign is that of the part */
	says = "50.0 %";
	SAYS(human_share, 1, -2);
	says = "";
	SAYS(human_share, 5, 0);
}
END_TEST

START_TEST(test_plain)
{
	const char *says = "-9223372036854775808";
	SAYS(human_plain, INT64_MIN, 0);
	says = "1.5";
	SAYS(human_plain, 1500000, 6);
	says = "2";
	SAYS(human_plain, 2000000, 6);
	says = "0";
	SAYS(human_plain, 0, 6);
	says = "-0.000001";
	SAYS(human_plain, -1, 6);
	says = "100";
	SAYS(human_plain, 100000000, 6);
	says = "-9223372036854.775808";
	SAYS(human_plain, INT64_MIN, 6);
}
END_TEST

START_TEST(test_line)
{
	const char *says = "";
	SAYS(human_line, line_unknown());
	says = "0";
	SAYS(human_line, line_plain(0));
	says = "4294967295";
	SAYS(human_line, line_plain(UINT32_MAX));
	struct line clause = {.number = 100, .clause = 2, .form = LINE_CLAUSE};
	says = "100.2";
	SAYS(human_line, clause);
}
END_TEST

/* RFC 3629: no overlong forms, no surrogates, nothing past U+10FFFF. */
START_TEST(test_utf8)
{
	static const struct {
		const char *text;
		bool good;
	} texts[] = {
		{"", true},
		{"ascii", true},
		{"na\xC3\xAFve", true},
		{"\xE2\x82\xAC", true},
		{"\xF0\x9F\x98\x80", true},
		{"\xF4\x8F\xBF\xBF", true},
		{"\xED\x9F\xBF", true},
		{"\x80", false},
		{"\xC3", false},
		{"\xC3(", false},
		{"\xC0\x80", false},
		{"\xC1\xBF", false},
		{"\xE0\x9F\xBF", false},
		{"\xED\xA0\x80", false},
		{"\xF0\x8F\xBF\xBF", false},
		{"\xF4\x90\x80\x80", false},
		{"\xF5\x80\x80\x80", false},
		{"\xFE", false},
		{"\xE2\x82", false},
		{"\xF0\x9F\x98", false},
		{"eight by\xE9", false},
		{"eight byt\xC3\xA9s and more", true},
		{"0123456789012345\xFF", false},
		{"1234567\xC3\xA9", true},
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		ck_assert_msg(utf8_is_valid(texts[i].text, strlen(texts[i].text)) ==
				      texts[i].good,
			      "text %zu", i);
	ck_assert(utf8_is_valid("a\0b", 3));
}
END_TEST

static void
bytes_say(const char *bytes, size_t len, bool dos, const char *says)
{
	SAYS(escape_bytes, bytes, len, dos);
}

START_TEST(test_bytes)
{
	bytes_say("plain", 5, false, "plain");
	bytes_say("na\xC3\xAFve", 6, false, "naïve");
	bytes_say("a\tb\n\x1b[2J\x7f", 9, false, "a\\x09b\\x0a\\x1b[2J\\x7f");
	bytes_say("a\0b", 3, false, "a\\x00b");
	/* not UTF-8: Latin-1, with C1 controls escaped, or the code page of DOS */
	bytes_say("caf\xE9", 4, false, "café");
	bytes_say("caf\x82", 4, true, "café");
	bytes_say("\x9B"
		  "31m",
		  4, false, "\\x9b31m");
	bytes_say("\xC4\xB3\xDB\xFF", 4, true, "─│█\u00A0");
	bytes_say("\xE1\xE9\x1b", 3, true, "ßΘ\\x1b");
	/* a C1 control that came as UTF-8 is a control, too */
	bytes_say("\xC2\x9B"
		  "31m",
		  5, false, "\\x9b31m");
	bytes_say("\xC2\xA0", 2, false, "\u00A0");
	/* an overlong slash is no slash */
	bytes_say("\xC0\xAF", 2, false, "À¯");
	bytes_say("", 0, false, "");
}
END_TEST

static void
shell_says(const char *text, const char *says)
{
	SAYS(escape_shell_word, text);
}

/* As POSIX has it (2.2 Quoting; $'...' since 2024); zsh looks up the program named after a
 * leading `=`. */
START_TEST(test_shell)
{
	shell_says("plain-1.0_/a:b=c%d+e,f@g", "plain-1.0_/a:b=c%d+e,f@g");
	shell_says("", "''");
	shell_says("=ls", "'=ls'");
	shell_says("a b", "'a b'");
	shell_says("it's $HOME", "'it'\\''s $HOME'");
	shell_says("na\xC3\xAFve", "'naïve'");
	shell_says("a\x1b[2J'\\1", "$'a\\033[2J\\'\\\\1'");
	shell_says("a\n1", "$'a\\0121'");
	shell_says("b\u202Ee", "$'b\\342\\200\\256e'");
	shell_says("\xFF", "$'\\377'");
}
END_TEST

static void
shown_says(const char *bytes, size_t len, bool dos, const char *says)
{
	SAYS(escape_shown, bytes, len, dos);
}

START_TEST(test_shown)
{
	shown_says("plain", 5, false, "plain");
	shown_says("na\xC3\xAFve", 6, false, "naïve");
	shown_says("a\tb\n\x1b[2J\x7f", 9, false, "a\\x09b\\x0a\\x1b[2J\\x7f");
	/* an invalid byte is distinct from the character with that number */
	shown_says("caf\xE9", 4, false, "caf\\xe9");
	shown_says("caf\xC3\xA9\xE9!", 7, false, "café\\xe9!");
	shown_says("\x9B"
		   "31m",
		   4, false, "\\x9b31m");
	shown_says("\xC2\x9B"
		   "31m",
		   5, false, "\\u{9b}31m");
	shown_says("\xC0\xAF", 2, false, "\\xc0\\xaf");
	/* U+202E reverses the following text, U+200B and U+2066 are invisible, U+2028 ends a
	 * line */
	shown_says("a\u202Eb", 5, false, "a\\u{202e}b");
	shown_says("a\u200Bb\u2066c\u2028", 12, false, "a\\u{200b}b\\u{2066}c\\u{2028}");
	shown_says("\uFEFFa\u00ADb\u061C", 9, false, "\\u{feff}a\\u{ad}b\\u{61c}");
	shown_says("\U000E0041", 4, false, "\\u{e0041}");
	/* marks that are seen stay with their letter */
	shown_says("e\u0301", 3, false, "e\u0301");
	shown_says("caf\x82", 4, true, "café");
	shown_says("", 0, false, "");
	ck_assert(escape_hides(0x1B) && escape_hides(0x7F) && escape_hides(0x9B));
	ck_assert(escape_hides(0x200D) && escape_hides(0x202A) && escape_hides(0x2069));
	ck_assert(!escape_hides('a') && !escape_hides(0xE9) && !escape_hides(0x301));
	ck_assert(!escape_hides(0x2026) && !escape_hides(0x4E00) && !escape_hides(0x1F600));
}
END_TEST

/* Whatever the bytes, nothing of it acts on a screen, it grows to four times at most, and
 * shown again it is the same. */
START_TEST(test_shown_any)
{
	struct chance c;

	chance_init(&c, 9);
	for (int round = 0; round < 50000; round++) {
		char bytes[32];
		size_t len = chance_below(&c, sizeof bytes);
		struct buf out = BUF_INIT, again = BUF_INIT;
		bool dos = chance_one_in(&c, 4), high = chance_one_in(&c, 2);
		for (size_t i = 0; i < len; i++)
			bytes[i] = (char)(chance_bits(&c) >> 33 & (high ? 0xFF : 0x9F));
		if (len > 3 && chance_one_in(&c, 2))
			memcpy(bytes, "\xE2\x80\xAE", 3);
		escape_shown(&out, bytes, len, dos);
		escape_shown(&again, buf_str(&out), out.len, dos);
		bool good = out.len <= 4 * len && utf8_is_valid(buf_str(&out), out.len) &&
			    !strcmp(buf_str(&out), buf_str(&again)) &&
			    !strstr(buf_str(&out), "\u202E");
		for (size_t i = 0; i < out.len; i++) {
			unsigned char b = (unsigned char)out.at[i];
			good &= b >= 0x20 && b != 0x7F;
			good &= b != 0xC2 || (unsigned char)out.at[i + 1] >= 0xA0;
		}
		if (!good)
			ck_abort_msg("round %d: '%s'", round, buf_str(&out));
		buf_release(&out);
		buf_release(&again);
	}
}
END_TEST

/* For any bytes, the result is UTF-8 without controls, at most four bytes for one. */
START_TEST(test_bytes_any)
{
	struct chance c;

	chance_init(&c, 8);
	for (int round = 0; round < 50000; round++) {
		char bytes[32];
		size_t len = chance_below(&c, sizeof bytes);
		struct buf out = BUF_INIT;
		bool high = chance_one_in(&c, 2);
		for (size_t i = 0; i < len; i++)
			bytes[i] = (char)(chance_bits(&c) >> 33 & (high ? 0xFF : 0x9F));
		escape_bytes(&out, bytes, len, chance_one_in(&c, 2));
		bool good = out.len <= 4 * len && utf8_is_valid(buf_str(&out), out.len);
		for (size_t i = 0; i < out.len; i++) {
			unsigned char b = (unsigned char)out.at[i];
			good &= b >= 0x20 && b != 0x7F;
			good &= b != 0xC2 || (unsigned char)out.at[i + 1] >= 0xA0;
		}
		if (!good)
			ck_abort_msg("round %d: '%s'", round, buf_str(&out));
		buf_release(&out);
	}
}
END_TEST

UNIT(human)
{
	Suite *suite = suite_create("human");
	TCase *numbers = tcase_create("numbers"), *bytes = tcase_create("bytes");

	tcase_add_test(numbers, test_count);
	tcase_add_test(numbers, test_value);
	tcase_add_test(numbers, test_value_any);
	tcase_add_test(numbers, test_time);
	tcase_add_test(numbers, test_share);
	tcase_add_test(numbers, test_plain);
	tcase_add_test(numbers, test_line);
	suite_add_tcase(suite, numbers);
	tcase_add_test(bytes, test_utf8);
	tcase_add_test(bytes, test_bytes);
	tcase_add_test(bytes, test_bytes_any);
	tcase_add_test(bytes, test_shell);
	tcase_add_test(bytes, test_shown);
	tcase_add_test(bytes, test_shown_any);
	suite_add_tcase(suite, bytes);
	return suite;
}
