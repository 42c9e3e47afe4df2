/* Bounds-checked reads from bytes in memory.
 *
 * Decoders read untrusted bytes field by field; an error test for every field would bury the layout
 * of the record. So a read that does not fit sets `bad` and returns 0, and all later ones return 0
 * without moving. The decoder reads a whole record as if it were there, and tests `bad` once.
 *
 * `torn` distinguishes two failures: if it is set, the bytes ended, and the same read could succeed
 * over a longer window; otherwise the bytes are malformed.
 *
 * The byte order belongs to the cursor: a format that has two sets it once a file, and the compiler
 * optimises the test away for formats that have one.
 *
 * Rejected: reading through casts of the buffer (alignment, byte order), and a longjmp on the first
 * fault (leaks what the decoder holds).
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
	for (unsigned shift = 0; p < c->end && shift <= 63; shift += 7) {
		uint8_t byte = *p++;
		v |= (uint64_t)(byte & 0x7F) << shift;
		if (byte < 0x80) {
			/* the tenth byte has room only for bit 63 */
			if (shift == 63 && byte > 1)
				break;
			c->at = p;
			return v;
		}
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
