/* Bounds-checked reads from bytes in memory.
 *
 * Decoders read untrusted bytes field by field; testing every field for an error would
 * bury the layout of the record.  So a read that does not fit makes the cursor `bad`
 * and gives 0, and all later ones give 0 without moving: the decoder reads a whole
 * record as if it were there, and looks at `bad` once.
 *
 * `torn` tells the two ways to fail apart: the bytes ended, so that the same read could
 * succeed over a longer window, or the bytes are malformed and more of them will not
 * help.
 *
 * Rejected: reading through casts of the buffer (alignment, byte order), and a longjmp
 * on the first fault (leaks what the decoder holds).
 *
 * Invariant: start <= at <= end, always. */
#include "src/input/cursor.h"

#include <string.h>

struct cursor
cursor_over(const void *bytes, size_t len)
{
	static const uint8_t nothing[1];
	const uint8_t *at = bytes ? bytes : nothing;
	return (struct cursor){.start = at, .at = at, .end = at + (bytes ? len : 0)};
}

size_t
cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->at);
}

const uint8_t *
cursor_bytes(struct cursor *c, size_t n)
{
	if (c->bad)
		return NULL;
	if (n > cursor_left(c)) {
		c->bad = c->torn = true;
		return NULL;
	}
	const uint8_t *p = c->at;
	c->at += n;
	return p;
}

static uint64_t
read_be(struct cursor *c, size_t n)
{
	const uint8_t *p = cursor_bytes(c, n);
	uint64_t v = 0;
	for (size_t i = 0; p && i < n; i++)
		v = v << 8 | p[i];
	return v;
}

static uint64_t
read_le(struct cursor *c, size_t n)
{
	const uint8_t *p = cursor_bytes(c, n);
	uint64_t v = 0;
	for (size_t i = n; p && i-- > 0;)
		v = v << 8 | p[i];
	return v;
}

uint8_t
cursor_u8(struct cursor *c)
{
	return (uint8_t)read_be(c, 1);
}

uint16_t
cursor_u16be(struct cursor *c)
{
	return (uint16_t)read_be(c, 2);
}

uint32_t
cursor_u32be(struct cursor *c)
{
	return (uint32_t)read_be(c, 4);
}

uint64_t
cursor_u64be(struct cursor *c)
{
	return read_be(c, 8);
}

uint16_t
cursor_u16le(struct cursor *c)
{
	return (uint16_t)read_le(c, 2);
}

uint32_t
cursor_u32le(struct cursor *c)
{
	return (uint32_t)read_le(c, 4);
}

uint64_t
cursor_u64le(struct cursor *c)
{
	return read_le(c, 8);
}

uint64_t
cursor_varint(struct cursor *c)
{
	const uint8_t *p = c->at;
	uint64_t v = 0;
	if (c->bad)
		return 0;
	for (unsigned shift = 0; p < c->end; shift += 7) {
		uint8_t byte = *p++;
		/* The tenth byte has room for the 64th bit alone. */
		if (shift == 63 && byte > 1)
			break;
		v |= (uint64_t)(byte & 0x7F) << shift;
		if (!(byte & 0x80)) {
			c->at = p;
			return v;
		}
		if (shift == 63)
			break;
	}
	c->bad = true;
	c->torn = p == c->end && (size_t)(p - c->at) < 10;
	return 0;
}

const char *
cursor_cstring(struct cursor *c, size_t *len)
{
	*len = 0;
	if (c->bad)
		return NULL;
	const uint8_t *nul = memchr(c->at, 0, cursor_left(c));
	if (!nul) {
		c->bad = c->torn = true;
		return NULL;
	}
	const char *text = (const char *)c->at;
	*len = (size_t)(nul - c->at);
	c->at = nul + 1;
	return text;
}
