/* A source that stores all bytes, so that formats with offsets can be read from pipes and from
 * compressed files.
 *
 * It writes everything to an unlinked temporary file ($TMPDIR, else /tmp). The page cache holds
 * the file as long as memory suffices, so even a stream larger than memory works. Without such a
 * folder, as in an empty root directory, the file lies in memory. Rejected: a
 * growing buffer (a small gzip file can be many gigabytes), decompressing again from the start
 * at each step back (quadratic).
 *
 * Invariant: bytes 0 .. stored of the input are in the file; the position of inner is `stored`. */
#include "src/input/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/base/buf.h"
#include "model/base/mem.h"

#define PULL_BYTES (64u << 10)

struct keep_source {
	struct source base, *inner;
	int fd;
	uint64_t stored, at;
	bool ended;
};

static int
unlinked_file(void)
{
	const char *dir = getenv("TMPDIR");
	struct buf path = BUF_INIT;
	if (!dir || !*dir)
		dir = "/tmp";
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0) {
		buf_addf(&path, "%s/pnav-XXXXXX", dir);
		fd = mkostemp(path.at, O_CLOEXEC);
		if (fd >= 0)
			unlink(path.at);
	}
#ifdef MFD_CLOEXEC
	if (fd < 0)
		fd = memfd_create("pnav", MFD_CLOEXEC);
#endif
	buf_release(&path);
	return fd;
}

static bool
store(struct keep_source *k, const void *bytes, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t put = pwrite(k->fd, (const char *)bytes + done, n - done,
				     (off_t)(k->stored + done));
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return err_damage(
				&k->base.fault, k->stored,
				"no room to keep the data in a temporary file: %s",
				strerror(put ? errno : ENOSPC));
		done += (size_t)put;
	}
	k->stored += n;
	return true;
}

/* Reads from inner into `out` and the store; 0 at the end. */
static size_t
pull(struct keep_source *k, void *out, size_t n)
{
	if (k->ended)
		return 0;
	size_t got = k->inner->ops->read(k->inner, out, n);
	if (!got || !store(k, out, got)) {
		k->ended = true;
		if (err_is_set(&k->inner->fault) && !err_is_set(&k->base.fault))
			k->base.fault = k->inner->fault;
		return 0;
	}
	return got;
}

/* Stores everything before `offset`. Returns false if the input ends before. */
static bool
pull_to(struct keep_source *k, uint64_t offset)
{
	if (offset <= k->stored)
		return true;
	void *scratch = mem_alloc(PULL_BYTES, 1);
	while (k->stored < offset && pull(k, scratch, PULL_BYTES))
		;
	free(scratch);
	return k->stored >= offset;
}

static size_t
keep_read(struct source *s, void *out, size_t n)
{
	struct keep_source *k = (struct keep_source *)s;
	if (k->at >= k->stored) {
		n = pull(k, out, n);
	} else {
		if (n > k->stored - k->at)
			n = (size_t)(k->stored - k->at);
		if (!source_pread(k->fd, k->at, out, n)) {
			err_damage(&s->fault, k->at, "cannot read the temporary file");
			n = 0;
		}
	}
	k->at += n;
	return n;
}

static bool
keep_read_at(struct source *s, uint64_t offset, void *out, size_t n)
{
	struct keep_source *k = (struct keep_source *)s;
	uint64_t end;
	return !__builtin_add_overflow(offset, n, &end) && pull_to(k, end) &&
	       source_pread(k->fd, offset, out, n);
}

static bool
keep_seek(struct source *s, uint64_t offset)
{
	struct keep_source *k = (struct keep_source *)s;
	if (!pull_to(k, offset))
		return false;
	k->at = offset;
	return true;
}

static bool
keep_ready(struct source *s, int timeout_ms)
{
	struct keep_source *k = (struct keep_source *)s;
	return k->at < k->stored || !k->inner->ops->ready ||
	       k->inner->ops->ready(k->inner, timeout_ms);
}

static void
keep_close(struct source *s)
{
	struct keep_source *k = (struct keep_source *)s;
	k->inner->ops->close(k->inner);
	if (k->fd >= 0)
		close(k->fd);
	free(k);
}

static const struct source_ops keep_ops = {
	.read = keep_read,
	.read_at = keep_read_at,
	.seek = keep_seek,
	.ready = keep_ready,
	.close = keep_close,
};

struct source *
source_keep(struct source *inner, const void *start, size_t len)
{
	struct keep_source *k = mem_zalloc(1, sizeof *k);
	k->base.ops = &keep_ops;
	k->base.fault = inner->fault; /* it may have ended already */
	k->inner = inner;
	k->fd = unlinked_file();
	if (k->fd < 0)
		err_damage(&k->base.fault, 0, "no temporary file can be made: %s", strerror(errno));
	k->ended = k->fd < 0 || !store(k, start, len);
	k->at = len;
	return &k->base;
}
