/* bytes.h - numbers in either byte order, whose bytes are known to be there.
 *
 * Nothing is checked: the caller knows that the bytes may be read. src/input/cursor.h checks. */
#ifndef PNAV_MODEL_BASE_BYTES_H
#define PNAV_MODEL_BASE_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Returns true if numbers of this byte order must be swapped on this machine. */
static inline bool
bytes_turned(bool big_endian)
{
	return big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static inline uint16_t
bytes_u16(const uint8_t *p, bool big_endian)
{
	uint16_t v;
	memcpy(&v, p, sizeof v);
	return bytes_turned(big_endian) ? __builtin_bswap16(v) : v;
}

static inline uint32_t
bytes_u32(const uint8_t *p, bool big_endian)
{
	uint32_t v;
	memcpy(&v, p, sizeof v);
	return bytes_turned(big_endian) ? __builtin_bswap32(v) : v;
}

static inline uint64_t
bytes_u64(const uint8_t *p, bool big_endian)
{
	uint64_t v;
	memcpy(&v, p, sizeof v);
	return bytes_turned(big_endian) ? __builtin_bswap64(v) : v;
}

/* Writes the 8 bytes of a number, the lowest first. */
static inline void
bytes_put_u64(uint8_t *p, uint64_t v)
{
	if (bytes_turned(false))
		v = __builtin_bswap64(v);
	memcpy(p, &v, sizeof v);
}

/* Returns the length of a varint of at most eight bytes; 0 if it is longer. Eight bytes must be
 * readable. */
static inline unsigned
bytes_varint(const uint8_t *p, uint64_t *out)
{
	if (p[0] < 0x80) {
		*out = p[0];
		return 1;
	}
	uint64_t x = bytes_u64(p, false), ends = ~x & UINT64_C(0x8080808080808080);
	if (!ends)
		return 0;
	x &= (ends ^ (ends - 1)) & UINT64_C(0x7F7F7F7F7F7F7F7F);
	x = (x & UINT64_C(0x007F007F007F007F)) | (x & UINT64_C(0x7F007F007F007F00)) >> 1;
	x = (x & UINT64_C(0x00003FFF00003FFF)) | (x & UINT64_C(0x3FFF00003FFF0000)) >> 2;
	*out = (x & UINT64_C(0x000000000FFFFFFF)) | (x & UINT64_C(0x0FFFFFFF00000000)) >> 4;
	return (unsigned)__builtin_ctzll(ends) / 8 + 1;
}

#endif
