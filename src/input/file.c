/* The bottom of every input: a descriptor.
 *
 * A regular file is read in large pieces. A pipe, a socket or a terminal may block its reader for
 * hours, while a browser must be able to display the profile and to stop the loading. So such a
 * read begins with poll(). If no bytes are available, the profile's lock is given away while poll()
 * waits on the descriptor and on the watch's wake_fd. This works for descriptors in non-blocking
 * mode, too (standard input may be in it, because another process shares it), and for a FIFO that
 * has no writer yet.
 *
 * At the end of a regular file that is followed, the same wait uses inotify, and a poll twice a
 * second for network file systems, where inotify reports nothing.
 *
 * Rejected: a thread that reads ahead (a second copy and a queue, for a page cache that is faster
 * than every decoder), SIGIO.
 *
 * Invariant: offsets count from the descriptor's position at the start, so that offsets are right
 * in `(read line; pnav -) <file`, too. */
#include "src/input/source.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/base/mem.h"
#include "src/input/clock.h"

#define GROWTH_POLL_MS 500
#define IDLE_SHARE 10 /* idle work takes at most 1/IDLE_SHARE of the time */

struct file_source {
	struct source base;
	int fd, inotify_fd;
	bool own, regular, follow, counted;
	char *name;     /* of a followed file, as the kernel reports it; NULL if unknown */
	uint64_t start; /* position of the input's byte 0 in the file */
	uint64_t at;
	struct watch *watch;
};

int
watch_show(struct watch *w)
{
	if (!w || !w->idle)
		return -1;
	int64_t begin = clock_ms();
	if (begin < w->idle_after_ms)
		return (int)(w->idle_after_ms - begin);
	w->idle(w->idle_ctx);
	int64_t end = clock_ms();
	w->idle_after_ms = end + (end - begin) * (IDLE_SHARE - 1);
	return -1;
}

/* Waits without the profile's lock for fd (none if < 0), for a request to stop, or for the timeout.
 * Returns what poll() reports of fd. */
static bool
file_wait_for(struct file_source *f, int fd, int timeout_ms)
{
	struct pollfd p[2] = {
		{.fd = fd, .events = POLLIN},
		{.fd = f->watch ? f->watch->wake_fd : -1, .events = POLLIN},
	};
	if (poll(p, 1, 0) > 0)
		return true;
	int soon_ms = watch_show(f->watch);
	if (soon_ms >= 0 && (timeout_ms < 0 || soon_ms < timeout_ms))
		timeout_ms = soon_ms;
	if (f->watch && f->watch->give)
		f->watch->give(f->watch);
	int n;
	do
		n = poll(p, 2, timeout_ms);
	while (n < 0 && (errno == EINTR || errno == EAGAIN) && !watch_stops(f->watch));
	if (f->watch && f->watch->take)
		f->watch->take(f->watch);
	return n > 0 && p[0].revents;
}

/* Returns the current name of the file in the kernel, with " (deleted)" appended if it has been
 * removed; NULL if unknown. The caller frees it. */
static char *
name_now(int fd)
{
	char path[64], name[4096];
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	ssize_t n = readlink(path, name, sizeof name);
	return n > 0 && (size_t)n < sizeof name ? mem_dup(name, (size_t)n) : NULL;
}

/* Returns true if the name now belongs to another file. */
static bool
has_gone(struct file_source *f)
{
	char *now = f->name ? name_now(f->fd) : NULL;
	bool gone = now && strcmp(now, f->name) != 0;
	free(now);
	return gone;
}

/* Waits at the end of a followed file. Returns true if another read may yield bytes. */
static bool
wait_growth(struct file_source *f)
{
	struct stat st;
	char path[64], events[4096];
	if (fstat(f->fd, &st))
		return false;
	if ((uint64_t)st.st_size < f->start + f->at)
		return err_damage(&f->base.fault, f->at, "the file was truncated while it was "
							 "followed");
	if ((uint64_t)st.st_size > f->start + f->at)
		return true;
	if (f->inotify_fd < 0) {
		f->inotify_fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
		snprintf(path, sizeof path, "/proc/self/fd/%d", f->fd);
		if (f->inotify_fd >= 0)
			inotify_add_watch(f->inotify_fd, path, IN_MODIFY);
	}
	if (has_gone(f))
		return err_damage(&f->base.fault, f->at,
				  "the file was removed, renamed or replaced "
				  "while it was followed");
	file_wait_for(f, f->inotify_fd, GROWTH_POLL_MS);
	while (f->inotify_fd >= 0 && read(f->inotify_fd, events, sizeof events) > 0)
		;
	return true;
}

