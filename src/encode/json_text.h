/* json_text.h - texts and numbers of JSON. */
#ifndef PNAV_SRC_ENCODE_JSON_TEXT_H
#define PNAV_SRC_ENCODE_JSON_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* "text" with quotes and JSON's escapes; the bytes are valid UTF-8. */
void json_string(FILE *out, const char *at, size_t len);
/* A whole number, fast: -12. */
void json_whole(FILE *out, int64_t v);
/* v with so many decimals (3: thousandths), without an exponent or zeros behind: 12, 12.5,
 * -0.001. */
void json_decimals(FILE *out, int64_t v, unsigned decimals);

/* Up to here every reader has whole numbers whole; beyond, those that keep them as doubles
 * (JavaScript) round. */
#define JSON_WHOLE_MAX (INT64_C(1) << 53)

#endif
