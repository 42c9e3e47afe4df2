/* chars.h - tests of bytes of text, independent of the locale. */
#ifndef PNAV_MODEL_BASE_CHARS_H
#define PNAV_MODEL_BASE_CHARS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline bool
is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* Returns the value of a hexadecimal digit; 16 for another byte. */
static inline unsigned
hex_digit(char c)
{
	unsigned digit = (unsigned)(unsigned char)c - '0', letter = ((unsigned char)c | 32u) - 'a';

	return digit < 10 ? digit : letter < 6 ? letter + 10 : 16;
}

/* Reads hexadecimal digits; returns their end. Only the last 16 of them count. */
static inline const char *
hex_digits(const char *at, const char *end, uint64_t *out)
{
	for (*out = 0; at < end && hex_digit(*at) < 16; at++)
		*out = *out << 4 | hex_digit(*at);
	return at;
}

/* Returns the length of the UTF-8 byte-order mark at the beginning of the text; 0 if there is
 * none. */
static inline size_t
bom_len(const void *at, size_t len)
{
	return len >= 3 && !memcmp(at, "\xEF\xBB\xBF", 3) ? 3 : 0;
}

/* Returns true for a continuation byte of UTF-8. */
static inline bool
is_utf8_tail(char c)
{
	return ((unsigned char)c & 0xC0) == 0x80;
}

/* Writes a character up to U+10FFFF as UTF-8; returns its number of bytes. */
static inline size_t
utf8_put(uint32_t c, char out[4])
{
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};

	for (size_t i = n; i-- > 1; c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3F));
	out[0] = (char)(lead[n] | c);
	return n;
}

/* Returns true if [at, end) begins with a text. */
static inline bool
begins_with(const char *at, const char *end, const char *text)
{
	size_t len = strlen(text);

	return (size_t)(end - at) >= len && !memcmp(at, text, len);
}

/* Returns what follows the last '/'; the whole path if nothing follows it. */
static inline const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

#endif
