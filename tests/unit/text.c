/* text.c - UTF-8 in columns, and names shortened to fit.
 *
 * The expected names were derived by hand from shorten.h, step by step. One test shortens awkward
 * names to all widths and checks the general conditions. */
#include "model/base/utf8.h"
#include "ui/screen/text.h"

#include <check.h>
#include <locale.h>
#include <string.h>

#include "tests/lib/unit.h"
#include "ui/screen/shorten.h"

static void
check_short(const char *name, int cols, const char *want)
{
	struct buf got = BUF_INIT;
	shorten_name(name, cols, &got);
	ck_assert_str_eq(buf_str(&got), want);
	buf_release(&got);
}

START_TEST(test_whole)
{
	check_short("draw(int, char *)", 17, "draw(int, char *)");
	check_short("", 5, "");
	check_short("draw", 0, "");
}
END_TEST

START_TEST(test_arguments)
{
	check_short("draw(int, char *)", 16, "draw(…)");
	check_short("call(void (*)(int), int)::{lambda()#1}", 30, "call(…)::{lambda()#1}");
	check_short("draw(int) const", 14, "draw(…) const");
	/* Not a list of arguments. */
	check_short("A::operator()(int, int) const", 28, "A::operator()(…) const");
	check_short("(anonymous namespace)::draw(int, int)", 36,
		    "(anonymous namespace)::draw(…)");
	/* Never closed: nothing to go by, so the middle. */
	check_short("draw(int, char", 9, "draw…char");
}
END_TEST

START_TEST(test_templates)
{
	check_short("std::map<int, std::vector<long> >::find(int const&)", 30,
		    "std::map<…>::find(…)");
	check_short("operator<< <char>(std::ostream&)", 19, "operator<< <…>(…)");
	check_short("A::operator-><int, long>()", 22, "A::operator-><…>()");
	check_short("f<(A->b), int>::run(int)", 12, "f<…>::run(…)");
	/* the mark of an inlined function stays if there is room */
	check_short("ring<int>::push(int const&) (inlined)", 28, "ring<int>::push(…) (inlined)");
	check_short("ring<int>::push(int const&) (inlined)", 26, "ring<…>::push(…) (inlined)");
	check_short("ring<int>::push(int const&) (inlined)", 24, "push(…) (inlined)");
	check_short("ring<int>::push(int const&) (inlined)", 18, "ring<int>::push(…)");
	check_short("push (inlined)", 14, "push (inlined)");
	/* At the begin it is the name. */
	check_short("<unknown function>", 17, "<unknown…unction>");
}
END_TEST

START_TEST(test_paths)
{
	check_short("/usr/lib/x86_64-linux-gnu/libc.so.6", 12, "libc.so.6");
	check_short("C:\\src\\gfx\\Poster.brs", 12, "Poster.brs");
	check_short("folder/", 6, "fol…r/");
}
END_TEST

START_TEST(test_namespaces)
{
	check_short("std::chrono::steady_clock::now()", 20, "steady_clock::now()");
	check_short("std::chrono::steady_clock::now()", 10, "now()");
	check_short("gfx::draw(int, int)", 6, "draw");
	check_short("core::ops::function::FnOnce::call_once", 9, "call_once");
}
END_TEST

START_TEST(test_packages)
{
	check_short("java.util.regex.Matcher.find", 27, "util.regex.Matcher.find");
	check_short("java.util.regex.Matcher.find", 12, "Matcher.find");
	check_short("java.util.regex.Matcher.find", 8, "find");
	/* the suffix of a compiler is not a method */
	check_short("slow_path.constprop.0", 12, "slow_p…rop.0");
	check_short("Insert_Row.constprop.0", 12, "Insert…rop.0");
}
END_TEST

START_TEST(test_prefixes)
{
	check_short("ZSTD_RowFindBestMatch", 17, "…RowFindBestMatch");
	check_short("ZSTD_RowFindBestMatch", 16, "ZSTD_Row…stMatch");
	check_short("GC_malloc", 6, "GC_…oc");
	check_short("ZSTD_compressBlock_internal", 8, "comp…nal");
	check_short("ZSTD_compressBlock", 18, "ZSTD_compressBlock");
	check_short("A_name_of_ours", 8, "A_na…urs");
	check_short("__ZSTD_name", 7, "__Z…ame");
}
END_TEST

