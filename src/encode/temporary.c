#include "src/encode/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/base/mem.h"

/* Slices are written at their begin, but their duration is known only at their end.  Nearly all end
 * soon, while their place is in the window; the durations of the few others are written into the
 * file.  A list of all of them would be as large as the trace. */

/* Returns the folder of temporary files: where there is no /tmp, as in an empty root directory, the
 * current one. */
static const char *
temporary_folder(void)
{
	const char *folder = getenv("TMPDIR");

	if (folder && *folder)
		return folder;
	return access("/tmp", W_OK | X_OK) ? "." : "/tmp";
}

int
temporary_open(struct buf *path, struct err *e)
{
	buf_addf(path, "%s/pnav-XXXXXX", temporary_folder());
	int fd = mkostemp(path->at, O_CLOEXEC);
	if (fd < 0)
		err_refuse(e, "%s: %s", path->at, strerror(errno));
	return fd;
}

bool
temporary_copy(int fd, FILE *out, struct err *e)
{
	char block[1 << 16];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, block, sizeof block, at)) > 0 || (n < 0 && errno == EINTR)) {
		if (n < 0)
			continue;
		fwrite(block, 1, (size_t)n, out);
		at += n;
	}
	return n == 0 || err_refuse(e, "a temporary file: %s", strerror(errno));
}

void
spill_init(struct spill *s)
{
	*s = (struct spill){.file = -1};
	s->window = mem_alloc(SPILL_WINDOW, sizeof *s->window);
	err_init(&s->e);
}

void
spill_release(struct spill *s)
{
	free(s->window);
	if (s->file >= 0)
		close(s->file);
}

void
spill_reset(struct spill *s)
{
	s->base = s->n = s->read = 0;
}

static void
fail(struct spill *s)
{
	if (!s->failed)
		err_refuse(&s->e, "a temporary file: %s", strerror(errno ? errno : EIO));
	s->failed = true;
}

/* Reads or writes n bytes at a number's place in the file. */
static void
transfer(struct spill *s, uint64_t place, int64_t *at, size_t n, bool writes)
{
	char *bytes = (char *)at;
	off_t offset = (off_t)(place * sizeof *at);

	n *= sizeof *at;
	errno = 0;
	while (n && !s->failed) {
		ssize_t did = writes ? pwrite(s->file, bytes, n, offset)
				     : pread(s->file, bytes, n, offset);
		if (did <= 0 && errno != EINTR)
			fail(s);
		if (did <= 0)
			continue;
		bytes += did;
		offset += did;
		n -= (size_t)did;
	}
}

static void
make_file(struct spill *s)
{
	struct buf path = BUF_INIT;

	s->file = temporary_open(&path, &s->e);
	s->failed = s->file < 0;
	if (!s->failed)
		unlink(path.at);
	buf_release(&path);
}

uint64_t
spill_add(struct spill *s)
{
	if (s->n - s->base == SPILL_WINDOW) {
		if (s->file < 0 && !s->failed)
			make_file(s);
		transfer(s, s->base, s->window, SPILL_WINDOW, true);
		s->base = s->n;
	}
	s->window[s->n - s->base] = 0;
	return s->n++;
}

void
spill_set(struct spill *s, uint64_t place, int64_t value)
{
	if (place >= s->base)
		s->window[place - s->base] = value;
	else
		transfer(s, place, &value, 1, true);
}

void
spill_rewind(struct spill *s)
{
	/* read through the window like all others */
	if (s->base)
		transfer(s, s->base, s->window, (size_t)(s->n - s->base), true);
	s->read = 0;
}

int64_t
spill_next(struct spill *s)
{
	size_t at = (size_t)(s->read % SPILL_WINDOW);
	uint64_t rest = s->n - s->read;

	if (s->base && !at)
		transfer(s, s->read, s->window, rest < SPILL_WINDOW ? (size_t)rest : SPILL_WINDOW,
			 false);
	s->read++;
	return s->window[at];
}
