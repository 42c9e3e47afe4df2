/* utf8.h - characters of UTF-8 (RFC 3629), whatever the locale: no overlong forms, no
 * surrogates, nothing beyond U+10FFFF. */
#ifndef PNAV_MODEL_UTF8_H
#define PNAV_MODEL_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* How many of the len > 0 bytes at `at` are its first character; 0 when they begin with
 * none. */
size_t utf8_length(const unsigned char *at, size_t len);
/* The character of so many bytes, as utf8_length() told. */
uint32_t utf8_char(const unsigned char *at, size_t n);

#endif
