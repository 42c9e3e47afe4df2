#include "src/encode/json_text.h"

#include <stdbool.h>

/* Texts are written in runs, since escapes are rare. */

void
json_string(FILE *out, const char *at, size_t len)
{
	size_t from = 0;

	putc('"', out);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)at[i];
		if (c >= 0x20 && c != '"' && c != '\\')
			continue;
		fwrite(at + from, 1, i - from, out);
		from = i + 1;
		if (c < 0x20)
			fprintf(out, "\\u%04x", c);
		else
			fprintf(out, "\\%c", c);
	}
	fwrite(at + from, 1, len - from, out);
	putc('"', out);
}

static char *
json_text_digits(char *end, uint64_t v)
{
	do
		*--end = (char)('0' + v % 10);
	while (v /= 10);
	return end;
}

void
json_whole(FILE *out, int64_t v)
{
	char text[24], *end = text + sizeof text;
	char *at = json_text_digits(end, v < 0 ? -(uint64_t)v : (uint64_t)v);

	if (v < 0)
		*--at = '-';
	fwrite(at, 1, (size_t)(end - at), out);
}

void
json_decimals(FILE *out, int64_t v, unsigned decimals)
{
	uint64_t left = v < 0 ? -(uint64_t)v : (uint64_t)v;
	char text[48], *end = text + sizeof text, *at = end;
	bool shown = false; /* trailing zeros are omitted */

	for (; decimals; decimals--, left /= 10) {
		shown |= left % 10 != 0;
		if (shown)
			*--at = (char)('0' + left % 10);
	}
	if (shown)
		*--at = '.';
	at = json_text_digits(at, left);
	if (v < 0)
		*--at = '-';
	fwrite(at, 1, (size_t)(end - at), out);
}
