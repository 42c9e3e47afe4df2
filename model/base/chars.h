/* chars.h - small questions about bytes of text, whatever the locale. */
#ifndef PNAV_MODEL_CHARS_H
#define PNAV_MODEL_CHARS_H

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

/* The length of the byte-order mark that a text in UTF-8 may begin with, else 0. */
static inline size_t
bom_len(const void *at, size_t len)
{
	return len >= 3 && !memcmp(at, "\xEF\xBB\xBF", 3) ? 3 : 0;
}

/* Is it a byte of a character of UTF-8 other than the first? */
static inline bool
is_utf8_tail(char c)
{
	return ((unsigned char)c & 0xC0) == 0x80;
}

/* A character up to U+10FFFF as UTF-8; how many bytes it has. */
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

/* What follows the last '/'; all of the path where nothing does. */
static inline const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

#endif
