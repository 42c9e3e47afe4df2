/* cursor.h - bounds-checked reads from bytes in memory, in either byte order.
 *
 * The first read beyond the end sets `bad`. That read and all later ones return 0, and `at` stays
 * at the fault. Test `bad` once a record.
 *
 *	struct cursor c = cursor_over(bytes, len);
 *	c.big_endian = true;                    -- the default is little-endian
 *	uint32_t id = cursor_u32(&c), line = cursor_u32(&c);
 *	if (c.bad) ...
 *
 * A decoder that has checked the length of a whole record may read its fields with bytes_u32() and
 * similar functions of model/base/bytes.h, which check nothing. */
#ifndef PNAV_SRC_INPUT_CURSOR_H
#define PNAV_SRC_INPUT_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "model/base/bytes.h"

struct cursor {
	const uint8_t *start, *at, *end;
	bool big_endian; /* the byte order of the numbers */
	bool bad;        /* a read did not fit, or was malformed */
	bool torn;       /* ... because the bytes ended: more bytes could help */
};

/* Returns a cursor over len bytes, which are borrowed. bytes may be NULL if len is 0. */
static inline struct cursor
cursor_over(const void *bytes, size_t len)
{
	struct cursor c;

	/* An initialiser would also clear the padding: the compiler then copies the cursor by words
	 * that were written in parts, which stalls. */
	c.start = c.at = bytes ? bytes : (const uint8_t *)"";
	c.end = c.at + (bytes ? len : 0);
	c.big_endian = c.bad = c.torn = false;
	return c;
}

/* The slow path of cursor_varint(), for long numbers and near the end. */
uint64_t cursor_varint_bytewise(struct cursor *c);
/* Returns a text that ends with NUL, and steps over the NUL, which *len does not count. NULL if
 * there is no NUL. */
const char *cursor_cstring(struct cursor *c, size_t *len);
/* The same, but the end of the bytes also ends the text. Never NULL. */
const char *cursor_text(struct cursor *c, size_t *len);

static inline size_t
cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->at);
}

/* Reads a base-128 number of at most 10 bytes, least significant group first. It must fit 64
 * bits. */
static inline uint64_t
cursor_varint(struct cursor *c)
{
	uint64_t v;
	if (!c->bad && c->at < c->end && *c->at < 0x80)
		return *c->at++;
	if (!c->bad && cursor_left(c) >= 2 && c->at[1] < 0x80) {
		c->at += 2;
		return (c->at[-2] & 0x7Fu) | (uint32_t)c->at[-1] << 7;
	}
	unsigned n = !c->bad && cursor_left(c) >= 8 ? bytes_varint(c->at, &v) : 0;
	if (!n)
		return cursor_varint_bytewise(c);
	c->at += n;
	return v;
}

/* Reads a varint in zigzag encoding (0, -1, 1, -2, ...). */
static inline int64_t
cursor_zigzag(struct cursor *c)
{
	uint64_t v = cursor_varint(c);
	return (int64_t)(v >> 1 ^ -(v & 1));
}

/* Returns the next n bytes and steps over them; NULL if there are fewer. */
static inline const uint8_t *
cursor_bytes(struct cursor *c, uint64_t n)
{
	const uint8_t *at = c->at;
	if (c->bad)
		return NULL;
	if (n > cursor_left(c)) {
		c->bad = c->torn = true;
		return NULL;
	}
	c->at += n;
	return at;
}

static inline uint8_t
cursor_u8(struct cursor *c)
{
	const uint8_t *p = cursor_bytes(c, 1);
	return p ? *p : 0;
}

static inline uint16_t
cursor_u16(struct cursor *c)
{
	const uint8_t *p = cursor_bytes(c, 2);
	return p ? bytes_u16(p, c->big_endian) : 0;
}

static inline uint32_t
cursor_u32(struct cursor *c)
{
	const uint8_t *p = cursor_bytes(c, 4);
	return p ? bytes_u32(p, c->big_endian) : 0;
}

static inline uint64_t
cursor_u64(struct cursor *c)
{
	const uint8_t *p = cursor_bytes(c, 8);
	return p ? bytes_u64(p, c->big_endian) : 0;
}

#endif
