/* Calls zlib's compress2() with a buffer of the model. */
#include "src/encode/zlib.h"

#include <limits.h>
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
