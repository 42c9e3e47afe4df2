/* source_syntax.c - finds comments, text and keywords in a line of source.
 *
 * Each line is followed by the kinds of its characters: c comment, t text, k keyword, blank
 * anything else. The language's own reference defines what is a comment, a literal, a reserved
 * word. */
#include "ui/view/source/source_syntax.h"

#include <check.h>
#include <string.h>

#include "tests/lib/unit.h"

/* Lines and the kinds of their characters in turn, ended by NULL. */
static void
check_lines(const char *path, const char *const *lines)
{
	const struct language *l = language_of(path);
	unsigned state = SYNTAX_START;
	ck_assert_ptr_nonnull(l);
	for (; *lines; lines += 2) {
		uint8_t kind[200];
		char got[201];
		size_t len = strlen(lines[0]);
		unsigned alone = syntax_line(l, state, lines[0], len, NULL);
		state = syntax_line(l, state, lines[0], len, kind);
		ck_assert_uint_eq(state, alone);
		for (size_t i = 0; i < len; i++)
			got[i] = " ctk"[kind[i]];
		while (len && got[len - 1] == ' ')
			len--;
		got[len] = '\0';
		ck_assert_str_eq(got, lines[1]);
	}
}

#define LINES(path, ...) check_lines(path, (const char *const[]){__VA_ARGS__, NULL})

START_TEST(test_names)
{
	ck_assert_ptr_eq(language_of("a.c"), language_of("/usr/include/b.HPP"));
	ck_assert_ptr_eq(language_of("a.js"), language_of("a.b.ts"));
	ck_assert_ptr_ne(language_of("a.c"), language_of("a.py"));
	ck_assert_ptr_null(language_of("Makefile"));
	ck_assert_ptr_null(language_of("a."));
	ck_assert_ptr_null(language_of("a.c b"));
	ck_assert_ptr_null(language_of("a.text"));
	ck_assert_ptr_null(language_of(""));
}
END_TEST

START_TEST(test_c)
{
	LINES("a.c",
	      "static int x; // a \"b",
	      "kkkkkk kkk    ccccccc",
	      "#include \"a.h\" /* one */ int",
	      "kkkkkkkk ttttt ccccccccc kkk",
	      "/* begins",
	      "ccccccccc",
	      "int \" // still",
	      "cccccccccccccc",
	      "*/ int /* a */ b",
	      "cc kkk ccccccc",
	      "s = \"a\\\"b /* \\\\\"; int",
	      "    tttttttttttt  kkk",
	      "c = '\"', d = '\\'', e = '\\x41'; int",
	      "    ttt      tttt      tttttt  kkk",
	      "n = 1'000'000; internal printf",
	      "",
	      "\"not closed",
	      "ttttttttttt",
	      "int",
	      "kkk",
	      "\"goes on \\",
	      "tttttttttt",
	      "here\" int",
	      "ttttt kkk");
	LINES("a.cpp",
	      "R\"(a \" b",
	      "tttttttt",
	      "c)\" class",
	      "ttt kkkkk");
}
END_TEST

START_TEST(test_python)
{
	LINES("a.py",
	      "def f(x): # it's",
	      "kkk       cccccc",
	      "  \"\"\"Of x: it's",
	      "  ttttttttttttt",
	      "# no comment",
	      "tttttttttttt",
	      "  \"\"\" return 'a\\'b' + \"\"",
	      "ttttt kkkkkk tttttt   tt",
	      "x = '''a'b''' if y else None",
	      "    ttttttttt kk   kkkk kkkk");
}
END_TEST

START_TEST(test_javascript)
{
	LINES("a.js",
	      "const a = b / c; // d",
	      "kkkkk            cccc",
	      "if (/[/*\"]'/.test(x)) return /`/g; let",
	      "kk  tttttttt          kkkkkk ttt   kkk",
	      "y = (a + b) / 2 / c[0] / d; `x",
	      "                            tt",
	      "let ${y} \\` z` + 'q'",
	      "tttttttttttttt   ttt");
}
END_TEST

START_TEST(test_go)
{
	LINES("a.go",
	      "func f() string { return `a\\",
	      "kkkk     kkkkkk   kkkkkk ttt",
	      "b` + \"c\" + '\\'' } /* d",
	      "tt   ttt   tttt   cccc",
	      "e */ type",
	      "cccc kkkk");
}
END_TEST

START_TEST(test_rust)
{
	LINES("a.rs",
	      "fn f<'a>(x: &'a str) -> char { 'a' } // b",
	      "kk              kkk     kkkk   ttt   cccc",
	      "/* a /* b */ c",
	      "cccccccccccccc",
	      "d */ let s = r#\"e\"f\"#;",
	      "cccc kkk     tttttttt",
	      "\"g",
	      "tt",
	      "h\" loop",
	      "tt kkkk");
}
END_TEST

START_TEST(test_brightscript)
{
	LINES("main.brs",
	      "Function Main() As Object ' it's",
	      "kkkkkkkk        kk kkkkkk cccccc",
	      "  REM all \"of\" it",
	      "  ccccccccccccccc",
	      "  remote = \"say \"\"x\"\" 'y\" : End If",
	      "           tttttttttttttt   kkk kk",
	      "  x = \"not closed",
	      "      ttttttttttt",
	      "End Function",
	      "kkk kkkkkkkk");
}
END_TEST

/* A line of any bytes is read to its end, and no further. */
START_TEST(test_any_bytes)
{
	static const char *const paths[] = {"a.c", "a.py", "a.js", "a.go", "a.rs", "a.brs"};
	static const char bytes[] = "\"'`/*#r\\\x80 [x1";
	uint32_t random = 1;
	for (int round = 0; round < 6000; round++) {
		const struct language *l = language_of(paths[round % 6]);
		unsigned state = SYNTAX_START;
		for (int line = 0; line < 4; line++) {
			char text[12];
			uint8_t kind[12];
			size_t len = random % sizeof text;
			for (size_t i = 0; i < len; i++) {
				random = random * 1664525 + 1013904223;
				text[i] = bytes[(random >> 16) % (sizeof bytes - 1)];
			}
			memset(kind, 0xFF, sizeof kind);
			state = syntax_line(l, state, text, len, kind);
			for (size_t i = 0; i < sizeof kind; i++)
				ck_assert(i < len ? kind[i] <= SYNTAX_KEYWORD : kind[i] == 0xFF);
			random = random * 1664525 + 1013904223;
		}
	}
}
END_TEST

UNIT(source_syntax)
{
	Suite *suite = suite_create("source_syntax");
	TCase *t = tcase_create("syntax");
	tcase_add_test(t, test_names);
	tcase_add_test(t, test_c);
	tcase_add_test(t, test_python);
	tcase_add_test(t, test_javascript);
	tcase_add_test(t, test_go);
	tcase_add_test(t, test_rust);
	tcase_add_test(t, test_brightscript);
	tcase_add_test(t, test_any_bytes);
	suite_add_tcase(suite, t);
	return suite;
}
