/* clipboard.c - see clipboard.h.
 *
 * The text is sent as base64 (RFC 4648, 4), so the terminal never interprets it. */
#include "ui/screen/clipboard.h"

#include <stdint.h>

void
clipboard_write(struct buf *out, const char *text, size_t len)
{
	static const char digit[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *b = (const unsigned char *)text;
	buf_adds(out, "\033]52;c;");
	for (size_t i = 0; i < len; i += 3) {
		uint32_t three = (uint32_t)b[i] << 16;
		three |= i + 1 < len ? (uint32_t)b[i + 1] << 8 : 0;
		three |= i + 2 < len ? b[i + 2] : 0;
		buf_addc(out, digit[three >> 18]);
		buf_addc(out, digit[three >> 12 & 63]);
		buf_addc(out, i + 1 < len ? digit[three >> 6 & 63] : '=');
		buf_addc(out, i + 2 < len ? digit[three & 63] : '=');
	}
	buf_addc(out, '\a');
}
