/* text.c - see text.h.
 *
 * Names in a profile are shown through profile_show_name(), so they are valid UTF-8; typed and
 * pasted text may not be.  So these functions accept any bytes and step over invalid ones (utf8.h)
 * one at a time. */
#include "ui/screen/text.h"

#include <wchar.h>

#include "model/base/chars.h"
#include "model/base/escape.h"
#include "model/base/utf8.h"

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
