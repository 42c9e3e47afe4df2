/* callgrind_text.h - what is callgrind's own in the text of its files. */
#ifndef PNAV_SRC_DECODE_CALLGRIND_CALLGRIND_TEXT_H
#define PNAV_SRC_DECODE_CALLGRIND_CALLGRIND_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/decode/decoder.h"

/* A number that may be relative to *value: `+3`, `*`, and where `minus` says so `-3`. */
bool relative_parse(const char *at, const char *end, bool minus, int64_t *value);

/* Of the decoder (decoder.h). */
int callgrind_probe(struct head head);

#endif
