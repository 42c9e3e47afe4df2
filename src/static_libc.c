/* static_libc.c - what a static executable has in place of parts of the C library.
 *
 * The linker replaces calls of pnav and of its libraries, by --wrap (configure.ac lists the names):
 *
 * - The functions of characters know UTF-8 by themselves. glibc's need the files of a locale, which
 *   an empty root directory does not have. The widths are Unicode's (charset_widths.h), and equal
 *   those of glibc.
 * - dlopen() loads nothing. A shared library would bring the C library of the machine into a
 *   process that has one already. elfutils, which looks for libdebuginfod, and SQLite, whose
 *   extensions pnav does not use, expect that a library may be missing.
 *
 * Rejected: musl, for which Debian has none of the libraries; glibc's locale archive inside the
 * executable, which has to be a file before it can be used. */
#include "src/static_libc.h"

#include <errno.h>
#include <langinfo.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <wchar.h>
#include <wctype.h>

#include "model/base/utf8.h"
#include "src/charset_widths.h"

static bool characters_are_utf8;

#define REPLACED(type, name, ...)          \
	type __real_##name(__VA_ARGS__);   \
	type __wrap_##name(__VA_ARGS__);   \
	type __wrap_##name(__VA_ARGS__)

void
static_libc_utf8(void)
{
	characters_are_utf8 = true;
}

static bool
is_in(const struct char_range *table, size_t n, uint32_t ch)
{
	size_t first = 0;

	while (n) {
		size_t half = n / 2;
		if (table[first + half].last < ch) {
			first += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	/* the sentinel of each search: a table's last range */
	return table[first].first <= ch && ch <= table[first].last;
}

#define IS_IN(table, ch)                                                         \
	((ch) <= table[sizeof table / sizeof *table - 1].last &&                 \
	 is_in(table, sizeof table / sizeof *table, ch))

REPLACED(char *, nl_langinfo, nl_item item)
{
	static char utf8[] = "UTF-8";

	return characters_are_utf8 && item == CODESET ? utf8 : __real_nl_langinfo(item);
}

REPLACED(int, wcwidth, wchar_t c)
{
	uint32_t ch = (uint32_t)c;

	if (!characters_are_utf8)
		return __real_wcwidth(c);
	if (ch < 0x20 || (ch >= 0x7F && ch < 0xA0) || ch > 0x10FFFF ||
	    (ch >= 0xD800 && ch < 0xE000))
		return ch ? -1 : 0;
	if (IS_IN(no_width_chars, ch))
		return 0;
	return IS_IN(wide_chars, ch) ? 2 : 1;
}

REPLACED(int, iswprint, wint_t c)
{
	return characters_are_utf8 ? __wrap_wcwidth((wchar_t)c) >= 0 && c : __real_iswprint(c);
}

REPLACED(size_t, wcrtomb, char *to, wchar_t c, mbstate_t *state)
{
	uint32_t ch = (uint32_t)c;

	if (!characters_are_utf8)
		return __real_wcrtomb(to, c, state);
	if (!to)
		return 1;
	size_t n = ch < 0x80 ? 1 : ch < 0x800 ? 2 : ch < 0x10000 ? 3 : 4;
	if (ch > 0x10FFFF || (ch >= 0xD800 && ch < 0xE000)) {
		errno = EILSEQ;
		return (size_t)-1;
	}
	for (size_t i = n; --i > 0; ch >>= 6)
		to[i] = (char)(0x80 | (ch & 0x3F));
	to[0] = (char)(n == 1 ? ch : (0xF00u >> n & 0xFF) | ch);
	return n;
}

/* All bytes of a character have to be passed at once, as ncurses and pnav do. */
REPLACED(size_t, mbrtowc, wchar_t *to, const char *from, size_t len, mbstate_t *state)
{
	const unsigned char *s = (const unsigned char *)from;

	if (!characters_are_utf8 || !from)
		return __real_mbrtowc(to, from, len, state);
	if (!len)
		return (size_t)-2;
	size_t n = utf8_length(s, len);
	size_t whole = *s >= 0xF0 ? 4 : *s >= 0xE0 ? 3 : *s >= 0xC2 ? 2 : 1;
	if (!n && len < whole && *s <= 0xF4)
		return (size_t)-2;
	if (!n) {
		errno = EILSEQ;
		return (size_t)-1;
	}
	uint32_t ch = utf8_char(s, n);
	if (to)
		*to = (wchar_t)ch;
	return ch ? n : 0;
}

REPLACED(int, mbtowc, wchar_t *to, const char *from, size_t len)
{
	if (!characters_are_utf8 || !from)
		return __real_mbtowc(to, from, len);
	size_t n = __wrap_mbrtowc(to, from, len, NULL);
	return n > len ? -1 : (int)n;
}

REPLACED(wint_t, btowc, int c)
{
	if (!characters_are_utf8)
		return __real_btowc(c);
	return c >= 0 && c < 0x80 ? (wint_t)c : WEOF;
}

REPLACED(int, wctob, wint_t c)
{
	if (!characters_are_utf8)
		return __real_wctob(c);
	return c < 0x80 ? (int)c : EOF;
}

REPLACED(void *, dlopen, const char *path, int flags)
{
	(void)path;
	(void)flags;
	return NULL;
}

REPLACED(char *, dlerror, void)
{
	static char why[] = "a static executable loads no libraries";

	return why;
}
