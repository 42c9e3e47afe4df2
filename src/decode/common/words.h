/* words.h - words and numbers of a line, for decoders of text formats.
 *
 * A run of bytes is a half-open range of pointers: [at, end). */
#ifndef PNAV_SRC_DECODE_COMMON_WORDS_H
#define PNAV_SRC_DECODE_COMMON_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "model/base/chars.h"
#include "src/decode/decoder.h"

/* Returns the first character that is no blank, or the end. */
static inline const char *
skip_blanks(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at;
}

/* Returns the end of the text without the blanks at its end. */
static inline const char *
drop_blanks(const char *at, const char *end)
{
	while (end > at && is_blank(end[-1]))
		end--;
	return end;
}

/* Returns the next blank, or the end. */
static inline const char *
word_end(const char *at, const char *end)
{
	while (at < end && !is_blank(*at))
		at++;
	return at;
}

/* Returns the next character that is no digit, or the end. */
static inline const char *
digits_end(const char *at, const char *end)
{
	while (at < end && is_digit(*at))
		at++;
	return at;
}

/* Parses exactly [+-]digits or [+-]0xhex; false if it is malformed, or does not fit. */
bool number_parse(const char *at, const char *end, int64_t *out);

static inline bool
is_key(const char *key, size_t len, const char *name)
{
	return strlen(name) == len && !memcmp(key, name, len);
}

static inline bool
name_is(struct name n, const char *text)
{
	return n.len == strlen(text) && !memcmp(n.at, text, n.len);
}

static inline bool
name_begins(struct name n, const char *text)
{
	return n.len >= strlen(text) && !memcmp(n.at, text, strlen(text));
}

/* Returns true if the name has something before this text, and ends with it. */
static inline bool
name_ends(struct name n, const char *text)
{
	size_t len = strlen(text);

	return n.len > len && !memcmp(n.at + n.len - len, text, len);
}

/* Returns the first occurrence of a text, which is not empty, or NULL. Searches for the first byte
 * of the text, or for its second if the first is a blank, because lines have many blanks. On lines
 * this takes a third of the instructions of memmem(). */
static inline const char *
text_find(const char *at, const char *end, const char *text)
{
	size_t len = strlen(text), pivot = *text == ' ' && len > 1;

	for (; (size_t)(end - at) >= len; at++) {
		at = memchr(at + pivot, text[pivot], (size_t)(end - at) - len + 1);
		if (!at)
			return NULL;
		at -= pivot;
		if (!memcmp(at, text, len))
			return at;
	}
	return NULL;
}

/* Returns the last occurrence of a text, which is not empty, or NULL. */
static inline const char *
text_find_last(const char *at, const char *end, const char *text)
{
	const char *last = NULL;

	while ((at = text_find(at, end, text)) != NULL)
		last = at++;
	return last;
}

/* Returns true if a function of Go belongs to its runtime: package `runtime`, in a folder of this
 * name. */
bool go_is_runtime(const char *name, size_t len, const char *file, size_t file_len);

/* The text between two separators. */
struct text_cell {
	const char *at, *end;
};

/* Splits a line into cells, at most `max`; omits the rest. Returns their number, at least one. */
unsigned cells_split(const char *at, const char *end, char separator, struct text_cell *out,
		     unsigned max);

/* Returns the lines of a head for probes, one after the other, without their ends; the last may be
 * truncated. *next is NULL before the first call. False after the last line. */
bool head_line(struct head head, const char **next, const char **at, const char **end);

/* As head_line(), but skips blank lines, for probes of text formats. Do not use it if such bytes
 * may be data: a protobuf message may begin with a line end. */
bool head_line_filled(struct head head, const char **next, const char **at, const char **end);

/* Dumps each line unchanged as a record. */
bool lines_dump(struct input *in, struct dump *d, struct err *e);

#endif
