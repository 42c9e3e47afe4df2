/* widths.h - numbers without their leading zeros. A byte before them has their widths, two bits
 * each: times of 1, 2, 4 or 8 bytes, other numbers of 0, 1, 2 or 4. Varints would take as many
 * bytes, but nearly each of them costs a mispredicted branch.
 *
 * Functions access WIDTHS_SLACK bytes after a number as parts of a word. */
#ifndef PNAV_SRC_DECODE_COMMON_WIDTHS_H
#define PNAV_SRC_DECODE_COMMON_WIDTHS_H

#include <stdint.h>

#include "src/input/cursor.h"

#define WIDTHS_SLACK 8u
#define WIDTHS_TIME_MAX 8u
#define WIDTHS_NUMBER_MAX 4u

static const uint8_t widths_time_bytes[] = {1, 2, 4, 8};
static const uint64_t widths_time_mask[] = {UINT8_MAX, UINT16_MAX, UINT32_MAX, UINT64_MAX};
static const uint8_t widths_number_bytes[] = {0, 1, 2, 4};
static const uint32_t widths_number_mask[] = {0, UINT8_MAX, UINT16_MAX, UINT32_MAX};

/* Write to `at`, and the width at bit `shift` of *widths, for times 0; return the end. */
static inline uint8_t *
widths_put_time(uint8_t *at, uint64_t step, unsigned *widths)
{
	unsigned width = (step > UINT8_MAX) + (step > UINT16_MAX) + (step > UINT32_MAX);

	*widths |= width;
	bytes_put_u64(at, step);
	return at + widths_time_bytes[width];
}

static inline uint8_t *
widths_put(uint8_t *at, uint32_t n, unsigned shift, unsigned *widths)
{
	unsigned width = (n > 0) + (n > UINT8_MAX) + (n > UINT16_MAX);

	*widths |= width << shift;
	bytes_put_u64(at, n);
	return at + widths_number_bytes[width];
}

/* Reads the step of the time after a byte of widths. */
static inline uint64_t
widths_time(const uint8_t *head)
{
	return bytes_u64(head + 1, false) & widths_time_mask[*head & 3];
}

/* Reads a number; returns its end. */
static inline const uint8_t *
widths_get(const uint8_t *at, unsigned widths, unsigned shift, uint32_t *n)
{
	unsigned width = widths >> shift & 3;

	*n = bytes_u32(at, false) & widths_number_mask[width];
	return at + widths_number_bytes[width];
}

#endif
