/* utf8.h - decodes UTF-8 (RFC 3629), whatever the locale: no overlong forms, no surrogates,
 * nothing beyond U+10FFFF. */
#ifndef PNAV_MODEL_BASE_UTF8_H
#define PNAV_MODEL_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the length of the first character in the len > 0 bytes at `at`; 0 if they do not begin
 * with a character. */
size_t utf8_length(const unsigned char *at, size_t len);
/* Returns the character of n bytes; n comes from utf8_length(). */
uint32_t utf8_char(const unsigned char *at, size_t n);
/* Returns true if all of the text is UTF-8. */
bool utf8_is_valid(const char *at, size_t len);

#endif
