/* cursor.h - bounds-checked reads from bytes in memory.
 *
 * After the first read that does not fit, `bad` is set, that read and all later ones
 * give 0, and `at` stays where the fault was.  Test `bad` once a record. */
#ifndef PNAV_SRC_INPUT_CURSOR_H
#define PNAV_SRC_INPUT_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
	const uint8_t *start, *at, *end;
	bool bad;  /* a read did not fit, or was malformed */
	bool torn; /* ... because the bytes ended: more of them could help */
};

struct cursor cursor_over(const void *bytes, size_t len);
size_t cursor_left(const struct cursor *c);
uint8_t cursor_u8(struct cursor *c);
uint16_t cursor_u16be(struct cursor *c);
uint32_t cursor_u32be(struct cursor *c);
uint64_t cursor_u64be(struct cursor *c);
uint16_t cursor_u16le(struct cursor *c);
uint32_t cursor_u32le(struct cursor *c);
uint64_t cursor_u64le(struct cursor *c);
/* Base-128, least significant group first, at most 10 bytes; the value must fit 64
 * bits. */
uint64_t cursor_varint(struct cursor *c);
/* Bytes up to a NUL, which is stepped over; *len without it. */
const char *cursor_cstring(struct cursor *c, size_t *len);
/* The next n bytes, or NULL. */
const uint8_t *cursor_bytes(struct cursor *c, size_t n);

#endif
