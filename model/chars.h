/* chars.h - small questions about bytes of text, whatever the locale. */
#ifndef PNAV_MODEL_CHARS_H
#define PNAV_MODEL_CHARS_H

#include <stdbool.h>
#include <stddef.h>
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

/* What follows the last '/'; all of the path where nothing does. */
static inline const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

#endif
