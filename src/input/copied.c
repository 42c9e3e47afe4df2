/* copied.c - see copied.h.
 *
 * The copying source lies below the one that decompresses. It writes each block to the copy before
 * it returns the block. */
#include "src/input/copied.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model/base/mem.h"
#include "src/input/source.h"
#include "src/input/url.h"

#define BLOCK (256u << 10)

struct copied {
	struct source base;
	struct source *inner;
	struct input_copy *to;
};

static void
copy_write(struct input_copy *to, const char *at, size_t n)
{
	while (n && !to->failed) {
		ssize_t did = write(to->fd, at, n);
		if (did < 0 && errno == EINTR)
			continue;
		if (did <= 0) {
			to->failed = errno ? errno : EIO;
			return;
		}
		at += did;
		n -= (size_t)did;
		to->bytes += (uint64_t)did;
	}
}

static size_t
copied_read(struct source *s, void *out, size_t n)
{
	struct copied *c = (struct copied *)s;
	size_t got = c->inner->ops->read(c->inner, out, n);

	c->base.fault = c->inner->fault;
	copy_write(c->to, out, got);
	return got;
}

static bool
copied_ready(struct source *s, int timeout_ms)
{
	struct source *inner = ((struct copied *)s)->inner;

	return !inner->ops->ready || inner->ops->ready(inner, timeout_ms);
}

static void
copied_close(struct source *s)
{
	struct copied *c = (struct copied *)s;

	c->inner->ops->close(c->inner);
	free(c);
}

struct source *
source_copied(struct source *inner, struct input_copy *to)
{
	static const struct source_ops ops = {
		.read = copied_read, .ready = copied_ready, .close = copied_close};
	struct copied *c = mem_zalloc(1, sizeof *c);

	c->base.ops = &ops;
	c->base.fault = inner->fault;
	c->inner = inner;
	c->to = to;
	return &c->base;
}

bool
input_passes_by(const char *path)
{
	struct stat st;

	if (strcmp(path, "-") != 0)
		return url_is(path);
	return !fstat(STDIN_FILENO, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

bool
input_copy_rest(int fd, struct input_copy *to)
{
	char *block = mem_alloc(BLOCK, 1);
	struct source *s = source_copied(source_fd(fd, false, false, NULL, SOURCE_OTHER), to);

	while (s->ops->read(s, block, BLOCK) && !to->failed)
		;
	bool good = !to->failed && !err_is_set(&s->fault);
	s->ops->close(s);
	free(block);
	return good;
}
