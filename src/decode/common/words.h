/* words.h - words and numbers of a line, for the decoders of formats that are text.
 *
 * A run of bytes is a pointer to its first and one behind its last: [at, end). */
#ifndef PNAV_SRC_DECODE_COMMON_WORDS_H
#define PNAV_SRC_DECODE_COMMON_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "src/decode/decoder.h"

const char *skip_blanks(const char *at, const char *end);
/* The next blank, or the end. */
const char *word_end(const char *at, const char *end);
/* [+-]digits or [+-]0xhex, without more; false where it is none, or does not fit. */
bool number_parse(const char *at, const char *end, int64_t *out);
bool is_key(const char *key, size_t len, const char *name);

static inline bool
begins_with(const char *at, const char *end, const char *text)
{
	size_t len = strlen(text);

	return (size_t)(end - at) >= len && !memcmp(at, text, len);
}

/* Where a text stands first, or NULL. */
static inline const char *
text_find(const char *at, const char *end, const char *text)
{
	return at == end ? NULL : memmem(at, (size_t)(end - at), text, strlen(text));
}

/* Whether a function of Go belongs to its runtime: package `runtime`, which lies in a folder of
 * this name. */
bool go_is_runtime(const char *name, size_t len, const char *file, size_t file_len);

/* What stands between two separators. */
struct text_cell {
	const char *at, *end;
};

/* The cells of a line, max of them at most: what stands behind those is left out.  How many;
 * at least one. */
unsigned cells_split(const char *at, const char *end, char separator, struct text_cell *out,
		     unsigned max);

/* For probes: the lines of a head, one after the other, without their ends; the last may be
 * cut.  *next is NULL before the first.  False behind the last. */
bool head_line(struct head head, const char **next, const char **at, const char **end);

/* For probes of text formats: as head_line(), but steps over lines that are empty or have only
 * blanks.  Must not be used where those bytes may be data: a protobuf message may begin with a
 * line end. */
bool head_line_filled(struct head head, const char **next, const char **at, const char **end);

/* A dump: a record a line, as it is. */
bool lines_dump(struct input *in, struct dump *d, struct err *e);

#endif
