/* scan.h - finds the ends of strings and numbers in text, many bytes at a time.
 *
 * Arithmetic on words of eight bytes tests all bytes at once (Mycroft, 1987): a byte that matches
 * gets its high bit set. The lowest set bit of a word is always correct, since false ones occur
 * only above a correct one. Where the compiler can assume SSE2 (every x86-64), it tests sixteen
 * bytes at once. Nothing is read at or after `end`. */
#ifndef PNAV_SRC_INPUT_SCAN_H
#define PNAV_SRC_INPUT_SCAN_H

#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "src/input/cursor.h"

#define SCAN_ONES UINT64_C(0x0101010101010101)
#define SCAN_HIGHS UINT64_C(0x8080808080808080)

/* Returns the first byte at or after `at` that is a quote, a backslash or a control character. */
static inline const uint8_t *
scan_plain(const uint8_t *at, const uint8_t *end)
{
#ifdef __SSE2__
	const __m128i quotes = _mm_set1_epi8('"'), slashes = _mm_set1_epi8('\\');
	const __m128i controls = _mm_set1_epi8(0x1F);
	for (; end - at >= 16; at += 16) {
		__m128i v = _mm_loadu_si128((const void *)at);
		__m128i hit = _mm_or_si128(
			_mm_or_si128(_mm_cmpeq_epi8(v, quotes), _mm_cmpeq_epi8(v, slashes)),
			_mm_cmpeq_epi8(_mm_min_epu8(v, controls), v));
		unsigned bits = (unsigned)_mm_movemask_epi8(hit);
		if (bits)
			return at + __builtin_ctz(bits);
	}
#endif
	for (; end - at >= 8; at += 8) {
		uint64_t v = bytes_u64(at, false);
		uint64_t quote = v ^ SCAN_ONES * '"', slash = v ^ SCAN_ONES * '\\';
		uint64_t hit = (((quote - SCAN_ONES) & ~quote) | ((slash - SCAN_ONES) & ~slash) |
				((v - SCAN_ONES * 0x20) & ~v)) &
			       SCAN_HIGHS;
		if (hit)
			return at + __builtin_ctzll(hit) / 8;
	}
	while (at < end && *at != '"' && *at != '\\' && *at >= 0x20)
		at++;
	return at;
}

/* Sets the high bit of each byte of x that is above 9. Only the lowest of these bits is
 * reliable. */
static inline uint64_t
scan_no_digits_of(uint64_t x)
{
	return ((x + SCAN_ONES * 0x76) | x) & SCAN_HIGHS;
}

/* The same for each byte that is not a digit. */
static inline uint64_t
scan_no_digits(uint64_t v)
{
	return scan_no_digits_of(v ^ SCAN_ONES * '0'); /* digits become 0 to 9 */
}

/* Returns the first byte at or after `at` that is not a digit. */
static inline const uint8_t *
scan_digits(const uint8_t *at, const uint8_t *end)
{
	for (; end - at >= 8; at += 8) {
		uint64_t hit = scan_no_digits(bytes_u64(at, false));
		if (hit)
			return at + __builtin_ctzll(hit) / 8;
	}
	while (at < end && (unsigned)(*at - '0') < 10)
		at++;
	return at;
}

/* Combines eight bytes from 0 to 9 to a number, the first byte as the highest digit. */
static inline uint32_t
scan_eight_of(uint64_t v)
{
	v = v * 10 + (v >> 8); /* pairs, in every other byte */
	v = ((v & UINT64_C(0x000000FF000000FF)) * (100 + (UINT64_C(1000000) << 32)) +
	     (v >> 16 & UINT64_C(0x000000FF000000FF)) * (1 + (UINT64_C(10000) << 32))) >>
	    32;
	return (uint32_t)v;
}

/* The same for eight digits. */
static inline uint32_t
scan_eight(uint64_t v)
{
	return scan_eight_of(v - SCAN_ONES * '0');
}

#endif
