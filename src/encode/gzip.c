#include "src/encode/gzip.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>
#include <zlib.h>

#include "model/base/mem.h"

/* Encoders write to a stream and know no compression.  zlib's own gzFile writes to a descriptor,
 * but our stream may be a pipe, memory, or a file without a name. */

#define LEVEL 6
#define GZIP_BITS (15 + 16)
#define ROOM (64u * 1024)

struct gzip {
	FILE *under;
	z_stream z;
	unsigned char out[ROOM];
};

/* Compresses the input of z; returns false if writing to `under` fails. */
static bool
squeeze(struct gzip *g, int flush)
{
	int rc;

	do {
		g->z.next_out = g->out;
		g->z.avail_out = ROOM;
		rc = deflate(&g->z, flush);
		size_t n = ROOM - g->z.avail_out;
		if (n && fwrite(g->out, 1, n, g->under) != n)
			return false;
	} while (rc == Z_OK && (g->z.avail_in || flush == Z_FINISH));
	return rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR;
}

static ssize_t
gzip_write(void *cookie, const char *at, size_t len)
{
	struct gzip *g = cookie;
	size_t left = len;

	while (left) {
		uInt n = left < (1u << 30) ? (uInt)left : 1u << 30;
		g->z.next_in = (Bytef *)(uintptr_t)at;
		g->z.avail_in = n;
		if (!squeeze(g, Z_NO_FLUSH))
			return 0;
		at += n;
		left -= n;
	}
	return (ssize_t)len;
}

static int
gzip_end(void *cookie)
{
	struct gzip *g = cookie;

	g->z.next_in = NULL;
	g->z.avail_in = 0;
	bool good = squeeze(g, Z_FINISH);
	deflateEnd(&g->z);
	free(g);
	return good ? 0 : -1;
}

FILE *
gzip_open(FILE *under)
{
	struct gzip *g = mem_zalloc(1, sizeof *g);
	cookie_io_functions_t does = {.write = gzip_write, .close = gzip_end};

	g->under = under;
	if (deflateInit2(&g->z, LEVEL, Z_DEFLATED, GZIP_BITS, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
		free(g);
		errno = ENOMEM;
		return NULL;
	}
	FILE *stream = fopencookie(g, "w", does);
	if (!stream) {
		deflateEnd(&g->z);
		free(g);
	}
	return stream;
}

bool
gzip_close(FILE *stream)
{
	bool good = !ferror(stream);

	return fclose(stream) == 0 && good;
}
