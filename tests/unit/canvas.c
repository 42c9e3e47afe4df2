/* canvas.c - the cells that views draw into: clipping, wide characters, ASCII. */
#include "ui/screen/canvas.h"

#include <check.h>
#include <locale.h>
#include <string.h>

#include "tests/lib/unit.h"
#include "ui/screen/text.h"

/* canvas.c promises that no cell is half of a wide character. */
static void
check_halves(const struct canvas *c)
{
	for (int y = 0; y < c->h; y++)
		for (int x = 0; x < c->w; x++) {
			const struct cell *cell = canvas_cell(c, y, x);
			ck_assert_int_le(cell->cols, 2);
			if (cell->cols == 2) {
				ck_assert_int_lt(x + 1, c->w);
				ck_assert_int_eq(canvas_cell(c, y, x + 1)->cols, 0);
			}
			if (cell->cols == 0) {
				ck_assert_int_gt(x, 0);
				ck_assert_int_eq(canvas_cell(c, y, x - 1)->cols, 2);
			}
		}
}

static void
check_text(const struct canvas *c, const char *want)
{
	struct buf got = BUF_INIT;
	check_halves(c);
	canvas_write(c, &got);
	ck_assert_str_eq(buf_str(&got), want);
	buf_release(&got);
}

START_TEST(test_clip)
{
	struct canvas c;
	canvas_init(&c, 6, 2, false);
	ck_assert_int_eq(canvas_text(&c, 0, 4, 10, INK_TEXT, "abcd"), 4);
	canvas_text(&c, 5, 0, 10, INK_TEXT, "below");
	canvas_text(&c, -1, 0, 10, INK_TEXT, "above");
	canvas_text(&c, 1, -2, 10, INK_TEXT, "left");
	check_text(&c, "    ab\nft\n");
	canvas_release(&c);
}
END_TEST

START_TEST(test_fit)
{
	struct canvas c;
	canvas_init(&c, 10, 4, false);
	canvas_fit(&c, 0, 0, 5, INK_TEXT, "parse_json");
	canvas_fit_tail(&c, 1, 0, 6, INK_TEXT, "/usr/lib/libc.so");
	canvas_right(&c, 2, 0, 10, INK_TEXT, "812 ms");
	canvas_fit(&c, 3, 0, 5, INK_TEXT, "short");
	check_text(&c, "pars…\n…bc.so\n    812 ms\nshort\n");
	canvas_release(&c);
}
END_TEST

START_TEST(test_wide)
{
	struct canvas c;
	canvas_init(&c, 6, 1, false);
	canvas_text(&c, 0, 0, 6, INK_TEXT, "解析器");
	check_text(&c, "解析器\n");
	/* Overwriting a half leaves a blank for the other one, on either side. */
	canvas_char(&c, 0, 1, INK_TEXT, 'x');
	check_text(&c, " x析器\n");
	canvas_char(&c, 0, 2, INK_TEXT, 'y');
	check_text(&c, " xy 器\n");
	/* A wide character that does not fit is not there at all. */
	canvas_clear(&c);
	ck_assert_int_eq(canvas_text(&c, 0, 0, 5, INK_TEXT, "解析器"), 4);
	check_text(&c, "解析\n");
	canvas_clear(&c);
	canvas_text(&c, 0, 5, 6, INK_TEXT, "解");
	check_text(&c, "\n");
	canvas_release(&c);
}
END_TEST

START_TEST(test_combining)
{
	struct canvas c;
	canvas_init(&c, 8, 1, false);
	/* e with an acute, twice; a mark with nothing before it goes nowhere. */
	canvas_text(&c, 0, 0, 8, INK_TEXT,
		    "\xcc\x81"
		    "e\xcc\x81te\xcc\x81");
	check_text(&c, "e\xcc\x81te\xcc\x81\n");
	canvas_release(&c);
}
END_TEST

START_TEST(test_ascii)
{
	struct canvas c;
	canvas_init(&c, 16, 4, true);
	ck_assert_int_eq(text_cols("解"), 2);
	text_use_ascii(true);
	ck_assert_int_eq(text_cols("…解"), 1 + 8);
	canvas_text(&c, 0, 0, 16, INK_TEXT, "▾ a…│█·解");
	canvas_text(&c, 1, 0, 16, INK_TEXT, "e\xcc\x81\x1b\x7f");
	canvas_fit(&c, 2, 0, 8, INK_TEXT, "解");
	canvas_fit(&c, 3, 0, 7, INK_TEXT, "解");
	canvas_text(&c, 3, 10, 16, INK_TEXT, "解");
	text_use_ascii(false);
	check_text(&c, "v a~|#.\\u{89e3}\ne\\u{301}??\n\\u{89e3}\n\\u{89e~   \\u{89e\n");
	canvas_release(&c);
}
END_TEST

START_TEST(test_bar)
{
	struct canvas c;
	canvas_init(&c, 4, 4, false);
	canvas_bar(&c, 0, 0, 4, INK_TEXT, 1, 1);
	canvas_bar(&c, 1, 0, 4, INK_TEXT, 5, 8);
	canvas_bar(&c, 2, 0, 4, INK_TEXT, 1, 32);
	canvas_bar(&c, 3, 0, 4, INK_TEXT, 0, 8);
	check_text(&c, "████\n██▌\n▏\n\n");
	canvas_release(&c);
}
END_TEST

