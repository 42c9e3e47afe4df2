#include "model/base/utf8.h"

#include <string.h>

#include "model/base/chars.h"

/* mbrtowc() was rejected: it depends on the locale, which must not affect what is read from a
 * file or drawn into a snapshot. */

size_t
utf8_length(const unsigned char *at, size_t len)
{
	unsigned char c = at[0];
	size_t n;

	if (c < 0x80)
		return 1;
	if (c < 0xC2 || c > 0xF4)
		return 0;
	n = c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
	if (n > len)
		return 0;
	for (size_t i = 1; i < n; i++)
		if (!is_utf8_tail((char)at[i]))
			return 0;
	if ((c == 0xE0 && at[1] < 0xA0) || (c == 0xED && at[1] > 0x9F) ||
	    (c == 0xF0 && at[1] < 0x90) || (c == 0xF4 && at[1] > 0x8F))
		return 0;
	return n;
}

uint32_t
utf8_char(const unsigned char *at, size_t n)
{
	static const unsigned char bits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
	uint32_t ch = at[0] & bits[n];

	for (size_t i = 1; i < n; i++)
		ch = ch << 6 | (at[i] & 0x3F);
	return ch;
}

bool
utf8_is_valid(const char *at, size_t len)
{
	const unsigned char *p = (const unsigned char *)at;

	for (size_t i = 0, n; i < len; i += n) {
		uint64_t eight;
		n = 8; /* most names are ASCII */
		if (len - i >= n && (memcpy(&eight, p + i, n),
				     !(eight & UINT64_C(0x8080808080808080))))
			continue;
		if (!(n = utf8_length(p + i, len - i)))
			return false;
	}
	return true;
}
