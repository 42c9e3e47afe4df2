/* The size of what comes out is not known before: it is appended piece by piece, so that a
 * hostile file costs what it really holds, up to a limit of the caller's. */
#include "src/input/unzlib.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

#define PIECE 65536u

bool
unzlib(const void *bytes, size_t len, size_t max, struct buf *out)
{
	z_stream z = {0};
	unsigned char piece[PIECE];
	size_t begin = out->len;
	int status = Z_OK;

	if (len > UINT_MAX || inflateInit(&z) != Z_OK)
		return false;
	z.next_in = (Bytef *)(uintptr_t)bytes;
	z.avail_in = (uInt)len;
	while (status == Z_OK && out->len - begin < max) {
		z.next_out = piece;
		z.avail_out = sizeof piece;
		status = inflate(&z, Z_NO_FLUSH);
		buf_add(out, piece, sizeof piece - z.avail_out);
		if (status == Z_OK && !z.avail_in && z.avail_out)
			status = Z_BUF_ERROR;
	}
	inflateEnd(&z);
	return status == Z_STREAM_END && out->len - begin <= max;
}
