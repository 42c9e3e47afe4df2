/* text.c - see text.h.
 *
 * Names in a profile are shown through profile_show_name(), so they are valid UTF-8; typed and
 * pasted text may not be.  So these functions accept any bytes and step over invalid ones (utf8.h)
 * one at a time. */
#include "ui/screen/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <wchar.h>

#include "model/base/chars.h"
#include "model/base/escape.h"
#include "model/base/utf8.h"

/* Replacements for the browser's own characters on an ASCII screen. */
static const struct {
	uint32_t ch;
	char ascii;
} stand_ins[] = {
	{0x2026, '~'}, /* … */
	{0x00B7, '.'}, /* · */
	{0x2500, '-'}, {0x2502, '|'}, {0x250C, '+'}, {0x2510, '+'},
	{0x2514, '+'}, {0x2518, '+'}, {0x251C, '+'}, {0x2524, '+'},
	{0x2588, '#'}, /* █ and its lower eighths: */
	{0x2581, '.'}, {0x2582, ':'}, {0x2583, '-'}, {0x2584, '='},
	{0x2585, '+'}, {0x2586, '*'}, {0x2587, '%'}, {0x258F, '|'},
	{0x258E, '|'}, {0x258D, '|'}, {0x258C, '='}, {0x258B, '='},
	{0x258A, '='}, {0x2589, '#'}, /* left eighths */
	{0x2595, '|'}, /* ▕ */
	{0x2591, ':'}, /* ░ */
	{0x25BE, 'v'}, {0x25B8, '>'}, {0x25B4, '^'}, /* ▾ ▸ ▴ */
	{0x25B2, '^'}, {0x25BC, 'v'}, /* ▲ ▼ */
	{0x25C2, '<'}, {0x25E6, '%'}, /* ◂ ◦ */
	{0x2713, 'x'}, {0x2022, '*'}, {0x00D7, 'x'}, {0x203A, '>'},
	{0x00B5, 'u'}, {0x2190, '<'}, {0x2192, '>'}, {0x2191, '^'},
	{0x2193, 'v'}, {0x2261, '='}, {0x2550, '='}, {0x2039, '<'},
	{TEXT_BAD, '?'},
};

static bool screen_is_ascii;

void
text_use_ascii(bool ascii)
{
	screen_is_ascii = ascii;
}

size_t
text_ascii(uint32_t ch, char form[TEXT_ASCII_MAX])
{
	for (size_t i = 0; i < sizeof stand_ins / sizeof *stand_ins; i++)
		if (stand_ins[i].ch == ch)
			ch = (unsigned char)stand_ins[i].ascii;
	if (ch >= 0x7F)
		return (size_t)snprintf(form, TEXT_ASCII_MAX, "\\u{%" PRIx32 "}", ch);
	*form = (char)ch;
	return 1;
}

uint32_t
text_next(const char **at, const char *end)
{
	const unsigned char *s = (const unsigned char *)*at;
	if (*s < 0x80) { /* the usual case */
		++*at;
		return *s;
	}
	size_t n = utf8_length(s, (size_t)(end - *at));
	*at += n ? n : 1;
	return n ? utf8_char(s, n) : TEXT_BAD;
}

int
text_char_cols(uint32_t ch)
{
	if ((ch >= 0x20 && ch < 0x7F) || escape_hides(ch))
		return 1;
	if (screen_is_ascii)
		return (int)text_ascii(ch, (char[TEXT_ASCII_MAX]){0});
	int cols = wcwidth((wchar_t)ch);
	return cols < 0 ? 1 : cols;
}

int
text_cols(const char *text)
{
	size_t len = 0;
	while (text[len])
		len++;
	const char *end = text + len;
	int cols = 0;
	while (text < end)
		cols += text_char_cols(text_next(&text, end));
	return cols;
}

size_t
text_fit(const char *text, int cols)
{
	size_t len = 0;
	while (text[len])
		len++;
	const char *at = text, *end = text + len, *fits = text;
	while (at < end) {
		cols -= text_char_cols(text_next(&at, end));
		if (cols < 0)
			break;
		fits = at;
	}
	return (size_t)(fits - text);
}

size_t
text_wrap(const char *text, int cols)
{
	size_t fits = text_fit(text, cols), words = fits;

	while (text[fits] && words && text[words] != ' ')
		words--;
	if (words)
		return words + (text[words] == ' ');
	return fits ? fits : text_after(text, strlen(text), 0); /* a word wider than the line */
}

size_t
text_before(const char *text, size_t at)
{
	size_t last = 0, here = 0;
	const char *s = text;
	while (here < at) {
		size_t start = here;
		uint32_t ch = text_next(&s, text + at);
		here = (size_t)(s - text);
		if (text_char_cols(ch) > 0)
			last = start;
	}
	return last;
}

size_t
text_after(const char *text, size_t len, size_t at)
{
	const char *s = text + at, *end = text + len;
	if (s >= end)
		return len;
	text_next(&s, end);
	while (s < end) {
		const char *mark = s;
		if (text_char_cols(text_next(&s, end)) > 0)
			return (size_t)(mark - text);
	}
	return len;
}

void
text_add(struct buf *out, uint32_t ch)
{
	char bytes[4];
	buf_add(out, bytes, utf8_put(ch, bytes));
}
