/* callgrind_text.h - words and numbers of a line of a callgrind file. */
#ifndef PNAV_SRC_DECODE_CALLGRIND_CALLGRIND_TEXT_H
#define PNAV_SRC_DECODE_CALLGRIND_CALLGRIND_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/decode/decoder.h"

const char *skip_blanks(const char *at, const char *end);
const char *word_end(const char *at, const char *end);
/* [+-]digits or [+-]0xhex, without more; false where it is none, or does not fit. */
bool number_parse(const char *at, const char *end, int64_t *out);
/* A number that may be relative to *value: `+3`, `*`, and where `minus` says so `-3`. */
bool relative_parse(const char *at, const char *end, bool minus, int64_t *value);
bool is_key(const char *key, size_t len, const char *name);

/* Of the decoder (decoder.h). */
int callgrind_probe(struct head head);
bool callgrind_dump(struct input *in, struct dump *d, struct err *e);

#endif
