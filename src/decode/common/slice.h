/* slice.h - a part of a text that is in memory: its beginning and its length. */
#ifndef PNAV_SRC_DECODE_COMMON_SLICE_H
#define PNAV_SRC_DECODE_COMMON_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "model/base/chars.h"

struct text_slice {
	const char *at;
	size_t len;
};

static inline struct text_slice
slice_of(const char *at, size_t len)
{
	return (struct text_slice){at, len};
}

/* Returns the slice without its first n bytes, which it must have. */
static inline struct text_slice
slice_skip(struct text_slice s, size_t n)
{
	return slice_of(s.at + n, s.len - n);
}

static inline bool
slice_is(struct text_slice s, const char *text)
{
	return s.len == strlen(text) && !memcmp(s.at, text, s.len);
}

static inline bool
slice_begins(struct text_slice s, const char *text)
{
	return s.len >= strlen(text) && !memcmp(s.at, text, strlen(text));
}

static inline bool
slice_has(struct text_slice s, const char *text)
{
	return memmem(s.at, s.len, text, strlen(text)) != NULL;
}

/* Returns the slice without the blanks at its beginning. */
static inline struct text_slice
slice_lead(struct text_slice s)
{
	while (s.len && is_blank(*s.at))
		s = slice_skip(s, 1);
	return s;
}

/* Returns the slice without the blanks at its end. */
static inline struct text_slice
slice_bare(struct text_slice s)
{
	while (s.len && is_blank(s.at[s.len - 1]))
		s.len--;
	return s;
}

static inline struct text_slice
slice_trim(struct text_slice s)
{
	return slice_bare(slice_lead(s));
}

/* Returns the bytes before the first blank. */
static inline struct text_slice
slice_word(struct text_slice s)
{
	size_t n = 0;

	while (n < s.len && !is_blank(s.at[n]))
		n++;
	return slice_of(s.at, n);
}

#endif
