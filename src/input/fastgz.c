/* A thin layer over ISA-L, whose inner loops are assembly that no sanitizer sees. So the lengths
 * that it gets are those of the caller's memory and nothing else, and what it returns is compared
 * with them before it is used.
 *
 * A gzip member begins (RFC 1952, 2.3):
 *
 *	1F 8B | 08 | FLG | MTIME, 4 bytes | XFL | OS | ...
 *
 * The upper three bits of FLG are reserved. zlib refuses them, ISA-L ignores them. A zlib stream
 * begins with two bytes (RFC 1950, 2.2). Bit 5 of the second means a dictionary; both bytes
 * as a number of 16 bits are a multiple of 31. */
#include "src/input/fastgz.h"

#include <stdlib.h>

#include "model/base/mem.h"

#ifdef HAVE_ISAL

#include <isa-l/igzip_lib.h>

#define GZIP_HEAD 4
#define GZIP_RESERVED 0xE0
#define ZLIB_METHOD_MASK 0x0F
#define ZLIB_WINDOW_MAX 0x78
#define ZLIB_DICTIONARY 0x20

struct fastgz {
	struct inflate_state state;
};

bool
fastgz_begin(struct fastgz **z, const uint8_t *at, size_t len)
{
	bool gzip = len >= GZIP_HEAD && at[0] == 0x1F && at[1] == 0x8B && at[2] == 8 &&
		    !(at[3] & GZIP_RESERVED);
	bool zlib = len >= 2 && (at[0] & ZLIB_METHOD_MASK) == 8 && at[0] <= ZLIB_WINDOW_MAX &&
		    !(at[1] & ZLIB_DICTIONARY) && (at[0] << 8 | at[1]) % 31 == 0;

	if (!gzip && !zlib)
		return false;
	if (!*z)
		*z = mem_alloc(1, sizeof **z);
	isal_inflate_init(&(*z)->state);
	(*z)->state.crc_flag = gzip ? ISAL_GZIP : ISAL_ZLIB;
	return true;
}

enum fastgz_status
fastgz_step(struct fastgz *z, const uint8_t **in, size_t *len, void *out, size_t n, size_t *made)
{
	struct inflate_state *s = &z->state;
	uint32_t have = *len < UINT32_MAX / 2 ? (uint32_t)*len : UINT32_MAX / 2;
	uint32_t room = n < UINT32_MAX / 2 ? (uint32_t)n : UINT32_MAX / 2;

	s->next_in = (uint8_t *)(uintptr_t)*in;
	s->avail_in = have;
	s->next_out = out;
	s->avail_out = room;
	*made = 0;
	/* everything but OK is a fault; a preset dictionary, too */
	if (isal_inflate(s) != ISAL_DECOMP_OK || s->avail_in > have || s->avail_out > room)
		return FASTGZ_FAULT;
	*made = room - s->avail_out;
	*in += have - s->avail_in;
	*len -= have - s->avail_in;
	return s->block_state == ISAL_BLOCK_FINISH ? FASTGZ_END : FASTGZ_MORE;
}

#else /* HAVE_ISAL */

bool
fastgz_begin(struct fastgz **z UNUSED, const uint8_t *at UNUSED, size_t len UNUSED)
{
	return false;
}

enum fastgz_status
fastgz_step(struct fastgz *z UNUSED, const uint8_t **in UNUSED, size_t *len UNUSED,
	    void *out UNUSED, size_t n UNUSED, size_t *made)
{
	*made = 0;
	return FASTGZ_FAULT;
}

#endif

void
fastgz_free(struct fastgz *z)
{
	free(z);
}
