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
 * Byte order is the cursor's: a format that has two says once which one a file is in, and
 * the compiler sees through it where there is only one.
 *
 * Rejected: reading through casts of the buffer (alignment, byte order), and a longjmp
 * on the first fault (leaks what the decoder holds).
 *
 * Invariant: start <= at <= end, always. */
#include "src/input/cursor.h"

uint64_t
cursor_varint_bytewise(struct cursor *c)
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

const char *
cursor_text(struct cursor *c, size_t *len)
{
	const char *text = (const char *)c->at;
	*len = 0;
	if (c->bad)
		return text;
	*len = strnlen(text, cursor_left(c));
	c->at += *len < cursor_left(c) ? *len + 1 : *len;
	return text;
}
