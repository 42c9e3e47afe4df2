/* callgrind_text.h - what is callgrind's own in the text of its files. */
#ifndef PNAV_SRC_DECODE_CALLGRIND_CALLGRIND_TEXT_H
#define PNAV_SRC_DECODE_CALLGRIND_CALLGRIND_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/chars.h"
#include "src/decode/decoder.h"

/* Digits, up to a blank or the end, as nearly all numbers are; false, with nothing taken, where it
 * is more than that. */
static inline bool
plain_parse(const char **at, const char *end, int64_t *value)
{
	const char *p = *at;
	int64_t v = 0;

	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		if (p - *at == 18)
			return false;
		v = v * 10 + (*p - '0');
	}
	if (p == *at || (p < end && !is_blank(*p)))
		return false;
	*at = p;
	*value = v;
	return true;
}

/* A number that may be relative to *value: `+3`, `*`, and where `minus` says so `-3`. */
bool relative_parse(const char *at, const char *end, bool minus, int64_t *value);

/* Of the decoder (decoder.h). */
int callgrind_probe(struct head head);

#endif