START_TEST(test_middle)
{
	check_short("render_everything", 12, "render…thing");
	check_short("render_everything", 5, "rend…");
	check_short("render_everything", 2, "r…");
	check_short("render_everything", 1, "r");
	/* Two columns a character: six are room for one, the sign and one. */
	check_short("解析器解析", 5, "解析…");
	check_short("解析器解析", 6, "解…析");
	check_short("解析器解析", 7, "解析…析");
	check_short("解析器解析", 1, "");
}
END_TEST

/* e with an acute accent as a combining mark: it stays with its letter. */
START_TEST(test_marks)
{
	check_short("cafe\xCC\x81xxxxxxcafe\xCC\x81", 6, "caf…fe\xCC\x81");
	check_short("xxe\xCC\x81yyyyyyyyyyzz", 6, "xxe\xCC\x81…zz");
}
END_TEST

START_TEST(test_all_widths)
{
	static const char *const names[] = {
		"std::map<int, std::vector<long> >::find(int const&)",
		"解析器::読む<文字列>(数, 数)::部分",
		"a/b/c(d<e>f)/g<h",
		"(((((((",
		">>>>->->",
		"operator<",
		"operator",
		"cafe\xCC\x81(cafe\xCC\x81, cafe\xCC\x81)",
		"::::::::",
		"\xF0\x9F\x9A\x80<\xF0\x9F\x9A\x80>(\xF0\x9F\x9A\x80)",
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (int cols = 0; cols <= text_cols(names[i]); cols++) {
			struct buf got = BUF_INIT;
			shorten_name(names[i], cols, &got);
			ck_assert_int_le(text_cols(buf_str(&got)), cols);
			ck_assert(utf8_is_valid(buf_str(&got), got.len));
			if (cols == text_cols(names[i]))
				ck_assert_str_eq(buf_str(&got), names[i]);
			buf_release(&got);
		}
}
END_TEST

static void
check_beside(const char *name, const char *caller, const char *next, int cols, const char *want)
{
	struct buf got = BUF_INIT;
	shorten_name_beside(name, (const char *[]){caller, NULL, next}, 3, cols, &got);
	ck_assert_str_eq(buf_str(&got), want);
	buf_release(&got);
}

START_TEST(test_beside)
{
	/* words of the caller, of a neighbour, of both */
	check_beside("ZSTD_row_update_internal", "ZSTD_row_update", NULL, 9, "…internal");
	check_beside("ZSTD_row_update_internal", "ZSTD_row_update", NULL, 8, "…interna");
	check_beside("sqlite3BtreeIndexMoveto", "sqlite3VdbeExec", NULL, 9, "…BtreeInd");
	check_beside("sqlite3BtreeIndexMoveto", "sqlite3VdbeExec", "sqlite3BtreeTableMoveto", 9,
		     "…IndexMov");
	check_beside("sqlite3BtreeIndexMoveto", "sqlite3VdbeExec", "sqlite3BtreeTableMoveto", 12,
		     "…IndexMoveto");
	/* only as many words as must go; whole names while they fit */
	check_beside("sqlite3BtreeIndexMoveto", NULL, "sqlite3BtreeTableMoveto", 18,
		     "…BtreeIndexMoveto");
	check_beside("sqlite3BtreeIndexMoveto", NULL, "sqlite3BtreeTableMoveto", 23,
		     "sqlite3BtreeIndexMoveto");
	/* namespaces and arguments are dropped from both */
	check_beside("web::Server::handleRead(int)", "web::Server::handle(int, int)", NULL, 5,
		     "…Read");
	check_beside("com.shop.Cart.addAll", "com.shop.Cart.add", NULL, 5, "…All");
	check_beside("main.(*cache[int]).put", "main.serve", NULL, 5, "…put");
	check_beside("compile 0x84F51d", "compile 0x84e17a", NULL, 9, "…0x84F51d");
	check_beside("compile 0x84F51d", "compile 0x84E17a", NULL, 7, "…84F51d");
	/* a part of a word is not shared, nor is the whole name */
	check_beside("rendering", "render", NULL, 6, "ren…ng");
	check_beside("render_all", "render_all", NULL, 6, "ren…ll");
	check_beside("compress", "compute", "compare", 6, "com…ss");
	check_beside("HTTPServer", "HTTPClient", NULL, 7, "…Server");
	check_beside("", "a", "b", 3, "");
	check_beside("a_b", "a_c", NULL, 0, "");
	/* names of 64 KB, of many words and of one, take no longer than their length says */
	for (int words = 0; words < 2; words++) {
		struct buf one = BUF_INIT, two = BUF_INIT;
		for (int i = 0; i < 10000; i++)
			buf_adds(&one, words ? "fooBar" : "foobar");
		buf_adds(&two, buf_str(&one));
		buf_adds(&one, "Read");
		buf_adds(&two, "Write");
		check_beside(buf_str(&one), NULL, buf_str(&two), 8,
			     words ? "…BarRead" : "…Read");
		buf_release(&one);
		buf_release(&two);
	}
	for (int cols = 0; cols < 40; cols++) {
		struct buf got = BUF_INIT;
		const char *beside[] = {"解析_row", "a::b<c>::解析_", NULL};
		shorten_name_beside("a::b<c>::解析_row_更新(int)__", beside, 3, cols, &got);
		ck_assert_int_le(text_cols(buf_str(&got)), cols);
		ck_assert(utf8_is_valid(buf_str(&got), got.len));
		buf_release(&got);
	}
}
END_TEST

START_TEST(test_escapes)
{
	/* the escapes that escape_shown() writes for a tab and for bidirectional controls are not a
	 * path */
	check_short("tab\\x09name", 10, "tab\\x…name");
	check_short("rtl\\u{202e}override\\u{202c}", 20, "rtl\\u{202e…e\\u{202c}");
	check_short("evil\\u{9b}31m", 12, "evil\\u…b}31m");
	check_short("C:\\shop\\x86\\draw.c", 10, "draw.c");
	check_short("C:\\shop\\xml\\draw.c", 10, "draw.c");
	check_short("C:\\shop\\u{draw}", 10, "u{draw}");
}
END_TEST

START_TEST(test_next)
{
	/* Overlong, a surrogate, beyond the last, cut off: a byte at a time. */
	static const char bad[] = "\xC0\x80\xED\xA0\x80\xF4\x90\x80\x80\xE2\x82";
	const char *at = bad, *end = bad + sizeof bad - 1;
	while (at < end) {
		const char *before = at;
		ck_assert_uint_eq(text_next(&at, end), TEXT_BAD);
		ck_assert_ptr_eq(at, before + 1);
	}
	at = "\xF0\x9F\x9A\x80";
	ck_assert_uint_eq(text_next(&at, at + 4), 0x1F680);
}
END_TEST

START_TEST(test_fit)
{
	ck_assert_uint_eq(text_fit("解析", 3), 3);
	ck_assert_uint_eq(text_fit("解析", 4), 6);
	ck_assert_uint_eq(text_fit("ae\xCC\x81o", 2), 4);
	ck_assert_uint_eq(text_before("ae\xCC\x81", 4), 1);
	ck_assert_uint_eq(text_after("ae\xCC\x81o", 5, 1), 4);
}
END_TEST

UNIT(text)
{
	setlocale(LC_ALL, "C.UTF-8");
	Suite *suite = suite_create("text");
	TCase *t = tcase_create("text");
	tcase_add_test(t, test_whole);
	tcase_add_test(t, test_arguments);
	tcase_add_test(t, test_templates);
	tcase_add_test(t, test_paths);
	tcase_add_test(t, test_namespaces);
	tcase_add_test(t, test_packages);
	tcase_add_test(t, test_prefixes);
	tcase_add_test(t, test_middle);
	tcase_add_test(t, test_marks);
	tcase_add_test(t, test_all_widths);
	tcase_add_test(t, test_escapes);
	tcase_add_test(t, test_beside);
	tcase_add_test(t, test_next);
	tcase_add_test(t, test_fit);
	suite_add_tcase(suite, t);
	return suite;
}