/* Any bytes are text: nothing is read beyond the end, nothing loops. */
START_TEST(test_bytes)
{
	char text[5] = {0};
	struct canvas c;
	canvas_init(&c, 3, 1, false);
	for (unsigned i = 0; i < 65536; i++) {
		text[0] = (char)(i >> 8);
		text[1] = (char)i;
		text[2] = (char)(i * 7);
		canvas_clear(&c);
		canvas_fit(&c, 0, 0, 3, INK_TEXT, text);
		check_halves(&c);
		ck_assert_uint_le(text_fit(text, 2), strlen(text));
	}
	canvas_release(&c);
}
END_TEST

START_TEST(test_utf8)
{
	static const struct {
		const char *bytes;
		uint32_t ch;
		size_t len;
	} cases[] = {
		{"a", 'a', 1},
		{"\xc3\xa9", 0xE9, 2},
		{"\xe2\x80\xa6", 0x2026, 3},
		{"\xf0\x9f\x94\xa5", 0x1F525, 4},
		{"\xc0\x80", TEXT_BAD, 1},         /* overlong */
		{"\xe0\x80\x80", TEXT_BAD, 1},     /* overlong */
		{"\xed\xa0\x80", TEXT_BAD, 1},     /* a surrogate */
		{"\xf4\x90\x80\x80", TEXT_BAD, 1}, /* beyond U+10FFFF */
		{"\xe2\x80", TEXT_BAD, 1},         /* cut off */
		{"\x80", TEXT_BAD, 1},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *at = cases[i].bytes;
		uint32_t ch = text_next(&at, at + strlen(at));
		ck_assert_uint_eq(ch, cases[i].ch);
		ck_assert_uint_eq((size_t)(at - cases[i].bytes), cases[i].len);
		if (ch == TEXT_BAD)
			continue;
		struct buf again = BUF_INIT;
		text_add(&again, ch);
		ck_assert_str_eq(buf_str(&again), cases[i].bytes);
		buf_release(&again);
	}
}
END_TEST

/* Dots of a sparse ink have the colour that the box is filled with, on no ground: the more
 * dots, the more of the colour is seen, on every terminal and with the user's colours. */
START_TEST(test_sparse)
{
	static const int colours[] = {256, 16, 8};
	struct theme own = {0};

	own.style[INK_USER_1] = (struct style){16, 33, STYLE_BOLD};
	own.set[INK_USER_1] = true;
	for (int i = 0; i < 3; i++)
		for (enum ink ink = INK_USER_1; ink <= INK_SYSTEM_2; ink++) {
			struct style full = theme_style(NULL, ink, colours[i]);
			struct style s = theme_style(NULL, theme_sparse(ink), colours[i]);
			ck_assert_int_eq(s.fg, full.bg);
			ck_assert_int_eq(s.bg, -1);
		}
	ck_assert_int_eq(theme_style(&own, theme_sparse(INK_USER_1), 256).fg, 33);
	ck_assert_int_eq(theme_style(NULL, theme_sparse(INK_USER_1), 0).attr & STYLE_REVERSE, 0);
	ck_assert_int_eq((int)theme_sparse(INK_TEXT), INK_TEXT);
}
END_TEST

/* A late part keeps its contents if it was drawn for the same state; no other part does. */
START_TEST(test_late)
{
	struct canvas shown = {0}, c;

	canvas_init(&c, 4, 3, false);
	canvas_text(&c, 0, 0, 4, INK_TEXT, "row1");
	canvas_text(&c, 1, 0, 4, INK_TEXT, "old ");
	canvas_late(&c, (struct area){1, 0, 1, 4}, 7);
	canvas_late(&c, (struct area){2, 0, 2, 4}, 7); /* beyond the edge: ignored */
	canvas_copy(&shown, &c);
	canvas_clear(&c);
	canvas_text(&c, 0, 0, 4, INK_TEXT, "row2");
	canvas_text(&c, 1, 0, 4, INK_TEXT, "new ");
	ck_assert(!canvas_keep_late(&c, &shown));
	canvas_late(&c, (struct area){1, 0, 1, 4}, 8);
	ck_assert(!canvas_keep_late(&c, &shown));
	check_text(&c, "row2\nnew\n\n");
	c.late.n = 0;
	canvas_late(&c, (struct area){1, 0, 1, 4}, 7);
	ck_assert(canvas_keep_late(&c, &shown));
	check_text(&c, "row2\nold\n\n");
	ck_assert(!canvas_keep_late(&c, &shown));
	canvas_resize(&c, 5, 3);
	canvas_late(&c, (struct area){1, 0, 1, 4}, 7);
	ck_assert(!canvas_keep_late(&c, &shown));
	canvas_release(&c);
	canvas_release(&shown);
}
END_TEST

UNIT(canvas)
{
	Suite *suite = suite_create("canvas");
	TCase *t = tcase_create("canvas");
	setlocale(LC_CTYPE, "C.UTF-8");
	suite_add_tcase(suite, t);
	tcase_add_test(t, test_clip);
	tcase_add_test(t, test_fit);
	tcase_add_test(t, test_wide);
	tcase_add_test(t, test_combining);
	tcase_add_test(t, test_ascii);
	tcase_add_test(t, test_bar);
	tcase_add_test(t, test_bytes);
	tcase_add_test(t, test_utf8);
	tcase_add_test(t, test_sparse);
	tcase_add_test(t, test_late);
	return suite;
}
