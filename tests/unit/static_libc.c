/* The functions of characters of a static executable (src/static_libc.c) beside those of the C
 * library in a UTF-8 locale: widths of all characters, and the way to bytes and back. */
#include <check.h>
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "src/static_libc.c"
#include "tests/lib/unit.h"

/* The functions behind the replaced ones, as --wrap provides them. */
char *
__real_nl_langinfo(nl_item item)
{
	return nl_langinfo(item);
}

int
__real_wcwidth(wchar_t c)
{
	return wcwidth(c);
}

int
__real_iswprint(wint_t c)
{
	return iswprint(c);
}

size_t
__real_wcrtomb(char *to, wchar_t c, mbstate_t *state)
{
	return wcrtomb(to, c, state);
}

size_t
__real_mbrtowc(wchar_t *to, const char *from, size_t len, mbstate_t *state)
{
	return mbrtowc(to, from, len, state);
}

int
__real_mbtowc(wchar_t *to, const char *from, size_t len)
{
	return mbtowc(to, from, len);
}

wint_t
__real_btowc(int c)
{
	return btowc(c);
}

int
__real_wctob(wint_t c)
{
	return wctob(c);
}

/* Begins UTF-8 in both; false if this system has no such locale, or other widths. */
static bool
both_are_utf8(void)
{
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return false;
	static_libc_utf8();
	return !strcmp(gnu_get_libc_version(), "2.36") ||
	       !strcmp(gnu_get_libc_version(), "2.37");
}

START_TEST(widths)
{
	if (!both_are_utf8())
		return;
	for (uint32_t c = 0; c <= 0x10FFFF; c += c < 0x3000 ? 1 : unit_stride(31)) {
		int own = __wrap_wcwidth((wchar_t)c), theirs = wcwidth((wchar_t)c);
		/* glibc knows no width of characters without a name, pnav draws them in one cell */
		if (theirs < 0 && c >= 0xA0)
			continue;
		if (own != theirs)
			ck_abort_msg("U+%04X has the width %d, not %d", c, own, theirs);
	}
}
END_TEST

START_TEST(bytes)
{
	if (!both_are_utf8())
		return;
	for (uint32_t c = 1; c <= 0x10FFFF; c += c < 0x3000 ? 1 : unit_stride(31)) {
		char own[8] = "", theirs[8] = "";
		mbstate_t x = {0}, y = {0};
		size_t n = __wrap_wcrtomb(own, (wchar_t)c, &x);
		wchar_t back = 0;
		ck_assert_uint_eq(n, wcrtomb(theirs, (wchar_t)c, &y));
		if (n == (size_t)-1)
			continue;
		ck_assert(!memcmp(own, theirs, n));
		ck_assert_uint_eq(__wrap_mbrtowc(&back, own, n, &x), n);
		ck_assert_uint_eq((uint32_t)back, c);
	}
}
END_TEST

START_TEST(damage)
{
	static const char *const bad[] = {"\xFF", "\xC0\x80", "\xED\xA0\x80", "\x80",
					  "\xE2\x28\xA1"};

	if (!both_are_utf8())
		return;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		mbstate_t x = {0}, y = {0};
		wchar_t c;
		ck_assert_uint_eq(__wrap_mbrtowc(&c, bad[i], strlen(bad[i]), &x),
				  mbrtowc(&c, bad[i], strlen(bad[i]), &y));
	}
}
END_TEST

START_TEST(libraries)
{
	ck_assert_ptr_null(__wrap_dlopen("libc.so.6", RTLD_NOW));
	ck_assert_ptr_nonnull(strstr(__wrap_dlerror(), "static"));
}
END_TEST

UNIT(static_libc)
{
	Suite *s = suite_create("static_libc");
	TCase *c = tcase_create("static_libc");

	tcase_add_test(c, widths);
	tcase_add_test(c, bytes);
	tcase_add_test(c, damage);
	tcase_add_test(c, libraries);
	suite_add_tcase(s, c);
	return s;
}