static size_t
file_read(struct source *s, void *out, size_t n)
{
	struct file_source *f = (struct file_source *)s;
	while (!watch_stops(f->watch)) {
		if (!f->regular && !file_wait_for(f, f->fd, -1))
			continue;
		ssize_t got = read(f->fd, out, n);
		if (got > 0) {
			f->at += (uint64_t)got;
			if (f->watch && f->counted)
				atomic_fetch_add_explicit(&f->watch->bytes, (uint64_t)got,
							  memory_order_relaxed);
			return (size_t)got;
		}
		if (got == 0) {
			if (f->regular && f->follow && wait_growth(f))
				continue;
			return 0;
		}
		if (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)
			continue;
		err_damage(&s->fault, f->at, "cannot read: %s", strerror(errno));
		return 0;
	}
	return 0;
}

static bool
file_ready(struct source *s, int timeout_ms)
{
	struct file_source *f = (struct file_source *)s;
	if (!f->regular)
		return file_wait_for(f, f->fd, timeout_ms);
	if (!f->follow)
		return true;
	struct stat st;
	return fstat(f->fd, &st) || (uint64_t)st.st_size > f->start + f->at;
}

static bool
file_read_at(struct source *s, uint64_t offset, void *out, size_t n)
{
	struct file_source *f = (struct file_source *)s;
	uint64_t at;

	return !__builtin_add_overflow(f->start, offset, &at) && source_pread(f->fd, at, out, n);
}

static uint64_t
file_size(struct source *s)
{
	struct file_source *f = (struct file_source *)s;
	struct stat st;
	if (f->follow || fstat(f->fd, &st) || (uint64_t)st.st_size < f->start)
		return 0;
	return (uint64_t)st.st_size - f->start;
}

static bool
file_seek(struct source *s, uint64_t offset)
{
	struct file_source *f = (struct file_source *)s;
	struct stat st;
	if (fstat(f->fd, &st) || (uint64_t)st.st_size < f->start ||
	    offset > (uint64_t)st.st_size - f->start)
		return false;
	if (lseek(f->fd, (off_t)(f->start + offset), SEEK_SET) < 0)
		return false;
	f->at = offset;
	return true;
}

static void
file_close(struct source *s)
{
	struct file_source *f = (struct file_source *)s;
	if (f->inotify_fd >= 0)
		close(f->inotify_fd);
	if (f->own)
		close(f->fd);
	free_all(f->name, f);
}

static const struct source_ops regular_ops = {
	.read = file_read,
	.read_at = file_read_at,
	.seek = file_seek,
	.ready = file_ready,
	.size = file_size,
	.close = file_close,
	.shared = true,
};
static const struct source_ops stream_ops = {
	.read = file_read,
	.ready = file_ready,
	.close = file_close,
};

struct source *
source_fd(int fd, bool own, bool follow, struct watch *w, enum source_part part)
{
	struct file_source *f = mem_zalloc(1, sizeof *f);
	struct stat st;
	off_t start = lseek(fd, 0, SEEK_CUR);
	f->regular = start >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode);
	f->start = f->regular ? (uint64_t)start : 0;
	f->base.ops = f->regular ? &regular_ops : &stream_ops;
	err_init(&f->base.fault);
	f->fd = fd;
	f->inotify_fd = -1;
	f->own = own;
	f->follow = follow;
	f->name = follow ? name_now(fd) : NULL;
	f->watch = w;
	f->counted = part != SOURCE_OTHER;
	uint64_t size = f->regular ? file_size(&f->base) : 0;
	if (w && part == SOURCE_MAIN)
		atomic_store(&w->size, size);
	if (w && part == SOURCE_BESIDE) {
		atomic_fetch_add(&w->beside, size);
		if (atomic_load(&w->size))
			atomic_fetch_add(&w->size, size);
	}
	return &f->base;
}
