/* Calls zlib with a buffer of the model. */
#include "src/encode/zlib.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#include "model/base/mem.h"

bool
zlib_squeeze(const void *bytes, size_t len, struct buf *out)
{
	if (len > UINT_MAX)
		return false;
	uLongf size = compressBound((uLong)len);
	Bytef *at = mem_alloc(size, 1);
	bool good = compress2(at, &size, bytes, (uLong)len, Z_DEFAULT_COMPRESSION) == Z_OK;
	if (good)
		buf_add(out, at, size);
	free(at);
	return good;
}

bool
zlib_expand(const void *gzip, size_t len, size_t size, struct buf *out)
{
	z_stream z = {.next_in = (Bytef *)(uintptr_t)gzip, .avail_in = (uInt)len};

	if (len > UINT_MAX || size > UINT_MAX || inflateInit2(&z, MAX_WBITS + 16) != Z_OK)
		return false;
	Bytef *at = mem_alloc(size, 1);
	z.next_out = at;
	z.avail_out = (uInt)size;
	bool good = inflate(&z, Z_FINISH) == Z_STREAM_END && !z.avail_out;
	if (good)
		buf_add(out, at, size);
	inflateEnd(&z);
	free(at);
	return good;
}
