/* A zstd stream in pieces. perf flushes its compressor at the end of each record, so a piece yields
 * all that was put in it, and the next one continues with the same window. The caller limits the
 * output. The claims of a stream allocate nothing except the window, which is bounded; of a whole
 * frame, what the caller allocates once unzstd_fits(). */
#include "src/input/unzstd.h"

#include <stdlib.h>

#include "model/base/mem.h"

#ifdef HAVE_LIBZSTD

#include <zstd.h>

#define WINDOW_LOG_MAX 27 /* 128 MB: level 22 */

struct unzstd {
	ZSTD_DStream *stream;
	ZSTD_inBuffer in;
	bool more; /* the last read filled its room: there may be output without input */
};

struct unzstd *
unzstd_new(void)
{
	struct unzstd *z = mem_zalloc(1, sizeof *z);
	z->stream = ZSTD_createDStream();
	if (!z->stream || ZSTD_isError(ZSTD_DCtx_setParameter(
				  z->stream, ZSTD_d_windowLogMax, WINDOW_LOG_MAX))) {
		unzstd_free(z);
		return NULL;
	}
	return z;
}

void
unzstd_free(struct unzstd *z)
{
	if (!z)
		return;
	ZSTD_freeDStream(z->stream);
	free(z);
}

void
unzstd_feed(struct unzstd *z, const void *bytes, size_t len)
{
	z->in = (ZSTD_inBuffer){.src = bytes, .size = len};
	z->more = false;
}

size_t
unzstd_read(struct unzstd *z, void *out, size_t n, bool *bad)
{
	ZSTD_outBuffer to = {.dst = out, .size = n};
	*bad = false;
	while (to.pos < n && (z->in.pos < z->in.size || z->more)) {
		size_t in_before = z->in.pos, out_before = to.pos;
		size_t result = ZSTD_decompressStream(z->stream, &to, &z->in);
		if (ZSTD_isError(result)) {
			*bad = true;
			return to.pos;
		}
		z->more = to.pos == n;
		if (z->in.pos == in_before && to.pos == out_before)
			break;
	}
	return to.pos;
}

bool
unzstd_fits(const void *bytes, size_t len, unsigned long long n)
{
	unsigned long long size = ZSTD_getFrameContentSize(bytes, len);

	return size == n || size == ZSTD_CONTENTSIZE_UNKNOWN;
}

bool
unzstd_whole(struct unzstd *z, const void *bytes, size_t len, void *out, size_t n)
{
	unzstd_feed(z, NULL, 0);
	size_t result = ZSTD_decompressDCtx(z->stream, out, n, bytes, len);
	return !ZSTD_isError(result) && result == n;
}

#else

struct unzstd *
unzstd_new(void)
{
	return NULL;
}

void
unzstd_free(struct unzstd *z UNUSED)
{
}

void
unzstd_feed(struct unzstd *z UNUSED, const void *bytes UNUSED, size_t len UNUSED)
{
}

size_t
unzstd_read(struct unzstd *z UNUSED, void *out UNUSED, size_t n UNUSED, bool *bad)
{
	*bad = true;
	return 0;
}

bool
unzstd_fits(const void *bytes UNUSED, size_t len UNUSED, unsigned long long n UNUSED)
{
	return true;
}

bool
unzstd_whole(struct unzstd *z UNUSED, const void *bytes UNUSED, size_t len UNUSED,
	     void *out UNUSED, size_t n UNUSED)
{
	return false;
}

#endif
