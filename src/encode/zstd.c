#include "src/encode/zstd.h"

#include <stdlib.h>

#include "model/base/mem.h"

#ifdef HAVE_LIBZSTD
#include <zstd.h>

struct zstd {
	ZSTD_CStream *stream;
};

bool
zstd_there(void)
{
	return true;
}

struct zstd *
zstd_new(void)
{
	struct zstd *z = mem_zalloc(1, sizeof *z);

	z->stream = ZSTD_createCStream();
	if (z->stream)
		ZSTD_initCStream(z->stream, ZSTD_STREAM_LEVEL);
	return z;
}

size_t
zstd_block(struct zstd *z, const void *bytes, size_t len, size_t *at, void *out, size_t room,
	   bool *more, struct err *e)
{
	ZSTD_inBuffer in = {bytes, len, *at};
	ZSTD_outBuffer to = {out, room, 0};

	*more = false;
	if (!z->stream)
		return err_refuse(e, "cannot compress: no memory");
	size_t left = ZSTD_compressStream2(z->stream, &to, &in, ZSTD_e_flush);
	if (ZSTD_isError(left))
		return err_refuse(e, "cannot compress: %s", ZSTD_getErrorName(left));
	*at = in.pos;
	*more = left > 0;
	return to.pos;
}

void
zstd_free(struct zstd *z)
{
	if (z)
		ZSTD_freeCStream(z->stream);
	free(z);
}

bool
zstd_squeeze(const void *bytes, size_t len, int level, struct buf *out)
{
	size_t room = ZSTD_compressBound(len), before = out->len;
	char *at = mem_alloc(room, 1);
	size_t n = ZSTD_compress(at, room, bytes, len, level);

	if (!ZSTD_isError(n))
		buf_add(out, at, n);
	free(at);
	return out->len > before;
}

#else

bool
zstd_squeeze(const void *bytes, size_t len, int level, struct buf *out)
{
	(void)bytes, (void)len, (void)level, (void)out;
	return false;
}

bool
zstd_there(void)
{
	return false;
}

struct zstd *
zstd_new(void)
{
	return NULL;
}

size_t
zstd_block(struct zstd *z, const void *bytes, size_t len, size_t *at, void *out, size_t room,
	   bool *more, struct err *e)
{
	(void)z, (void)bytes, (void)len, (void)at, (void)out, (void)room;
	*more = false;
	return err_refuse(e, "this pnav was built without zstd");
}

void
zstd_free(struct zstd *z)
{
	(void)z;
}

#endif
