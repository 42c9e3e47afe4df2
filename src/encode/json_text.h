/* json_text.h - writes texts and numbers of JSON. */
#ifndef PNAV_SRC_ENCODE_JSON_TEXT_H
#define PNAV_SRC_ENCODE_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes "text" with quotes and JSON's escapes; the bytes must be valid UTF-8. */
void json_string(FILE *out, const char *at, size_t len);
/* Writes a whole number, fast: -12. */
void json_whole(FILE *out, int64_t v);
/* Writes v * 10^-decimals (3: v is in thousandths) without an exponent or trailing zeros: 12, 12.5,
 * -0.001. */
void json_decimals(FILE *out, int64_t v, unsigned decimals);

/* The largest whole number that all readers keep exact; those that use doubles (JavaScript) round
 * larger ones. */
#define JSON_WHOLE_MAX (INT64_C(1) << 53)
#define JSON_LARGE "numbers beyond 2^53 are rounded by "

static inline bool
json_is_large(int64_t v)
{
	return v > JSON_WHOLE_MAX || v < -JSON_WHOLE_MAX;
}

#endif
